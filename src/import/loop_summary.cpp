// The effect of a whole loop, from one iteration on symbols: accumulations become reductions, and writes whose element
// depends on the index become writes for all indices.
#include "import/interpreter.h"
#include "import/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace hone::import {

namespace {

std::unexpected<Error> unset(const std::string& array, const Place& place)
{
  return fail(fmt::format("elements of '{}' are read before they are written", written_name(array)), {}, place);
}

double identity_of(kernel::ReduceOp op)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return op == kernel::ReduceOp::prod  ? 1
         : op == kernel::ReduceOp::max ? -infinity
         : op == kernel::ReduceOp::min ? infinity
                                       : 0;
}

// The beginning of a maximum may be written as the least finite number too: every element is at least that.
bool begins(kernel::ReduceOp op, const kernel::Expr& value)
{
  if (value.kind == kernel::ExprKind::unary && value.name == "-") {
    return value.args[0]->kind == kernel::ExprKind::number && begins(op, *negated(value.args[0]));
  }
  if (value.kind == kernel::ExprKind::cast) {
    return begins(op, *value.args[0]);
  }
  if (value.kind != kernel::ExprKind::number) {
    return false;
  }
  const bool extreme = op == kernel::ReduceOp::max || op == kernel::ReduceOp::min;
  const double end = op == kernel::ReduceOp::max ? -value.number : value.number;
  const bool largest = end == DBL_MAX || std::abs(end / double{FLT_MAX} - 1) < 1e-7; // FLT_MAX in however many digits
  return value.number == identity_of(op) || (extreme && largest);
}

// The terms of a sum with their signs.
void collect_terms(const kernel::ExprPtr& value, bool negative, std::vector<std::pair<kernel::ExprPtr, bool>>& out)
{
  if (value->kind == kernel::ExprKind::binary && (value->name == "+" || value->name == "-")) {
    collect_terms(value->args[0], negative, out);
    collect_terms(value->args[1], negative != (value->name == "-"), out);
  } else if (value->kind == kernel::ExprKind::unary && value->name == "-") {
    collect_terms(value->args[0], !negative, out);
  } else {
    out.emplace_back(value, negative);
  }
}

void collect_factors(const kernel::ExprPtr& value, const std::string& op, std::vector<kernel::ExprPtr>& out)
{
  const bool product = value->kind == kernel::ExprKind::binary && value->name == op;
  const bool call = value->kind == kernel::ExprKind::call && value->name == op;
  if (product || call) {
    for (const kernel::ExprPtr& arg : value->args) {
      collect_factors(arg, op, out);
    }
  } else {
    out.push_back(value);
  }
}

bool is_text(const kernel::Expr& node, const std::string& text)
{
  return node.kind == kernel::ExprKind::load && kernel::to_text(node) == text;
}

bool holds_text(const kernel::Expr& value, const std::string& text)
{
  return any_node(value, [&](const kernel::Expr& node) { return is_text(node, text); });
}

} // namespace

// The range of the loop is still assumed here: the values of one iteration are looked at.
Result<void> Interpreter::summarise(Frame frame)
{
  std::vector<Accumulator> cells;
  HONE_CHECK(summarise_scalars(frame, cells));
  return summarise_writes(frame, cells);
}

