#include "mutate/program_sites.h"

#include <algorithm>
#include <memory>
#include <set>

namespace hone {

namespace {

constexpr std::int64_t k_largest_size = 5;

using Rebuild = std::function<Program(ExprPtr)>;
using RebuildCondition = std::function<ExprPtr(ExprPtr)>;

// The condition around a node; `whole` is null outside of conditions.
struct Around {
  ExprPtr whole;
  RebuildCondition with;
};

class Visitor {
public:
  Visitor(const Program& program, const std::function<void(const ProgramSite&)>& visit)
    : m_program(program), m_visit(visit)
  {
  }

  void run()
  {
    for (std::size_t s = 0; s < m_program.statements.size(); ++s) {
      const Statement& statement = m_program.statements[s];
      m_scope = statement.indices;
      walk(statement.value, SitePart::value, nullptr, [this, s](ExprPtr node) {
        Program program = m_program;
        program.statements[s].value = std::move(node);
        return program;
      });
      if (statement.guard) {
        const auto rebuild = [this, s](ExprPtr node) {
          Program program = m_program;
          program.statements[s].guard = std::move(node);
          return program;
        };
        walk(statement.guard, SitePart::condition, nullptr, rebuild, condition_of(statement.guard));
      }
    }
  }

private:
  static SitePart part_of(const Expr& node, std::size_t argument, SitePart part)
  {
    if (node.kind == ExprKind::load) {
      return SitePart::subscript;
    }
    const bool condition =
      (node.kind == ExprKind::select && argument == 0) || (node.kind == ExprKind::reduce && argument == 1);
    return condition ? SitePart::condition : part;
  }

  static Around condition_of(const ExprPtr& node)
  {
    return {node, [](ExprPtr other) { return other; }};
  }

  void walk(const ExprPtr& node, SitePart part, const Expr* parent, const Rebuild& rebuild, const Around& around = {})
  {
    if (node->kind == ExprKind::reduce) {
      m_scope.insert(m_scope.end(), node->ranges.begin(), node->ranges.end());
    }
    m_visit({node, part, parent, m_scope, rebuild, around.whole, around.with});
    for (std::size_t a = 0; a < node->args.size(); ++a) {
      const ExprPtr& argument = node->args[a];
      if (!argument) {
        continue;
      }
      const SitePart inner = part_of(*node, a, part);
      const auto with = [&node, a](ExprPtr other) { return with_argument(*node, a, std::move(other)); };
      const Rebuild rebuilt = [&](ExprPtr other) { return rebuild(with(std::move(other))); };
      Around next = inner == SitePart::condition ? condition_of(argument) : Around{};
      if (around.whole) {
        next = {around.whole, [&](ExprPtr other) { return around.with(with(std::move(other))); }};
      }
      walk(argument, inner, node.get(), rebuilt, next);
    }
    if (node->kind == ExprKind::reduce) {
      m_scope.resize(m_scope.size() - node->ranges.size());
    }
  }

  const Program& m_program;
  const std::function<void(const ProgramSite&)>& m_visit;
  std::vector<IndexRange> m_scope;
};

void collect_names(const Expr& expression, ExprKind kind, std::set<std::string>& names)
{
  any_part(expression, [&](const Expr& part) {
    if (part.kind == kind) {
      names.insert(part.name);
    }
    return false;
  });
}

// All values of the indices from `next` on; false as soon as the sides differ.
bool agree(const Expr& left, const Expr& right, const std::vector<IndexRange>& scope, std::size_t next,
           std::vector<NamedValue>& values)
{
  if (next == scope.size()) {
    const Result<std::int64_t> a = evaluate_integer(left, values);
    const Result<std::int64_t> b = evaluate_integer(right, values);
    return a && b && (*a != 0) == (*b != 0);
  }
  const IndexRange& range = scope[next];
  const Result<std::int64_t> lower = range.lower ? evaluate_integer(*range.lower, values) : Result<std::int64_t>(0);
  const Result<std::int64_t> upper = evaluate_integer(*range.upper, values);
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

void visit_sites(const Program& program, const std::function<void(const ProgramSite&)>& visit)
{
  Visitor(program, visit).run();
}

ExprPtr with_argument(const Expr& expression, std::size_t position, ExprPtr argument)
{
  auto out = std::make_shared<Expr>(expression);
  out->args[position] = std::move(argument);
  return out;
}

bool agree_on_small_sizes(const Expr& left, const Expr& right, const std::vector<IndexRange>& scope)
{
  std::set<std::string> indices;
  collect_names(left, ExprKind::index, indices);
  collect_names(right, ExprKind::index, indices);
  // Inner ranges may name outer indices: from the inside out.
  std::vector<IndexRange> used;
  std::set<std::string> sizes;
  for (auto range = scope.rbegin(); range != scope.rend(); ++range) {
    if (!indices.contains(range->name)) {
      continue;
    }
    used.insert(used.begin(), *range);
    for (const ExprPtr& bound : {range->lower, range->upper}) {
      if (bound) {
        collect_names(*bound, ExprKind::index, indices);
        collect_names(*bound, ExprKind::extent, sizes);
      }
    }
  }
  collect_names(left, ExprKind::extent, sizes);
  collect_names(right, ExprKind::extent, sizes);
  // Every combination of sizes, counted like digits.
  const std::vector<std::string> symbols(sizes.begin(), sizes.end());
  std::vector<std::int64_t> digits(symbols.size(), 1);
  for (bool more = true; more;) {
    std::vector<NamedValue> values;
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

} // namespace hone
