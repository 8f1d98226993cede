// What platforms say they can do is what they do.
#include "backend/backend.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hone::backend {
namespace {

// A validator that asks for a tool which is not there would pass everybody, or the other way round leave it unused.
TEST(Capabilities, agree_with_what_backends_provide)
{
  for (const Backend* backend : backends()) {
    const Capabilities can = backend->capabilities();
    EXPECT_EQ(can.watched_accesses, backend->inspector() != nullptr) << backend->name();
    EXPECT_TRUE(can.shared_memory || !can.guard_pages) << backend->name() << ": a device's pages are not the parent's";
  }
}

TEST(Capabilities, opencl_can_be_told_to_copy)
{
  const Backend& opencl = **find_backend("opencl");
  EXPECT_TRUE(opencl.capabilities().shared_memory);
  setenv("HONE_OPENCL_MEMORY", "copy", 1);
  EXPECT_FALSE(opencl.capabilities().shared_memory);
  EXPECT_FALSE(opencl.capabilities().guard_pages);
  unsetenv("HONE_OPENCL_MEMORY");
}

} // namespace
} // namespace hone::backend