std::optional<Interpreter::Accumulation> Interpreter::accumulation(const kernel::ExprPtr& after,
                                                                   const std::string& mark) const
{
  if (after->kind == kernel::ExprKind::cast && holds_text(*after, mark)) {
    return accumulation(after->args[0], mark);
  }
  if (after->kind == kernel::ExprKind::select) {
    const kernel::ExprPtr& condition = after->args[0];
    if (holds_text(*condition, mark)) {
      return std::nullopt;
    }
    const bool keeps_first = is_text(*after->args[1], mark);
    const bool keeps_second = is_text(*after->args[2], mark);
    if (keeps_first || keeps_second) {
      auto out = accumulation(after->args[keeps_first ? 2 : 1], mark);
      if (out) {
        out->guard = both(keeps_first ? opposite(condition) : condition, out->guard);
      }
      return out;
    }
    auto a = accumulation(after->args[1], mark);
    const auto b = accumulation(after->args[2], mark);
    if (!a || !b || a->op != b->op || a->guard || b->guard) {
      return std::nullopt;
    }
    a->element = choice(condition, a->element, b->element);
    return a;
  }
  Accumulation out;
  if (after->kind == kernel::ExprKind::binary && (after->name == "+" || after->name == "-")) {
    std::vector<std::pair<kernel::ExprPtr, bool>> terms;
    collect_terms(after, false, terms);
    int marks = 0;
    for (const auto& [term, negative] : terms) {
      if (is_text(*term, mark) && !negative) {
        ++marks;
      } else if (holds_text(*term, mark)) {
        return std::nullopt;
      } else if (!out.element) {
        out.element = negative ? negated(term) : term;
      } else {
        out.element = arithmetic(negative ? "-" : "+", out.element, term);
      }
    }
    return marks == 1 ? std::optional(out) : std::nullopt;
  }
  const bool any = after->kind == kernel::ExprKind::binary && after->name == "||";
  if (any || (after->kind == kernel::ExprKind::binary && after->name == "&&")) {
    const std::size_t other = is_text(*after->args[0], mark) ? 1 : 0;
    if (!is_text(*after->args[1 - other], mark) || holds_text(*after->args[other], mark)) {
      return std::nullopt;
    }
    out.op = any ? kernel::ReduceOp::max : kernel::ReduceOp::min;
    out.condition = true;
    out.element = as_number(after->args[other]);
    return out;
  }
  std::string op = after->kind == kernel::ExprKind::binary || after->kind == kernel::ExprKind::call ? after->name : "";
  if (op != "*" && op != "max" && op != "min") {
    return std::nullopt;
  }
  out.op = op == "*" ? kernel::ReduceOp::prod : op == "max" ? kernel::ReduceOp::max : kernel::ReduceOp::min;
  std::vector<kernel::ExprPtr> factors;
  collect_factors(after, op, factors);
  int marks = 0;
  for (const kernel::ExprPtr& factor : factors) {
    if (is_text(*factor, mark)) {
      ++marks;
    } else if (holds_text(*factor, mark)) {
      return std::nullopt;
    } else {
      out.element = !out.element ? factor
                    : op == "*"  ? arithmetic(op, out.element, factor)
                                 : make_call(op, {out.element, factor});
    }
  }
  return marks == 1 && out.element ? std::optional(out) : std::nullopt;
}

Result<void> Interpreter::summarise_scalars(Frame& frame, std::vector<Accumulator>& cells)
{
  std::map<std::string, Accumulator> by_declaration;
  for (const auto& [declaration, before] : frame.before) {
    const std::string mark = fmt::format("@{}:{}", frame.number, declaration);
    const kernel::ExprPtr& after = m_scalars[declaration].number;
    if (is_text(*after, mark)) {
      m_scalars[declaration] = before;
      continue;
    }
    if (!holds_text(*after, mark)) {
      m_scalars[declaration].number = make_load("@lost", {}, after->type);
      continue;
    }
    if (is_mark(*before.number, "@undefined")) {
      return fail(fmt::format("'{}' is read before it has a value", m_names[declaration]), {}, frame.place);
    }
    const auto found = accumulation(after, mark);
    if (!found) {
      return fail(
        fmt::format("'{}' depends on its own value in the iteration before, and is no sum, product, maximum or "
                    "minimum over the loop",
                    m_names[declaration]),
        "a kernel's elements are computed independently of each other", frame.place);
    }
    const CType& type = m_types[declaration];
    if (found->op == kernel::ReduceOp::sum && type.data == kernel::DataType::f64) {
      m_semantics.double_accumulators.insert(m_names[declaration]);
    }
    by_declaration[declaration] = {mark, kernel::to_text(*after), *found, before.number};
  }
  // Elements may hold values of earlier iterations of arrays, and what other scalars have accumulated so far.
  for (auto& [declaration, cell] : by_declaration) {
    HONE_TRY(cell.accumulation.element, resolved(cell.accumulation.element, frame, {}));
    if (cell.accumulation.guard) {
      HONE_TRY(cell.accumulation.guard, resolved(cell.accumulation.guard, frame, {}));
    }
    cells.push_back(cell);
  }
  for (const auto& [declaration, cell] : by_declaration) {
    for (const auto& [other, unused] : by_declaration) {
      const std::string mark = fmt::format("@{}:{}", frame.number, other);
      if (holds_text(*cell.accumulation.element, mark)
          || (cell.accumulation.guard && holds_text(*cell.accumulation.guard, mark))) {
        return fail(fmt::format("'{}' depends on the value that '{}' had in the iteration before", m_names[declaration],
                                m_names[other]),
                    "a kernel's sums are independent of each other: compute one after the other", frame.place);
      }
    }
    m_scalars[declaration].number = over_the_loop(frame, cell);
  }
  return {};
}

