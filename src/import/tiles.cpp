#include "import/tiles.h"

#include "import/polynomial.h"
#include "import/terms.h"

#include <algorithm>

namespace hone::import {

std::optional<kernel::IndexRange> merged(const kernel::IndexRange& tiles, const kernel::IndexRange& tile)
{
  const bool begins_at_0 = !tiles.lower || is_literal(*tiles.lower, 0);
  if (!begins_at_0 || !tile.lower || mentions_index(tiles.upper, tile.name)) {
    return std::nullopt;
  }
  const auto begin = linear_in(polynomial_of(*tile.lower), tiles.name);
  if (!begin || !begin->rest.terms.empty() || begin->factor.terms.empty()
      || !only_sizes(*expression_of(begin->factor))) {
    return std::nullopt;
  }
  const Polynomial& length = begin->factor;
  const Polynomial next = polynomial_of(*tile.lower) + length;
  kernel::IndexRange out = tile;
  out.lower = nullptr;
  if (polynomial_of(*tile.upper) == next) {
    out.upper = expression_of(length * polynomial_of(*tiles.upper));
    return out;
  }
  if (tile.upper->kind != kernel::ExprKind::call || tile.upper->name != "min" || tile.upper->args.size() != 2) {
    return std::nullopt;
  }
  for (const std::size_t side : {0, 1}) {
    const kernel::ExprPtr& end = tile.upper->args[1 - side];
    const Polynomial all = polynomial_of(*end);
    const bool whole = polynomial_of(*tile.upper->args[side]) == next && !mentions_index(end, tiles.name);
    if (whole && same(normal(tiles.upper), normal(quotient(all + length - Polynomial::constant(1), length)))) {
      out.upper = end;
      return out;
    }
  }
  return std::nullopt;
}

} // namespace hone::import
