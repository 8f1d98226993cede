// Names and layout of the statements that were understood, as a person would write them. (internal to the room)
#pragma once

#include "import/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hone::import {

// Words of the language that read badly, or not at all, as the name of a tensor.
inline const std::map<std::string, std::string>& spoken_names()
{
  static const std::map<std::string, std::string> k_names{{"max", "largest"},   {"min", "smallest"}, {"sum", "total"},
                                                          {"prod", "product"},  {"exp", "power"},    {"where", "at"},
                                                          {"log", "logarithm"}, {"sqrt", "root"},    {"abs", "size"}};
  return k_names;
}

// Gives indices and intermediates the names that a person would.
class Namer {
public:
  Namer(const Semantics& semantics, const Survey& survey) : m_arrays(survey.arrays)
  {
    for (const auto& [name, array] : survey.arrays) {
      m_taken.insert(name);
    }
    for (const DraftStatement& statement : semantics.statements) {
      if (!statement.intermediate) {
        m_tensors[statement.target] = statement.target;
        m_taken.insert(statement.target);
      }
      any_node(*statement.value, [&](const kernel::Expr& node) {
        if (node.kind == kernel::ExprKind::extent
            || (node.kind == kernel::ExprKind::load && !node.name.contains('#'))) {
          m_taken.insert(node.name);
        }
        return false;
      });
    }
    for (const auto& [name, range] : survey.ranges) {
      note_sizes(*range.upper);
    }
    for (const auto& [name, array] : survey.arrays) {
      for (const kernel::ExprPtr& extent : array.shape) {
        note_sizes(*extent);
      }
    }
    for (const DraftStatement& statement : semantics.statements) {
      if (statement.intermediate && !m_tensors.contains(statement.target)) {
        const std::string base = written_name(statement.target);
        const auto spoken = spoken_names().find(base);
        m_tensors[statement.target] = claim(spoken == spoken_names().end() ? base : spoken->second, m_taken);
        m_taken.insert(m_tensors[statement.target]);
      }
    }
  }

  // Loops, and the statements in them.
  std::vector<std::string> print(const std::vector<DraftStatement>& statements) const
  {
    std::vector<std::string> lines;
    std::vector<kernel::SerialLoop> open;
    for (const DraftStatement& statement : statements) {
      std::size_t shared = 0;
      while (shared < std::min(open.size(), statement.loops.size())
             && open[shared].number == statement.loops[shared].number) {
        ++shared;
      }
      for (; open.size() > shared; open.pop_back()) {
        lines.push_back(std::string(2 * (open.size() - 1), ' ') + "}");
      }
      std::map<std::string, std::string> names;
      std::set<std::string> taken = m_taken;
      for (std::size_t i = 0; i < statement.loops.size(); ++i) {
        const kernel::IndexRange& range = statement.loops[i].range;
        const std::string name = claim(written_name(range.name), taken);
        if (i >= shared) {
          lines.push_back(std::string(2 * i, ' ') + "for " + range_text(range, name, names, taken) + " {");
          open.push_back(statement.loops[i]);
        }
        names[range.name] = name;
        taken.insert(name);
      }
      lines.push_back(std::string(2 * open.size(), ' ') + print(statement, names, taken));
    }
    for (; !open.empty(); open.pop_back()) {
      lines.push_back(std::string(2 * (open.size() - 1), ' ') + "}");
    }
    return lines;
  }

  // `names`: of the loops around.
  std::string print(const DraftStatement& statement, std::map<std::string, std::string> names,
                    std::set<std::string> taken) const
  {
    if (!statement.loops.empty()) {
      return print_ordered(statement, std::move(names), std::move(taken));
    }
    std::string subscripts;
    for (const kernel::IndexRange& range : statement.indices) {
      names[range.name] = claim(written_name(range.name), taken);
      taken.insert(names[range.name]);
      subscripts += (subscripts.empty() ? "" : ", ") + names[range.name];
      const bool explained = statement.intermediate || runs_over_more(statement, range);
      subscripts += explained ? " < " + kernel::to_text(*range.upper) : "";
    }
    std::string out = m_tensors.at(statement.target) + (subscripts.empty() ? "" : "[" + subscripts + "]") + " = "
                      + kernel::to_text(*named(statement.value, names, taken));
    return statement.guard ? out + " where " + kernel::to_text(*named(statement.guard, names, taken)) : out;
  }

private:
  std::string range_text(const kernel::IndexRange& range, const std::string& name,
                         const std::map<std::string, std::string>& names, const std::set<std::string>& taken) const
  {
    const bool from_zero = !range.lower || is_literal(*range.lower, 0);
    return (from_zero ? "" : kernel::to_text(*named(range.lower, names, taken)) + " <= ") + name + " < "
           + kernel::to_text(*named(range.upper, names, taken));
  }