kernel::ExprPtr Interpreter::over_the_loop(const Frame& frame, const Accumulator& cell) const
{
  return combined(cell.accumulation, cell.before, frame.range);
}

// before op (reduction over the range), with a first element that was taken out of the loop put back.
kernel::ExprPtr Interpreter::combined(const Accumulation& accumulation, const kernel::ExprPtr& before,
                                      kernel::IndexRange range) const
{
  const kernel::ReduceOp op = accumulation.op;
  if (accumulation.condition) {
    const bool any = op == kernel::ReduceOp::max;
    const kernel::ExprPtr reduction = make_reduction(op, range, accumulation.element, accumulation.guard);
    const kernel::ExprPtr holds = compared(any ? "==" : "!=", reduction, kernel::make_number(any ? 1 : 0, true));
    return is_literal(*before, any ? 0 : 1) ? holds : compared(any ? "||" : "&&", as_condition(before), holds);
  }
  const bool extreme = op == kernel::ReduceOp::max || op == kernel::ReduceOp::min;
  const auto element_at = [&](const kernel::ExprPtr& index) {
    return with_indices(accumulation.element, {{range.name, index}});
  };
  if (!accumulation.guard && !is_literal(*before, identity_of(op))) {
    const kernel::ExprPtr lower = range.lower ? range.lower : kernel::make_number(0, true);
    const kernel::ExprPtr previous = arithmetic("-", lower, kernel::make_number(1, true));
    const bool can_begin_earlier = !mentions_index(lower, range.name) && !is_literal(*lower, 0);
    if (can_begin_earlier && same(before, element_at(previous))) {
      range.lower = previous;
      return make_reduction(op, range, accumulation.element, nullptr);
    }
    if (extreme && same(before, element_at(lower))
        && m_facts.proves(polynomial_of(*range.upper) - polynomial_of(*lower) - Polynomial::constant(1))) {
      return make_reduction(op, range, accumulation.element, nullptr);
    }
  }
  const bool falls = op == kernel::ReduceOp::sum && accumulation.element->kind == kernel::ExprKind::unary
                     && accumulation.element->name == "-";
  const kernel::ExprPtr reduction =
    make_reduction(op, range, falls ? accumulation.element->args[0] : accumulation.element, accumulation.guard);
  if (begins(op, *before)) {
    return falls ? negated(reduction) : reduction;
  }
  if (falls) {
    return arithmetic("-", before, reduction);
  }
  switch (op) {
  case kernel::ReduceOp::sum:
    return arithmetic("+", before, reduction);
  case kernel::ReduceOp::prod:
    return arithmetic("*", before, reduction);
  default:
    return make_call(op == kernel::ReduceOp::max ? "max" : "min", {before, reduction});
  }
}

// What a cell holds inside iteration i: the reduction over the iterations before it, or up to it.
kernel::ExprPtr Interpreter::so_far(const Frame& frame, const Accumulator& cell, bool inclusive)
{
  kernel::IndexRange range = frame.range;
  range.name = fresh_index(written_name(frame.range.name));
  const kernel::ExprPtr here = kernel::make_index(frame.range.name);
  const kernel::ExprPtr beyond = arithmetic("+", here, kernel::make_number(1, true));
  if (frame.descending) {
    range.lower = inclusive ? here : beyond;
  } else {
    range.upper = inclusive ? beyond : here;
  }
  m_ranges[range.name] = range;
  const std::map<std::string, kernel::ExprPtr> renamed{{frame.range.name, kernel::make_index(range.name)}};
  Accumulation accumulation = cell.accumulation;
  accumulation.element = with_indices(accumulation.element, renamed);
  accumulation.guard = with_indices(accumulation.guard, renamed);
  return combined(accumulation, cell.before, range);
}

