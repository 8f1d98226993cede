// What the tests of rewrites share: the dialect they print for, the shipped kernels, and what steps come to.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "rewrite/builtin/rewrites.h"
#include "util/util.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace hone::rewrite {

inline const lower::Dialect k_cpu = lower::cpu_dialect(64, true);

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

// One step after the other from the naive schedule.
inline Result<lower::Schedule> after(const kernel::Kernel& kernel, const std::vector<std::string>& steps)
{
  lower::Schedule schedule = lower::naive_schedule(kernel);
  for (const std::string& step : steps) {
    HONE_TRY(schedule, rewrite_schedule(std::move(schedule), step, {kernel, k_cpu}));
  }
  return schedule;
}

// Why they do not fit.
inline std::string refusal(const kernel::Kernel& kernel, const std::vector<std::string>& steps)
{
  const Result<lower::Schedule> schedule = after(kernel, steps);
  return schedule ? "carried out" : schedule.error().message;
}

} // namespace hone::rewrite
