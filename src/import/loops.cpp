// Loops: one iteration is run on symbols; loop_summary.cpp summarises what all iterations leave behind.
#include "import/interpreter.h"

#include <fmt/format.h>

#include <utility>

namespace hone::import {

namespace {

void collect_assigned(const CNode& node, std::map<std::string, std::string>& out)
{
  const bool assignment = node.kind == CKind::binary && node.text.ends_with("=") && node.text != "=="
                          && node.text != "!=" && node.text != "<=" && node.text != ">=";
  const bool step = node.kind == CKind::unary && (node.text.ends_with("++") || node.text.ends_with("--"));
  if (assignment || step) {
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

void collect_sizes(const kernel::Expr& expression, std::set<std::string>& out)
{
  any_node(expression, [&](const kernel::Expr& node) {
    if (node.kind == kernel::ExprKind::extent) {
      out.insert(node.name);
    }
    return false;
  });
}

std::unexpected<Error> odd_loop(const Place& place)
{
  return fail("the loop does not count by one from a beginning to an end",
              "for (int i = 0; i < n; i++), <=, and for (int i = n - 1; i >= 0; i--) are understood", place);
}

// +1 or -1 for i++, --i, i += 1, i = i - 1; 0 for anything else.
int step_of(const CNode& step, const std::string& declaration)
{
  const auto is_index = [&](const CNode& node) {
    const CNode& bare = without_casts(node);
    return bare.kind == CKind::name && bare.declaration == declaration;
  };
  const auto is_one = [](const CNode& node) {
    const CNode& bare = without_casts(node);
    return bare.kind == CKind::number && bare.number == 1;
  };
  if (step.kind == CKind::unary && is_index(*step.children[0])) {
    return step.text.ends_with("++") ? 1 : step.text.ends_with("--") ? -1 : 0;
  }
  if (step.kind != CKind::binary || !is_index(*step.children[0])) {
    return 0;
  }
  const CNode& right = without_casts(*step.children[1]);
  if (step.text == "+=" || step.text == "-=") {
    return !is_one(right) ? 0 : step.text == "+=" ? 1 : -1;
  }
  const bool sum = step.text == "=" && right.kind == CKind::binary && right.children.size() == 2
                   && (right.text == "+" || right.text == "-") && is_index(*right.children[0])
                   && is_one(*right.children[1]);
  return !sum ? 0 : right.text == "+" ? 1 : -1;
}

} // namespace

Result<Interpreter::Header> Interpreter::header_of(const CNode& node)
{
  if (node.children.size() != 4) {
    return odd_loop(node.place);
  }
  const CNode& initial = *node.children[0];
  const CNode& test = without_casts(*node.children[1]);
  Header out;
  if (initial.kind == CKind::declaration && initial.children.size() == 1 && !initial.children[0]->children.empty()) {
    out.declaration = initial.children[0]->declaration;
    out.name = initial.children[0]->text;
    HONE_TRY(out.lower, number(*initial.children[0]->children[0]));
  } else if (initial.kind == CKind::binary && initial.text == "="
             && without_casts(*initial.children[0]).kind == CKind::name) {
    out.declaration = without_casts(*initial.children[0]).declaration;
    out.name = without_casts(*initial.children[0]).text;
    HONE_TRY(out.lower, number(*initial.children[1]));
  } else {
    return odd_loop(node.place);
  }
  const int step = step_of(*node.children[2], out.declaration);
  if (test.kind != CKind::binary || step == 0 || kernel::is_float(out.lower->type)) {
    return odd_loop(node.place);
  }
  const auto is_index = [&](const CNode& side) {
    const CNode& bare = without_casts(side);
    return bare.kind == CKind::name && bare.declaration == out.declaration;
  };
  const bool left = is_index(*test.children[0]);
  if (!left && !is_index(*test.children[1])) {
    return odd_loop(node.place);
  }
  HONE_TRY(kernel::ExprPtr end, number(*test.children[left ? 1 : 0]));
  static const std::map<std::string, std::string> k_turned{
    {"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}, {"!=", "!="}};
  const auto turned = k_turned.find(test.text);
  if (turned == k_turned.end()) {
    return odd_loop(node.place);
  }
  const std::string op = left ? test.text : turned->second;
  const kernel::ExprPtr one = kernel::make_number(1, true);
  out.descending = step < 0;
  if (out.descending) {
    const kernel::ExprPtr first = out.lower;
    if (op != ">" && op != ">=") {
      return odd_loop(node.place);
    }
    out.lower = op == ">=" ? end : arithmetic("+", end, one);
    out.upper = arithmetic("+", first, one);
  } else {
    if (op != "<" && op != "<=" && op != "!=") {
      return odd_loop(node.place);
    }
    out.upper = op == "<=" ? arithmetic("+", end, one) : end;
  }
  for (const kernel::ExprPtr& bound : {out.lower, out.upper}) {
    if (holds_mark(*bound)) {
      return fail(fmt::format("the bound of the loop over '{}' is changed in a loop around it", out.name),
                  "use an argument or an index of an outer loop as the bound", node.place);
    }
    if (any_node(*bound, [](const kernel::Expr& part) { return part.kind == kernel::ExprKind::load; })) {
      return fail(
        fmt::format("the bound of the loop over '{}' is read from data: {}", out.name, kernel::to_text(*bound)),
        "guard the body with if instead", node.place);
    }
  }
  return out;
}

Result<void> Interpreter::run_for(const CNode& node)
{
  HONE_TRY(const Header header, header_of(node));
  const CNode& body = *node.children[3];
  std::map<std::string, std::string> assigned;
  collect_assigned(body, assigned);
  if (assigned.contains(header.declaration)) {
    return fail(fmt::format("the index '{}' is changed inside its loop", header.name), {}, node.place);
  }
  std::set<std::string> bound_names;
  collect_names(*node.children[1], bound_names);
  for (const std::string& declaration : bound_names) {
    if (assigned.contains(declaration)) {
      return fail(fmt::format("the loop bound '{}' is changed in the loop", assigned[declaration]),
                  "copy it into a constant before the loop", node.place);
    }
  }
  std::set<std::string> mentioned;
  collect_names(body, mentioned);

  Frame frame;
  frame.number = m_loops++;
  frame.range = {fresh_index(header.name), header.lower, header.upper, node.place};
  frame.descending = header.descending;
  frame.place = node.place;
  if (surveying()) {
    m_survey->written.emplace_back();
    collect_sizes(*header.lower, m_survey->sizes_in_bounds);
    collect_sizes(*header.upper, m_survey->sizes_in_bounds);
  } else {
    frame.arrays = m_known.written.at(frame.number);
  }
  for (auto& [declaration, value] : m_scalars) {
    if (!value.number) {
      if (assigned.contains(declaration)) {
        return fail(fmt::format("the pointer '{}' is moved in the loop", m_names[declaration]),
                    "subscript it with the loop's index instead", node.place);
      }
      continue;
    }
    if (!surveying() && mentioned.contains(declaration) && holds_reduction(*value.number)) {
      value.number = materialised(value.number, m_names[declaration], {}, nullptr);
    }
    if (assigned.contains(declaration)) {
      frame.before[declaration] = value;
    }
  }
  m_ranges[frame.range.name] = frame.range;
  const Facts facts = m_facts;
  const auto outside = m_scalars;
  for (const auto& [declaration, before] : frame.before) {
    const kernel::DataType type = m_types[declaration].data.value_or(kernel::DataType::i64);
    m_scalars[declaration].number = make_load(fmt::format("@{}:{}", frame.number, declaration), {}, type);
  }
  m_scalars[header.declaration] = CValue{kernel::make_index(frame.range.name), {}, {}, {}};
  m_names[header.declaration] = header.name;
  m_facts.assume_range(frame.range);
  m_scope.push_back(frame.range);
  m_frames.push_back(std::move(frame));
  const std::size_t barrier = std::exchange(m_barrier, 0);
  Result<void> done = run(body, true);
  m_barrier = barrier;
  Frame ended = std::move(m_frames.back());
  m_frames.pop_back();
  m_scope.pop_back();
  std::map<std::string, CValue> inside = std::exchange(m_scalars, outside);
  for (const auto& [declaration, before] : ended.before) {
    m_scalars[declaration] = inside.at(declaration);
  }
  m_scalars.erase(header.declaration);
  if (outside.contains(header.declaration)) { // declared outside: its end value is rarely meant
    m_scalars[header.declaration] = CValue{make_load("@lost", {}, kernel::DataType::i64), {}, {}, {}};
  }
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

} // namespace hone::import
