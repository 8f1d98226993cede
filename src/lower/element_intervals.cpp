#include "lower/element_intervals.h"

#include "lower/window_condition.h"

#include <algorithm>
#include <map>

namespace hone::lower {

namespace {

kernel::ExprPtr denied(const kernel::ExprPtr& condition)
{
  static const std::map<std::string, std::string> k_opposites = {{"<", ">="}, {"<=", ">"},  {">", "<="},
                                                                 {">=", "<"}, {"==", "!="}, {"!=", "=="}};
  if (condition->kind == kernel::ExprKind::binary && !kernel::is_float(condition->args[0]->type)) {
    if (const auto opposite = k_opposites.find(condition->name); opposite != k_opposites.end()) {
      return kernel::make_binary(opposite->second, condition->args[0], condition->args[1]);
    }
  }
  if (condition->kind == kernel::ExprKind::unary && condition->name == "!") {
    return condition->args[0];
  }
  auto out = std::make_shared<kernel::Expr>();
  out->kind = kernel::ExprKind::unary;
  out->name = "!";
  out->args = {condition};
  out->type = kernel::DataType::boolean;
  out->place = condition->place;
  return out;
}

void collect(const kernel::ExprPtr& condition, std::vector<kernel::ExprPtr>& out)
{
  if (condition->kind == kernel::ExprKind::binary && condition->name == "&&") {
    collect(condition->args[0], out);
    collect(condition->args[1], out);
    return;
  }
  if (condition->kind == kernel::ExprKind::unary && condition->name == "!") {
    const kernel::ExprPtr& inner = condition->args[0];
    if (inner->kind == kernel::ExprKind::binary && inner->name == "||") {
      collect(denied(inner->args[0]), out);
      collect(denied(inner->args[1]), out);
      return;
    }
    if (const kernel::ExprPtr turned = denied(inner); turned->kind == kernel::ExprKind::binary) {
      out.push_back(turned);
      return;
    }
  }
  out.push_back(condition);
}

// column * factor + rest >= 0, as a bound. A quotient of C rounds towards zero; what is below zero is no column.
void add_bound(ColumnInterval& interval, std::int64_t factor, const LinearForm& rest)
{
  const auto quotient = [](const LinearForm& dividend, std::int64_t divisor) {
    return divisor == 1 ? dividend
           : dividend.terms.empty()
             ? linear_constant(dividend.constant / divisor)
             : linear_form(kernel::make_binary("/", dividend.expression(),
                                               kernel::make_number(static_cast<double>(divisor), true)));
  };
  if (factor > 0) {
    interval.lowers.push_back(quotient(linear_constant(factor - 1) - rest, factor));
  } else {
    interval.uppers.push_back(quotient(rest + linear_constant(-factor), -factor));
  }
}

// The least that a form can be for all values of the ranges' indices; nothing where that is no linear form.
std::optional<LinearForm> least(LinearForm form, const std::vector<kernel::IndexRange>& ranges)
{
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    const std::optional<std::int64_t> factor = form.factor_of(range->name);
    if (!factor) {
      return std::nullopt;
    }
    const LinearForm first = range->lower ? linear_form(range->lower) : linear_constant(0);
    const LinearForm last = linear_form(range->upper) - linear_constant(1);
    form = form.with(range->name, *factor < 0 ? last : first);
  }
  return form;
}

// column != e is an interval where e is the first or the last column.
bool leave_out(ColumnInterval& interval, const kernel::Expr& conjunct, const std::string& column,
               const LinearForm& columns)
{
  if (kernel::is_float(conjunct.args[0]->type) || kernel::is_float(conjunct.args[1]->type)) {
    return false;
  }
  const LinearForm difference = linear_form(conjunct.args[0]) - linear_form(conjunct.args[1]);
  const std::optional<std::int64_t> factor = difference.factor_of(column);
  if (!factor || (*factor != 1 && *factor != -1)) {
    return false;
  }
  const LinearForm excluded = scaled(difference.without(column), -*factor);
  const LinearForm from_end = columns - linear_constant(1) - excluded;
  if (excluded.terms.empty() && excluded.constant == 0) {
    interval.lowers.push_back(linear_constant(1));
    return true;
  }
  if (from_end.terms.empty() && from_end.constant == 0) {
    interval.uppers.push_back(excluded);
    return true;
  }
  return false;
}

} // namespace

