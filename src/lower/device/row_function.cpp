#include "lower/device/row_function.h"

#include "lower/candidate_text.h"
#include "lower/device/expression.h"
#include "lower/expression_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::lower::device {

namespace {

kernel::Expr node_of(const std::string& index, kernel::DataType type)
{
  kernel::Expr out;
  out.kind = kernel::ExprKind::index;
  out.name = index;
  out.type = type;
  return out;
}

// What the elements of a pass are computed with, at one column or at a vector of them.
struct Elements {
  Block block;
  std::set<std::string> ready; // targets whose value at the column is in a variable
  Value at;
};

class RowFunction {
public:
  RowFunction(const kernel::Kernel& kernel, const Dialect& dialect, const RowProgram& program,
              const RowOptions& options)
    : m_kernel(kernel), m_program(program), m_options(options), m_values(kernel, program.compute),
      m_text(kernel, dialect, program.compute)
  {
  }

  Result<RowsInGroups> build()
  {
    HONE_TRY(Block body, whole_body());
    m_out.function.items = {m_options.items, m_options.rows, "1"};
    m_out.function.body = std::move(body);
    return std::move(m_out);
  }

private:
  Type number_type() const { return m_values.number_type(); }
  bool shared() const { return m_options.items != "1"; }

  Result<Block> whole_body()
  {
    Block body;
    m_item = shared() ? name(m_values.fresh("item")) : integer(0);
    if (shared()) {
      body.push_back(define(m_item->text, item_id(0)));
    }
    HONE_CHECK(place_rows(body));
    std::size_t sums = 0;
    for (const RowLevel& level : m_program.levels) {
      for (const RowPass& pass : level.passes) {
        for (const RowTask& task : pass.tasks) {
          sums += task.kind == RowTask::Kind::reduce ? 1 : 0;
        }
      }
    }
    if (m_options.subgroups && sums == 0) {
      return fail("there is no sum that items of a group share");
    }
    if (shared() && sums > 0) {
      m_scratch = m_values.fresh("of_items");
      const std::string elements = m_options.rows == "1" ? m_options.items : m_options.rows + " * " + m_options.items;
      m_out.function.locals.push_back({m_scratch, m_program.compute, elements});
      m_out.local_bytes.push_back(fmt::format("{} * {}", elements, kernel::size_of(m_program.compute)));
    }
    for (m_level = 0; m_level < m_program.levels.size(); ++m_level) {
      const RowLevel& level = m_program.levels[m_level];
      HONE_CHECK(add_values(level, body));
      for (const RowPass& pass : level.passes) {
        HONE_CHECK(add_pass(pass, body));
      }
    }
    return body;
  }

  // The group's rows, the last index fastest. Rows beyond the edge are computed like the last one, and not stored.
  Result<void> place_rows(Block& body)
  {
    const kernel::Statement& first = *m_program.statements.front();
    const auto variables = index_variables(m_kernel, first);
    std::vector<std::string> extents;
    std::vector<Value> counts;
    Value rows = cast(integer(1), k_position);
    for (std::size_t d = 0; d < m_program.prefix; ++d) {
      HONE_TRY(const std::string extent, m_text.integer_text(*first.indices[d].upper));
      extents.push_back(extent.find(' ') == std::string::npos ? extent : "(" + extent + ")");
      Block none;
      HONE_TRY(const Value count, m_values.whole(*first.indices[d].upper, none));
      counts.push_back(count);
      rows = d == 0 ? count : rows * count;
    }
    const std::string all = extents.empty() ? "1" : join(extents, " * ");
    m_out.grid = {m_options.rows == "1" ? all : fmt::format("ceil_div({}, {})", all, m_options.rows)};
    Value row = cast(group_id(0), k_position);
    if (m_options.rows != "1") {
      const Value wanted = name(m_values.fresh("wanted_row"), k_position);
      body.push_back(define(wanted->text, row * parameter(m_options.rows) + item_id(1)));
      m_stores = below(wanted, rows);
      row = name(m_values.fresh("row"), k_position);
      body.push_back(define(row->text, smaller(wanted, rows - integer(1))));
    }
    for (std::size_t d = m_program.prefix; d-- > 0;) {
      const Value index = name(m_values.fresh(variables.at(first.indices[d].name)), k_position);
      body.push_back(define(index->text, d == 0 ? row : row % counts[d]));
      row = row / counts[d];
      m_values.indices[row_index(d)] = index;
      m_rows.push_back(index);
    }
    std::ranges::reverse(m_rows);
    return {};
  }

  // --- between the passes ---

