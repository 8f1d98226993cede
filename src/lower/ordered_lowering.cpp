#include "lower/ordered_lowering.h"

#include "lower/expression_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

using kernel::any_part;
using kernel::Expr;
using kernel::ExprKind;
using kernel::Statement;

bool is_same(const kernel::ExprPtr& a, const kernel::ExprPtr& b)
{
  return kernel::to_text(*a) == kernel::to_text(*b);
}

// The element that the statement writes, as it was before.
bool is_own_element(const Statement& statement, const Expr& load)
{
  return load.kind == ExprKind::load && load.name == statement.target
         && std::ranges::equal(load.args, statement.subscripts, is_same);
}

template <class Predicate> bool any_load(const Statement& statement, const Predicate& predicate)
{
  const auto fits = [&](const Expr& part) { return part.kind == ExprKind::load && predicate(part); };
  return any_part(*statement.value, fits) || (statement.guard && any_part(*statement.guard, fits));
}

// True when every element of the target is written, by the statement's own indices or over all rounds of its loops.
bool covers_target(const Statement& statement, bool over_all_rounds)
{
  if (statement.guard) {
    return false;
  }
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < statement.subscripts.size(); ++i) {
    const Expr& subscript = *statement.subscripts[i];
    const auto covers = [&](const kernel::IndexRange& range) {
      return subscript.kind == ExprKind::index && range.name == subscript.name && !range.lower
             && is_same(range.upper, statement.extents[i]);
    };
    const bool free = std::ranges::any_of(statement.indices, covers);
    const bool serial =
      over_all_rounds && std::ranges::any_of(statement.loops, [&](const auto& loop) { return covers(loop.range); });
    if ((!free && !serial) || std::ranges::find(seen, subscript.name) != seen.end()) {
      return false; // a diagonal, a part
    }
    seen.push_back(subscript.name);
  }
  return true;
}

// `t - 1` where `t` is the name of a loop: what an earlier round has written.
bool is_earlier(const Expr& subscript, const std::string& loop)
{
  return subscript.kind == ExprKind::binary && subscript.name == "-" && subscript.args[0]->kind == ExprKind::index
         && subscript.args[0]->name == loop && subscript.args[1]->kind == ExprKind::number
         && subscript.args[1]->number >= 1;
}

bool reads_earlier_round(const Statement& statement, const Expr& load)
{
  for (std::size_t i = 0; i < load.args.size(); ++i) {
    const Expr& own = *statement.subscripts[i];
    const bool serial = std::ranges::any_of(statement.loops, [&](const kernel::SerialLoop& loop) {
      return own.kind == ExprKind::index && loop.range.name == own.name;
    });
    if (serial && is_earlier(*load.args[i], own.name)) {
      return true;
    }
  }
  return false;
}

// One block on its way to a launch.
class BlockWriter {
public:
  BlockWriter(const kernel::Kernel& kernel, const Dialect& dialect, std::size_t first)
    : m_kernel(kernel), m_dialect(dialect),
      m_statements(
        std::span(kernel.program.statements).subspan(first, kernel::end_of_block(kernel.program, first) - first)),
      m_first(first), m_variables(index_variables(kernel, m_statements))
  {
  }

  Result<void> run(const std::string& name, LoweredProgram& out)
  {
    ProgramBlock body;
    HONE_CHECK(begin_targets(body, out));
    HONE_TRY(ProgramBlock loops, nest(m_statements, 0));
    append(body, std::move(loops));
    LaunchText launch;
    launch.kernel = name;
    launch.grid = {"1"};
    if (m_dialect.work_items) {
      launch.block = {"1"};
    }
    for (std::size_t i = 0; i < m_aside.size(); ++i) {
      out.plan.scratch.push_back({m_aside[i].name, m_aside[i].type, m_aside_sizes[i]});
    }
    const std::vector<ParameterText> parameters = parameters_for(m_kernel, m_dialect, print(body), m_aside);
    launch.args = names(parameters);
    out.device.push_back(blank_line());
    const std::string grain = m_dialect.work_items ? "One work-item, in order: " : "One work-group, in order: ";
    out.device.push_back(comment(grain + kernel::to_text(m_statements.front().loops)));
    out.device.push_back(function(entry_head(m_dialect, name, parameters), std::move(body)));
    out.plan.launches.push_back(std::move(launch));
    return {};
  }

private:
  ExpressionText text_for(const Statement& statement) const
  {
    ExpressionText text(m_kernel, m_dialect, compute_type(m_kernel, statement));
    text.indices = m_variables;
    return text;
  }

