#include "tools/bottlenecks.h"

#include "tools/cost_model.h"
#include "tools/mca.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>

namespace hone::tools {
namespace {

using Facts = CandidateFacts;
using Site = Facts::Site;
using WarpSite = Facts::WarpSite;
using Found = std::optional<Bottleneck>;

constexpr double k_worth_naming = 0.05; // of the modelled time
constexpr double k_dense = 0.5;         // of a line: walks that use more of it waste less than they use
constexpr double k_spills = 0.1;        // of the accesses
constexpr double k_few_left = 0.3;      // what the work itself may weigh: only less work relieves it
constexpr double k_lanes_lost = 0.75;   // of the arithmetic: three of the four numbers that the narrowest vector holds

bool has_stride(const Site& site)
{
  return site.usual_stride >= k_usual_stride;
}

bool is_strided(const Site& site, const Facts& facts)
{
  return has_stride(site) && std::llabs(site.stride) >= facts.line_bytes
         && site.bytes_of_line < k_dense * static_cast<double>(facts.line_bytes);
}

// Cycles of all sites, and the one that has most of them.
template <class Site, class Cost> struct Sum {
  double cycles = 0;
  const Site* worst = nullptr;
};

template <class Site, class Cost> Sum<Site, Cost> sum_of(const std::vector<Site>& sites, const Cost& cost)
{
  Sum<Site, Cost> sum;
  double most = 0;
  for (const Site& site : sites) {
    const double cycles = cost(site);
    sum.cycles += cycles;
    if (cycles > most) {
      most = cycles;
      sum.worst = &site;
    }
  }
  return sum;
}

// `evidence`: of the site that weighs most; not asked where none does.
template <class Site, class Cost, class Evidence>
Found by_sites(const Facts& facts, const std::vector<Site>& sites, const Cost& cost, const Evidence& evidence)
{
  const auto sum = sum_of(sites, cost);
  return sum.worst == nullptr ? Found() : Bottleneck{"", sum.cycles / facts.total(), evidence(*sum.worst)};
}

Found by_loop(const Facts& facts, double cycles_of_a_round, std::string evidence)
{
  return Bottleneck{"", facts.rounds * cycles_of_a_round / facts.total(), std::move(evidence)};
}

Found strided(const Facts& facts)
{
  return by_sites(
    facts, facts.sites, [&](const Site& site) { return is_strided(site, facts) ? site.cycles : 0; },
    [](const Site& site) {
      return fmt::format("{} is walked in steps of {} B, each to another line", site.what, site.stride);
    });
}

Found irregular(const Facts& facts)
{
  return by_sites(
    facts, facts.sites, [](const Site& site) { return has_stride(site) ? 0 : site.cycles; },
    [](const Site& site) { return fmt::format("{} is accessed in no order that prefetchers follow", site.what); });
}

Found conflicts(const Facts& facts)
{
  return by_sites(
    facts, facts.sites, [](const Site& site) { return site.conflicts; },
    [](const Site& site) {
      return fmt::format("{:.0f} % of what the misses of {} cost are conflicts: lines that fall into the same set",
                         100 * site.conflicts / site.cycles, site.what);
    });
}

Found streams(const Facts& facts, bool memory)
{
  const auto cost = [&](const Site& site) {
    const double cycles = memory ? site.memory_cycles : site.cycles - site.memory_cycles;
    return is_strided(site, facts) || !has_stride(site) ? 0 : std::max(0.0, cycles - site.conflicts);
  };
  return by_sites(facts, facts.sites, cost, [&](const Site& site) {
    return fmt::format("{} streams from {}: its lines take {:.0f} % of the modelled time", site.what,
                       memory ? "memory" : "the outer caches", 100 * cost(site) / facts.total());
  });
}

// Of a GPU: what of its sectors is wanted.
double wanted_share(const WarpSite& site)
{
  return site.sectors > 0 ? std::min(1.0, site.least_sectors / site.sectors) : 1;
}

Found memory_bandwidth(const Facts& facts)
{
  if (facts.warp_sites.empty()) {
    return streams(facts, true);
  }
  return by_sites(
    facts, facts.warp_sites,
    [](const WarpSite& site) { return wanted_share(site) * site.memory_bytes * k_device_byte; },
    [](const WarpSite& site) {
      return fmt::format("{} brings {:.0f} B from the device's memory", site.what, site.memory_bytes);
    });
}

Found cache_bandwidth(const Facts& facts)
{
  if (facts.warp_sites.empty()) {
    return streams(facts, false);
  }
  return by_sites(
    facts, facts.warp_sites, [](const WarpSite& site) { return wanted_share(site) * site.sectors * k_sector; },
    [](const WarpSite& site) {
      return fmt::format("{} asks the L2 cache for {:.0f} sectors", site.what, site.sectors);
    });
}

Found uncoalesced(const Facts& facts)
{
  return by_sites(
    facts, facts.warp_sites,
    [](const WarpSite& site) {
      return (1 - wanted_share(site)) * (site.sectors * k_sector + site.memory_bytes * k_device_byte);
    },
    [](const WarpSite& site) {
      return fmt::format("the warps of {} touch {:.1f} times the sectors that the bytes they want would fill",
                         site.what, site.sectors / std::max(site.least_sectors, 1.0));
    });
}

Found bank_conflicts(const Facts& facts)
{
  return by_sites(
    facts, facts.warp_sites, [](const WarpSite& site) { return (site.turns - site.least_turns) * k_shared_turn; },
    [](const WarpSite& site) {
      return fmt::format("{} takes {:.1f} turns of shared memory's banks where one would do: items of a warp want "
                         "different words of one bank",
                         site.what, site.turns / std::max(site.least_turns, 1.0));
    });
}

Found divergence(const Facts& facts)
{
  const auto parts = sum_of(facts.warp_sites, [](const WarpSite& site) { return site.parted; });
  if (parts.worst == nullptr || facts.warp_instructions <= 0) {
    return {};
  }
  const double idle = 1 - facts.warp_items / (32 * facts.warp_instructions);
  return Bottleneck{"", idle * facts.warp_instructions * k_warp_instruction / facts.total(),
                    fmt::format("items of a warp go both ways at {:.0f} % of the branches at {}: {:.0f} % of the lanes "
                                "wait for others",
                                100 * parts.worst->parted / std::max(parts.worst->branches, 1.0), parts.worst->what,
                                100 * idle)};
}

Found unaligned(const Facts& facts)
{
  return by_sites(
    facts, facts.sites, [](const Site& site) { return site.crossings * k_split_access; },
    [&](const Site& site) {
      return fmt::format("{:.0f} accesses to {} lie in two cache lines", site.crossings, site.what);
    });
}

Found translations(const Facts& facts)
{
  return by_sites(
    facts, facts.sites,
    [](const Site& site) {
      return (site.page_misses - site.page_walks) * k_second_translation + site.page_walks * k_page_walk;
    },
    [](const Site& site) {
      return fmt::format("{} goes from page to page: the first level of translations misses {:.0f} times, "
                         "the second one {:.0f} times",
                         site.what, site.page_misses, site.page_walks);
    });
}

Found false_sharing(const Facts& facts)
{
  return by_sites(
    facts, facts.sites, [](const Site& site) { return site.contested * k_contested_store; },
    [](const Site& site) {
      return fmt::format("{:.0f} stores of {} are to lines that another thread stores to as well: each takes the line "
                         "from the other's cache",
                         site.contested, site.what);
    });
}

// What waits there is the gather itself: its elements come one after the other.
bool chain_of_gathers(const Facts& facts)
{
  return facts.gathers > 0 && facts.chain.contains("gather");
}

Found chain(const Facts& facts)
{
  if (facts.port_cycles <= 0 || facts.cycles < k_chain_bound * facts.port_cycles || chain_of_gathers(facts)) {
    return {};
  }
  const std::string by = facts.chain.empty() ? "" : " (" + facts.chain + ")";
  return by_loop(
    facts, facts.cycles - facts.port_cycles,
    fmt::format("a round of the loop at {} takes {:.1f} cycles where the ports need {:.1f}: each waits for "
                "the result of the one before{}",
                facts.lines, facts.cycles, facts.port_cycles, by));
}

Found scalar(const Facts& facts)
{
  return facts.scalar
           ? by_loop(facts, k_lanes_lost * facts.port_cycles,
                     fmt::format("the arithmetic of the loop at {} is one number an instruction", facts.lines))
           : Found();
}

Found calls(const Facts& facts)
{
  return by_loop(facts, k_call_cycles * facts.calls,
                 fmt::format("the loop at {} calls functions, {} in each round", facts.lines, facts.calls));
}

Found divisions(const Facts& facts)
{
  return by_loop(facts, std::min(facts.port_cycles, k_division * facts.divisions),
                 fmt::format("the loop at {} divides or takes roots, {} in each round", facts.lines, facts.divisions));
}

Found gathers(const Facts& facts)
{
  return by_loop(
    facts, chain_of_gathers(facts) ? facts.cycles : std::min(facts.port_cycles, k_gather * facts.gathers),
    fmt::format("the loop at {} gathers or scatters single elements, {} in each round", facts.lines, facts.gathers));
}

Found spills(const Facts& facts)
{
  if (facts.stack_share < k_spills) {
    return {};
  }
  const std::string evidence =
    fmt::format("{:.0f} % of the accesses are to the stack: values do not fit into registers", 100 * facts.stack_share);
  return facts.warp_sites.empty() ? Bottleneck{"", facts.stack_share * facts.core_cycles() / facts.total(), evidence}
                                  : Bottleneck{"", facts.stack_share, evidence};
}

Found overhead(const Facts& facts)
{
  const int all = facts.arithmetic + facts.memory + facts.others;
  const double share = all > 0 ? static_cast<double>(facts.others) / all : 0;
  return share > 0.5 ? by_loop(facts, share * facts.port_cycles,
                               fmt::format("{} of {} instructions of the loop at {} compute addresses, count and jump",
                                           facts.others, all, facts.lines))
                     : Found();
}

Found guesses(const Facts& facts)
{
  return by_loop(
    facts, k_mispredicted * k_wrong_guesses * facts.guesses,
    fmt::format("the loop at {} branches by data that it loads, {} times in each round: where they have no "
                "order, half of the guesses are wrong",
                facts.lines, facts.guesses));
}

// What remains.
Found ports(const Facts& facts)
{
  Found found;
  if (!facts.warp_sites.empty()) {
    found = Bottleneck{
      "", facts.warp_instructions * k_warp_instruction / facts.total(),
      fmt::format("the {:.0f} instructions of warps take most of the time themselves", facts.warp_instructions)};
  } else if (facts.port_cycles > 0) {
    found =
      by_loop(facts, facts.port_cycles,
              fmt::format("a round of the loop at {} keeps {} busy for its {:.1f} cycles: it is bound by the work "
                          "itself",
                          facts.lines, facts.port, facts.port_cycles));
  }
  if (found) {
    found->weight = found->weight < 0.5 ? 0 : std::min(found->weight, k_few_left);
  }
  return found;
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
    {"irregular access", irregular, {"neighbours", "latency of the first access"}},
    {"cache conflicts", conflicts, {"conflicts", "strid"}},
    {"uncoalesced access", uncoalesced, {"global memory", "rows far apart", "neighbours"}},
    {"bank conflicts", bank_conflicts, {"one bank"}},
    {"branch divergence", divergence, {"question about the border", "lanes that"}},
    {"unaligned access", unaligned, {"align"}},
    {"TLB reach", translations, {"TLB", "page away"}},
    {"false sharing", false_sharing, {"groups share"}},
    {"latency chain", chain, {"chain", "latency of an addition", "one multiply-add of a thread"}},
    {"scalar code", scalar, {"one element", "scalar", "instruction count"}},
    {"function calls", calls, {"one element", "instruction count"}},
    {"division", divisions, {"division", "work:"}},
    {"gather", gathers, {"strid", "neighbours"}},
    {"register spills", spills, {"registers", "loads and stores per"}},
    {"loop overhead", overhead, {"loop overhead", "address arithmetic", "loop control"}},
    {"unpredictable branch", guesses, {"question about the border"}},
    {"port pressure", ports, {"loads per multiplication", "narrow product", "lanes without work"}},
  };
  return list;
}

} // namespace

double CandidateFacts::core_cycles() const
{
  return rounds * (cycles + k_call_cycles * calls + k_mispredicted * k_wrong_guesses * guesses);
}

double CandidateFacts::total() const
{
  double sum = core_cycles();
  for (const Site& site : sites) {
    sum += site.cycles + site.crossings * k_split_access + site.contested * k_contested_store
           + (site.page_misses - site.page_walks) * k_second_translation + site.page_walks * k_page_walk;
  }
  if (!warp_sites.empty()) {
    sum = warp_instructions * k_warp_instruction;
    for (const WarpSite& site : warp_sites) {
      sum += site.turns * k_shared_turn + site.sectors * k_sector + site.memory_bytes * k_device_byte;
    }
  }
  return sum;
}

std::vector<Bottleneck> bottlenecks_of(const CandidateFacts& facts)
{
  std::vector<Bottleneck> found;
  if (facts.total() <= 0) {
    return found;
  }
  for (const Kind& kind : kinds()) {
    if (auto one = kind.rule(facts); one && one->weight >= k_worth_naming) {
      one->name = kind.name;
      one->weight = std::min(one->weight, 1.0);
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
