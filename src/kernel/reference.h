// The compiled fp64 reference of a kernel, derived from its expression: what "correct" means.
//
// Values are computed in fp64 from the exact input values. Each value has a bound on the error that a correct
// implementation may make, in any order of summation, when it accumulates in the kernel's `accumulate` type
// and rounds to the output's type. How the bound is derived is in docs/correctness.md.
#pragma once

#include "kernel/definition.h"
#include "util/fs.h"
#include "util/large_vector.h"

#include <memory>
#include <span>

namespace hone::kernel {

struct ReferenceOutput {
  LargeVector<double> values; // row-major
  LargeVector<double> bounds; // allowed |candidate - value| per element
};

struct ElementReference {
  double value = 0;
  double bound = 0;
};

// What long evaluations run on.
enum class ReferenceThreads { all_cpus, one };

class Reference {
public:
  // Generates C++ from the expression, compiles it (cached by content under `cache`) and loads it.
  static Result<Reference> build(const Kernel& kernel, const fs::path& cache);

  // `inputs`: one pointer per kernel argument, in order, to its raw elements; null for pure outputs.
  // Returns one entry per output argument, in the order of Kernel::outputs().
  Result<std::vector<ReferenceOutput>> evaluate(const Sizes& sizes, std::span<const std::byte* const> inputs,
                                                ReferenceThreads threads = ReferenceThreads::all_cpus) const;

  // Some elements of one output, where knows_elements() (position in Kernel::outputs()), without computing the rest
  // where the expression allows it. They agree with evaluate() to within fp64 rounding.
  Result<std::vector<ElementReference>> elements(const Sizes& sizes, std::span<const std::byte* const> inputs,
                                                 std::size_t output, std::span<const std::int64_t> flat_indices) const;

private:
  Result<std::vector<ElementReference>> elements_of_all(const Sizes& sizes, std::span<const std::byte* const> inputs,
                                                        std::size_t output,
                                                        std::span<const std::int64_t> flat_indices) const;

  struct Loaded;
  std::shared_ptr<const Loaded> m_loaded;
};

// Whether single elements have bounds of their own: they have none in class normwise.
bool knows_elements(const Kernel& kernel);

// Files that build() keeps in the cache. The first returns the key in a file's name, "" for other files. The second
// fails if the file is not what was compiled; build() then compiles it again.
std::string reference_key_of(const fs::path& file);
Result<void> check_reference_file(const fs::path& file);

// Freivalds-style check for kernels whose output is bilinear (Contraction::linear): compares OUT*v with A*(B*v) for
// random vectors of +-1 in fp64, at a cost of order m*n instead of m*n*k. Finds anything but single slightly wrong
// elements; exact checks exist for those.
struct ProjectionOutcome {
  bool passed = false;
  double worst = 0;  // largest residual over its threshold; <= 1 passes
  std::string where; // "batch 0, row 12" when it failed
};
bool supports_freivalds(const Kernel& kernel);
Result<ProjectionOutcome> check_freivalds(const Kernel& kernel, const Sizes& sizes,
                                          std::span<const std::byte* const> arguments, std::uint64_t seed);

} // namespace hone::kernel