// Replaces what stood for earlier iterations: accumulations by reductions so far, arrays by what was there before the
// loop (check_independence() makes sure that this is right).
Result<kernel::ExprPtr> Interpreter::resolved(const kernel::ExprPtr& value, const Frame& frame,
                                              const std::vector<Accumulator>& cells)
{
  const std::string arrays = fmt::format("@{}:#", frame.number);
  std::optional<Error> problem;
  const std::function<kernel::ExprPtr(const kernel::ExprPtr&)> change =
    [&](const kernel::ExprPtr& node) -> kernel::ExprPtr {
    const std::string text = holds_mark(*node) ? kernel::to_text(*node) : "";
    if (text.empty()) {
      return node;
    }
    if (node->kind == kernel::ExprKind::select) { // each branch under its condition
      const Facts facts = m_facts;
      const kernel::ExprPtr condition = rewritten(node->args[0], change);
      m_facts.assume(condition, true);
      const kernel::ExprPtr yes = rewritten(node->args[1], change);
      m_facts = facts;
      m_facts.assume(condition, false);
      const kernel::ExprPtr no = rewritten(node->args[2], change);
      m_facts = facts;
      return choice(condition, yes, no);
    }
    for (const Accumulator& cell : cells) {
      if (text == cell.after || text == cell.mark) {
        return so_far(frame, cell, text == cell.after);
      }
    }
    if (node->kind == kernel::ExprKind::reduce) { // its body for indices in their ranges, where its guard holds
      const Facts facts = m_facts;
      auto out = std::make_shared<kernel::Expr>(*node);
      for (kernel::IndexRange& range : out->ranges) {
        range.lower = rewritten(range.lower, change);
        range.upper = rewritten(range.upper, change);
        m_facts.assume_range(range);
      }
      if (out->args.size() > 1) {
        out->args[1] = rewritten(out->args[1], change);
        m_facts.assume(out->args[1], true);
      }
      out->args[0] = rewritten(out->args[0], change);
      m_facts = facts;
      return out;
    }
    if (is_mark(*node, arrays)) {
      std::vector<kernel::ExprPtr> subscripts;
      for (const kernel::ExprPtr& subscript : node->args) {
        subscripts.push_back(rewritten(subscript, change));
      }
      auto old = read(m_frames.size() - 1, node->name.substr(arrays.size()), subscripts, frame.place);
      if (!old || is_mark(**old, "@undefined")) {
        problem = old ? unset(node->name.substr(arrays.size()), frame.place).error() : std::move(old.error());
        return node;
      }
      return *old;
    }
    return nullptr;
  };
  const kernel::ExprPtr out = rewritten(value, change);
  if (problem) {
    return std::unexpected(std::move(*problem));
  }
  return simplified(out);
}

// Lets the indices of a write run over all tiles where this loop is over tiles of one of them. `tiles`: their ranges
// before.
bool Interpreter::merge_tiles(Write& write, const kernel::IndexRange& loop,
                              std::map<std::string, kernel::IndexRange>& tiles)
{
  std::vector<kernel::IndexRange> vars = write.vars;
  bool merged = false;
  for (kernel::IndexRange& var : vars) {
    const auto whole = import::merged(loop, var);
    merged = merged || whole;
    var = whole.value_or(var);
  }
  const bool mentions = mentions_index(write.value, loop.name) || mentions_index(write.guard, loop.name)
                        || std::ranges::any_of(vars, [&](const kernel::IndexRange& var) {
                             return mentions_index(var.upper, loop.name) || mentions_index(var.lower, loop.name);
                           });
  if (!merged || mentions) {
    return false;
  }
  for (std::size_t i = 0; i < vars.size(); ++i) {
    tiles[vars[i].name] = write.vars[i];
    m_ranges[vars[i].name] = vars[i];
  }
  write.vars = std::move(vars);
  return true;
}

