#include "lower/rowwise_code.h"

#include "lower/rowwise_elements.h"
#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace hone::lower {

namespace {

std::string start_of(kernel::ReduceOp op, kernel::DataType compute)
{
  const std::string suffix = compute == kernel::DataType::f32 ? "f" : "";
  switch (op) {
  case kernel::ReduceOp::sum:
    return "0.0" + suffix;
  case kernel::ReduceOp::prod:
    return "1.0" + suffix;
  case kernel::ReduceOp::max:
  case kernel::ReduceOp::argmax:
    return "-INFINITY";
  default:
    return "INFINITY";
  }
}

// Where a pass's columns begin and end.
struct Bounds {
  std::string begin, end;
};

Result<Bounds> bounds_of(const RowCode& code, const RowPass& pass)
{
  if (!code.columns_end.empty()) {
    return Bounds{code.columns_begin, code.columns_end};
  }
  ExpressionText text = code.text();
  Bounds out{"0", ""};
  if (pass.lower) {
    HONE_TRY(out.begin, text.integer_text(*pass.lower));
  }
  HONE_TRY(out.end, text.integer_text(*pass.upper));
  return out;
}

// The loops of a reduction's outer ranges around a block.
Result<ProgramBlock> around(const RowCode& code, const RowPass& pass, ProgramBlock block)
{
  ExpressionText text = code.text();
  for (std::size_t r = pass.outer.size(); r-- > 0;) {
    const kernel::IndexRange& range = pass.outer[r];
    std::string lower = "0";
    if (range.lower) {
      HONE_TRY(lower, text.integer_text(*range.lower));
    }
    HONE_TRY(const std::string upper, text.integer_text(*range.upper));
    block = {loop(code.counter(), code.names.at(outer_index(r)), lower, upper, "1", std::move(block))};
  }
  return block;
}

bool nothing_to_do(const RowCode& code, const RowPass& pass)
{
  return std::ranges::all_of(pass.tasks, [&](const RowTask& task) {
    return task.kind == RowTask::Kind::element && code.program.targets.at(task.target).buffer.empty();
  });
}

// A vector pass in the making: collectors before the loops, the loops, and one number of each collector behind them.
class VectorPass {
public:
  VectorPass(RowCode& code, std::size_t level, const RowPass& pass)
    : m_code(code), m_level(level), m_pass(pass), m_lanes(vector_lanes(code.program.compute)),
      m_step(code.vectors + " * " + m_lanes), m_v(code.lane_vector)
  {
  }

  Result<ProgramBlock> write()
  {
    for (const RowTask& task : m_pass.tasks) {
      if (task.kind == RowTask::Kind::reduce) {
        m_parts[task.local] = m_code.fresh(task.local + (task.running ? "_before" : "_parts"));
        m_runs = m_runs || task.running;
      }
    }
    HONE_TRY(const Bounds bounds, bounds_of(m_code, m_pass));
    const std::string& at = m_code.lane_column;
    HONE_TRY(ProgramBlock whole, elements(Lanes::whole, at, "", m_v));
    whole.insert(whole.begin(), statement(fmt::format("const {} {} = {} + {} * {};", m_code.counter(), at,
                                                      m_code.column, m_v, m_lanes)));
    HONE_TRY(ProgramBlock part, elements(Lanes::part, m_code.column, bounds.end + " - " + m_code.column, "0"));
    ProgramBlock loops;
    const std::string full = full_columns(bounds, loops);
    loops.push_back(loop(m_code.counter(), m_code.column, bounds.begin, full, m_step, each_vector(std::move(whole))));
    loops.push_back(comment("Columns that do not fill a step: vectors of which only the first lanes count."));
    loops.push_back(loop(m_code.counter(), m_code.column, full, bounds.end, m_lanes, std::move(part)));
    HONE_TRY(loops, around(m_code, m_pass, std::move(loops)));

    ProgramBlock block = std::move(m_ahead);
    for (const RowTask& task : m_pass.tasks) {
      append(block, collector(task));
    }
    append(block, std::move(loops));
    for (const RowTask& task : m_pass.tasks) {
      append(block, collected(task));
    }
    return block;
  }

private:
  Result<ProgramBlock> elements(Lanes lanes, const std::string& at, const std::string& count, const std::string& which)
  {
    RowElements writer(m_code, m_level, lanes, at, count, m_ahead);
    return writer.write(m_pass, [&](const std::string& local) {
      return m_runs ? m_parts.at(local) : m_parts.at(local) + "[" + which + "]";
    });
  }