  Result<void> add_values(const RowLevel& level, Block& body)
  {
    for (const RowValue& value : level.before) {
      if (value.value) {
        HONE_TRY(const Value formula, m_values.value(*value.value, body));
        const Value local = name(m_values.fresh(value.local), number_type());
        body.push_back(define(local->text, cast(formula, number_type())));
        m_values.indices[local_name(value.local)] = local;
      }
      if (value.target.empty()) {
        continue;
      }
      const auto statement_of =
        std::ranges::find(m_program.statements, value.target, [](const kernel::Statement* one) { return one->target; });
      HONE_TRY(const Value at, m_values.position(value.target, m_rows));
      Block store;
      HONE_TRY(const Node one, m_values.store(value.target, (*statement_of)->type, at,
                                              node_of(local_name(value.local), m_program.compute), store));
      store.push_back(one);
      Value condition = shared() ? binary("==", m_item, integer(0)) : nullptr;
      condition = condition && m_stores ? both(condition, m_stores) : m_stores ? m_stores : condition;
      condition ? body.push_back(guard(condition, std::move(store))) : append(body, std::move(store));
    }
    return {};
  }

  // --- a pass ---

  Result<void> add_pass(const RowPass& pass, Block& body)
  {
    const bool idle = std::ranges::all_of(pass.tasks, [&](const RowTask& task) {
      return task.kind == RowTask::Kind::element && m_program.targets.at(task.target).buffer.empty();
    });
    if (idle) {
      return {};
    }
    if (pass.lower) {
      return fail("columns that begin at another place have no form here");
    }
    std::vector<Value> sums;
    for (const RowTask& task : pass.tasks) {
      if (task.running || kernel::is_position(task.op)) {
        return fail("what is carried along a row, or is the position of an extreme, has no form here");
      }
      if (task.kind == RowTask::Kind::reduce) {
        const Value sum = name(m_values.fresh(task.local), number_type());
        m_values.indices[local_name(task.local)] = sum;
        body.push_back(define(sum->text, ExpressionValues::start_of(task.op, number_type()), false));
        sums.push_back(sum);
      }
    }
    Block none;
    HONE_TRY(const Value upper, m_values.whole(*pass.upper, none));
    const Value end = cast(upper, k_position);
    Block loops;
    const Result<Block> vectors = m_options.lanes.empty() ? fail("no vectors") : vector_loop(pass, sums, end);
    if (vectors) {
      append(loops, *vectors);
    }
    HONE_TRY(Block scalars, scalar_loop(pass, sums, end, bool(vectors)));
    append(loops, std::move(scalars));
    for (std::size_t r = pass.outer.size(); r-- > 0;) {
      const kernel::IndexRange& range = pass.outer[r];
      const Value index = name(m_outer.at(r), k_position);
      Block around;
      HONE_TRY(const auto ends, m_values.bounds(range, around));
      around.push_back(loop(index->text, ends.first, ends.second, integer(1), Axis::serial, std::move(loops)));
      loops = std::move(around);
    }
    // A row beyond the edge stands for the last one, whose values another item is writing: it is left out.
    m_stores ? body.push_back(guard(m_stores, std::move(loops))) : append(body, std::move(loops));
    std::size_t at = 0;
    for (const RowTask& task : pass.tasks) {
      if (task.kind == RowTask::Kind::reduce && shared()) {
        m_options.subgroups ? add_up_in_subgroups(task.op, sums[at], body) : add_up(task.op, sums[at], body);
      }
      at += task.kind == RowTask::Kind::reduce ? 1 : 0;
    }
    return {};
  }

  void name_outer(const RowPass& pass)
  {
    for (std::size_t r = m_outer.size(); r < pass.outer.size(); ++r) {
      m_outer.push_back(m_values.fresh("outer"));
      m_values.indices[outer_index(r)] = name(m_outer.back(), k_position);
    }
  }

  // Whole vectors of columns, the items' side by side.
  Result<Block> vector_loop(const RowPass& pass, const std::vector<Value>& sums, const Value& end)
  {
    name_outer(pass);
    const Value lanes = name(m_options.lanes);
    const Value at = name(m_values.fresh("j"), k_position);
    const Type type = with_lanes(number_type(), m_options.lanes);
    Block out, behind;
    std::vector<Value> parts;
    std::size_t number = 0;
    for (const RowTask& task : pass.tasks) {
      if (task.kind != RowTask::Kind::reduce) {
        continue;
      }
      const Value& sum = sums[number++];
      const Value part = name(m_values.fresh(sum->text + "_lanes"), type);
      parts.push_back(part);
      out.push_back(define(part->text, ExpressionValues::start_of(task.op, type), false));
      const Value one = name(m_values.fresh("lane"));
      behind.push_back(loop(one->text, integer(0), lanes, integer(1), Axis::unrolled,
                            {ExpressionValues::take_in(task.op, sum, lane(part, one))}));
    }
    m_values.vector_index = k_column;
    m_values.lanes = m_options.lanes;
    Result<Block> body = tasks(pass, parts, at);
    m_values.lanes.clear();
    if (!body) {
      return body;
    }
    out.push_back(loop(at->text, cast(m_item * lanes, k_position), end - (lanes - integer(1)),
                       parameter(m_options.items) * lanes, Axis::serial, std::move(*body)));
    append(out, std::move(behind));
    return out;
  }