bool ColumnInterval::names(const std::string& index) const
{
  const auto named = [&](const LinearForm& form) { return names_index(*form.expression(), index); };
  return std::ranges::any_of(lowers, named) || std::ranges::any_of(uppers, named)
         || std::ranges::any_of(guards, [&](const kernel::ExprPtr& guard) { return names_anywhere(*guard, index); });
}

std::vector<kernel::ExprPtr> conjuncts_of(const kernel::ExprPtr& condition)
{
  std::vector<kernel::ExprPtr> out;
  if (condition) {
    collect(condition, out);
  }
  return out;
}

kernel::ExprPtr all_of(const std::vector<kernel::ExprPtr>& conjuncts)
{
  kernel::ExprPtr out;
  for (const kernel::ExprPtr& conjunct : conjuncts) {
    out = out ? kernel::make_binary("&&", out, conjunct) : conjunct;
  }
  return out;
}

bool narrow(ColumnInterval& interval, const kernel::Expr& conjunct, const std::string& column,
            const LinearForm& columns, const std::vector<kernel::IndexRange>& ranges)
{
  if (conjunct.kind == kernel::ExprKind::binary && conjunct.name == "!=") {
    return leave_out(interval, conjunct, column, columns);
  }
  std::vector<LinearForm> slacks;
  const bool equal = conjunct.kind == kernel::ExprKind::binary && conjunct.name == "=="
                     && !kernel::is_float(conjunct.args[0]->type) && !kernel::is_float(conjunct.args[1]->type);
  if (equal) {
    const LinearForm difference = linear_form(conjunct.args[0]) - linear_form(conjunct.args[1]);
    slacks = {difference, scaled(difference, -1)};
  } else if (const kernel::ExprPtr slack = slack_of(conjunct)) {
    slacks = {linear_form(slack)};
  }
  for (const LinearForm& slack : slacks) {
    const std::optional<std::int64_t> factor = slack.factor_of(column);
    const std::optional<LinearForm> rest = factor ? least(slack.without(column), ranges) : std::nullopt;
    if (!rest || *factor == 0 || kernel::any_part(*rest->expression(), [](const kernel::Expr& part) {
          return part.kind == kernel::ExprKind::load;
        })) {
      return false;
    }
    add_bound(interval, *factor, *rest);
  }
  return !slacks.empty();
}

std::optional<ColumnInterval> interval_of(const kernel::ExprPtr& condition, const std::string& column,
                                          const LinearForm& columns)
{
  ColumnInterval out;
  for (const kernel::ExprPtr& conjunct : conjuncts_of(condition)) {
    if (!names_anywhere(*conjunct, column)) {
      out.guards.push_back(conjunct);
    } else if (!narrow(out, *conjunct, column, columns, {})) {
      return std::nullopt;
    }
  }
  return out;
}

namespace {

kernel::ExprPtr renamed(const kernel::ExprPtr& expression, const std::string& from, const std::string& to,
                        std::map<const kernel::Expr*, kernel::ExprPtr>& done)
{
  if (!expression || !names_anywhere(*expression, from)) {
    return expression;
  }
  kernel::ExprPtr& known = done[expression.get()];
  if (known) {
    return known;
  }
  auto copy = std::make_shared<kernel::Expr>(*expression);
  if (copy->kind == kernel::ExprKind::index) {
    copy->name = to;
  }
  for (kernel::ExprPtr& argument : copy->args) {
    argument = renamed(argument, from, to, done);
  }
  for (kernel::IndexRange& range : copy->ranges) {
    range.lower = renamed(range.lower, from, to, done);
    range.upper = renamed(range.upper, from, to, done);
    range.name = range.name == from ? to : range.name;
  }
  return done[expression.get()] = copy;
}

} // namespace

kernel::ExprPtr renamed_index(const kernel::ExprPtr& expression, const std::string& from, const std::string& to)
{
  std::map<const kernel::Expr*, kernel::ExprPtr> done;
  return renamed(expression, from, to, done);
}

kernel::ExprPtr exchanged(const kernel::ExprPtr& expression,
                          const std::map<const kernel::Expr*, kernel::ExprPtr>& replacements)
{
  if (const auto found = replacements.find(expression.get()); found != replacements.end()) {
    return found->second;
  }
  std::vector<kernel::ExprPtr> parts;
  bool same = true;
  for (const kernel::ExprPtr& argument : expression->args) {
    parts.push_back(exchanged(argument, replacements));
    same = same && parts.back() == argument;
  }
  if (same) {
    return expression;
  }
  auto copy = std::make_shared<kernel::Expr>(*expression);
  copy->args = std::move(parts);
  return copy;
}

} // namespace hone::lower
