#include "lower/linear_form.h"

#include "lower/window_condition.h"

#include <algorithm>

namespace hone::lower {

namespace {

void add_term(LinearForm& form, const kernel::ExprPtr& part, std::int64_t factor)
{
  const std::string text = kernel::to_text(*part);
  const auto found =
    std::ranges::find_if(form.terms, [&](const LinearForm::Term& term) { return kernel::to_text(*term.part) == text; });
  if (found == form.terms.end()) {
    form.terms.push_back({part, factor});
  } else {
    found->factor += factor;
  }
  std::erase_if(form.terms, [](const LinearForm::Term& term) { return term.factor == 0; });
}

bool is_index(const LinearForm::Term& term, const std::string& index)
{
  return term.part->kind == kernel::ExprKind::index && term.part->name == index;
}

LinearForm of_product(const kernel::ExprPtr& expression)
{
  const LinearForm left = linear_form(expression->args[0]);
  const LinearForm right = linear_form(expression->args[1]);
  if (left.terms.empty()) {
    return scaled(right, left.constant);
  }
  if (right.terms.empty()) {
    return scaled(left, right.constant);
  }
  return {0, {{expression, 1}}};
}

} // namespace

std::optional<std::int64_t> LinearForm::factor_of(const std::string& index) const
{
  std::int64_t out = 0;
  for (const Term& term : terms) {
    if (is_index(term, index)) {
      out = term.factor;
    } else if (names_index(*term.part, index)) {
      return std::nullopt;
    }
  }
  return out;
}

LinearForm LinearForm::without(const std::string& index) const
{
  LinearForm out = *this;
  std::erase_if(out.terms, [&](const Term& term) { return is_index(term, index); });
  return out;
}

LinearForm LinearForm::with(const std::string& index, const LinearForm& replacement) const
{
  return without(index) + scaled(replacement, factor_of(index).value_or(0));
}

kernel::ExprPtr LinearForm::expression() const
{
  const auto number = [](std::int64_t value) { return kernel::make_number(static_cast<double>(value), true); };
  kernel::ExprPtr out;
  for (const bool positive : {true, false}) { // what is added comes first
    for (const Term& term : terms) {
      if ((term.factor > 0) != positive) {
        continue;
      }
      const kernel::ExprPtr part = kernel::make_binary("*", number(std::abs(term.factor)), term.part);
      if (!out) {
        out = positive ? part : kernel::make_binary("-", number(constant), part);
        continue;
      }
      out = kernel::make_binary(positive ? "+" : "-", out, part);
    }
  }
  const bool used = !out || std::ranges::none_of(terms, [](const Term& term) { return term.factor > 0; });
  if (used) {
    return out ? out : number(constant);
  }
  return constant < 0 ? kernel::make_binary("-", out, number(-constant))
                      : kernel::make_binary("+", out, number(constant));
}

LinearForm operator+(LinearForm a, const LinearForm& b)
{
  a.constant += b.constant;
  for (const LinearForm::Term& term : b.terms) {
    add_term(a, term.part, term.factor);
  }
  return a;
}

LinearForm operator-(LinearForm a, const LinearForm& b)
{
  return std::move(a) + scaled(b, -1);
}

LinearForm scaled(LinearForm form, std::int64_t factor)
{
  form.constant *= factor;
  for (LinearForm::Term& term : form.terms) {
    term.factor *= factor;
  }
  std::erase_if(form.terms, [](const LinearForm::Term& term) { return term.factor == 0; });
  return form;
}

LinearForm linear_constant(std::int64_t constant)
{
  return {constant, {}};
}

LinearForm linear_form(const kernel::ExprPtr& expression)
{
  if (expression->kind == kernel::ExprKind::number && expression->integer_literal) {
    return linear_constant(static_cast<std::int64_t>(expression->number));
  }
  if (expression->kind == kernel::ExprKind::unary && expression->name == "-") {
    return scaled(linear_form(expression->args[0]), -1);
  }
  if (expression->kind == kernel::ExprKind::binary && (expression->name == "+" || expression->name == "-")) {
    const LinearForm right = linear_form(expression->args[1]);
    return expression->name == "+" ? linear_form(expression->args[0]) + right
                                   : linear_form(expression->args[0]) - right;
  }
  if (expression->kind == kernel::ExprKind::binary && expression->name == "*") {
    return of_product(expression);
  }
  return {0, {{expression, 1}}};
}

} // namespace hone::lower
