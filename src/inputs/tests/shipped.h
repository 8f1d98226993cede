// The kernels that come with Hone, for tests of what is drawn for them.
#pragma once

#include "kernel/kernel.h"
#include "util/fs.h"

#include <gtest/gtest.h>

#include <string>

namespace hone::inputs {

inline kernel::Kernel shipped(const std::string& name)
{
  auto kernel = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name);
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? std::move(*kernel) : kernel::Kernel();
}

} // namespace hone::inputs
