// Counts of small candidates whose accesses are known, through the real program in the jail. Finds: instructions whose
// accesses go unseen, lines that are put down to a header, a call that is cut off without saying so.
#include "counting_kit.h"
#include "matmul_kit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace hone::gate {
namespace {

using backend::AccessSite;
using backend::MemoryKind;
using testing::Contains;
using testing::HasSubstr;

// A line each that is asked for by its comment.
constexpr std::string_view k_device = R"cpp(#include "macros.h"
#include <xmmintrin.h>
#include <string.h>

extern "C" void step(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const int64_t begin = group->id[0] * 1024;
  volatile float held[4] = {};
  for (int64_t i = 0; i < 1024; i += 4) {
    _mm_stream_ps(Y + begin + i, _mm_loadu_ps(X + begin + i)); // copied
  }
  for (int64_t i = 0; i < 16; ++i) {
    held[i % 4] = held[i % 4] + X[begin]; // stack
  }
  Y[begin] = held[0];
}

extern "C" void move(const hone_group*, const float* X, float* Y, int64_t n)
{
  float* const to = Y + 1;
  memcpy(to, X, (size_t)(n - 1) * sizeof(float)); // moved
  for (int64_t i = 0; i < n; i += 1024) {
    __asm__ volatile("addl $1, %0" : "+m"(((int*)Y)[i])); // far
  }
}
)cpp";

constexpr std::string_view k_launches = R"toml(
[[launch]]
kernel = "step"
grid   = ["ceil_div(n, 1024)"]
args   = ["X", "Y", "n"]

[[launch]]
kernel = "move"
grid   = [1]
args   = ["X", "Y", "n"]
)toml";

kernel::Kernel map_kernel()
{
  return *kernel::parse_kernel(R"toml(
[kernel]
name    = "map"
summary = "Y = X"

[compute]
expr = "Y[n] = X[n]"

[arguments]
X = { type = "f32", shape = ["n"] }
Y = { type = "f32", shape = ["n"], role = "output" }

[sizes]
timed = [ { n = 4096 } ]
)toml",
                               "access_counter_test");
}

const backend::AccessCounts& counted_map()
{
  static const backend::AccessCounts counts = [] {
    const kernel::Kernel kernel = map_kernel();
    auto candidate = kernel::make_candidate(
      kernel, {{"device.cpp", std::string(k_device)}, {"macros.h", ""}, {"launch.toml", std::string(k_launches)}});
    EXPECT_TRUE(candidate) << candidate.error().text();
    const auto counted = test::count_candidate(
      {kernel, *candidate, {}, {{"n", 4096}}, {{"L1", 32768, 64, 8}, {"L2", 262144, 64, 8}}, 0, ""});
    EXPECT_TRUE(counted) << counted.error().text();
    return counted ? counted->counts : backend::AccessCounts();
  }();
  return counts;
}

backend::AccessCounts counted_product(std::size_t most_accesses)
{
  const auto kernel = test::matmul_kernel();
  const record::Contender contender = test::contender_of(*kernel, test::device_text());
  const auto counted = test::count_candidate(
    {*kernel, contender.candidate, contender.point, {{"m", 48}, {"n", 40}, {"k", 32}}, {}, most_accesses, ""});
  EXPECT_TRUE(counted) << counted.error().text();
  return counted ? counted->counts : backend::AccessCounts();
}

