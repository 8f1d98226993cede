#include "mutation_testing/program_sites.h"

#include <algorithm>
#include <memory>
#include <set>

namespace hone::mutation_testing {

namespace {

constexpr std::int64_t k_largest_size = 5;

using Rebuild = std::function<kernel::Program(kernel::ExprPtr)>;
using RebuildCondition = std::function<kernel::ExprPtr(kernel::ExprPtr)>;

// The condition around a node; `whole` is null outside of conditions.
struct Around {
  kernel::ExprPtr whole;
  RebuildCondition with;
};

class Visitor {
public:
  Visitor(const kernel::Program& program, const std::function<void(const ProgramSite&)>& visit)
    : m_program(program), m_visit(visit)
  {
  }

  void run()
  {
    for (std::size_t s = 0; s < m_program.statements.size(); ++s) {
      const kernel::Statement& statement = m_program.statements[s];
      m_scope = statement.indices;
      walk(statement.value, SitePart::value, nullptr, [this, s](kernel::ExprPtr node) {
        kernel::Program program = m_program;
        program.statements[s].value = std::move(node);
        return program;
      });
      if (statement.guard) {
        const auto rebuild = [this, s](kernel::ExprPtr node) {
          kernel::Program program = m_program;
          program.statements[s].guard = std::move(node);
          return program;
        };
        walk(statement.guard, SitePart::condition, nullptr, rebuild, condition_of(statement.guard));
      }
    }
  }

private:
  static SitePart part_of(const kernel::Expr& node, std::size_t argument, SitePart part)
  {
    if (node.kind == kernel::ExprKind::load) {
      return SitePart::subscript;
    }
    const bool condition = (node.kind == kernel::ExprKind::select && argument == 0)
                           || (node.kind == kernel::ExprKind::reduce && argument == 1);
    return condition ? SitePart::condition : part;
  }

  static Around condition_of(const kernel::ExprPtr& node)
  {
    return {node, [](kernel::ExprPtr other) { return other; }};
  }

  void walk(const kernel::ExprPtr& node, SitePart part, const kernel::Expr* parent, const Rebuild& rebuild,
            const Around& around = {})
  {
    if (node->kind == kernel::ExprKind::reduce) {
      m_scope.insert(m_scope.end(), node->ranges.begin(), node->ranges.end());
    }
    m_visit({node, part, parent, m_scope, rebuild, around.whole, around.with});
    for (std::size_t a = 0; a < node->args.size(); ++a) {
      const kernel::ExprPtr& argument = node->args[a];
      if (!argument) {
        continue;
      }
      const SitePart inner = part_of(*node, a, part);
      const auto with = [&node, a](kernel::ExprPtr other) { return with_argument(*node, a, std::move(other)); };
      const Rebuild rebuilt = [&](kernel::ExprPtr other) { return rebuild(with(std::move(other))); };
      Around next = inner == SitePart::condition ? condition_of(argument) : Around{};
      if (around.whole) {
        next = {around.whole, [&](kernel::ExprPtr other) { return around.with(with(std::move(other))); }};
      }
      walk(argument, inner, node.get(), rebuilt, next);
    }
    if (node->kind == kernel::ExprKind::reduce) {
      m_scope.resize(m_scope.size() - node->ranges.size());
    }
  }

  const kernel::Program& m_program;
  const std::function<void(const ProgramSite&)>& m_visit;
  std::vector<kernel::IndexRange> m_scope;
};

void collect_names(const kernel::Expr& expression, kernel::ExprKind kind, std::set<std::string>& names)
{
  kernel::any_part(expression, [&](const kernel::Expr& part) {
    if (part.kind == kind) {
      names.insert(part.name);
    }
    return false;
  });
}

// All values of the indices from `next` on; false as soon as the sides differ.
bool agree(const kernel::Expr& left, const kernel::Expr& right, const std::vector<kernel::IndexRange>& scope,
           std::size_t next, std::vector<kernel::NamedValue>& values)
{
  if (next == scope.size()) {
    const Result<std::int64_t> a = kernel::evaluate_integer(left, values);
    const Result<std::int64_t> b = kernel::evaluate_integer(right, values);
    return a && b && (*a != 0) == (*b != 0);
  }
  const kernel::IndexRange& range = scope[next];
  const Result<std::int64_t> lower =
    range.lower ? kernel::evaluate_integer(*range.lower, values) : Result<std::int64_t>(0);
  const Result<std::int64_t> upper = kernel::evaluate_integer(*range.upper, values);
  if (!lower || !upper) {
    return false;
  }
  for (std::int64_t value = *lower; value < *upper; ++value) {
    values.push_back({range.name, value});
    const bool same = agree(left, right, scope, next + 1, values);
    values.pop_back();
    if (!same) {
      return false;
    }
  }
  return true;
}

} // namespace

void visit_sites(const kernel::Program& program, const std::function<void(const ProgramSite&)>& visit)
{
  Visitor(program, visit).run();
}

kernel::ExprPtr with_argument(const kernel::Expr& expression, std::size_t position, kernel::ExprPtr argument)
{
  auto out = std::make_shared<kernel::Expr>(expression);
  out->args[position] = std::move(argument);
  return out;
}

bool agree_on_small_sizes(const kernel::Expr& left, const kernel::Expr& right,
                          const std::vector<kernel::IndexRange>& scope)
{
  std::set<std::string> indices;
  collect_names(left, kernel::ExprKind::index, indices);
  collect_names(right, kernel::ExprKind::index, indices);
  // Inner ranges may name outer indices: from the inside out.
  std::vector<kernel::IndexRange> used;
  std::set<std::string> sizes;
  for (auto range = scope.rbegin(); range != scope.rend(); ++range) {
    if (!indices.contains(range->name)) {
      continue;
    }
    used.insert(used.begin(), *range);
    for (const kernel::ExprPtr& bound : {range->lower, range->upper}) {
      if (bound) {
        collect_names(*bound, kernel::ExprKind::index, indices);
        collect_names(*bound, kernel::ExprKind::extent, sizes);
      }
    }
  }
  collect_names(left, kernel::ExprKind::extent, sizes);
  collect_names(right, kernel::ExprKind::extent, sizes);
  // Every combination of sizes, counted like digits.
  const std::vector<std::string> symbols(sizes.begin(), sizes.end());
  std::vector<std::int64_t> digits(symbols.size(), 1);
  for (bool more = true; more;) {
    std::vector<kernel::NamedValue> values;
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      values.push_back({symbols[s], digits[s]});
    }
    if (!agree(left, right, used, 0, values)) {
      return false;
    }
    more = false;
    for (std::size_t s = 0; s < digits.size() && !more; ++s) {
      more = digits[s] < k_largest_size;
      digits[s] = more ? digits[s] + 1 : 1;
    }
  }
  return true;
}

} // namespace hone::mutation_testing
