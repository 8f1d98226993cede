#include "gate/build.h"
#include "gate/cache_check.h"
#include "gate/gate.h"
#include "util/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

namespace hone::gate {
namespace {

using testing::AllOf;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class CacheCheckTest : public testing::Test {
protected:
  void SetUp() override
  {
    auto folder = TemporaryFolder::create("hone-cache-check-test");
    ASSERT_TRUE(folder) << folder.error().text();
    m_folder.emplace(std::move(*folder));
    fs::create_directories(m_folder->path() / "modules");
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
timed = [ { n = 16 } ]
also = "any"
[accuracy]
accumulate = "f32"
)",
                                       "scale");
    ASSERT_TRUE(kernel) << kernel.error().text();
    m_kernel = std::move(*kernel);
    ASSERT_TRUE(kernel::Reference::build(m_kernel, m_folder->path()));
    for (const auto& entry : fs::directory_iterator(m_folder->path())) {
      m_reference = entry.is_regular_file() ? entry.path() : m_reference;
    }
    ASSERT_TRUE(write_file(module("good"), pack_module({}, "good")));
    ASSERT_TRUE(save_ceilings({"print", "", {}, {}, {}}, m_folder->path() / "ceilings-cpu.json"));
  }

  fs::path module(const std::string& key) const { return m_folder->path() / "modules" / key; }
  double twice(float value) const
  {
    const auto reference = kernel::Reference::build(m_kernel, m_folder->path());
    EXPECT_TRUE(reference) << reference.error().text();
    const std::vector<float> x(16, value);
    const std::byte* inputs[] = {reinterpret_cast<const std::byte*>(x.data()), nullptr};
    return reference->evaluate({{"n", 16}}, inputs)->front().values.front();
  }

  kernel::Kernel m_kernel;
  fs::path m_reference;
  std::optional<TemporaryFolder> m_folder;
};

TEST_F(CacheCheckTest, ASoundCacheHasNothingToFind)
{
  const CacheCheck check = check_cache(m_folder->path(), true);
  EXPECT_EQ(check.files, 3u);
  EXPECT_THAT(check.findings, IsEmpty());
  EXPECT_EQ(check_cache(m_folder->path() / "nowhere", true).files, 0u);
}

TEST_F(CacheCheckTest, WhatDoesNotFitItsNameIsFoundAndRemoved)
{
  fs::resize_file(m_reference, fs::file_size(m_reference) - 1);
  ASSERT_TRUE(write_file(module("other"), pack_module({}, "good")));
  std::ofstream(m_folder->path() / "ceilings-opencl.json") << "{";
  std::ofstream(m_folder->path() / temporary_name("half")) << "half";
  EXPECT_EQ(check_cache(m_folder->path(), false).findings.size(), 4u);
  EXPECT_TRUE(fs::exists(m_reference));
  const CacheCheck check = check_cache(m_folder->path(), true);
  EXPECT_EQ(check.findings.size(), 4u);
  EXPECT_THAT(check.findings, testing::Each(Field(&Finding::mended, true)));
  EXPECT_FALSE(fs::exists(m_reference));
  EXPECT_TRUE(fs::exists(module("good")));
  EXPECT_THAT(check_cache(m_folder->path(), false).findings, IsEmpty());
}

// A loader of libraries takes a file with a few bytes of data changed; what it then computes is anybody's guess.
TEST_F(CacheCheckTest, AChangedReferenceIsNeverUsed)
{
  for (const bool cut : {true, false}) {
    std::string bytes = read_file(m_reference).value();
    if (cut) {
      bytes.resize(bytes.size() / 2);
    } else {
      bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    }
    ASSERT_TRUE(write_file(m_reference, bytes));
    EXPECT_FALSE(kernel::check_reference_file(m_reference));
    EXPECT_EQ(twice(1.5F), 3);
    EXPECT_TRUE(kernel::check_reference_file(m_reference)) << "built again";
  }
}

} // namespace
} // namespace hone::gate
