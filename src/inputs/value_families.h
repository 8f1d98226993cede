// What the families of inputs.h make of random numbers. (internal)
#pragma once

#include "inputs/value_stream.h"

#include <cstddef>
#include <cstdint>

namespace hone {

// `count` elements of the stream's family from element `first` on. Room for a whole number of lanes.
template <class T> void make_chunk(Stream& stream, T* values, std::size_t count, std::int64_t first);

// Chooses what one tensor of a mixed call gets.
void draw_mixed(Stream& stream);

} // namespace hone
