// What a loop counts: from where, to where, by how much.
#include "import/interpreter.h"

#include <fmt/format.h>

#include <utility>

namespace hone::import {

namespace {

std::unexpected<Error> odd_loop(const Place& place)
{
  return fail("how often this loop runs does not follow from its beginning, its test and its step",
              "a loop counts up or down by a constant, such as for (int i = 0; i < n; i++)", place);
}

bool is_comparison(const CNode& node)
{
  return node.kind == CKind::binary
         && (node.text == "<" || node.text == ">" || node.text == "<=" || node.text == ">=" || node.text == "!=");
}

bool is_named(const CNode& node, const std::string& declaration)
{
  const CNode& bare = without_casts(node);
  return bare.kind == CKind::name && bare.declaration == declaration;
}

bool is_step(const CNode& node)
{
  const bool counts = node.kind == CKind::unary && (node.text.ends_with("++") || node.text.ends_with("--"));
  const bool adds = node.kind == CKind::binary && (node.text == "+=" || node.text == "-=" || node.text == "=");
  return (counts || adds) && without_casts(*node.children[0]).kind == CKind::name;
}

const std::string& counter_of(const CNode& step)
{
  return without_casts(*step.children[0]).declaration;
}

bool steps_anywhere(const CNode& node, const std::string& declaration)
{
  return (is_step(node) && counter_of(node) == declaration)
         || std::ranges::any_of(node.children,
                                [&](const CNodePtr& child) { return steps_anywhere(*child, declaration); });
}

// `i--` in a test, also as `i-- > 0` and `i-- != 0`: the variable counts down to 0 before the body runs.
const CNode* counts_down(const CNode& test)
{
  const CNode& bare = without_casts(test);
  const bool compared = bare.kind == CKind::binary && (bare.text == ">" || bare.text == "!=")
                        && without_casts(*bare.children[1]).kind == CKind::number
                        && without_casts(*bare.children[1]).number == 0;
  const CNode& counter = compared ? without_casts(*bare.children[0]) : bare;
  const bool down =
    counter.kind == CKind::unary && counter.text == "post--" && without_casts(*counter.children[0]).kind == CKind::name;
  return down ? &without_casts(*counter.children[0]) : nullptr;
}

struct Parts {
  const CNode* initial = nullptr;
  const CNode* test = nullptr;
  const CNode* step = nullptr;
  std::vector<CNodePtr> more_steps; // i++, x += n
};

bool names(const CNode& node, const std::string& declaration)
{
  return (node.kind == CKind::name && node.declaration == declaration)
         || std::ranges::any_of(node.children, [&](const CNodePtr& child) { return names(*child, declaration); });
}

// Of several steps the one counts whose variable is tested.
void take_steps(const CNodePtr& node, Parts& out)
{
  if (node->kind == CKind::binary && node->text == ",") {
    take_steps(node->children[0], out);
    take_steps(node->children[1], out);
  } else if (out.step == nullptr && is_step(*node) && out.test != nullptr && names(*out.test, counter_of(*node))) {
    out.step = node.get();
  } else {
    out.more_steps.push_back(node);
  }
}

// The front end leaves out the parts of a `for` that are empty.
Parts parts_of(const CNode& node)
{
  Parts out;
  std::size_t at = 0;
  const std::size_t end = node.children.size() - 1;
  const auto begins = [](const CNode& part) {
    return part.kind == CKind::declaration || (part.kind == CKind::binary && (part.text == "=" || part.text == ","));
  };
  if (at < end && begins(*node.children[at])) {
    out.initial = node.children[at++].get();
  }
  if (at < end && (is_comparison(without_casts(*node.children[at])) || counts_down(*node.children[at]) != nullptr)) {
    out.test = node.children[at++].get();
  }
  if (at < end) {
    take_steps(node.children[at++], out);
  }
  const bool odd = at != end || (out.step == nullptr && !out.more_steps.empty());
  return odd ? Parts{} : out;
}

} // namespace

// A number, or where a pointer into `array` stands.
Result<kernel::ExprPtr> Interpreter::position(const CNode& node, const std::string& array)
{
  HONE_TRY(const CValue value, evaluate(node));
  if (value.number) {
    return as_number(value.number);
  }
  if (value.array != array) {
    return fail(fmt::format("the pointers '{}' and '{}' are compared", value.array, array),
                "a loop's pointer stays in one array", node.place);
  }
  return value.offset;
}

// By how much a step moves its variable; null where that is no constant.
Result<kernel::ExprPtr> Interpreter::step_of(const CNode& step)
{
  const std::string& declaration = counter_of(step);
  if (step.kind == CKind::unary) {
    return kernel::make_number(step.text.ends_with("++") ? 1 : -1, true);
  }
  const CNode* by = step.children[1].get();
  std::string op = step.text.substr(0, 1);
  if (step.text == "=") {
    const CNode& sum = without_casts(*by);
    if (sum.kind != CKind::binary || (sum.text != "+" && sum.text != "-") || !is_named(*sum.children[0], declaration)) {
      return kernel::ExprPtr();
    }
    op = sum.text;
    by = sum.children[1].get();
  }
  HONE_TRY(const kernel::ExprPtr amount, number(*by));
  const bool constant = !kernel::is_float(amount->type) && only_sizes(*amount);
  return !constant ? kernel::ExprPtr() : op == "+" ? amount : normal(negated(amount));
}

// Runs declarations beside the counter, and says which variable begins where.
Result<void> Interpreter::begin_loop(const CNode* initial, const std::string& counter)
{
  if (initial == nullptr) {
    return {};
  }
  if (initial->kind == CKind::declaration) {
    return run_statement(*initial, false);
  }
  if (initial->text == ",") {
    HONE_CHECK(begin_loop(initial->children[0].get(), counter));
    return begin_loop(initial->children[1].get(), counter);
  }
  return assign(*initial);
}

Result<Interpreter::Header> Interpreter::header_of(const CNode& node)
{
  Parts parts;
  Header out;
  out.body = node.children.back().get();
  if (node.kind == CKind::while_) {
    parts.test = node.children[0].get();
    if (counts_down(*parts.test) == nullptr && !out.body->children.empty() && out.body->kind == CKind::block
        && is_step(*out.body->children.back())) {
      parts.step = out.body->children.back().get(); // while (i < n) { ...; i++; }
      out.without_step = std::make_shared<CNode>(*out.body);
      out.without_step->children.pop_back();
      out.body = out.without_step.get();
    }
  } else {
    parts = parts_of(node);
    if (!parts.more_steps.empty()) {
      out.without_step = std::make_shared<CNode>();
      out.without_step->kind = CKind::block;
      out.without_step->children = {node.children.back()};
      out.without_step->children.insert(out.without_step->children.end(), parts.more_steps.begin(),
                                        parts.more_steps.end());
      out.body = out.without_step.get();
    }
  }
  const CNode* const down = parts.test == nullptr ? nullptr : counts_down(*parts.test);
  if (parts.test == nullptr || (down == nullptr) == (parts.step == nullptr)) {
    return odd_loop(node.place);
  }
  out.declaration = down != nullptr ? down->declaration : counter_of(*parts.step);
  out.name = down != nullptr ? down->text : without_casts(*parts.step->children[0]).text;
  if (node.kind == CKind::while_ && steps_anywhere(*out.body, out.declaration)) {
    return fail(fmt::format("'{}' is changed in several places of the loop", out.name),
                "change it once, at the end of the body", node.place);
  }
  HONE_CHECK(begin_loop(parts.initial, out.declaration));
  const auto found = m_scalars.find(out.declaration);
  if (found == m_scalars.end()) {
    return odd_loop(node.place);
  }
  const CValue first = found->second;
  const kernel::ExprPtr start = first.number ? first.number : first.offset;
  if (kernel::is_float(start->type) || is_condition(*start)) {
    return odd_loop(node.place);
  }
  const auto is_lost = [](const kernel::Expr& part) { return is_mark(part, "@lost") || is_mark(part, "@undefined"); };
  if (any_node(*start, is_lost)) {
    return surveying() ? Result<Header>(fail(""))
                       : Result<Header>(fail(fmt::format("where '{}' stands before the loop is not known", out.name),
                                             "give it a value before the loop", node.place));
  }
  out.pointer = first.number ? std::nullopt : std::optional(first);
  const kernel::ExprPtr zero = kernel::make_number(0, true);
  if (down != nullptr) {
    out.lower = zero;
    out.upper = start;
    out.descending = true;
    out.end = normal(arithmetic("-", zero, kernel::make_number(1, true)));
    return checked(std::move(out), node);
  }
  HONE_TRY(const kernel::ExprPtr step, step_of(*parts.step));
  const auto constant = step ? polynomial_of(*step).as_constant() : std::nullopt;
  const bool up = step && m_facts.proves(polynomial_of(*step) - Polynomial::constant(1));
  const bool downwards = step && m_facts.proves(scaled(polynomial_of(*step), -1) - Polynomial::constant(1));
  if (!up && !downwards) {
    return odd_loop(node.place);
  }
  HONE_TRY(const Bound bound, bound_of(without_casts(*parts.test), out, up));
  const Polynomial one = Polynomial::constant(1);
  if (constant && (*constant == 1 || *constant == -1)) {
    out.descending = downwards;
    out.lower = up ? start : expression_of(bound.end + one);
    out.upper = up ? expression_of(bound.end) : arithmetic("+", start, kernel::make_number(1, true));
    if (up) {
      rebase(out);
    }
  } else {
    // Iterations are counted: value = start + step * index.
    const Polynomial by = scaled(polynomial_of(*step), up ? 1 : -1);
    const Polynomial distance = scaled(bound.end - polynomial_of(*start), up ? 1 : -1);
    out.lower = zero;
    out.upper = quotient(distance + by - one, by);
    out.start = start;
    out.step = step;
  }
  return checked(std::move(out), node);
}

// The first value, in the direction of the loop, for which its test does not hold.
Result<Interpreter::Bound> Interpreter::bound_of(const CNode& test, const Header& header, bool up)
{
  const std::string mark = fresh_index(header.name);
  const kernel::ExprPtr index = kernel::make_index(mark);
  const CValue before = m_scalars.at(header.declaration);
  CValue probe = before;
  (probe.number ? probe.number : probe.offset) = index;
  m_scalars[header.declaration] = probe;
  const std::string array = header.pointer ? header.pointer->array : "";
  auto left = position(*test.children[0], array);
  auto right = position(*test.children[1], array);
  m_scalars[header.declaration] = before;
  HONE_TRY(const kernel::ExprPtr a, std::move(left));
  HONE_TRY(const kernel::ExprPtr b, std::move(right));
  const bool less = test.text == "<" || test.text == "<=" || (test.text == "!=" && up);
  const Polynomial difference = less ? polynomial_of(*b) - polynomial_of(*a) : polynomial_of(*a) - polynomial_of(*b);
  auto split = linear_in(difference, mark);
  auto factor = split ? split->factor.as_constant() : std::nullopt;
  if (test.text == "!=" && factor && *factor != (up ? -1 : 1)) { // n != i
    split = linear_in(scaled(difference, -1), mark);
    factor = -*factor;
  }
  if (!factor || *factor != (up ? -1 : 1)) {
    return odd_loop(test.place);
  }
  // difference > 0, or >= 0: up, i < rest (+ 1); down, i > -rest (- 1).
  const Polynomial or_equal = Polynomial::constant(test.text.ends_with("=") && test.text != "!=" ? 1 : 0);
  const Polynomial rest = split->rest + or_equal;
  return Bound{up ? rest : scaled(rest, -1)};
}

// max(0, i - k) <= j < min(n, i + k) is a window: i - k + t for t < 2 * k, where 0 <= j < n.
void Interpreter::rebase(Header& header)
{
  const auto parts = [](const kernel::ExprPtr& bound, std::string_view name) {
    const bool extreme = bound->kind == kernel::ExprKind::call && bound->name == name && bound->args.size() == 2;
    return extreme ? bound->args : std::vector<kernel::ExprPtr>{bound};
  };
  const std::vector<kernel::ExprPtr> lowers = parts(header.lower, "max");
  const std::vector<kernel::ExprPtr> uppers = parts(header.upper, "min");
  if (lowers.size() == 1 && uppers.size() == 1) {
    return;
  }
  for (const kernel::ExprPtr& lower : lowers) {
    for (const kernel::ExprPtr& upper : uppers) {
      const Polynomial width = polynomial_of(*upper) - polynomial_of(*lower);
      const kernel::ExprPtr count = expression_of(width);
      const auto tiles = polynomial_of(*lower).terms;
      const bool tile = lowers.size() == 1 && tiles.size() == 1 && tiles.begin()->second * tiles.begin()->second > 1;
      if (free_indices(*lower).empty() || !only_sizes(*count) || tile) {
        continue; // a tile is understood as it is
      }
      header.start = lower;
      header.step = kernel::make_number(1, true);
      header.window_lower = same(lowers.front(), lower) ? lowers.back() : lowers.front();
      header.window_upper = same(uppers.front(), upper) ? uppers.back() : uppers.front();
      header.window_lower = lowers.size() == 1 ? nullptr : header.window_lower;
      header.window_upper = uppers.size() == 1 ? nullptr : header.window_upper;
      header.lower = kernel::make_number(0, true);
      header.upper = count;
      return;
    }
  }
}

Result<Interpreter::Header> Interpreter::checked(Header header, const CNode& node) const
{
  for (const kernel::ExprPtr& bound : {header.lower, header.upper}) {
    if (holds_mark(*bound)) {
      return fail(fmt::format("the bound of the loop over '{}' is changed in a loop around it", header.name),
                  "use an argument or an index of an outer loop as the bound", node.place);
    }
    if (any_node(*bound, [](const kernel::Expr& part) { return part.kind == kernel::ExprKind::load; })) {
      return fail(
        fmt::format("the bound of the loop over '{}' is read from data: {}", header.name, kernel::to_text(*bound)),
        "guard the body with if instead", node.place);
    }
  }
  // What the variable holds behind the loop, if that runs at all.
  const Polynomial count = polynomial_of(*header.upper) - polynomial_of(*header.lower);
  if (!header.end && !header.window_lower && !header.window_upper && m_facts.proves(count)) {
    header.end = header.start        ? arithmetic("+", header.start, arithmetic("*", header.step, header.upper))
                 : header.descending ? arithmetic("-", header.lower, kernel::make_number(1, true))
                                     : header.upper;
  }
  return header;
}

} // namespace hone::import
