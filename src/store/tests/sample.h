// A small kernel, candidates and records for the tests of this room.
#pragma once

#include "store/store.h"

#include <gtest/gtest.h>

#include <string>

namespace hone::store::test {

inline kernel::Kernel sample_kernel()
{
  auto kernel = kernel::parse_kernel(R"(
[kernel]
name = "scale"
summary = "y = 2 x"
[compute]
expr = "Y[n] = X[n] * 2"
[arguments]
X = { type = "f32", shape = ["n"] }
Y = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [ { n = 1024 } ]
also = "any"
[accuracy]
accumulate = "f32"
)",
                                     "sample");
  if (!kernel) {
    throw std::runtime_error(kernel.error().text());
  }
  return *kernel;
}

inline Workflow::Key sample_key()
{
  return {sample_kernel().hash, "cpu", "fingerprint-1"};
}

// Candidates that differ in `marker`.
inline kernel::Candidate sample_candidate(const kernel::Kernel& kernel, const std::string& marker)
{
  auto candidate = kernel::make_candidate(
    kernel, {{"device.cpp", "// " + marker + "\nextern \"C\" void scale() {}\n"},
             {"macros.h", "#define TILE 8\n"},
             {"launch.toml", "[[launch]]\nkernel = \"scale\"\ngrid = [\"n\"]\nargs = [\"X\", \"Y\", \"n\"]\n"}});
  if (!candidate) {
    throw std::runtime_error(candidate.error().text());
  }
  candidate->schedule = "# schedule " + marker + "\n";
  return *candidate;
}

inline record::Record sample_record(const std::string& id, const std::string& transformation)
{
  record::Record record;
  record.id = id;
  record.candidate = "candidate-" + id;
  record.kernel = "kernel";
  record.transformation = transformation;
  record.engine = "builtin";
  record.incumbent = "incumbent";
  record.point = {{"TILE", 8}};
  record.recipe_used.sizes = {{"n", 1024}};
  record.verdict.cold = record::TimeEstimate{1.5e-3, {1.4e-3, 1.6e-3}, 40};
  record::ComparisonResult comparison;
  comparison.verdict = record::Comparison::fast;
  comparison.ratio = 1.87;
  comparison.ci95 = {1.85, 1.89};
  record.verdict.comparisons = {comparison};
  record.time_utc = "2026-01-02T03:04:05Z";
  return record;
}

// The value of a Result that must hold one.
template <class T> T must(Result<T> result)
{
  if (!result) {
    throw std::runtime_error(result.error().text());
  }
  return std::move(*result);
}

inline void must(const Result<void>& result)
{
  if (!result) {
    throw std::runtime_error(result.error().text());
  }
}

} // namespace hone::store::test
