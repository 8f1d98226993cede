#include "lower/rowwise_elements.h"

#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace hone::lower {

namespace {

// Targets whose values an expression names.
std::vector<std::string> values_in(const kernel::Expr& expression)
{
  std::vector<std::string> out;
  kernel::any_part(expression, [&](const kernel::Expr& part) {
    if (part.kind == kernel::ExprKind::index && part.name.starts_with("value ")) {
      out.push_back(part.name.substr(6));
    }
    return false;
  });
  return out;
}

// An output that no later pass reads, and in whose row nothing waits.
bool streams(const RowProgram& program, const RowTarget& target)
{
  const std::string& name = target.statement->target;
  const bool waited_in = std::ranges::any_of(
    program.targets, [&](const auto& entry) { return entry.first != name && entry.second.buffer == name; });
  const bool read = std::ranges::any_of(program.levels, [&](const RowLevel& level) {
    return std::ranges::any_of(level.passes, [&](const RowPass& pass) {
      return std::ranges::any_of(pass.tasks, [&](const RowTask& task) {
        return task.target != name && kernel::any_part(*task.body, [&](const kernel::Expr& part) {
                 return part.kind == kernel::ExprKind::index && part.name == value_name(name);
               });
      });
    });
  });
  return target.buffer == name && !target.statement->intermediate && !waited_in && !read;
}

kernel::ExprPtr value_node(const RowTarget& target)
{
  auto out = std::make_shared<kernel::Expr>();
  out->kind = kernel::ExprKind::index;
  out->name = value_name(target.statement->target);
  out->type = target.statement->type;
  return out;
}

} // namespace

RowElements::RowElements(RowCode& code, std::size_t level, Lanes lanes, const std::string& at, const std::string& count,
                         ProgramBlock& ahead)
  : m_code(code), m_level(level), m_lanes(lanes), m_at(at), m_count(count), m_ahead(ahead), m_names(code.used()),
    m_text(code.text()), m_vectors(code.kernel, m_text, code.program.compute, lanes == Lanes::part ? count : "")
{
  m_text.indices[k_column] = at;
  if (lanes != Lanes::scalar) { // known once the reduction has taken the vector in
    std::erase_if(m_text.indices, [](const auto& entry) { return entry.first.starts_with("running "); });
  }
  m_vectors.fresh = [this](const std::string& wanted) { return RowCode::fresh(wanted, m_names); };
  m_vectors.hoist = [this](const std::string& text) {
    const std::string name = m_code.fresh("fixed");
    m_ahead.push_back(statement(fmt::format("const {} {} = {};", m_code.number_type(), name, text)));
    return name;
  };
}

std::string RowElements::type() const
{
  return m_lanes == Lanes::scalar ? m_code.number_type() : vector_type(m_code.program.compute);
}

Result<std::string> RowElements::value(const kernel::Expr& expression)
{
  if (m_lanes != Lanes::scalar) {
    return m_vectors.value(expression, m_block);
  }
  return m_text.value(expression, m_block);
}

Result<std::string> RowElements::position(const std::string& tensor)
{
  if (tensor == m_code.waiting) {
    return m_at;
  }
  std::vector<std::string> subscripts;
  for (std::size_t d = 0; d < m_code.program.prefix; ++d) {
    subscripts.push_back(m_code.names.at(row_index(d)));
  }
  subscripts.push_back(m_at);
  return m_text.position(tensor, subscripts);
}

// Puts the values that an expression names into variables; first of all those that wait in memory, because the row
// they wait in may be written further down.
Result<void> RowElements::take_up(const kernel::Expr& expression, bool waiting_only)
{
  for (const std::string& name : values_in(expression)) {
    const RowTarget& target = m_code.program.targets.at(name);
    const bool waits = !target.buffer.empty() && target.level < m_level;
    if (waiting_only && !waits) {
      HONE_CHECK(take_up(*target.value, true));
      continue;
    }
    HONE_CHECK(ensure(name));
  }
  return {};
}

Result<void> RowElements::ensure(const std::string& name)
{
  if (m_ready.contains(name)) {
    return {};
  }
  const RowTarget& target = m_code.program.targets.at(name);
  std::string text;
  if (!target.buffer.empty() && target.level < m_level) {
    if (m_lanes == Lanes::scalar) {
      HONE_TRY(text, waiting_element(target));
    } else {
      HONE_TRY(const std::string at, position(target.buffer));
      HONE_TRY(const std::string suffix, in_memory_suffix(target));
      text = m_vectors.load(target.buffer, at, suffix);
    }
  } else {
    HONE_CHECK(take_up(*target.value, false));
    HONE_TRY(text, value(*target.value));
  }
  const bool in_memory = m_code.program.stored.contains(name); // its name is the memory's
  const std::string variable = RowCode::fresh(in_memory ? name + "_here" : name, m_names);
  m_block.push_back(statement(fmt::format("const {} {} = {};", type(), variable, text)));
  m_text.indices[value_name(name)] = variable;
  m_ready.insert(name);
  return {};
}

