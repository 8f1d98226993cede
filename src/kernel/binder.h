// How an index is introduced: `k`, `k < n`, `k <= i`, `1 <= k < n`. (internal to the room)
#pragma once

#include "kernel/expression_syntax.h"

#include <functional>
#include <optional>
#include <string>

namespace hone::kernel {

struct Binder {
  std::string name;
  SyntaxPtr lower;           // null: from 0
  SyntaxPtr upper;           // null: from the shapes
  bool lower_open = false;   // lower < name, not lower <= name
  bool upper_closed = false; // name <= upper, not name < upper
  Place place;
};

// Nothing when the syntax does not introduce an index. `is_fresh` says which names may become one: of `k <= i`
// inside a loop over i, only k.
std::optional<Binder> binder_from(const Syntax& syntax, const std::function<bool(const std::string&)>& is_fresh);

} // namespace hone::kernel