Result<void> Interpreter::summarise_writes(Frame& frame, std::vector<Accumulator>& cells)
{
  const std::string index = frame.range.name;
  const std::string arrays = fmt::format("@{}:#", frame.number);
  const auto moves = [&](const Write& one) {
    return std::ranges::any_of(one.subscripts, [&](const kernel::ExprPtr& s) { return mentions_index(s, index); });
  };
  HONE_CHECK(check_independence(frame));
  std::set<const Write*> tiled; // their own indices run over all tiles
  std::map<std::string, kernel::IndexRange> tiles;
  for (Write& one : frame.writes) {
    if (!moves(one) && merge_tiles(one, frame.range, tiles)) {
      tiled.insert(&one);
    }
  }
  // First what is accumulated in place, since other writes may read it.
  std::vector<Write> done;
  std::set<std::string> lost; // local arrays that every iteration overwrites
  for (Write& one : frame.writes) {
    if (moves(one) || tiled.contains(&one)) {
      continue;
    }
    const Facts facts = m_facts;
    for (kernel::IndexRange& var : one.vars) {
      if (mentions_index(var.upper, index) || mentions_index(var.lower, index)) { // a triangle: its hull, and a guard
        const kernel::ExprPtr at = kernel::make_index(var.name);
        one.guard = both(one.guard, compared("<", at, var.upper));
        one.guard = var.lower ? both(one.guard, compared(">=", at, var.lower)) : one.guard;
        const kernel::ExprPtr upper = var.upper;
        var.upper = with_indices(upper, {{index, arithmetic("-", frame.range.upper, kernel::make_number(1, true))}});
        var.lower =
          with_indices(var.lower, {{index, frame.range.lower ? frame.range.lower : kernel::make_number(0, true)}});
        m_ranges[var.name] = var;
      }
      m_facts.assume_range(var);
    }
    const std::string mark = kernel::to_text(*make_load(arrays + one.array, one.subscripts, kernel::DataType::f64));
    const auto found = accumulation(one.value, mark);
    if (!found && !m_arrays.at(one.array).argument) {
      m_facts = facts;
      lost.insert(one.array);
      continue; // a local array that every iteration fills anew: nothing of it is left
    }
    if (!found) {
      return fail(fmt::format("every iteration of the loop over '{}' overwrites the same element of '{}'",
                              written_name(index), written_name(one.array)),
                  "only the last value would be left: move the assignment behind the loop", one.place);
    }
    Accumulator cell{mark, kernel::to_text(*one.value), *found, nullptr};
    cell.accumulation.guard = both(one.guard, found->guard);
    HONE_TRY(cell.accumulation.element, resolved(cell.accumulation.element, frame, cells));
    if (cell.accumulation.guard) {
      HONE_TRY(cell.accumulation.guard, resolved(cell.accumulation.guard, frame, cells));
    }
    HONE_TRY(cell.before, read(m_frames.size() - 1, one.array, one.subscripts, one.place));
    if (found->op == kernel::ReduceOp::sum && m_arrays.at(one.array).type.data == kernel::DataType::f64) {
      m_semantics.double_accumulators.insert(written_name(one.array));
    }
    one.value = over_the_loop(frame, cell);
    one.guard = nullptr;
    one.depth = m_scope.size();
    m_facts = facts;
    cells.push_back(std::move(cell));
    done.push_back(one);
  }
  for (Write& one : frame.writes) {
    if (!moves(one) && !tiled.contains(&one)) {
      continue;
    }
    const Facts facts = m_facts;
    for (const kernel::IndexRange& var : one.vars) {
      m_facts.assume_range(tiles.contains(var.name) ? tiles.at(var.name) : var);
    }
    HONE_TRY(one.value, resolved(one.value, frame, cells));
    if (one.guard) {
      HONE_TRY(one.guard, resolved(one.guard, frame, cells));
    }
    m_facts = facts;
    if (!tiled.contains(&one)) {
      one.vars.insert(one.vars.begin(), frame.range);
    }
    one.depth = m_scope.size();
    done.push_back(one);
  }
  for (Write& one : done) {
    if (!lost.contains(one.array)) {
      write(std::move(one));
    }
  }
  return {};
}

} // namespace hone::import
