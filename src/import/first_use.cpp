#include "import/first_use.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace hone::import {

namespace {

using Position = std::vector<std::int64_t>;

class Walk {
public:
  Walk(const Semantics& semantics, const std::map<std::string, ForeignArray>& arrays, std::int64_t first,
       std::int64_t step)
    : m_statements(semantics.statements), m_written(semantics.written), m_arrays(arrays)
  {
    std::set<std::string> sizes;
    const auto note = [&](const kernel::Expr& expression) { collect_sizes(expression, sizes); };
    for (const auto& [name, array] : arrays) {
      for (const kernel::ExprPtr& extent : array.argument ? array.shape : std::vector<kernel::ExprPtr>()) {
        note(*extent);
      }
    }
    for (const DraftStatement& one : m_statements) {
      note_ranges(one, note);
      note(*one.value);
    }
    for (const std::string& size : sizes) {
      m_values.push_back({size, first});
      first += step;
    }
  }

  std::set<std::string> run()
  {
    nest(0, m_statements.size(), 0);
    for (const std::string& name : m_written) {
      const auto array = m_arrays.find(name);
      if (array == m_arrays.end()) {
        continue;
      }
      std::int64_t elements = 1;
      for (const kernel::ExprPtr& extent : array->second.shape) {
        elements *= value_of(*extent).value_or(0);
      }
      if (static_cast<std::int64_t>(m_done[name].size()) < elements) {
        m_kept.insert(name);
      }
    }
    return m_unknown ? m_written : m_kept;
  }

private:
  static void note_ranges(const DraftStatement& one, const std::function<void(const kernel::Expr&)>& note)
  {
    for (const kernel::IndexRange& range : one.indices) {
      note(*range.upper);
    }
    for (const kernel::SerialLoop& loop : one.loops) {
      note(*loop.range.upper);
    }
    for (const kernel::ExprPtr& subscript : one.subscripts) {
      note(*subscript);
    }
  }

  std::optional<std::int64_t> value_of(const kernel::Expr& expression) const
  {
    const auto value = kernel::evaluate_integer(expression, m_values);
    return value ? std::optional(*value) : std::nullopt;
  }

  // Runs `body` for every value of the range.
  void over(const kernel::IndexRange& range, const std::function<void()>& body)
  {
    const auto lower = range.lower ? value_of(*range.lower) : std::optional<std::int64_t>(0);
    const auto upper = value_of(*range.upper);
    if (!lower || !upper) {
      m_unknown = true;
      return;
    }
    for (std::int64_t at = *lower; at < *upper && !m_unknown; ++at) {
      m_values.push_back({range.name, at});
      body();
      m_values.pop_back();
    }
  }

  void over(const std::vector<kernel::IndexRange>& ranges, std::size_t from, const std::function<void()>& body)
  {
    if (from == ranges.size()) {
      return body();
    }
    over(ranges[from], [&] { over(ranges, from + 1, body); });
  }

  // The statements [first, end), which share `depth` loops.
  void nest(std::size_t first, std::size_t end, std::size_t depth)
  {
    while (first < end && !m_unknown) {
      const DraftStatement& one = m_statements[first];
      if (one.loops.size() <= depth) {
        statement(one);
        ++first;
        continue;
      }
      std::size_t last = first;
      while (last < end && m_statements[last].loops.size() > depth
             && m_statements[last].loops[depth].number == one.loops[depth].number) {
        ++last;
      }
      over(one.loops[depth].range, [&] { nest(first, last, depth + 1); });
      first = last;
    }
  }

  void statement(const DraftStatement& one)
  {
    std::vector<Position> positions;
    over(one.indices, 0, [&] {
      if (one.guard) {
        reads(*one.guard);
      }
      const auto holds = one.guard ? truth(*one.guard) : std::optional(true);
      if (holds.value_or(true)) {
        reads(*one.value);
      }
      Position at;
      for (const kernel::ExprPtr& subscript : one.subscripts) {
        reads(*subscript);
        const auto value = value_of(*subscript);
        if (!value) {
          return; // somewhere: nothing that can be counted on
        }
        at.push_back(*value);
      }
      if (one.loops.empty()) {
        for (const kernel::IndexRange& range : one.indices) {
          at.push_back(*value_of(*kernel::make_index(range.name)));
        }
      }
      if (one.loops.empty() || (holds && *holds)) {
        positions.push_back(std::move(at));
      }
    });
    m_done[one.target].insert(positions.begin(), positions.end()); // after all reads
  }

  std::optional<bool> truth(const kernel::Expr& condition) const
  {
    if (condition.kind == kernel::ExprKind::unary && condition.name == "!") {
      const auto inner = truth(*condition.args[0]);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (condition.kind != kernel::ExprKind::binary) {
      return std::nullopt;
    }
    if (condition.name == "&&" || condition.name == "||") {
      const auto left = truth(*condition.args[0]), right = truth(*condition.args[1]);
      const bool decisive = condition.name == "||";
      if ((left && *left == decisive) || (right && *right == decisive)) {
        return decisive;
      }
      return left && right ? std::optional(!decisive) : std::nullopt;
    }
    const auto left = value_of(*condition.args[0]), right = value_of(*condition.args[1]);
    if (!left || !right) {
      return std::nullopt;
    }
    const std::string& op = condition.name;
    return op == "<"    ? *left < *right
           : op == "<=" ? *left <= *right
           : op == ">"  ? *left > *right
           : op == ">=" ? *left >= *right
           : op == "==" ? *left == *right
                        : *left != *right;
  }

  void reads(const kernel::Expr& node)
  {
    if (node.kind == kernel::ExprKind::reduce) {
      return over(node.ranges, 0, [&] {
        const auto holds = node.args.size() > 1 ? truth(*node.args[1]) : std::optional(true);
        for (const kernel::ExprPtr& part : node.args) {
          if (part != node.args[0] || holds.value_or(true)) {
            reads(*part);
          }
        }
      });
    }
    if (node.kind == kernel::ExprKind::select) {
      reads(*node.args[0]);
      const auto holds = truth(*node.args[0]);
      for (std::size_t branch = 1; branch <= 2; ++branch) {
        if (!holds || *holds == (branch == 1)) {
          reads(*node.args[branch]);
        }
      }
      return;
    }
    for (const kernel::ExprPtr& part : node.args) {
      reads(*part);
    }
    if (node.kind != kernel::ExprKind::load || !m_written.contains(node.name) || m_kept.contains(node.name)) {
      return;
    }
    Position at;
    for (const kernel::ExprPtr& subscript : node.args) {
      const auto value = value_of(*subscript);
      if (!value) {
        m_kept.insert(node.name);
        return;
      }
      at.push_back(*value);
    }
    if (!m_done[node.name].contains(at)) {
      m_kept.insert(node.name);
    }
  }

  const std::vector<DraftStatement>& m_statements;
  const std::set<std::string>& m_written;
  const std::map<std::string, ForeignArray>& m_arrays;
  std::vector<kernel::NamedValue> m_values;         // of sizes and of the indices around
  std::map<std::string, std::set<Position>> m_done; // elements that are written
  std::set<std::string> m_kept;
  bool m_unknown = false;
};

} // namespace

std::set<std::string> kept_arguments(const Semantics& semantics, const std::map<std::string, ForeignArray>& arrays)
{
  std::set<std::string> out = Walk(semantics, arrays, 6, 0).run();
  out.merge(Walk(semantics, arrays, 5, 1).run());
  out.erase(semantics.result);
  return out;
}

} // namespace hone::import
