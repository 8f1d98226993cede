// Structures that inputs often have, and that a candidate may see in a part of one and take for granted in the rest.
// (internal)
#pragma once

#include "inputs/value_stream.h"

#include <cstddef>
#include <cstdint>

namespace hone {

// `values`: normal ones; `first`: index of the first. Becomes, by the stream's seed: a band or a triangle beside zeros,
// planes that are the same from all sides, blocks that repeat their first one but in the middle, rows that rise in
// one run or several, rows, columns or planes that are all the same, rows that are multiples of each other, neighbours
// in pairs, one pattern of zeros for all planes, a permutation, or a tail of masked elements with islands in it. One
// row in four, or in 32, has one element that is as it was. Or, but for a last few bits, rows that are their own mirror
// image, or its negative, and the same values in all tensors of a call.
template <class T> void nearly(const Stream& stream, T* values, std::size_t count, std::int64_t first);

} // namespace hone