  std::string print_ordered(const DraftStatement& statement, std::map<std::string, std::string> names,
                            std::set<std::string> taken) const
  {
    std::string subscripts;
    for (const kernel::ExprPtr& subscript : statement.subscripts) {
      const auto range = std::ranges::find_if(statement.indices, [&](const kernel::IndexRange& index) {
        return subscript->kind == kernel::ExprKind::index && index.name == subscript->name;
      });
      subscripts += subscripts.empty() ? "" : ", ";
      if (range == statement.indices.end()) {
        subscripts += kernel::to_text(*named(subscript, names, taken));
        continue;
      }
      const std::string name = claim(written_name(range->name), taken);
      subscripts += range_text(*range, name, names, taken);
      names[range->name] = name;
      taken.insert(name);
    }
    const std::string out = m_tensors.at(statement.target) + (subscripts.empty() ? "" : "[" + subscripts + "]") + " = "
                            + kernel::to_text(*named(statement.value, names, taken));
    return statement.guard ? out + " where " + kernel::to_text(*named(statement.guard, names, taken)) : out;
  }

  // Whether an index subscripts a dimension that is not as long as its range: the range has to be written then.
  bool runs_over_more(const DraftStatement& statement, const kernel::IndexRange& range) const
  {
    return any_node(*statement.value, [&](const kernel::Expr& node) {
      const auto array = node.kind == kernel::ExprKind::load ? m_arrays.find(node.name) : m_arrays.end();
      for (std::size_t k = 0; array != m_arrays.end() && k < node.args.size(); ++k) {
        const kernel::Expr& subscript = *node.args[k];
        if (subscript.kind == kernel::ExprKind::index && subscript.name == range.name
            && !same(array->second.shape[k], range.upper)) {
          return true;
        }
      }
      return false;
    });
  }

  void note_sizes(const kernel::Expr& expression) { collect_sizes(expression, m_taken); }

  static std::string claim(const std::string& wish, const std::set<std::string>& taken)
  {
    std::string out = wish;
    for (int number = 2; taken.contains(out); ++number) {
      out = fmt::format("{}{}", wish, number);
    }
    return out;
  }

  kernel::ExprPtr named(const kernel::ExprPtr& expression, const std::map<std::string, std::string>& names,
                        const std::set<std::string>& taken) const
  {
    if (!expression) {
      return nullptr;
    }
    auto out = std::make_shared<kernel::Expr>(*expression);
    auto inner = names;
    auto inner_taken = taken;
    if (out->kind == kernel::ExprKind::index) {
      out->name = names.at(out->name);
    } else if (out->kind == kernel::ExprKind::load && m_tensors.contains(out->name)) {
      out->name = m_tensors.at(out->name);
    }
    for (kernel::IndexRange& range : out->ranges) {
      range.lower = named(range.lower, inner, inner_taken);
      range.upper = named(range.upper, inner, inner_taken);
      inner[range.name] = claim(written_name(range.name), inner_taken);
      inner_taken.insert(inner[range.name]);
      range.name = inner[range.name];
    }
    for (kernel::ExprPtr& arg : out->args) {
      arg = named(arg, inner, inner_taken);
    }
    return readable_extreme(out);
  }

  // The language reads max(n, x) as a reduction over n: a size stands last, and two sizes are selected from.
  static kernel::ExprPtr readable_extreme(const std::shared_ptr<kernel::Expr>& node)
  {
    const bool extreme = node->kind == kernel::ExprKind::call && (node->name == "max" || node->name == "min")
                         && node->args.size() == 2 && node->args[0]->kind == kernel::ExprKind::extent;
    if (!extreme) {
      return node;
    }
    if (node->args[1]->kind != kernel::ExprKind::extent) {
      std::swap(node->args[0], node->args[1]);
      return node;
    }
    auto out = std::make_shared<kernel::Expr>(*node);
    out->kind = kernel::ExprKind::select;
    out->args = {compared(node->name == "max" ? ">" : "<", node->args[0], node->args[1]), node->args[0], node->args[1]};
    return out;
  }

  const std::map<std::string, ForeignArray>& m_arrays;
  std::map<std::string, std::string> m_tensors;
  std::set<std::string> m_taken;
};

} // namespace hone::import
