// The kernels that come with Hone, for tests of what is drawn for them.
#pragma once

#include "kernel/kernel.h"
#include "util/fs.h"

#include <gtest/gtest.h>

#include <string>

namespace hone {

inline Kernel shipped(const std::string& name)
{
  auto kernel = load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name);
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : Kernel();
}

} // namespace hone
