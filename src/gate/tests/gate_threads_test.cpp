// The whole gate with contenders on several threads.
#include "gate/cpus.h"
#include "gate/gate.h"
#include "matmul_kit.h"
#include "util/fs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::gate {
namespace {

using test::contender_of;
using test::device_text;
using test::DeviceText;
using test::launch_text;
using testing::HasSubstr;

class GateThreads : public testing::Test {
protected:
  GateThreads()
  {
    GateOptions options;
    options.cache = m_cache->path();
    options.seed = 7;
    auto gate = Gate::open(m_kernel, **backend::find_backend("cpu"), options);
    EXPECT_TRUE(gate) << gate.error().text();
    m_gate.emplace(std::move(*gate));
    m_recipe.sizes = m_kernel->timed.front();
    m_recipe.pairs = 2;
    m_recipe.seconds_per_pair = 0.005;
    m_recipe.threads = 2;
  }

  const Result<TemporaryFolder> m_cache = TemporaryFolder::create("gate-test");
  const std::shared_ptr<const kernel::Kernel> m_kernel = test::matmul_kernel();
  std::optional<Gate> m_gate;
  record::Recipe m_recipe;
};

TEST_F(GateThreads, more_than_there_are_cpus_is_an_error_that_counts_them)
{
  const std::size_t cpus = usable_cpus().size();
  m_recipe.threads = static_cast<int>(cpus) + 1;
  const auto refused = m_gate->validate(contender_of(*m_kernel, device_text()), m_recipe, record::Depth::screen);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(fmt::format("Hone may use {} here", cpus)));
  m_recipe.threads = 0;
  EXPECT_FALSE(m_gate->check(m_recipe));
  m_recipe.threads = 1;
  EXPECT_TRUE(m_gate->check(m_recipe));
}

TEST_F(GateThreads, an_honest_candidate_is_measured)
{
  if (usable_cpus().size() < 2) {
    GTEST_SKIP() << "one CPU: nothing can run on two threads";
  }
  const auto verdict = m_gate->measure(contender_of(*m_kernel, device_text()), m_recipe, record::Depth::screen, true);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correct) << verdict->reason;
  EXPECT_TRUE(verdict->cold && verdict->hot);
}

TEST_F(GateThreads, a_sum_over_groups_that_is_not_declared_is_a_race_on_one_thread_too)
{
  const char* device = R"(#include "macros.h"
extern "C" void matmul(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t end = k * (group->id[0] + 1) / 2;
  for (int64_t p = k * group->id[0] / 2; p < end; ++p) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        C[i * n + j] += A[i * k + p] * B[p * n + j];
      }
    }
  }
}
)";
  const char* launch = R"([[launch]]
kernel = "matmul"
grid = [2]
block = [1]
fill = { buffer = "C", value = 0 }
args = ["A", "B", "C", "m", "n", "k"]
)";
  m_recipe.threads = 1;
  const auto verdict = m_gate->validate(contender_of(*m_kernel, device, launch), m_recipe, record::Depth::screen);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correctness) << verdict->reason;
  EXPECT_THAT(verdict->reason, HasSubstr("race: groups 0 and 1 both write C"));
}

TEST_F(GateThreads, groups_that_rely_on_one_worker_are_a_race)
{
  if (usable_cpus().size() < 2) {
    GTEST_SKIP() << "one CPU: nothing can run on two threads";
  }
  // The first group of a row of tiles leaves a factor for the others in scratch that only its own worker has.
  const DeviceText text{.per_element = "C[i * n + j] = s * *kept;",
                        .prologue = "float* kept = (float*)group->shared; if (group->id[0] == 0) *kept = 1;"};
  const record::Contender contender = contender_of(*m_kernel, device_text(text), launch_text() + "shared = 64\n");
  const auto verdict = m_gate->validate(contender, m_recipe, record::Depth::screen);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correctness) << verdict->reason;
}

} // namespace
} // namespace hone::gate
