// Outputs of a candidate against the fp64 reference and its bounds. (internal to the gate)
#pragma once

#include "kernel/kernel.h"
#include "record/verdict.h"

#include <cstddef>
#include <span>
#include <string>

namespace hone::gate {

struct OutputCheck {
  bool passed = true;
  std::string reason; // "C: last column of every row; C[0, 30]: got 0, expected 1.25 +- 1e-06"; empty when passed
  record::ErrorFigures errors;
};

// `arguments`: one pointer per kernel argument; `expected`: one entry per output, as Reference gives them.
// A value that is not finite is right only where the reference has the same kind (or rounds to it in the type).
Result<OutputCheck> check_outputs(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                                  std::span<const std::byte* const> arguments,
                                  std::span<const kernel::ReferenceOutput> expected);

// The same for one element's value.
bool is_right(kernel::DataType type, double got, const kernel::ElementReference& expected);

// An error where the reference has no bound for more than a few of the elements on plain values: a kernel of which any
// result would pass says nothing about its candidates.
Result<void> expect_bounds(const kernel::Kernel& kernel, const kernel::Sizes& sizes,
                           std::span<const kernel::ReferenceOutput> expected);

// Whether two right answers, of the same sizes, are farther apart somewhere than their bounds together.
bool differ(std::span<const kernel::ReferenceOutput> one, std::span<const kernel::ReferenceOutput> other);

// Keeps the worse of both.
void merge(record::ErrorFigures& into, const record::ErrorFigures& other);

} // namespace hone::gate
