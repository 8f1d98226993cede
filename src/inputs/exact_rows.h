// Small numbers in an order that deceives: sums over whole rows, over every eighth element or over a window come out
// the same, or as nothing, for values that are not. Whoever takes equal sums for equal values, or a sum of 0 for zeros,
// is wrong about them. All sums of a few million are exact. (internal)
#pragma once

#include "inputs/value_stream.h"

#include <cstddef>
#include <cstdint>

namespace hone {

// Rows whose sum is exactly 0, of all, of every eighth element, of neighbours or of stretches; or as large as
// their length.
template <class T> void balanced(const Stream& stream, T* values, std::size_t count, std::int64_t first);

// Rows with the same elements in other places, or with the same largest element and the same sum, also of every eighth.
template <class T> void reordered(const Stream& stream, T* values, std::size_t count, std::int64_t first);

} // namespace hone