  // All columns, or those that fill no vector.
  Result<Block> scalar_loop(const RowPass& pass, const std::vector<Value>& sums, const Value& end, bool rest)
  {
    name_outer(pass);
    const Value at = name(m_values.fresh("j"), k_position);
    HONE_TRY(Block body, tasks(pass, sums, at));
    const Value lanes = rest ? name(m_options.lanes) : integer(1);
    const Value begin = rest ? end / lanes * lanes + m_item : cast(m_item, k_position);
    return Block{loop(at->text, begin, end, parameter(m_options.items), Axis::serial, std::move(body))};
  }

  Result<Block> tasks(const RowPass& pass, const std::vector<Value>& sums, const Value& at)
  {
    Elements elements;
    elements.at = at;
    m_values.indices[k_column] = at;
    const Result<void> done = carry_out(pass, sums, elements);
    std::erase_if(m_values.indices, [](const auto& one) { return one.first.starts_with("value "); }); // of this column
    if (!done) {
      return std::unexpected(done.error());
    }
    return std::move(elements.block);
  }

  Result<void> carry_out(const RowPass& pass, const std::vector<Value>& sums, Elements& elements)
  {
    std::size_t number = 0;
    for (const RowTask& task : pass.tasks) { // what waits in a row that is written further down comes first
      HONE_CHECK(take_up(*task.body, true, elements));
    }
    for (const RowTask& task : pass.tasks) {
      if (task.kind == RowTask::Kind::element) {
        HONE_CHECK(store(task, elements));
        continue;
      }
      const Value& sum = sums[number++];
      Block outside = std::exchange(elements.block, {});
      const auto ready = elements.ready;
      Value condition;
      if (task.guard) {
        HONE_CHECK(take_up(*task.guard, false, elements));
        HONE_TRY(condition, m_values.whole(*task.guard, elements.block));
        append(outside, std::exchange(elements.block, {}));
      }
      HONE_CHECK(take_up(*task.body, false, elements));
      HONE_TRY(const Value body, m_values.value(*task.body, elements.block));
      elements.block.push_back(ExpressionValues::take_in(task.op, sum, body));
      if (task.guard) {
        outside.push_back(guard(condition, std::exchange(elements.block, {})));
        elements.ready = ready;
      }
      append(outside, std::move(elements.block));
      elements.block = std::move(outside);
    }
    return {};
  }

  // Puts the values that an expression names into variables; first of all those that wait in memory.
  Result<void> take_up(const kernel::Expr& expression, bool waiting_only, Elements& elements)
  {
    std::vector<std::string> named;
    kernel::any_part(expression, [&](const kernel::Expr& part) {
      if (part.kind == kernel::ExprKind::index && part.name.starts_with("value ")) {
        named.push_back(part.name.substr(6));
      }
      return false;
    });
    for (const std::string& target_name : named) {
      const RowTarget& target = m_program.targets.at(target_name);
      const bool waits = !target.buffer.empty() && target.level < m_level;
      HONE_CHECK(waiting_only && !waits ? take_up(*target.value, true, elements) : ensure(target_name, elements));
    }
    return {};
  }

  Result<void> ensure(const std::string& target_name, Elements& elements)
  {
    if (elements.ready.contains(target_name)) {
      return {};
    }
    const RowTarget& target = m_program.targets.at(target_name);
    Value value;
    if (!target.buffer.empty() && target.level < m_level) {
      kernel::Expr load;
      load.kind = kernel::ExprKind::load;
      load.name = target.buffer;
      load.type = target.statement->type;
      for (std::size_t d = 0; d < m_program.prefix; ++d) {
        load.args.push_back(kernel::make_index(row_index(d)));
      }
      load.args.push_back(kernel::make_index(k_column));
      HONE_TRY(value, m_values.value(load, elements.block));
    } else {
      HONE_CHECK(take_up(*target.value, false, elements));
      HONE_TRY(value, m_values.value(*target.value, elements.block));
    }
    const Value variable = name(m_values.fresh(target_name + "_here"), with_lanes(number_type(), value->type.lanes));
    elements.block.push_back(define(variable->text, value));
    m_values.indices[value_name(target_name)] = variable;
    elements.ready.insert(target_name);
    return {};
  }

