#include "tools/bottlenecks.h"

#include "tools/mca.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace hone::tools {
namespace {

using Facts = CandidateFacts;
using Found = std::optional<Bottleneck>;

constexpr double k_bandwidth_bound = 0.5; // share of the time that a level's bandwidth explains
constexpr double k_many_misses = 0.08;    // of the accesses
constexpr double k_spills = 0.1;          // of the accesses

const Facts::Site* heaviest(const Facts& facts)
{
  const auto site = std::ranges::max_element(facts.sites, {}, &Facts::Site::share);
  return site == facts.sites.end() ? nullptr : &*site;
}

Found strided(const Facts& facts)
{
  const Facts::Site* site = heaviest(facts);
  if (site == nullptr || facts.first_level_misses < k_many_misses || std::llabs(site->stride) < facts.line_bytes
      || site->share < 0.3) {
    return {};
  }
  return Bottleneck{"", 0.5 + 0.5 * site->share,
                    fmt::format("{} is walked in steps of {} B and has {:.0f} % of the first level's misses",
                                site->what, site->stride, 100 * site->share)};
}

Found conflicts(const Facts& facts)
{
  const Facts::Site* site = heaviest(facts);
  if (site == nullptr || facts.first_level_misses < k_many_misses || site->conflicts * site->share < 0.3) {
    return {};
  }
  return Bottleneck{"", 0.4 + 0.5 * site->conflicts * site->share,
                    fmt::format("{:.0f} % of the misses of {} are conflicts: lines that fall into the same set",
                                100 * site->conflicts, site->what)};
}

Found unaligned(const Facts& facts)
{
  for (const Facts::Site& site : facts.sites) {
    if (site.crossings > 0.3 && site.share > 0.1) {
      return Bottleneck{
        "", 0.3 + 0.2 * site.crossings,
        fmt::format("{:.0f} % of the accesses to {} lie in two cache lines", 100 * site.crossings, site.what)};
    }
  }
  return {};
}

// Of the level whose bandwidth explains most of the time.
Found bandwidth(const Facts& facts, bool memory)
{
  const Facts::Level* worst = nullptr;
  for (const Facts::Level& level : facts.levels) {
    if (worst == nullptr || level.seconds > worst->seconds) {
      worst = &level;
    }
  }
  if (worst == nullptr || facts.seconds <= 0 || (worst->name == "DRAM") != memory) {
    return {};
  }
  const double share = worst->seconds / facts.seconds;
  if (share < k_bandwidth_bound) {
    return {};
  }
  return Bottleneck{"", std::min(1.0, share),
                    fmt::format("what the call moves takes the bandwidth of {} {:.0f} % of its time", worst->name,
                                std::min(100.0, 100 * share))};
}

Found memory_bandwidth(const Facts& facts)
{
  return bandwidth(facts, true);
}

Found cache_bandwidth(const Facts& facts)
{
  return bandwidth(facts, false);
}

Found chain(const Facts& facts)
{
  if (facts.port_cycles <= 0 || facts.cycles < k_chain_bound * facts.port_cycles) {
    return {};
  }
  const std::string by = facts.chain.empty() ? "" : " (" + facts.chain + ")";
  return Bottleneck{"", 0.9 * (1 - facts.port_cycles / facts.cycles),
                    fmt::format("a round of the loop at {} takes {:.1f} cycles where the ports need {:.1f}: each waits "
                                "for the result of the one before{}",
                                facts.lines, facts.cycles, facts.port_cycles, by)};
}

Found scalar(const Facts& facts)
{
  return facts.scalar && facts.arithmetic > 0 ? Found(Bottleneck{
           "", 0.6, fmt::format("the arithmetic of the loop at {} is one number an instruction", facts.lines)})
                                              : Found();
}

Found calls(const Facts& facts)
{
  return facts.calls > 0 ? Found(Bottleneck{
           "", 0.8, fmt::format("the loop at {} calls functions, {} in each round", facts.lines, facts.calls)})
                         : Found();
}

Found divisions(const Facts& facts)
{
  return facts.special > 0 ? Found(Bottleneck{
           "", 0.45 + 0.3 * facts.special / std::max(facts.arithmetic, 1),
           fmt::format("the loop at {} divides or takes roots, {} in each round", facts.lines, facts.special)})
                           : Found();
}

Found gathers(const Facts& facts)
{
  return facts.gathers > 0 ? Found(Bottleneck{"", 0.55,
                                              fmt::format("the loop at {} gathers or scatters single elements, "
                                                          "{} in each round",
                                                          facts.lines, facts.gathers)})
                           : Found();
}

Found spills(const Facts& facts)
{
  return facts.stack_share > k_spills
           ? Found(Bottleneck{"", std::min(1.0, 0.4 + facts.stack_share),
                              fmt::format("{:.0f} % of the accesses are to the stack: values do not fit into registers",
                                          100 * facts.stack_share)})
           : Found();
}

Found overhead(const Facts& facts)
{
  const int all = facts.arithmetic + facts.memory + facts.others;
  const double share = all > 0 ? static_cast<double>(facts.others) / all : 0;
  return share > 0.5 ? Found(Bottleneck{"", 0.5 * share,
                                        fmt::format("{} of {} instructions of the loop at {} compute addresses, count "
                                                    "and jump",
                                                    facts.others, all, facts.lines)})
                     : Found();
}

Found ports(const Facts& facts)
{
  return facts.port_cycles > 0 && facts.cycles < k_chain_bound * facts.port_cycles && !facts.scalar ? Found(
           Bottleneck{"", 0.3,
                      fmt::format("a round of the loop at {} keeps {} busy for its {:.1f} cycles: it is bound by "
                                  "the work itself",
                                  facts.lines, facts.port, facts.cycles)})
                                                                                                    : Found();
}

struct Kind {
  std::string_view name;
  Found (*rule)(const Facts&);
  std::vector<std::string_view> words; // of transformations that relieve it
};

const std::vector<Kind>& kinds()
{
  static const std::vector<Kind> list{
    {"memory bandwidth", memory_bandwidth, {"memory traffic", "bandwidth", "global memory", "intermediate"}},
    {"cache bandwidth", cache_bandwidth, {"bandwidth", "loads per multiplication", "loads:", "cache misses"}},
    {"strided access", strided, {"strid", "cache conflicts", "cache line of each row"}},
    {"cache conflicts", conflicts, {"conflicts", "strid"}},
    {"unaligned access", unaligned, {"align"}},
    {"latency chain", chain, {"chain", "latency of an addition", "one multiply-add of a thread"}},
    {"scalar code", scalar, {"one element", "scalar", "instruction count"}},
    {"function calls", calls, {"one element", "instruction count"}},
    {"division", divisions, {"division", "work:"}},
    {"gather", gathers, {"strid", "neighbours"}},
    {"register spills", spills, {"registers", "loads and stores per"}},
    {"loop overhead", overhead, {"loop overhead", "address arithmetic", "loop control"}},
    {"port pressure", ports, {"loads per multiplication", "narrow product", "lanes without work"}},
  };
  return list;
}

} // namespace

std::vector<Bottleneck> bottlenecks_of(const CandidateFacts& facts)
{
  std::vector<Bottleneck> found;
  for (const Kind& kind : kinds()) {
    if (auto one = kind.rule(facts)) {
      one->name = kind.name;
      found.push_back(std::move(*one));
    }
  }
  std::ranges::stable_sort(found, std::greater(), &Bottleneck::weight);
  return found;
}

std::vector<std::string_view> words_for(std::string_view bottleneck)
{
  const auto kind = std::ranges::find(kinds(), bottleneck, &Kind::name);
  return kind == kinds().end() ? std::vector<std::string_view>() : kind->words;
}

std::vector<std::string_view> bottleneck_names()
{
  std::vector<std::string_view> names;
  std::ranges::transform(kinds(), std::back_inserter(names), &Kind::name);
  return names;
}

} // namespace hone::tools
