// Degenerate solutions: what a candidate could write without computing anything, or while computing too little. Each
// must fail the kernel's own check. (internal to the gate)
#pragma once

#include "kernel/kernel.h"
#include "util/random.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hone::gate {

// One output of one call, as a degenerate solution may see it.
struct DegenerateCall {
  const kernel::Kernel& kernel;
  const kernel::Sizes& sizes;
  const kernel::Argument& output;
  std::vector<std::int64_t> shape;             // of the output
  std::span<const std::byte* const> arguments; // one per kernel argument: the inputs of this call
  const kernel::ReferenceOutput& expected;
  const kernel::ReferenceOutput& other; // for other inputs of the same family and size
  Random& random;
};

struct DegenerateSolution {
  std::string name;
  std::string meaning; // what it says about the kernel where the check lets it pass
  std::string unfit;   // why there is no such solution for this output; empty where there is one
  std::string untried; // the same, where `write` never found one
  // Has to be noticed in every call; else once is enough, since some sizes and values make it right.
  bool in_every_call = false;
  // Writes the output over what lies there before a call: poison, or the old values of an inout. False where it is no
  // wrong solution of this call.
  std::function<bool(const DegenerateCall&, std::span<std::byte>)> write;
};

// All of them for one output (position in Kernel::arguments): the list is in solutions.cpp.
std::vector<DegenerateSolution> degenerate_solutions(const kernel::Kernel& kernel, std::size_t output);

// The kinds, in files of a few each.
using Solutions = std::vector<DegenerateSolution>;
void add_constants(const kernel::Kernel& kernel, std::size_t output,
                   Solutions& list); // another call's, zeros, ones, mean, NaN
void add_copies(const kernel::Kernel& kernel, std::size_t output, Solutions& list); // of inputs
void add_coarse_values(const kernel::Kernel& kernel, std::size_t output,
                       Solutions& list); // narrower types, one element off
void add_unwritten(const kernel::Kernel& kernel, std::size_t output, Solutions& list); // last row, column, tile

// Rounds each value to the output's type.
void store_values(kernel::DataType type, std::span<const double> values, std::span<std::byte> bytes);

} // namespace hone::gate
