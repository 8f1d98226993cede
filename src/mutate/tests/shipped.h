// What the tests of this room share: shipped kernels, and their candidates.
#pragma once

#include "lower/lower.h"
#include "util/util.h"

#include <stdexcept>
#include <string>

namespace hone {

// A test that cannot be set up ends with the error's text.
template <class T> T or_throw(Result<T> result)
{
  if (!result) {
    throw std::runtime_error(result.error().text());
  }
  return std::move(*result);
}

inline Kernel shipped(const std::string& name)
{
  return or_throw(load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name));
}

inline Candidate naive(const Kernel& kernel, const Dialect& dialect)
{
  return or_throw(naive_candidate(kernel, dialect));
}

} // namespace hone
