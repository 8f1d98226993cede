#include "emulate/launch.h"

#include "emulate/execute/begin.h"
#include "emulate/execute/bulk.h"
#include "emulate/execute/cache.h"
#include "emulate/execute/cluster.h"
#include "emulate/execute/counting.h"
#include "emulate/execute/decoder.h"
#include "emulate/execute/memory_access.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace hone::emulate {

namespace execute {

namespace {

constexpr int k_turn = 4096;       // instructions of a warp before another has its turn
constexpr int k_shared_turn = 512; // where groups run side by side

bool can_run(const Fragment& one)
{
  return one.barrier < 0 && !one.waits_for_lanes;
}

// Lanes that looked for something in vain let others of their warp go on, who may be what they wait for.
void let_others_go_first(Warp& warp)
{
  const bool looked = (warp.yields || warp.turn_over) && warp.now.mask != 0;
  if (looked && std::ranges::any_of(warp.others, [](const Fragment& one) { return can_run(one); })) {
    warp.now.has_had_turn = true;
    warp.others.push_back(warp.now);
    warp.now.mask = 0;
  }
}

// The lanes that do the same merge; those that are furthest behind go first, so that the others find them again.
void choose_fragment(Warp& warp)
{
  if (warp.now.mask != 0) {
    warp.others.push_back(warp.now);
    warp.now.mask = 0;
  }
  const std::vector<std::uint32_t>& flow = warp.group->launch->code->flow;
  const auto choose = [&] {
    std::size_t out = warp.others.size();
    for (std::size_t i = 0; i < warp.others.size(); ++i) {
      const Fragment& one = warp.others[i];
      if (can_run(one) && !one.has_had_turn
          && (out == warp.others.size() || flow[one.pc] < flow[warp.others[out].pc])) {
        out = i;
      }
    }
    return out;
  };
  std::size_t best = choose();
  if (best == warp.others.size()) {
    for (Fragment& one : warp.others) {
      one.has_had_turn = false;
    }
    best = choose();
  }
  if (best == warp.others.size()) {
    return;
  }
  warp.now = warp.others[best];
  warp.others.erase(warp.others.begin() + static_cast<std::ptrdiff_t>(best));
}

void merge_fragments(Warp& warp)
{
  for (std::size_t i = 0; i < warp.others.size();) {
    if (warp.others[i].pc == warp.now.pc && warp.others[i].barrier < 0) {
      warp.now.mask |= warp.others[i].mask;
      warp.others.erase(warp.others.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

bool somebody_is_behind(const Warp& warp)
{
  const std::vector<std::uint32_t>& flow = warp.group->launch->code->flow;
  const std::uint32_t now = flow[warp.now.pc];
  return std::ranges::any_of(warp.others, [&](const Fragment& one) {
    return one.barrier < 0
           && (one.pc == warp.now.pc || (!one.waits_for_lanes && !one.has_had_turn && flow[one.pc] < now));
  });
}

inline void add_execution(const Warp& warp, const Op& op, std::uint64_t& warps, std::uint64_t& lanes)
{
  const auto here = static_cast<std::uint64_t>(std::popcount(warp.exec));
  ++warps;
  lanes += here;
  if (LineCounts* const line = counted(warp, op)) {
    ++line->warps;
    line->lanes += here;
  }
}

// Whether anything was executed.
bool run_warp(Warp& warp, int most)
{
  Launch& launch = *warp.group->launch;
  const Op* const ops = launch.code->ops.data();
  bool moved = false;
  std::uint64_t warps = 0, lanes = 0;
  let_others_go_first(warp);
  warp.yields = warp.turn_over = false;
  warp.polls = 0;
  for (int turn = 0; turn < most && !launch.fatal && !warp.yields && !warp.turn_over; ++turn) {
    if (warp.now.mask == 0) {
      choose_fragment(warp);
      if (warp.now.mask == 0) {
        break;
      }
    }
    if (!warp.others.empty() && somebody_is_behind(warp)) {
      merge_fragments(warp);
      if (somebody_is_behind(warp)) {
        choose_fragment(warp);
        merge_fragments(warp);
      }
    }
    const Op& op = ops[warp.now.pc];
    warp.exec = warp.now.mask;
    if (op.guard_kind != 0) {
      const Mask guard = *warp.at<Mask>(op.guard);
      warp.exec &= op.guard_kind == 1 ? guard : ~guard;
    }
    warp.jump = warp.now.pc + 1;
    if (warp.exec != 0) {
      warp.stopped = false;
      op.run(warp, op);
      if (warp.stopped) [[unlikely]] {
        if (!warp.others.back().waits_for_lanes) { // else it has not moved, and comes back to this
          moved = true;
          add_execution(warp, op, warps, lanes);
        }
        continue;
      }
    }
    moved = true;
    add_execution(warp, op, warps, lanes);
    warp.now.pc = warp.jump;
  }
  launch.result.counts.warp_instructions += warps;
  launch.result.counts.lane_instructions += lanes;
  launch.instructions += warps;
  launch.ticks += warps;
  return moved;
}

using Slots = std::vector<std::unique_ptr<Cluster>>; // of clusters that run side by side; nullptr: no more

// Calls `look(warp)` for all warps that run.
template <class Look> void each_warp(const Slots& slots, const Look& look)
{
  for (const auto& cluster : slots) {
    if (cluster != nullptr) {
      for (const auto& group : cluster->groups) {
        for (Warp& warp : group->warps) {
          look(warp);
        }
      }
    }
  }
}

// Who waits for what.
void report_deadlock(const Slots& slots)
{
  std::string text;
  Warp* first = nullptr;
  std::uint32_t place = 0, other = 0; // of the first one, and of another that waits elsewhere
  const bool several = slots.size() > 1 || slots.front() == nullptr || slots.front()->groups.size() > 1;
  each_warp(slots, [&](Warp& warp) {
    const std::string name =
      fmt::format("warp {}{}", warp.index, several ? fmt::format(" of {}", group_text(*warp.group)) : "");
    const auto say = [&](const std::string& what, std::uint32_t at) {
      text += (text.empty() ? "" : ", ") + what;
      place = first == nullptr ? at : place;
      other = at != place && other == 0 ? at : other;
      first = first == nullptr ? &warp : first;
    };
    if (warp.alive != 0 && warp.yields) {
      const MBarrier& barrier = warp.group->mbarriers.at(warp.waits_at);
      say(fmt::format("{} waits at the mbarrier at {} of shared memory (phases completed: {}, arrivals missing: {}, "
                      "bytes missing: {})",
                      name, warp.waits_at, barrier.phase, barrier.pending, barrier.bytes),
          warp.waits_place);
    }
    for (const Fragment& one : warp.others) {
      if (can_run(one)) {
        continue; // it is at the mbarrier
      }
      say(fmt::format("{} (lanes {:#010x}) waits {}", name, one.mask,
                      one.barrier == k_cluster_barrier ? "at the cluster's barrier"
                      : one.barrier >= 0               ? fmt::format("at barrier {}", one.barrier)
                                                       : "for other lanes of its mask"),
          warp.group->launch->code->ops[one.barrier >= 0 && one.pc > 0 ? one.pc - 1 : one.pc].place);
    }
  });
  if (first != nullptr) {
    Op op;
    op.place = place;
    text += other != 0 ? fmt::format("; the other one at {}", place_text(*first, other)) : "";
    report(*first, op, FindingKind::deadlock, text, other);
    first->group->launch->fatal = true;
  }
}

bool has_items(const Group& group)
{
  return std::ranges::any_of(group.warps, [](const Warp& warp) { return warp.alive != 0; });
}

// Groups and clusters whose items have left; further clusters take their places.
void look_at_ends(Launch& launch, Slots& slots, std::uint32_t& next, std::uint32_t clusters)
{
  for (auto& cluster : slots) {
    if (cluster == nullptr) {
      continue;
    }
    bool runs = false;
    for (const auto& group : cluster->groups) {
      const bool here = has_items(*group);
      if (!here && !group->left) {
        look_at_leaving(*group);
        ++launch.events;
      }
      if (here) {
        look_at_barriers(*group);
      }
      runs = runs || here;
    }
    look_at_cluster_barrier(*cluster);
    launch.result.groups_run += runs ? 0 : cluster->groups.size();
    if (!runs && next < clusters && !launch.fatal) {
      begin_cluster(*cluster, launch, next++);
    } else if (!runs) {
      cluster = nullptr;
    }
  }
}

// Instructions of a warp's turn: with several groups and a seed, any number, so that they meet in other ways.
int turn_of(Launch& launch, const Slots& slots)
{
  const bool several = slots.size() > 1 || launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1;
  const bool any = launch.request->delays || (several && launch.request->seed != 0);
  return any ? 1 << launch.random() % 13 : several ? k_shared_turn : k_turn;
}

// Copies that nobody has looked for yet come too, for whichever mbarrier.
void let_some_bytes_come(Launch& launch, const Slots& slots)
{
  for (const auto& cluster : slots) {
    for (std::size_t i = 0; cluster != nullptr && i < cluster->groups.size(); ++i) {
      Group& group = *cluster->groups[i];
      if (!group.bulk_copies.empty() && launch.random() % 2 == 0) {
        let_bytes_come(group, group.bulk_copies[launch.random() % group.bulk_copies.size()].barrier);
      }
    }
  }
}

void run_clusters(Launch& launch)
{
  const std::array<std::uint32_t, 3>& grid = launch.request->grid;
  const std::uint64_t clusters64 =
    std::uint64_t{grid[0] / launch.cluster[0]} * (grid[1] / launch.cluster[1]) * (grid[2] / launch.cluster[2]);
  const auto clusters = static_cast<std::uint32_t>(clusters64);
  std::uint32_t next = 0;
  Slots slots(launch.request->cooperative ? clusters
                                          : std::min(clusters, std::max<std::uint32_t>(launch.request->resident, 1)));
  for (auto& slot : slots) {
    slot = std::make_unique<Cluster>();
    begin_cluster(*slot, launch, next++);
  }
  std::vector<Warp*> order;
  int idle_rounds = 0; // in which nobody did anything but look at mbarriers in vain
  for (;;) {
    order.clear();
    each_warp(slots, [&](Warp& warp) { order.push_back(&warp); });
    if (order.empty()) {
      return;
    }
    if (launch.request->seed != 0 || launch.request->delays) {
      std::ranges::shuffle(order, launch.random);
    }
    const std::uint64_t events = launch.events;
    bool moved = false, all_wait = true;
    if (launch.request->delays) {
      let_some_bytes_come(launch, slots);
    }
    for (Warp* const warp : order) {
      if (warp->delay > 0 && warp->alive != 0) {
        --warp->delay;
        moved = true;
        all_wait = false;
      } else if (warp->alive != 0) {
        moved = run_warp(*warp, turn_of(launch, slots)) || moved;
        all_wait = all_wait && (warp->alive == 0 || warp->yields || warp->now.mask == 0);
      }
      if (launch.fatal) {
        return;
      }
    }
    idle_rounds = all_wait && launch.events == events ? idle_rounds + 1 : 0;
    look_at_ends(launch, slots, next, clusters);
    if ((!moved || idle_rounds > 2) && launch.events == events) {
      report_deadlock(slots);
    }
    if (launch.fatal) {
      return;
    }
    const bool too_many =
      launch.request->most_instructions > 0 && launch.instructions > launch.request->most_instructions;
    const auto running = std::ranges::find_if(slots, [](const auto& one) { return one != nullptr; });
    if ((too_many || launch.request->stop.stop_requested()) && running != slots.end()) {
      Warp* last = &(*running)->groups.front()->warps.front();
      each_warp(slots, [&](Warp& warp) { last = warp.alive != 0 && warp.now.mask != 0 ? &warp : last; });
      report(*last, launch.code->ops[last->now.pc], FindingKind::hang,
             fmt::format("no end after {} instructions of warps", launch.instructions));
      launch.fatal = true;
      return;
    }
  }
}

// What the cache model knows, and sums.
void finish_counts(Launch& launch)
{
  if (launch.cache_model != nullptr) {
    launch.cache_model->cache.write_back();
  }
  LaunchCounts& counts = launch.result.counts;
  for (std::size_t place = 0; place < launch.lines.size(); ++place) {
    LineCounts& line = launch.lines[place];
    const CacheTraffic traffic = launch.cache_model->cache.traffic(static_cast<std::uint32_t>(place));
    line.cache_reads = traffic.reads;
    line.cache_writes = traffic.writes;
    line.cache_updates = traffic.updates;
    line.memory_reads = traffic.memory_reads;
    line.memory_writes = traffic.memory_writes;
    line.float_operations = line.lanes * float_operations_of(line.opcode);
    counts.total += line;
  }
  std::erase_if(launch.lines, [](const LineCounts& line) { return line.warps == 0; });
  counts.lines = std::move(launch.lines);
}

SourcePlace source_place(const Code& code, std::uint32_t place)
{
  const ptx::Place& at = code.places[place];
  const auto file = static_cast<std::size_t>(at.file);
  return {file < code.files.size() ? code.files[file] : "", at.line, at.ptx_line};
}

} // namespace

void report(Warp& warp, const Op& op, FindingKind kind, const std::string& text, std::uint32_t other_place)
{
  Launch& launch = *warp.group->launch;
  Finding finding{kind, "", source_place(*launch.code, op.place), source_place(*launch.code, other_place)};
  finding.text = fmt::format("{}: {} {}", name_of(kind), to_text(finding.place), text);
  const bool hazard =
    kind == FindingKind::race || kind == FindingKind::uninitialised || kind == FindingKind::divergence;
  launch.fatal = launch.fatal || !hazard;
  warp.stopped = warp.stopped && hazard;
  // Once for each pair of source lines; where there are none, of lines of PTX.
  const auto same = [](const SourcePlace& a, const SourcePlace& b) {
    return a.line > 0 || b.line > 0 ? a.line == b.line && a.file == b.file : a.ptx_line == b.ptx_line;
  };
  const bool known = std::ranges::any_of(launch.result.findings, [&](const Finding& one) {
    return one.kind == kind && same(one.place, finding.place) && same(one.other, finding.other);
  });
  if (!known && launch.result.findings.size() < launch.request->most_findings) {
    launch.result.findings.push_back(std::move(finding));
  }
}

} // namespace execute

LaunchResult launch(const LaunchRequest& request, GlobalMemory& memory)
{
  execute::Launch whole;
  whole.request = &request;
  whole.memory = &memory;
  const Entry* const entry = request.program == nullptr ? nullptr : request.program->find(request.entry);
  if (entry == nullptr) {
    whole.result.findings.push_back(
      {FindingKind::unsupported, fmt::format("there is no function {}", request.entry), {}, {}});
    return std::move(whole.result);
  }
  whole.entry = entry;
  if (const std::string wrong = execute::take_cluster(whole, *entry); !wrong.empty()) {
    whole.result.findings.push_back({FindingKind::unsupported, wrong, {}, {}});
    return std::move(whole.result);
  }
  whole.code = &request.program->code_of(*entry);
  if (request.counts) {
    whole.lines.resize(whole.code->places.size());
    for (std::size_t i = 0; i < whole.lines.size(); ++i) {
      whole.lines[i].place = execute::source_place(*whole.code, static_cast<std::uint32_t>(i));
      whole.lines[i].opcode = whole.code->texts[i];
      whole.lines[i].kind = class_of(whole.code->texts[i]);
    }
    whole.cache_model = std::make_shared<execute::CacheModel>(request.cache);
  }
  for (const Program::Global& global : request.program->globals()) { // there for as long as the program runs
    memory.map(reinterpret_cast<void*>(global.begin), global.bytes, true);
  }
  whole.parameters = request.parameters;
  whole.parameters.resize(std::max(whole.parameters.size(), entry->parameter_bytes));
  whole.random.seed(request.seed);
  execute::run_clusters(whole);
  for (const Program::Global& global : request.program->globals()) {
    memory.release(global.begin);
  }
  execute::finish_counts(whole);
  whole.result.finished = !whole.fatal;
  return std::move(whole.result);
}

} // namespace hone::emulate