  // The variable with the end of the columns that fill whole steps.
  std::string full_columns(const Bounds& bounds, ProgramBlock& block)
  {
    const std::string step = "(" + m_step + ")";
    const std::string length = bounds.begin == "0" ? bounds.end : fmt::format("({} - {})", bounds.end, bounds.begin);
    const std::string value =
      fmt::format("{}{} / {} * {}", bounds.begin == "0" ? "" : bounds.begin + " + ",
                  length.find(' ') == std::string::npos ? length : "(" + length + ")", step, step);
    std::string& name = m_code.full[value];
    if (!name.empty() && m_pass.outer.empty()) {
      return name;
    }
    const std::string fresh = m_code.fresh("full");
    block.push_back(statement(fmt::format("const {} {} = {};", m_code.counter(), fresh, value)));
    if (m_pass.outer.empty()) {
      name = fresh;
    }
    return fresh;
  }

  ProgramBlock each_vector(ProgramBlock body) const
  {
    return {pragma(k_unroll_registers), loop("int", m_v, "0", m_code.vectors, "1", std::move(body))};
  }

  ProgramBlock collector(const RowTask& task) const
  {
    if (task.kind != RowTask::Kind::reduce) {
      return {};
    }
    const std::string& parts = m_parts.at(task.local);
    const std::string type = vector_type(m_code.program.compute);
    if (task.running) {
      const bool infinite = task.op == kernel::ReduceOp::max || task.op == kernel::ReduceOp::min;
      return {statement(fmt::format("{} {} = hone_broadcast({}{});", type, parts,
                                    infinite ? "(" + m_code.number_type() + ")" : "",
                                    start_of(task.op, m_code.program.compute)))};
    }
    if (task.op == kernel::ReduceOp::sum) {
      return {statement(fmt::format("{} {}[{}] = {{}};", type, parts, m_code.vectors))};
    }
    const std::string start = kernel::is_position(task.op) ? fmt::format("hone_nothing_{}()", type)
                                                           : fmt::format("hone_broadcast(({}){})", m_code.number_type(),
                                                                         start_of(task.op, m_code.program.compute));
    ProgramBlock out = {statement(
      fmt::format("{}{} {}[{}];", kernel::is_position(task.op) ? "hone_best_" : "", type, parts, m_code.vectors))};
    append(out, each_vector({statement(fmt::format("{}[{}] = {};", parts, m_v, start))}));
    return out;
  }

  // parts[0] takes the others in, then its lanes become one number.
  ProgramBlock collected(const RowTask& task) const
  {
    if (task.kind != RowTask::Kind::reduce || task.running) {
      return {};
    }
    const std::string& parts = m_parts.at(task.local);
    static const std::map<kernel::ReduceOp, std::string> k_joins = {
      {kernel::ReduceOp::sum, "{0}[0] += {0}[{1}];"},
      {kernel::ReduceOp::prod, "{0}[0] *= {0}[{1}];"},
      {kernel::ReduceOp::max, "{0}[0] = hone_max({0}[0], {0}[{1}]);"},
      {kernel::ReduceOp::min, "{0}[0] = hone_min({0}[0], {0}[{1}]);"},
      {kernel::ReduceOp::argmax, "hone_join_{2}(&{0}[0], {0}[{1}]);"},
      {kernel::ReduceOp::argmin, "hone_join_{2}(&{0}[0], {0}[{1}]);"}};
    static const std::map<kernel::ReduceOp, std::string> k_folds = {
      {kernel::ReduceOp::sum, "hone_sum({}[0])"},
      {kernel::ReduceOp::prod, "hone_product({}[0])"},
      {kernel::ReduceOp::max, "hone_largest({}[0])"},
      {kernel::ReduceOp::min, "hone_smallest({}[0])"},
      {kernel::ReduceOp::argmax, "hone_position_{1}({0}[0])"},
      {kernel::ReduceOp::argmin, "hone_position_{1}({0}[0])"}};
    const std::string lanes = vector_type(m_code.program.compute);
    const std::string type = kernel::is_position(task.op) ? m_code.counter() : m_code.number_type();
    return {pragma(k_unroll_registers),
            loop("int", m_v, "1", m_code.vectors, "1",
                 {statement(fmt::format(fmt::runtime(k_joins.at(task.op)), parts, m_v, lanes))}),
            statement(fmt::format("const {} {} = {};", type, m_code.names.at(local_name(task.local)),
                                  fmt::format(fmt::runtime(k_folds.at(task.op)), parts, lanes)))};
  }