  // Scratch for what only this block computes; zeros where elements may be read, or left, before they are written.
  Result<void> begin_targets(ProgramBlock& body, LoweredProgram& out) const
  {
    for (std::size_t i = 0; i < m_statements.size(); ++i) {
      const Statement& statement = m_statements[i];
      if (kernel::home_of(m_kernel.program, statement.target) != m_first + i) {
        continue;
      }
      HONE_TRY(const std::string elements, elements_of(m_kernel, m_dialect, statement));
      if (statement.intermediate) {
        out.plan.scratch.push_back({statement.target, statement.type, elements});
      }
      const kernel::Argument* argument = m_kernel.find_argument(statement.target);
      const bool has_values = argument != nullptr && argument->role == kernel::Role::inout;
      if (!has_values && !is_written_first(i)) {
        ExpressionText text = text_for(statement);
        ProgramBlock zero;
        HONE_TRY(const std::string store, text.store(statement.target, statement.type, "element",
                                                     *kernel::make_number(0, !kernel::is_float(statement.type)), zero));
        zero.push_back(lower::statement(store));
        body.push_back(loop(index_type(m_dialect), "element", "0", elements, "1", std::move(zero)));
      }
    }
    return {};
  }

  // True when no element of the target of statement `i`, the first to write it, is read or left unwritten.
  bool is_written_first(std::size_t i) const
  {
    const Statement& writer = m_statements[i];
    const bool each_round = covers_target(writer, false);
    if (!each_round && !covers_target(writer, true)) {
      return false;
    }
    for (std::size_t other = 0; other < m_statements.size(); ++other) {
      const bool within = std::ranges::equal(
        std::span(writer.loops),
        std::span(m_statements[other].loops).first(std::min(writer.loops.size(), m_statements[other].loops.size())), {},
        &kernel::SerialLoop::number, &kernel::SerialLoop::number);
      const bool early = any_load(m_statements[other], [&](const Expr& load) {
        const bool behind =
          other > i && within && (each_round || std::ranges::equal(load.args, writer.subscripts, is_same));
        return load.name == writer.target && !behind && !(within && reads_earlier_round(writer, load));
      });
      if (early) {
        return false;
      }
    }
    return true;
  }

  Result<ProgramNode> loop_over(const kernel::IndexRange& range, ProgramBlock body) const
  {
    ExpressionText text = text_for(m_statements.front());
    HONE_TRY(const std::string upper, text.integer_text(*range.upper));
    std::string lower = "0";
    if (range.lower) {
      HONE_TRY(lower, text.integer_text(*range.lower));
    }
    return loop(index_type(m_dialect), m_variables.at(range.name), lower, upper, "1", std::move(body));
  }

  // The loops from `depth` on, and what they hold.
  Result<ProgramBlock> nest(std::span<const Statement> statements, std::size_t depth)
  {
    ProgramBlock out;
    while (!statements.empty()) {
      const Statement& first = statements.front();
      if (first.loops.size() == depth) {
        HONE_TRY(ProgramBlock one, written(first));
        append(out, std::move(one));
        statements = statements.subspan(1);
        continue;
      }
      const auto inside = [&](const Statement& statement) {
        return statement.loops.size() > depth && statement.loops[depth].number == first.loops[depth].number;
      };
      const auto count = static_cast<std::size_t>(std::ranges::find_if_not(statements, inside) - statements.begin());
      HONE_TRY(ProgramBlock body, nest(statements.first(count), depth + 1));
      HONE_TRY(ProgramNode node, loop_over(first.loops[depth].range, std::move(body)));
      out.push_back(std::move(node));
      statements = statements.subspan(count);
    }
    return out;
  }