// As the target's type is read: halves are converted.
Result<std::string> RowElements::waiting_element(const RowTarget& target)
{
  kernel::Expr load;
  load.kind = kernel::ExprKind::load;
  load.name = target.buffer;
  load.type = target.statement->type;
  for (std::size_t d = 0; d < m_code.program.prefix; ++d) {
    load.args.push_back(kernel::make_index(row_index(d)));
  }
  load.args.push_back(kernel::make_index(k_column));
  return m_text.value(load, m_block);
}

// Of the functions that load and store a target where its memory is narrower than what is computed.
Result<std::string> RowElements::in_memory_suffix(const RowTarget& target) const
{
  const kernel::DataType compute = m_code.program.compute;
  const kernel::Argument* argument = m_code.kernel.find_argument(target.buffer);
  const kernel::DataType held = argument != nullptr ? argument->type : target.statement->type;
  if (held == compute) {
    return std::string();
  }
  const bool own = target.buffer == target.statement->target; // what waits in it for another would be rounded
  const bool narrow = held == kernel::DataType::f16 || held == kernel::DataType::bf16 || held == kernel::DataType::i8
                      || held == kernel::DataType::u8;
  if (!own || !narrow || compute != kernel::DataType::f32) {
    return fail(
      fmt::format("{} is {} and computed in {}", target.buffer, kernel::name_of(held), kernel::name_of(compute)),
      k_leave_out, target.statement->place);
  }
  return fmt::format("_{}", kernel::name_of(held));
}

Result<void> RowElements::store(const RowTask& task)
{
  const RowTarget& target = m_code.program.targets.at(task.target);
  if (target.buffer.empty()) {
    return {}; // computed where it is used
  }
  HONE_CHECK(ensure(task.target));
  HONE_TRY(const std::string at, position(target.buffer));
  if (m_lanes != Lanes::scalar) {
    const std::string& value = m_text.indices.at(value_name(task.target));
    HONE_TRY(const std::string suffix, in_memory_suffix(target));
    const bool past = suffix.empty() && m_code.streaming && m_lanes == Lanes::whole && streams(m_code.program, target);
    m_block.push_back(statement(past ? fmt::format("hone_stream({} + {}, {});", target.buffer, at, value)
                                     : m_vectors.store(target.buffer, at, value, suffix)));
    return {};
  }
  HONE_TRY(const std::string text,
           m_text.store(target.buffer, target.statement->type, at, *value_node(target), m_block));
  m_block.push_back(statement(text));
  return {};
}

Result<void> RowElements::take(const RowTask& task, const std::string& into)
{
  HONE_CHECK(take_up(*task.body, false));
  HONE_TRY(const std::string body, value(*task.body));
  const bool larger = task.op == kernel::ReduceOp::max || task.op == kernel::ReduceOp::argmax;
  const std::string suffix = m_code.program.compute == kernel::DataType::f32 ? "f" : "";
  switch (task.op) {
  case kernel::ReduceOp::sum:
    m_block.push_back(statement(fmt::format("{} += {};", into, body)));
    return {};
  case kernel::ReduceOp::prod:
    m_block.push_back(statement(fmt::format("{} *= {};", into, body)));
    return {};
  case kernel::ReduceOp::max:
  case kernel::ReduceOp::min:
    m_block.push_back(statement(fmt::format("{0} = f{1}{2}({0}, {3});", into, larger ? "max" : "min", suffix, body)));
    return {};
  default:
    break;
  }
  const std::string candidate = RowCode::fresh("value", m_names);
  const std::string best = into + "_value";
  m_block.push_back(statement(fmt::format("const {} {} = {};", m_code.number_type(), candidate, body)));
  m_block.push_back(
    guard(fmt::format("{0} {1} {2} || ({3} < 0 && {0} == {2})", candidate, larger ? ">" : "<", best, into),
          {statement(fmt::format("{} = {};", best, candidate)), statement(fmt::format("{} = {};", into, m_at))}));
  return {};
}

