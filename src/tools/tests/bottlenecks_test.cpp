// From facts to bottlenecks: each kind from facts that have it, and from plain ones none.
#include "tools/bottlenecks.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace hone::tools {
namespace {

// A loop in vectors whose data come from the first level.
CandidateFacts balanced()
{
  CandidateFacts facts;
  facts.lines = "device.cpp:7";
  facts.arithmetic = 12;
  facts.memory = 4;
  facts.others = 3;
  facts.seconds = 1e-3;
  facts.levels = {{"L2", 1e-4}, {"L3", 5e-5}, {"DRAM", 2e-5}};
  facts.first_level_misses = 0.01;
  facts.sites = {{"A at device.cpp:7", 0.6, 4, 0.05, 0}, {"B at device.cpp:7", 0.4, 64, 0, 0}};
  return facts;
}

TEST(Bottlenecks, PlainFactsHaveNone)
{
  EXPECT_TRUE(bottlenecks_of(balanced()).empty());
  EXPECT_TRUE(bottlenecks_of({}).empty()) << "where no tool could look, nothing is claimed";
}

struct KindCase {
  const char* name;
  std::function<void(CandidateFacts&)> make;
};

// Would catch: a kind that no facts lead to, or that another one hides.
TEST(Bottlenecks, EachKindIsTheFirstOneWhereItIsAlone)
{
  const std::vector<KindCase> cases = {
    {"memory bandwidth", [](CandidateFacts& f) { f.levels[2].seconds = 8e-4; }},
    {"cache bandwidth", [](CandidateFacts& f) { f.levels[0].seconds = 7e-4; }},
    {"strided access",
     [](CandidateFacts& f) {
       f.first_level_misses = 0.5;
       f.sites[0].stride = 4096;
       f.sites[0].share = 0.9;
     }},
    {"cache conflicts",
     [](CandidateFacts& f) {
       f.first_level_misses = 0.5;
       f.sites[0].conflicts = 0.9;
       f.sites[0].share = 0.9;
     }},
    {"unaligned access", [](CandidateFacts& f) { f.sites[0].crossings = 0.5; }},
    {"latency chain",
     [](CandidateFacts& f) {
       f.cycles = 8;
       f.port_cycles = 2;
       f.chain = "vaddss";
     }},
    {"scalar code", [](CandidateFacts& f) { f.scalar = true; }},
    {"function calls", [](CandidateFacts& f) { f.calls = 1; }},
    {"division", [](CandidateFacts& f) { f.special = 2; }},
    {"gather", [](CandidateFacts& f) { f.gathers = 1; }},
    {"register spills", [](CandidateFacts& f) { f.stack_share = 0.4; }},
    {"loop overhead", [](CandidateFacts& f) { f.others = 40; }},
    {"port pressure",
     [](CandidateFacts& f) {
       f.cycles = 8.2;
       f.port_cycles = 8;
       f.port = "FP0";
     }},
  };
  std::set<std::string> tried;
  for (const KindCase& one : cases) {
    CandidateFacts facts = balanced();
    one.make(facts);
    const auto found = bottlenecks_of(facts);
    ASSERT_FALSE(found.empty()) << one.name;
    EXPECT_EQ(found[0].name, one.name);
    EXPECT_LE(found[0].weight, 1) << one.name;
    EXPECT_FALSE(found[0].evidence.empty()) << one.name;
    EXPECT_FALSE(words_for(one.name).empty()) << one.name;
    tried.insert(one.name);
  }
  const auto names = bottleneck_names();
  EXPECT_EQ(tried, std::set<std::string>(names.begin(), names.end())) << "a kind without a case";
}

// Would catch: a naive product blamed on its arithmetic instead of the walk down the columns.
TEST(Bottlenecks, AWalkDownTheColumnsComesBeforeTheChainOfAdditions)
{
  CandidateFacts facts = balanced();
  facts.first_level_misses = 0.67;
  facts.sites = {{"B at device.cpp:14", 0.99, 2048, 0.94, 0}};
  facts.cycles = 6.2;
  facts.port_cycles = 2.8;
  const auto found = bottlenecks_of(facts);
  ASSERT_GE(found.size(), 3u);
  EXPECT_EQ(found[0].name, "strided access");
  EXPECT_EQ(found[1].name, "cache conflicts");
  EXPECT_EQ(found[2].name, "latency chain");
}

} // namespace
} // namespace hone::tools