  RowCode& m_code;
  std::size_t m_level;
  const RowPass& m_pass;
  std::string m_lanes, m_step, m_v;
  ProgramBlock m_ahead;
  bool m_runs = false;                        // reductions of the pass are carried along: all of them, or none
  std::map<std::string, std::string> m_parts; // reduction -> its collectors
};

// What stands between two passes.
Result<ProgramBlock> values_between(RowCode& code, const RowLevel& level)
{
  ProgramBlock block;
  for (const RowValue& value : level.before) {
    ExpressionText text = code.text();
    const std::string& variable = code.names.at(local_name(value.local));
    if (value.value) {
      HONE_TRY(const std::string formula, text.value(*value.value, block));
      block.push_back(statement(fmt::format("const {} {} = {};", code.number_type(), variable, formula)));
    }
    if (value.target.empty()) {
      continue;
    }
    std::vector<std::string> subscripts;
    for (std::size_t d = 0; d < code.program.prefix; ++d) {
      subscripts.push_back(code.names.at(row_index(d)));
    }
    HONE_TRY(const std::string at, text.position(value.target, subscripts));
    const auto statement_of = std::ranges::find_if(
      code.program.statements, [&](const kernel::Statement* candidate) { return candidate->target == value.target; });
    kernel::Expr node;
    node.kind = kernel::ExprKind::index;
    node.name = local_name(value.local);
    node.type = (*statement_of)->type;
    HONE_TRY(const std::string store, text.store(value.target, node.type, at, node, block));
    block.push_back(statement(store));
  }
  return block;
}

} // namespace

Result<ProgramBlock> scalar_pass(RowCode& code, std::size_t level, const RowPass& pass)
{
  HONE_TRY(const Bounds bounds, bounds_of(code, pass));
  ProgramBlock block;
  for (const RowTask& task : pass.tasks) {
    if (task.kind != RowTask::Kind::reduce) {
      continue;
    }
    const std::string& name = code.names.at(local_name(task.local));
    const std::string start = start_of(task.op, code.program.compute);
    if (kernel::is_position(task.op)) {
      block.push_back(statement(fmt::format("{} {} = -1;", code.counter(), name)));
      block.push_back(statement(fmt::format("{} {}_value = {};", code.number_type(), name, start)));
    } else {
      block.push_back(statement(fmt::format("{} {} = {};", code.number_type(), name, start)));
    }
  }
  RowElements writer(code, level, Lanes::scalar, code.column, "", block);
  HONE_TRY(ProgramBlock body,
           writer.write(pass, [&](const std::string& local) { return code.names.at(local_name(local)); }));
  ProgramBlock loops = {loop(code.counter(), code.column, bounds.begin, bounds.end, "1", std::move(body))};
  HONE_TRY(loops, around(code, pass, std::move(loops)));
  append(block, std::move(loops));
  return block;
}

Result<ProgramBlock> vector_pass(RowCode& code, std::size_t level, const RowPass& pass)
{
  return VectorPass(code, level, pass).write();
}

Result<ProgramBlock> row_body(RowCode& code)
{
  ProgramBlock block;
  for (std::size_t level = 0; level < code.program.levels.size(); ++level) {
    HONE_TRY(ProgramBlock values, values_between(code, code.program.levels[level]));
    append(block, std::move(values));
    for (const RowPass& pass : code.program.levels[level].passes) {
      if (nothing_to_do(code, pass)) {
        continue;
      }
      if (!code.vectors.empty()) {
        if (Result<ProgramBlock> vectors = vector_pass(code, level, pass)) {
          append(block, std::move(*vectors));
          continue;
        }
      }
      HONE_TRY(ProgramBlock plain, scalar_pass(code, level, pass));
      append(block, std::move(plain));
    }
  }
  return block;
}

bool all_vectors(const RowCode& code)
{
  RowCode trial = code;
  trial.vectors = "VECTORS";
  for (std::size_t level = 0; level < code.program.levels.size(); ++level) {
    for (const RowPass& pass : code.program.levels[level].passes) {
      if (!nothing_to_do(code, pass) && !vector_pass(trial, level, pass)) {
        return false;
      }
    }
  }
  return true;
}

Result<void> check_vectors(const RowCode& code)
{
  std::optional<Error> reason;
  RowCode trial = code;
  trial.vectors = "VECTORS";
  for (std::size_t level = 0; level < code.program.levels.size(); ++level) {
    for (const RowPass& pass : code.program.levels[level].passes) {
      if (nothing_to_do(code, pass)) {
        continue;
      }
      const Result<ProgramBlock> vectors = vector_pass(trial, level, pass);
      if (vectors) {
        return {};
      }
      reason = reason ? reason : vectors.error();
    }
  }
  return reason ? Result<void>(std::unexpected(*reason)) : fail("there is no loop over columns");
}

} // namespace hone::lower