  Result<ProgramBlock> around(const Statement& statement, ProgramBlock body) const
  {
    for (auto range = statement.indices.rbegin(); range != statement.indices.rend(); ++range) {
      HONE_TRY(ProgramNode node, loop_over(*range, std::move(body)));
      body.clear();
      body.push_back(std::move(node));
    }
    return body;
  }

  // One statement; through a buffer of its own where it reads elements that it writes elsewhere.
  Result<ProgramBlock> written(const Statement& statement)
  {
    const bool aside = !statement.indices.empty() && any_load(statement, [&](const Expr& load) {
      return load.name == statement.target && !is_own_element(statement, load);
    });
    std::string buffer = statement.target;
    if (aside) {
      HONE_TRY(buffer, aside_buffer(statement));
    }
    HONE_TRY(ProgramBlock element, stored(statement, buffer));
    const bool alone = statement.indices.empty() && element.size() > 1;
    HONE_TRY(ProgramBlock out, around(statement, std::move(element)));
    if (alone) { // its local variables are its own
      ProgramBlock scope;
      scope.push_back(braced("", std::move(out)));
      out = std::move(scope);
    }
    if (aside) {
      HONE_TRY(const std::string at, position(statement));
      ProgramBlock copy;
      copy.push_back(lower::statement(fmt::format("{0}[{2}] = {1}[{2}];", statement.target, buffer, at)));
      HONE_TRY(ProgramBlock back, around(statement, std::move(copy)));
      append(out, std::move(back));
    }
    return out;
  }

  // Of the target's size; statements with the same target share it.
  Result<std::string> aside_buffer(const Statement& statement)
  {
    const std::string name = free_tensor_name(m_kernel, statement.target + "_next");
    if (std::ranges::find(m_aside, name, &ExtraBuffer::name) == m_aside.end()) {
      HONE_TRY(std::string elements, elements_of(m_kernel, m_dialect, statement));
      m_aside.push_back({name, statement.type});
      m_aside_sizes.push_back(std::move(elements));
    }
    return name;
  }

  Result<std::string> position(const Statement& statement) const
  {
    ExpressionText text = text_for(statement);
    std::vector<std::string> subscripts;
    for (const kernel::ExprPtr& subscript : statement.subscripts) {
      HONE_TRY(std::string one, text.integer_text(*subscript));
      subscripts.push_back(std::move(one));
    }
    return text.position(statement.target, subscripts);
  }

  Result<ProgramBlock> stored(const Statement& statement, const std::string& buffer) const
  {
    ExpressionText text = text_for(statement);
    HONE_TRY(const std::string at, position(statement));
    ProgramBlock out;
    std::string condition;
    if (statement.guard) {
      HONE_TRY(condition, text.value(*statement.guard, out));
    }
    ProgramBlock block;
    HONE_TRY(const std::string store, text.store(buffer, statement.type, at, *statement.value, block));
    block.push_back(lower::statement(store));
    if (!statement.guard) {
      append(out, std::move(block));
      return out;
    }
    out.push_back(guard(condition, std::move(block)));
    if (buffer != statement.target) {
      ProgramBlock keep;
      keep.push_back(lower::statement(fmt::format("{0}[{2}] = {1}[{2}];", buffer, statement.target, at)));
      out.push_back(braced("else", std::move(keep)));
    }
    return out;
  }

  const kernel::Kernel& m_kernel;
  const Dialect& m_dialect;
  std::span<const Statement> m_statements;
  std::size_t m_first;
  std::map<std::string, std::string> m_variables;
  std::vector<ExtraBuffer> m_aside;
  std::vector<std::string> m_aside_sizes; // elements
};

} // namespace

Result<void> lower_block(const kernel::Kernel& kernel, const Dialect& dialect, std::size_t first,
                         const std::string& name, LoweredProgram& out)
{
  return BlockWriter(kernel, dialect, first).run(name, out);
}

} // namespace hone::lower
