// Runs of columns in vector registers, for contractions and row-wise kernels. (internal to the room)
#pragma once

#include "kernel/kernel.h"

#include <string>

namespace hone::lower {

// How a run of columns is accessed.
enum class Lanes {
  scalar, // one element
  whole,  // a whole vector
  part,   // a vector of which only the lanes inside the edge count
};

constexpr int k_widest_vector =
  64;                             // bytes: that hone_vector.h makes; plans are written for it, whatever the machine has
constexpr int k_most_vectors = 4; // of a tile, by the tuning parameter

// "f32v" and "f64v", and how many lanes they have.
inline std::string vector_type(kernel::DataType compute)
{
  return compute == kernel::DataType::f64 ? "f64v" : "f32v";
}

inline std::string vector_lanes(kernel::DataType compute)
{
  return vector_type(compute) + "_lanes";
}

} // namespace hone::lower
