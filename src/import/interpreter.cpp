#include "import/interpreter.h"

#include "import/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::import {

Interpreter::Interpreter(const CFile& file, const CFunction& function, Assumptions assumed)
  : m_file(&file), m_function(&function), m_assumed(std::move(assumed))
{
}

Survey Interpreter::survey()
{
  Survey out;
  m_survey = &out;
  if (auto begun = begin(); !begun) {
    out.errors.push_back(std::move(begun.error()));
  } else {
    [[maybe_unused]] const auto done = run(*m_function->body, true); // its mistakes are in out.errors
  }
  m_survey = nullptr;
  out.arrays = m_arrays;
  out.ranges = m_ranges;
  out.narrow = m_semantics.narrow;
  out.integers = m_assumed.integers;
  return out;
}

Result<Semantics> Interpreter::interpret(const Survey& survey)
{
  m_known = survey;
  HONE_CHECK(begin());
  HONE_CHECK(run(*m_function->body, true));
  HONE_CHECK(finish());
  return std::move(m_semantics);
}

Result<void> Interpreter::begin()
{
  m_frames.emplace_back();
  for (const CParameter& parameter : m_function->parameters) {
    m_names[parameter.declaration] = parameter.name;
    m_types[parameter.declaration] = parameter.type;
    if (parameter.type.extents.empty()) {
      HONE_CHECK(declare_number(parameter));
    }
  }
  for (const CParameter& parameter : m_function->parameters) {
    if (!parameter.type.extents.empty()) {
      HONE_CHECK(declare_array(parameter));
    }
  }
  declare_tables();
  return {};
}

// Constant arrays of the file are local arrays with values.
void Interpreter::declare_tables()
{
  for (const CTopLevel& one : m_file->others) {
    const bool table = one.variable && one.variable->kind == CKind::variable && one.variable->type.constant
                       && !one.variable->type.extents.empty() && !one.variable->children.empty();
    if (table && !declare(*one.variable)) {
      m_scalars.erase(one.declaration); // who names it is told so
    }
  }
}

// An integer is a size, unless it bounds nothing; other numbers are scalar arguments.
Result<void> Interpreter::declare_number(const CParameter& parameter)
{
  kernel::ExprPtr value;
  const auto assumed = m_assumed.sizes.find(parameter.name);
  if (assumed != m_assumed.sizes.end()) {
    value = assumed->second;
  } else if (m_assumed.integers.contains(parameter.name) || parameter.type.kind == CType::Kind::boolean) {
    value = make_load(parameter.name, {}, scalar_type(parameter.type));
  } else if (parameter.type.kind == CType::Kind::integer) {
    value = kernel::make_extent(parameter.name);
  } else if (parameter.type.kind == CType::Kind::floating && parameter.type.data) {
    value = make_load(parameter.name, {}, *parameter.type.data);
  } else {
    return fail(fmt::format("the parameter '{}' is a '{}', which a kernel has no argument for", parameter.name,
                            parameter.type.spelling),
                "pointers to numbers, integers for sizes, and float or double scalars are understood", parameter.place);
  }
  m_scalars[parameter.declaration] = CValue{value, {}, {}, {}};
  return {};
}

Result<void> Interpreter::declare_array(const CParameter& parameter)
{
  if (!parameter.type.data) {
    return fail(fmt::format("the elements of '{}' are of type '{}', which a kernel's tensors do not have",
                            parameter.name, parameter.type.element),
                "float, double, _Float16, bool, long, and int, short and char with and without a sign have a counterpart", parameter.place);
  }
  if (parameter.type.spelling.contains("**")) {
    return fail(fmt::format("'{}' is an array of pointers to rows", parameter.name),
                "a kernel's arrays are dense: pass one block, such as double *A with A[i * n + j]", parameter.place);
  }
  ForeignArray array;
  array.name = parameter.name;
  array.type = parameter.type;
  array.argument = true;
  array.place = parameter.place;
  for (std::size_t k = 0; k < parameter.type.extents.size(); ++k) {
    if (parameter.type.extents[k] >= 0) {
      array.declared.push_back(kernel::make_number(static_cast<double>(parameter.type.extents[k]), true));
    } else if (parameter.extents[k]) {
      HONE_TRY(const kernel::ExprPtr extent, number(*parameter.extents[k]));
      array.declared.push_back(extent);
    } else {
      array.declared.push_back(nullptr);
    }
  }
  if (!surveying()) {
    array.shape = m_known.arrays.at(array.name).shape;
  }
  m_scalars[parameter.declaration] = CValue{nullptr, array.name, {}, kernel::make_number(0, true)};
  m_arrays[array.name] = std::move(array);
  return {};
}

std::vector<kernel::ExprPtr> Interpreter::shaped(const ForeignArray& array,
                                                 const std::vector<kernel::ExprPtr>& subscripts) const
{
  return array.argument ? subscripts_for(array, subscripts, m_facts, m_ranges) : subscripts;
}

std::string Interpreter::fresh_index(const std::string& name)
{
  return fmt::format("{}#{}", name, ++m_fresh);
}

// The largest (or least) value of a bound over all indices that it depends on; null where that is not known.
kernel::ExprPtr Interpreter::rectangular(const kernel::ExprPtr& bound, bool upper) const
{
  return extreme_of(bound, m_ranges, upper);
}