Result<void> RowElements::take_vector(const RowTask& task, const std::string& into)
{
  HONE_CHECK(take_up(*task.body, false));
  HONE_TRY(std::string body, value(*task.body));
  const auto kept = [&](const char* neutral) {
    if (m_lanes == Lanes::part) {
      // clang converts vectors of one size into each other: the number chooses between overloads, too.
      const bool wide = m_code.program.compute == kernel::DataType::f64 && std::string_view(neutral).size() > 1;
      body = fmt::format("hone_keep({}, {}, {}{})", body, m_count, wide ? "(double)" : "", neutral);
    }
  };
  switch (task.op) {
  case kernel::ReduceOp::sum:
    kept("0");
    m_block.push_back(statement(fmt::format("{} += {};", into, body)));
    return {};
  case kernel::ReduceOp::prod:
    kept("1");
    m_block.push_back(statement(fmt::format("{} *= {};", into, body)));
    return {};
  case kernel::ReduceOp::max: // what is compared comes first: where it is NaN the largest so far stays
    kept("-INFINITY");
    m_block.push_back(statement(fmt::format("{0} = hone_max({1}, {0});", into, body)));
    return {};
  case kernel::ReduceOp::min:
    kept("INFINITY");
    m_block.push_back(statement(fmt::format("{0} = hone_min({1}, {0});", into, body)));
    return {};
  default:
    kept("NAN");
    m_block.push_back(statement(fmt::format("hone_take_{}(&{}, {}, {});", type(), into,
                                            task.op == kernel::ReduceOp::argmax ? body : "-(" + body + ")", m_at)));
    return {};
  }
}

// The columns of this vector one after the other, on top of what came `before`, which is the same in all lanes. What a
// vector adds does not wait for the one before it: from vector to vector there is one addition.
Result<void> RowElements::run_along(const RowTask& task, const std::string& before)
{
  struct Words {
    std::string_view within, joined, taken; // a vector's own lanes; two vectors; the first of two takes the other in
  };
  static const std::map<kernel::ReduceOp, Words> k_words = {
    {kernel::ReduceOp::sum, {"hone_running_sum({})", "{} + {}", "{} += {};"}},
    {kernel::ReduceOp::prod, {"hone_running_product({})", "{} * {}", "{} *= {};"}},
    // A NaN is left out, as by fmax and fmin.
    {kernel::ReduceOp::max,
     {"hone_running_max(hone_max({}, -INFINITY))", "hone_max({}, {})", "{0} = hone_max({0}, {1});"}},
    {kernel::ReduceOp::min,
     {"hone_running_min(hone_min({}, INFINITY))", "hone_min({}, {})", "{0} = hone_min({0}, {1});"}}};
  const auto words = k_words.find(task.op);
  if (words == k_words.end()) {
    return fail("a running position of a maximum or minimum has no vector form");
  }
  HONE_CHECK(take_up(*task.body, false));
  HONE_TRY(const std::string body, value(*task.body));
  const std::string within = RowCode::fresh(task.local + "_within", m_names);
  const std::string here = RowCode::fresh(task.local + "_here", m_names);
  m_block.push_back(
    statement(fmt::format("const {} {} = {};", type(), within, fmt::format(fmt::runtime(words->second.within), body))));
  m_block.push_back(statement(
    fmt::format("const {} {} = {};", type(), here, fmt::format(fmt::runtime(words->second.joined), before, within))));
  m_block.push_back(statement(fmt::format(fmt::runtime(words->second.taken), before, "hone_last(" + within + ")")));
  m_text.indices[running_name(task.local)] = here;
  return {};
}

Result<ProgramBlock> RowElements::write(const RowPass& pass, const std::function<std::string(const std::string&)>& part)
{
  for (const RowTask& task : pass.tasks) {
    HONE_CHECK(take_up(*task.body, true));
  }
  for (const RowTask& task : pass.tasks) {
    if (task.kind == RowTask::Kind::element) {
      HONE_CHECK(store(task));
      continue;
    }
    if (m_lanes != Lanes::scalar) {
      if (task.guard) {
        return fail("a condition (where) has no vector form");
      }
      HONE_CHECK(task.running ? run_along(task, part(task.local)) : take_vector(task, part(task.local)));
      continue;
    }
    if (!task.guard) {
      HONE_CHECK(take(task, part(task.local)));
      continue;
    }
    HONE_CHECK(take_up(*task.guard, false));
    HONE_TRY(const std::string condition, m_text.integer_text(*task.guard));
    ProgramBlock outside = std::exchange(m_block, {});
    const std::set<std::string> ready = m_ready;
    HONE_CHECK(take(task, part(task.local)));
    m_ready = ready; // what was put into variables inside is gone behind the brace
    outside.push_back(guard(condition, std::exchange(m_block, {})));
    m_block = std::move(outside);
  }
  return std::move(m_block);
}

} // namespace hone::lower
