#include "kernel/binder.h"

namespace hone::kernel {

namespace {

using Fresh = std::function<bool(const std::string&)>;

bool is_fresh_name(const Syntax& syntax, const Fresh& is_fresh)
{
  return syntax.kind == Syntax::Kind::name && is_fresh(syntax.text);
}

// Takes one comparison into the binder; false when it does not bound the binder's index.
bool take_bound(const Syntax& comparison, Binder& binder)
{
  const SyntaxPtr& left = comparison.args[0];
  const SyntaxPtr& right = comparison.args[1];
  const bool on_left = left->kind == Syntax::Kind::name && left->text == binder.name;
  const bool less = comparison.text == "<" || comparison.text == "<=";
  const bool greater = comparison.text == ">" || comparison.text == ">=";
  const bool open = comparison.text == "<" || comparison.text == ">";
  if (!less && !greater) {
    return false;
  }
  if (on_left == less) {
    if (binder.upper) {
      return false;
    }
    binder.upper = on_left ? right : left;
    binder.upper_closed = !open;
  } else {
    if (binder.lower) {
      return false;
    }
    binder.lower = on_left ? right : left;
    binder.lower_open = open;
  }
  return true;
}

std::optional<Binder> from_comparison(const Syntax& comparison, const Fresh& is_fresh)
{
  if (comparison.kind != Syntax::Kind::binary) {
    return std::nullopt;
  }
  for (const SyntaxPtr& side : comparison.args) {
    Binder binder;
    binder.name = side->text;
    binder.place = side->place;
    if (is_fresh_name(*side, is_fresh) && take_bound(comparison, binder)) {
      return binder;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<Binder> binder_from(const Syntax& syntax, const Fresh& is_fresh)
{
  if (is_fresh_name(syntax, is_fresh)) {
    Binder binder;
    binder.name = syntax.text;
    binder.place = syntax.place;
    return binder;
  }
  if (syntax.kind != Syntax::Kind::binary || syntax.text != "&&") {
    return from_comparison(syntax, is_fresh);
  }
  // `low <= k < high`: the middle is the index.
  const Syntax& first = *syntax.args[0];
  const Syntax& second = *syntax.args[1];
  if (first.kind != Syntax::Kind::binary || second.kind != Syntax::Kind::binary
      || !is_fresh_name(*first.args[1], is_fresh)) {
    return std::nullopt;
  }
  Binder binder;
  binder.name = first.args[1]->text;
  binder.place = first.args[1]->place;
  const bool same = second.args[0]->kind == Syntax::Kind::name && second.args[0]->text == binder.name;
  if (same && take_bound(first, binder) && take_bound(second, binder) && binder.lower && binder.upper) {
    return binder;
  }
  return std::nullopt;
}

} // namespace hone::kernel
