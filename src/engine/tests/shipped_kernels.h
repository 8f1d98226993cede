// What the tests of rewrites share: the dialect they print for, and the shipped kernels.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "util/util.h"

#include <stdexcept>
#include <string>

namespace hone {

inline const Dialect k_cpu = cpu_dialect(64, true);

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

} // namespace hone
