// From facts to bottlenecks: each kind from facts that have it, and from plain ones none.
#include "tools/bottlenecks.h"
#include "tools/cost_model.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace hone::tools {
namespace {

using Site = CandidateFacts::Site;
using WarpSite = CandidateFacts::WarpSite;

// A loop in vectors whose data come from the first level: a million cycles, of which nothing is to be had.
CandidateFacts balanced()
{
  CandidateFacts facts;
  facts.lines = "device.cpp:7";
  facts.arithmetic = 12;
  facts.memory = 4;
  facts.others = 3;
  facts.cycles = 10;
  facts.port_cycles = 4.9; // of which nothing is named: neither a chain nor the ports take most
  facts.rounds = 1e5;
  facts.sites = {{"A at device.cpp:7", 32, 1, 32}, {"B at device.cpp:7", 32, 1, 32}};
  facts.cycles = 1.2 * facts.port_cycles;
  return facts;
}

// The same without even that.
CandidateFacts with_site(Site site)
{
  CandidateFacts facts = balanced();
  facts.rounds = 1e4;
  facts.sites = {std::move(site)};
  return facts;
}

CandidateFacts with_warps(WarpSite site)
{
  CandidateFacts facts;
  facts.warp_instructions = 1e4;
  facts.warp_items = 32e4;
  facts.warp_sites = {std::move(site)};
  return facts;
}

// Would catch: a cause made up where the work itself takes the time, or where no tool could look.
TEST(Bottlenecks, PlainFactsHaveNothingButTheWork)
{
  const auto found = bottlenecks_of(balanced());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "port pressure");
  EXPECT_TRUE(bottlenecks_of({}).empty()) << "where no tool could look, nothing is claimed";
}

struct KindCase {
  const char* name;
  std::function<CandidateFacts()> make;
};

CandidateFacts loop_with(const std::function<void(CandidateFacts&)>& change)
{
  CandidateFacts facts = balanced();
  change(facts);
  return facts;
}

// Would catch: a kind that no facts lead to, or that another one hides.
TEST(Bottlenecks, EachKindIsTheFirstOneWhereItIsAlone)
{
  const std::vector<KindCase> cases = {
    {"memory bandwidth",
     [] {
       return with_site({"A", 32, 1, 64, 9e5, 9e5});
     }},
    {"cache bandwidth",
     [] {
       return with_site({"A", 32, 1, 64, 9e5, 0});
     }},
    {"strided access",
     [] {
       return with_site({"A", 4096, 0.9, 4, 9e5, 0});
     }},
    {"irregular access",
     [] {
       return with_site({"A", 4096, 0.1, 4, 9e5, 0});
     }},
    {"cache conflicts",
     [] {
       return with_site({"A", 32, 1, 64, 9e5, 0, 8e5});
     }},
    {"unaligned access",
     [] {
       return with_site({"A", 32, 1, 64, 0, 0, 0, 5e5});
     }},
    {"TLB reach",
     [] {
       return with_site({"A", 4096, 1, 4, 0, 0, 0, 0, 1e5, 1e3});
     }},
    {"false sharing",
     [] {
       return with_site({"A", 4, 1, 64, 0, 0, 0, 0, 0, 0, 1e5});
     }},
    {"latency chain", [] { return loop_with([](CandidateFacts& f) { f.cycles = 4 * f.port_cycles; }); }},
    {"scalar code", [] { return loop_with([](CandidateFacts& f) { f.scalar = true; }); }},
    {"function calls", [] { return loop_with([](CandidateFacts& f) { f.calls = 1; }); }},
    {"division", [] { return loop_with([](CandidateFacts& f) { f.divisions = 2; }); }},
    {"gather", [] { return loop_with([](CandidateFacts& f) { f.gathers = 1; }); }},
    {"register spills", [] { return loop_with([](CandidateFacts& f) { f.stack_share = 0.6; }); }},
    {"loop overhead", [] { return loop_with([](CandidateFacts& f) { f.others = 40; }); }},
    {"unpredictable branch", [] { return loop_with([](CandidateFacts& f) { f.guesses = 2; }); }},
    {"port pressure", [] { return balanced(); }},
    {"uncoalesced access",
     [] {
       return with_warps({"X", 32e3, 4e3});
     }},
    {"bank conflicts",
     [] {
       return with_warps({"tile", 0, 0, 0, 32e3, 1e3});
     }},
    {"branch divergence",
     [] {
       CandidateFacts facts = with_warps({"device.cu:3", 0, 0, 0, 0, 0, 100, 90});
       facts.warp_items /= 2;
       return facts;
     }},
  };
  std::set<std::string> tried;
  for (const KindCase& one : cases) {
    const auto found = bottlenecks_of(one.make());
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

// Would catch: a naive product blamed on its arithmetic instead of the walk down the columns: 12.6 million lines from
// the second level, 0.6 million from the third, 6.3 million rounds of 6.15 cycles. Measured it takes 25 cycles a round,
// and 6 where all of B fits into the first level.
TEST(Bottlenecks, AWalkDownTheColumnsComesBeforeTheChainOfAdditions)
{
  CandidateFacts facts = balanced();
  const double cycles = 12e6 * k_line_costs[0].missed + 6e5 * k_line_costs[1].missed;
  facts.sites = {{"B at device.cpp:14", 4096, 0.99, 4, cycles, 0, 0.94 * cycles}};
  facts.rounds = 6.3e6;
  facts.cycles = 6.15;
  facts.port_cycles = 2.8;
  const auto found = bottlenecks_of(facts);
  ASSERT_GE(found.size(), 3u);
  EXPECT_EQ(found[0].name, "strided access");
  EXPECT_EQ(found[1].name, "cache conflicts");
  EXPECT_EQ(found[2].name, "latency chain");
}

// Would catch: vectors whose neighbours use the rest of a line taken for a stride that wastes it.
TEST(Bottlenecks, AnUnrolledWalkUsesItsLinesWhole)
{
  const auto found = bottlenecks_of(with_site({"A", 128, 1, 64, 9e5, 0}));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].name, "cache bandwidth");
}

} // namespace
} // namespace hone::tools