// Gives a value a name: a statement of its own, for all indices that it depends on.
kernel::ExprPtr Interpreter::materialised(const kernel::ExprPtr& value, const std::string& name,
                                          const std::vector<kernel::IndexRange>& vars, const kernel::ExprPtr& guard)
{
  if (holds_mark(*value) || m_finishing) {
    return value; // not known yet, or about to be stored anyway
  }
  std::vector<kernel::IndexRange> around = m_scope;
  around.insert(around.end(), vars.begin(), vars.end());
  std::set<std::string> needed = free_indices(*value);
  if (guard) {
    needed.merge(free_indices(*guard));
  }
  DraftStatement statement{fmt::format("{}#{}", name, ++m_fresh), {}, value, guard, true};
  std::vector<kernel::ExprPtr> subscripts;
  for (const kernel::IndexRange& range : around) {
    if (!needed.contains(range.name)) {
      continue;
    }
    const kernel::ExprPtr at = kernel::make_index(range.name);
    const kernel::ExprPtr upper = rectangular(range.upper, true);
    if (!upper) {
      return value;
    }
    if (range.lower && !is_literal(*range.lower, 0)) {
      statement.guard = both(statement.guard, compared("<=", range.lower, at));
    }
    if (!same(upper, range.upper)) {
      statement.guard = both(statement.guard, compared("<", at, range.upper));
    }
    statement.indices.push_back({range.name, nullptr, upper, {}});
    subscripts.push_back(at);
  }
  const std::string target = statement.target;
  m_semantics.statements.push_back(std::move(statement));
  return make_load(target, std::move(subscripts), value->type);
}

Result<void> Interpreter::finish()
{
  m_finishing = true;
  std::vector<DraftStatement> outputs;
  for (const CParameter& parameter : m_function->parameters) {
    const bool written =
      std::ranges::any_of(m_frames[0].writes, [&](const Write& one) { return one.array == parameter.name; });
    if (written) {
      HONE_TRY(DraftStatement statement, output(m_arrays.at(parameter.name)));
      m_semantics.written.insert(parameter.name);
      outputs.push_back(std::move(statement));
    }
  }
  if (m_returned && m_returned->number && m_function->result.data) {
    std::string& result = m_semantics.result;
    result = "result";
    while (std::ranges::find(m_function->parameters, result, &CParameter::name) != m_function->parameters.end()) {
      result = "returned_" + result;
    }
    outputs.push_back({result, {}, m_returned->number, nullptr, false});
    m_semantics.written.insert(result);
  }
  if (outputs.empty()) {
    return fail(fmt::format("'{}' writes to none of its arguments and returns nothing", m_function->name),
                "a kernel computes something: let the function write to an array", m_function->place);
  }
  return order_outputs(std::move(outputs));
}

// What an argument holds at the end, as one statement over all its elements.
Result<DraftStatement> Interpreter::output(const ForeignArray& array)
{
  constexpr std::array<const char*, 4> k_names{"i", "j", "k", "l"};
  const auto last =
    std::ranges::find(m_frames[0].writes.rbegin(), m_frames[0].writes.rend(), array.name, &Write::array);
  DraftStatement out{array.name, {}, nullptr, nullptr, false};
  const Facts facts = m_facts;
  std::vector<kernel::ExprPtr> subscripts;
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    const kernel::ExprPtr& written = last->subscripts[k];
    const bool plain = written->kind == kernel::ExprKind::index;
    const std::string name = fresh_index(plain ? written_name(written->name) : k_names[std::min<std::size_t>(k, 3)]);
    const kernel::IndexRange range{name, nullptr, array.shape[k], {}};
    m_facts.assume_range(range);
    m_ranges[name] = range;
    out.indices.push_back(range);
    subscripts.push_back(kernel::make_index(name));
  }
  auto value = read(0, array.name, subscripts, array.place);
  m_facts = facts;
  HONE_TRY(out.value, std::move(value));
  if (out.value->kind == kernel::ExprKind::cast && out.value->type == *array.type.data
      && kernel::is_float(out.value->type) == kernel::is_float(out.value->args[0]->type)) {
    out.value = out.value->args[0]; // storing rounds, or wraps, anyway
  }
  return out;
}

namespace {

bool reads(const DraftStatement& statement, const std::string& tensor)
{
  const auto is_it = [&](const kernel::Expr& node) {
    return node.kind == kernel::ExprKind::load && node.name == tensor;
  };
  return any_node(*statement.value, is_it) || (statement.guard && any_node(*statement.guard, is_it));
}

} // namespace

// Who reads what an argument held before comes before the statement that computes it.
Result<void> Interpreter::order_outputs(std::vector<DraftStatement> outputs)
{
  while (!outputs.empty()) {
    const auto next = std::ranges::find_if(outputs, [&](const DraftStatement& one) {
      return std::ranges::none_of(
        outputs, [&](const DraftStatement& other) { return other.target != one.target && reads(other, one.target); });
    });
    if (next == outputs.end()) {
      return fail(fmt::format("'{}' and '{}' are each computed from what the other held before", outputs[0].target,
                              outputs[1].target),
                  "write to separate arrays", m_function->place);
    }
    m_semantics.statements.push_back(std::move(*next));
    outputs.erase(next);
  }
  for (const std::string& name : m_semantics.written) {
    if (std::ranges::any_of(m_semantics.statements, [&](const DraftStatement& one) { return reads(one, name); })) {
      m_semantics.inout.insert(name);
    }
  }
  return {};
}

} // namespace hone::import
