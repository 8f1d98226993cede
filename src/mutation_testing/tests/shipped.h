// What the tests of this room share: shipped kernels, and their candidates.
#pragma once

#include "lower/lower.h"
#include "util/util.h"

#include <stdexcept>
#include <string>

namespace hone::mutation_testing {

// A test that cannot be set up ends with the error's text.
template <class T> T or_throw(Result<T> result)
{
  if (!result) {
    throw std::runtime_error(result.error().text());
  }
  return std::move(*result);
}

inline kernel::Kernel shipped(const std::string& name)
{
  return or_throw(kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name));
}

inline kernel::Candidate naive(const kernel::Kernel& kernel, const lower::Dialect& dialect)
{
  return or_throw(lower::naive_candidate(kernel, dialect));
}

} // namespace hone::mutation_testing