  Result<void> store(const RowTask& task, Elements& elements)
  {
    const RowTarget& target = m_program.targets.at(task.target);
    if (target.buffer.empty()) {
      return {}; // computed where it is used
    }
    HONE_CHECK(ensure(task.target, elements));
    std::vector<Value> places = m_rows;
    places.push_back(elements.at);
    HONE_TRY(const Value at, m_values.position(target.buffer, places));
    Block block;
    HONE_TRY(const Node one, m_values.store(target.buffer, target.statement->type, at,
                                            node_of(value_name(task.target), m_program.compute), block));
    if (!m_values.lanes.empty() && one.type.lanes.empty()) {
      return fail("a value that is the same in all columns has no vector form here");
    }
    append(elements.block, std::move(block));
    elements.block.push_back(one);
    return {};
  }

  // The same with what items that run together exchange: with more items than those, one of each such sub-group brings
  // its sum to local memory.
  void add_up_in_subgroups(kernel::ReduceOp op, const Value& sum, Block& body)
  {
    const Type type = number_type();
    const Value items = parameter(m_options.items), width = call("HONE_SUBGROUP_SIZE", {}, k_int);
    const char* const joined = op == kernel::ReduceOp::sum    ? "sum"
                               : op == kernel::ReduceOp::prod ? "product"
                               : op == kernel::ReduceOp::max  ? "maximum"
                                                              : "minimum";
    const std::string function = fmt::format("hone_subgroup_{}_{}", joined, kernel::name_of(type.element));
    body.push_back(assign(sum, call(function, {sum, items}, type)));
    const Value row = (m_options.rows == "1" ? integer(0) : item_id(1)) * items;
    const Value part = name(m_values.fresh("part"));
    Block further = {
      guard(binary("==", m_item % width, integer(0)),
            {device::store(m_scratch, Scope::local, type.element, row + m_item / width, sum)}),
      barrier(), assign(sum, load(m_scratch, Scope::local, type.element, row, type)),
      loop(part->text, integer(1), items / width, integer(1), Axis::serial,
           {ExpressionValues::take_in(op, sum, load(m_scratch, Scope::local, type.element, row + part, type))}),
      barrier()};
    body.push_back(guard(binary(">", items, width), std::move(further)));
  }

  // The items' sums become one that all of them have: halves are added to halves.
  void add_up(kernel::ReduceOp op, const Value& sum, Block& body)
  {
    const Value row = m_options.rows == "1" ? integer(0) : item_id(1);
    const Value mine = row * parameter(m_options.items) + m_item;
    const Type type = number_type();
    const auto held = [&](const Value& at) { return load(m_scratch, Scope::local, type.element, at, type); };
    body.push_back(device::store(m_scratch, Scope::local, type.element, mine, sum));
    body.push_back(barrier());
    const Value distance = name(m_values.fresh("distance"));
    const Value other = name(m_values.fresh("joined"), type);
    Block join = {define(other->text, held(mine), false), ExpressionValues::take_in(op, other, held(mine + distance)),
                  device::store(m_scratch, Scope::local, type.element, mine, other)};
    body.push_back(define(distance->text, parameter(m_options.items) / integer(2), false));
    body.push_back(
      repeat_while(binary(">", distance, integer(0)), {guard(below(m_item, distance), std::move(join)), barrier(),
                                                       assign(distance, distance / integer(2))}));
    body.push_back(assign(sum, held(row * parameter(m_options.items))));
    body.push_back(barrier());
  }

  const kernel::Kernel& m_kernel;
  const RowProgram& m_program;
  const RowOptions& m_options;
  ExpressionValues m_values;
  ExpressionText m_text;
  RowsInGroups m_out;
  std::size_t m_level = 0;
  Value m_item;   // among those that share the row
  Value m_stores; // whether the row is one; null: it always is
  std::vector<Value> m_rows;
  std::vector<std::string> m_outer;
  std::string m_scratch; // a number for each item
};

} // namespace

Result<RowsInGroups> row_function(const kernel::Kernel& kernel, const Dialect& dialect, const RowProgram& program,
                                  const RowOptions& options)
{
  return RowFunction(kernel, dialect, program, options).build();
}

} // namespace hone::lower::device