// Of the line with this comment.
int line_of(std::string_view comment)
{
  const std::size_t at = k_device.find("// " + std::string(comment));
  return 1 + static_cast<int>(std::count(k_device.begin(), k_device.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

AccessSite site_of(const backend::AccessCounts& counts, std::string_view comment, MemoryKind memory,
                   const std::string& buffer = "")
{
  const auto found = std::ranges::find_if(counts.sites, [&](const AccessSite& site) {
    return site.file == "device.cpp" && site.line == line_of(comment) && site.memory == memory && site.buffer == buffer;
  });
  return found == counts.sites.end() ? AccessSite() : *found;
}

constexpr std::int64_t k_bytes = 4096 * sizeof(float);

TEST(AccessCounter, IntrinsicsCountWhereTheCandidateNamesThem)
{
  const AccessSite site = site_of(counted_map(), "copied", MemoryKind::buffer, "X");
  EXPECT_EQ(site.bytes_loaded, k_bytes);
  EXPECT_EQ(site.misses.at(0), (backend::CacheMisses{k_bytes / 64, 0, k_bytes / 64, 0}));
  EXPECT_EQ(site.misses.at(1).all(), k_bytes / 64);
  EXPECT_EQ(site.line_crossings, 0);
  EXPECT_GE(site.alignment, 16);
  ASSERT_TRUE(site.stride);
  EXPECT_LE(site.stride->bytes, 64);
  EXPECT_GT(site.stride->share, 0.9);
  EXPECT_THAT(site.function, HasSubstr("step"));
}

TEST(AccessCounter, NonTemporalStoresGoAround)
{
  const AccessSite site = site_of(counted_map(), "copied", MemoryKind::buffer, "Y");
  EXPECT_EQ(site.bytes_around, k_bytes);
  EXPECT_EQ(site.bytes_stored, k_bytes);
  EXPECT_EQ(site.misses.at(0).all(), 0);
}

TEST(AccessCounter, TheStackCountsApart)
{
  const backend::AccessCounts& counts = counted_map();
  const AccessSite site = site_of(counts, "stack", MemoryKind::stack);
  EXPECT_EQ(site.stores, 4 * 16); // in each of four groups
  EXPECT_EQ(site.loads, 4 * 16);
  EXPECT_GE(counts.stack.stores, site.stores);
  EXPECT_LT(counts.stack.stores, counts.total.stores);
}

TEST(AccessCounter, CallsOfTheLibraryCountWhereTheyStand)
{
  const backend::AccessCounts& counts = counted_map();
  EXPECT_EQ(site_of(counts, "moved", MemoryKind::buffer, "X").bytes_loaded, k_bytes - 4);
  EXPECT_EQ(site_of(counts, "moved", MemoryKind::buffer, "Y").bytes_stored, k_bytes - 4);
}

TEST(AccessCounter, InlineAssemblyIsSeen)
{
  const AccessSite site = site_of(counted_map(), "far", MemoryKind::buffer, "Y");
  EXPECT_EQ(site.loads, 4);
  EXPECT_EQ(site.stores, 4);
  ASSERT_TRUE(site.stride);
  EXPECT_EQ(site.stride->bytes, 4096);
  EXPECT_EQ(site.alignment, 64);
}

TEST(AccessCounter, AWholeCallSaysSo)
{
  const backend::AccessCounts& counts = counted_map();
  EXPECT_TRUE(counts.whole);
  EXPECT_EQ(counts.groups_run, 5);
  EXPECT_EQ(counts.groups, 5);
  EXPECT_THAT(counts.notes, Contains(HasSubstr("hardware prefetch is not modelled")));
  std::int64_t loads = 0;
  for (const AccessSite& site : counts.sites) {
    loads += site.loads;
  }
  EXPECT_EQ(counts.total.loads, loads);
}

// Also finds addresses of this process in the counts.
TEST(AccessCounter, AWholeProductIsTheBeginningOfItselfAndMore)
{
  const backend::AccessCounts whole = counted_product(0);
  EXPECT_EQ(whole.total.bytes_stored - whole.stack.bytes_stored, 48 * 40 * 4);
  EXPECT_EQ(whole.groups, 30);
  const auto limit = static_cast<std::size_t>(whole.total.accesses());
  const backend::AccessCounts again = counted_product(limit + 1);
  EXPECT_TRUE(again.whole);
  EXPECT_EQ(whole.total, again.total);
  EXPECT_EQ(whole.traffic, again.traffic);
  const backend::AccessCounts half = counted_product(limit / 2);
  EXPECT_FALSE(half.whole);
  EXPECT_GE(half.total.accesses(), limit / 2);
  EXPECT_LE(half.total.accesses(), limit / 2 + 8);
  EXPECT_GE(half.groups_run, 13); // of equal groups, about
  EXPECT_LE(half.groups_run, 16);
  EXPECT_THAT(half.notes.back(), HasSubstr(" of 30 groups"));
}

} // namespace
} // namespace hone::gate
