// The field's benchmark tasks, said in the expression language (level1.toml to level3.toml): all parse; every one of
// level 1 has a reference on small sizes that agrees with its naive candidate, judged by the gate.
#include "gate/gate.h"
#include "kernel/kernel.h"
#include "lower/lower.h"
#include "util/util.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <sstream>

namespace hone {
namespace {

struct Task {
  std::string name;
  bool sayable = true;
  bool in_full = false; // the expression stands there
  std::string toml;     // a kernel.toml
};

std::string kernel_toml(const toml::table& task)
{
  std::ostringstream arguments;
  arguments << *task["arguments"].as_table();
  std::ostringstream sizes;
  sizes << toml::toml_formatter(*task["sizes"].as_table());
  std::ostringstream conditions;
  if (const toml::array* where = task["where"].as_array())
    conditions << "where = " << toml::toml_formatter(*where) << "\n";
  return fmt::format(
    "[kernel]\nname = \"task\"\n[compute]\nexpr = '''\n{}\n'''\n[arguments]\n{}\n[sizes]\ntimed = [ {} ]\n{}",
    task["expr"].value_or(std::string()), arguments.str(), sizes.str(), conditions.str());
}

std::vector<Task> tasks_of(const std::string& level)
{
  std::vector<Task> out;
  const toml::parse_result file = toml::parse_file(std::string(HONE_COVERAGE) + "/" + level + ".toml");
  for (const toml::node& node : *file["task"].as_array()) {
    const toml::table& task = *node.as_table();
    Task one;
    one.name = task["name"].value_or(std::string());
    one.sayable = task["sayable"].value_or(true);
    one.in_full = task.contains("expr");
    one.toml = one.in_full ? kernel_toml(task) : std::string();
    out.push_back(std::move(one));
  }
  return out;
}

class LevelOne : public testing::TestWithParam<Task> {};

TEST_P(LevelOne, NaiveCandidatePassesTheGate)
{
  auto kernel = kernel::parse_kernel(GetParam().toml, GetParam().name);
  ASSERT_TRUE(kernel) << kernel.error().text();
  const auto shared = std::make_shared<const kernel::Kernel>(std::move(*kernel));
  const auto backend = backend::find_backend("cpu");
  ASSERT_TRUE(backend);
  const auto cache = TemporaryFolder::create("hone-coverage");
  ASSERT_TRUE(cache);
  gate::GateOptions options;
  options.cache = cache->path();
  options.seed = 20;
  auto gate = gate::Gate::open(shared, **backend, options);
  ASSERT_TRUE(gate) << gate.error().text();
  const auto candidate = lower::naive_candidate(*shared, (*backend)->dialect());
  ASSERT_TRUE(candidate) << candidate.error().text();
  record::Recipe recipe;
  recipe.sizes = shared->timed.front();
  const auto verdict = gate->validate({*candidate, {}, {}, {}}, recipe, record::Depth::screen);
  ASSERT_TRUE(verdict) << verdict.error().text();
  EXPECT_EQ(verdict->status, record::Status::correct) << verdict->reason << "\n" << verdict->log;
}

INSTANTIATE_TEST_SUITE_P(KernelBench, LevelOne, testing::ValuesIn(tasks_of("level1")), [](const auto& instance) {
  std::string name = instance.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

// How many tasks of a level can be said; those that stand in full must parse.
std::size_t sayable_in(const std::string& level, std::size_t all, bool must_be_in_full = true)
{
  const std::vector<Task> tasks = tasks_of(level);
  EXPECT_EQ(tasks.size(), all) << level;
  std::size_t sayable = 0;
  for (const Task& task : tasks) {
    sayable += task.sayable && (task.in_full || !must_be_in_full) ? 1 : 0;
    if (task.in_full) {
      const auto kernel = kernel::parse_kernel(task.toml, task.name);
      EXPECT_TRUE(kernel) << level << ": " << kernel.error().text();
    }
  }
  return sayable;
}

TEST(Coverage, NearlyAllOfLevelsOneAndTwo)
{
  EXPECT_GE(sayable_in("level1", 100), 97U);
  EXPECT_GE(sayable_in("level2", 100), 97U);
}

TEST(Coverage, AllOfLevelThree)
{
  EXPECT_GE(sayable_in("level3", 50, false), 50U);
}

} // namespace
} // namespace hone
