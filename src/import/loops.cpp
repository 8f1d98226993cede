// Loops: one iteration is run on symbols; loop_summary.cpp summarises what all iterations leave behind.
#include "import/interpreter.h"

#include <fmt/format.h>

#include <utility>

namespace hone::import {

namespace {

void collect_assigned(const CNode& node, std::map<std::string, std::string>& out)
{
  if (changes_its_operand(node)) {
    const CNode& target = without_casts(*node.children[0]);
    if (target.kind == CKind::name) {
      out[target.declaration] = target.text;
    }
  }
  for (const CNodePtr& child : node.children) {
    collect_assigned(*child, out);
  }
}

void collect_names(const CNode& node, std::set<std::string>& out)
{
  if (node.kind == CKind::name) {
    out.insert(node.declaration);
  }
  for (const CNodePtr& child : node.children) {
    collect_names(*child, out);
  }
}

bool assigns_to(const CNode& node, const std::string& declaration)
{
  std::map<std::string, std::string> assigned;
  collect_assigned(node, assigned);
  return assigned.contains(declaration);
}

// Whether an iteration may end before the end of its body.
bool may_jump(const CNode& node)
{
  const bool loop = node.kind == CKind::for_ || node.kind == CKind::while_;
  return node.kind == CKind::continue_ || node.kind == CKind::break_ || node.kind == CKind::return_
         || (!loop && std::ranges::any_of(node.children, [](const CNodePtr& child) { return may_jump(*child); }));
}

// Whether the first statement that names a variable gives it a new value.
bool begins_anew(const CNode& body, const std::string& declaration)
{
  const auto names_it = [&](const CNode& node) {
    std::set<std::string> names;
    collect_names(node, names);
    return names.contains(declaration);
  };
  for (const CNodePtr& statement : body.children) {
    if (names_it(*statement)) {
      const CNode& bare = without_casts(*statement);
      return body.kind == CKind::block && bare.kind == CKind::binary && bare.text == "="
             && without_casts(*bare.children[0]).declaration == declaration && !names_it(*bare.children[1]);
    }
  }
  return false;
}

} // namespace

std::map<std::string, std::string> assigned_in(const CNode& node)
{
  std::map<std::string, std::string> out;
  collect_assigned(node, out);
  return out;
}

bool begins_anew_in(const CNode& body, const std::string& declaration)
{
  return begins_anew(body, declaration);
}

// By how much one run of a statement moves a variable; null where that depends on more than sizes. `moving`: what the
// loop around it assigns.
kernel::ExprPtr Interpreter::moved_by(const CNode& node, const std::string& declaration,
                                      const std::set<std::string>& moving)
{
  const kernel::ExprPtr none = kernel::make_number(0, true);
  if (!assigns_to(node, declaration)) {
    return none;
  }
  const auto is_target = [&] {
    const CNode& target = without_casts(*node.children[0]);
    return target.kind == CKind::name && target.declaration == declaration;
  };
  if (node.kind == CKind::for_ || node.kind == CKind::while_) {
    const auto scalars = m_scalars;
    const auto header = header_of(node);
    m_scalars = scalars;
    if (!header || header->declaration == declaration) {
      return nullptr;
    }
    const kernel::ExprPtr once = moved_by(*header->body, declaration, moving);
    const Polynomial count = polynomial_of(*header->upper) - polynomial_of(*header->lower);
    const kernel::ExprPtr times = expression_of(count);
    return once && only_sizes(*times) && m_facts.proves(count) ? arithmetic("*", once, times) : nullptr;
  }
  if (node.kind == CKind::unary && (node.text.ends_with("++") || node.text.ends_with("--")) && is_target()) {
    return kernel::make_number(node.text.ends_with("++") ? 1 : -1, true);
  }
  if (node.kind == CKind::binary && (node.text == "+=" || node.text == "-=") && is_target()) {
    std::set<std::string> names;
    collect_names(*node.children[1], names);
    const bool fixed = std::ranges::none_of(names, [&](const std::string& name) { return moving.contains(name); });
    const auto by = fixed ? number(*node.children[1]) : Result<kernel::ExprPtr>(fail(""));
    if (!by || !only_sizes(**by) || kernel::is_float((*by)->type)) {
      return nullptr;
    }
    return node.text == "+=" ? *by : normal(negated(*by));
  }
  const bool decides = may_jump(node) || node.kind == CKind::if_ || node.kind == CKind::conditional || node.text == "&&"
                       || node.text == "||" || (node.kind == CKind::binary && node.text == "=" && is_target());
  if (decides) {
    return nullptr;
  }
  kernel::ExprPtr out = none;
  for (const CNodePtr& child : node.children) {
    const kernel::ExprPtr by = moved_by(*child, declaration, moving);
    out = out && by ? arithmetic("+", out, by) : nullptr;
  }
  return out;
}

// Counters and pointers that every iteration moves by the same amount: their values follow from the loop's index. What
// they hold behind the loop is returned.
std::map<std::string, CValue> Interpreter::follow_counters(const CNode& body, Frame& frame,
                                                           const std::map<std::string, std::string>& assigned)
{
  std::map<std::string, CValue> behind;
  std::set<std::string> moving;
  for (const auto& [declaration, name] : assigned) {
    moving.insert(declaration);
  }
  const Polynomial lower = polynomial_of(*frame.range.lower);
  const Polynomial upper = polynomial_of(*frame.range.upper);
  const Polynomial index = polynomial_of(*kernel::make_index(frame.range.name));
  const kernel::ExprPtr before =
    expression_of(frame.descending ? upper - index - Polynomial::constant(1) : index - lower);
  for (const auto& [declaration, name] : assigned) {
    const auto found = m_scalars.find(declaration);
    if (found == m_scalars.end()) {
      continue; // declared inside
    }
    const CValue first = found->second;
    const kernel::ExprPtr& start = first.number ? first.number : first.offset;
    if (kernel::is_float(start->type) || is_condition(*start) || holds_mark(*start)
        || (first.number && m_types[declaration].kind == CType::Kind::floating)) {
      continue;
    }
    const kernel::ExprPtr by = moved_by(body, declaration, moving);
    if (!by) {
      continue;
    }
    const auto at = [&](const kernel::ExprPtr& iterations) {
      CValue out = first;
      (out.number ? out.number : out.offset) = arithmetic("+", start, arithmetic("*", by, iterations));
      return out;
    };
    m_scalars[declaration] = at(before);
    behind[declaration] =
      at(m_facts.proves(upper - lower) ? expression_of(upper - lower) : make_load("@lost", {}, kernel::DataType::i64));
    frame.before.erase(declaration);
  }
  return behind;
}

Result<void> Interpreter::run_for(const CNode& node)
{
  const auto outside = m_scalars;
  HONE_TRY(const Header header, header_of(node));
  std::set<std::string> bound_names;
  for (const CNodePtr& part : node.children) {
    if (part != node.children.back() && part->kind == CKind::binary && part->text != "=" && part->text != ",") {
      collect_names(*part, bound_names);
    }
  }
  bound_names.erase(header.declaration);
  for (const std::string& declaration : bound_names) {
    if (assigns_to(*header.body, declaration)) {
      return fail(fmt::format("the loop bound '{}' is changed in the loop", m_names[declaration]),
                  "copy it into a constant before the loop", node.place);
    }
  }
  return run_loop(header, outside, node.place);
}

// `outside`: the scalars before the loop's own were declared.
Result<void> Interpreter::run_loop(const Header& header, const std::map<std::string, CValue>& outside,
                                   const Place& place)
{
  const CNode& body = *header.body;
  std::map<std::string, std::string> assigned;
  collect_assigned(body, assigned);
  if (assigned.contains(header.declaration)) {
    return fail(fmt::format("the index '{}' is changed inside its loop", header.name), {}, place);
  }
  std::set<std::string> mentioned;
  collect_names(body, mentioned);

  Frame frame;
  frame.number = m_loops++;
  frame.range = {fresh_index(header.name), header.lower, header.upper, place};
  frame.descending = header.descending;
  frame.place = place;
  if (surveying()) {
    m_survey->written.emplace_back();
    for (const kernel::ExprPtr& bound : {header.lower, header.upper, header.window_lower, header.window_upper}) {
      if (bound) {
        collect_sizes(*bound, m_survey->sizes_in_bounds);
      }
    }
  } else {
    frame.arrays = m_known.written.at(frame.number);
  }
  for (auto& [declaration, value] : m_scalars) {
    if (!surveying() && value.number && mentioned.contains(declaration) && holds_reduction(*value.number)) {
      value.number = materialised(value.number, m_names[declaration], {}, nullptr);
    }
    if (assigned.contains(declaration)) {
      frame.before[declaration] = value;
    }
  }
  m_ranges[frame.range.name] = frame.range;
  const Facts facts = m_facts;
  m_facts.assume_range(frame.range);
  bind_index(header, frame);
  const std::map<std::string, CValue> behind = follow_counters(body, frame, assigned);
  for (const auto& [declaration, before] : frame.before) {
    if (!before.number) {
      if (!begins_anew(body, declaration)) {
        return fail(
          fmt::format("where the pointer '{}' stands in an iteration is not understood", m_names[declaration]),
          "move it by the same amount in every iteration, or subscript it with the loop's index", place);
      }
      continue;
    }
    const kernel::DataType type = m_types[declaration].data.value_or(kernel::DataType::i64);
    m_scalars[declaration].number = make_load(fmt::format("@{}:{}", frame.number, declaration), {}, type);
  }
  std::erase_if(frame.before, [](const auto& entry) { return !entry.second.number; });
  const kernel::ExprPtr guard = window_of(header);
  m_scope.push_back(frame.range);
  m_frames.push_back(std::move(frame));
  const std::size_t barrier = std::exchange(m_barrier, 0);
  const auto run_body = [&] { return run(body, true); };
  Result<void> done = guard ? run_branches(guard, run_body, [] { return Result<void>(); }) : run_body();
  m_barrier = barrier;
  Frame ended = std::move(m_frames.back());
  m_frames.pop_back();
  m_scope.pop_back();
  const std::map<std::string, CValue> inside = std::exchange(m_scalars, outside);
  for (const auto& [declaration, before] : ended.before) {
    m_scalars[declaration] = inside.at(declaration);
  }
  for (const auto& [declaration, name] : assigned) {
    const bool pointer = m_scalars.contains(declaration) && !m_scalars.at(declaration).number;
    if (behind.contains(declaration)) {
      m_scalars[declaration] = behind.at(declaration);
    } else if (pointer) { // given a new value in every iteration
      m_scalars[declaration] = CValue{make_load("@lost", {}, kernel::DataType::i64), {}, {}, {}};
    }
  }
  leave_index(header, outside);
  HONE_CHECK(std::move(done));
  if (surveying()) {
    for (const auto& [declaration, before] : ended.before) {
      m_scalars[declaration].number = make_load("@lost", {}, before.number->type);
    }
    m_facts = facts;
    return {};
  }
  done = summarise(std::move(ended));
  m_facts = facts;
  return done;
}

// The loop's variable in terms of the index that counts its iterations.
void Interpreter::bind_index(const Header& header, const Frame& frame)
{
  const kernel::ExprPtr index = kernel::make_index(frame.range.name);
  const kernel::ExprPtr value =
    header.start ? arithmetic("+", header.start, arithmetic("*", header.step, index)) : index;
  CValue bound{value, {}, {}, {}};
  if (header.pointer) {
    bound = *header.pointer;
    bound.offset = value;
  }
  m_scalars[header.declaration] = bound;
  m_names[header.declaration] = header.name;
}

// Where an iteration of a window takes part; null: everywhere.
kernel::ExprPtr Interpreter::window_of(const Header& header) const
{
  const kernel::ExprPtr& at = m_scalars.at(header.declaration).number;
  kernel::ExprPtr out = header.window_lower ? compared("<=", header.window_lower, at) : nullptr;
  return header.window_upper ? both(out, compared("<", at, header.window_upper)) : out;
}

// A variable that was there before the loop holds its end behind it.
void Interpreter::leave_index(const Header& header, const std::map<std::string, CValue>& outside)
{
  if (!outside.contains(header.declaration)) {
    m_scalars.erase(header.declaration);
    return;
  }
  CValue end{header.end ? header.end : make_load("@lost", {}, kernel::DataType::i64), {}, {}, {}};
  if (header.pointer && header.end) {
    end = *header.pointer;
    end.offset = header.end;
  }
  m_scalars[header.declaration] = end;
}

} // namespace hone::import
