// The part of a generated reference that follows from [accuracy] of its kernel. (internal to the room)
#pragma once

#include "kernel/definition.h"

#include <string>
#include <string_view>

namespace hone::kernel {

// Stands before the prelude, which tells it of every number that an element is computed from. `near_overflow`: numbers
// above it are near overflow, `largest`: those above it are infinities in the accumulation type.
std::string reference_accuracy_head(const Accuracy& accuracy, double near_overflow, double largest);
// Stands behind the prelude, and behind the contraction where there is one.
std::string reference_accuracy_tail(const Accuracy& accuracy, bool has_contraction);

// Whether sums of the contraction change before they are finished.
bool settles_sums(const Accuracy& accuracy);

} // namespace hone::kernel
