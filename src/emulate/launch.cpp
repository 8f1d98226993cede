#include "emulate/launch.h"

#include "emulate/execute/decoder.h"
#include "emulate/execute/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace hone::emulate {

namespace execute {

namespace {

constexpr int k_turn = 4096; // instructions of a warp before another has its turn

// The lanes that do the same merge; those that are furthest behind go first, so that the others find them again.
void choose_fragment(Warp& warp)
{
  if (warp.now.mask != 0) {
    warp.others.push_back(warp.now);
    warp.now.mask = 0;
  }
  std::size_t best = warp.others.size();
  for (std::size_t i = 0; i < warp.others.size(); ++i) {
    const Fragment& one = warp.others[i];
    if (one.barrier < 0 && !one.waits_for_lanes && (best == warp.others.size() || one.pc < warp.others[best].pc)) {
      best = i;
    }
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
  return std::ranges::any_of(warp.others, [&](const Fragment& one) {
    return one.barrier < 0 && (one.pc == warp.now.pc || (!one.waits_for_lanes && one.pc < warp.now.pc));
  });
}

// Whether anything was executed.
bool run_warp(Warp& warp)
{
  Launch& launch = *warp.group->launch;
  const Op* const ops = launch.code->ops.data();
  bool moved = false;
  std::uint64_t warps = 0, lanes = 0;
  warp.yields = false;
  for (int turn = 0; turn < k_turn && !launch.fatal && !warp.yields; ++turn) {
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
    if (!launch.lines.empty()) {
      LineCounts& line = launch.lines[op.place];
      ++line.warps;
      line.lanes += static_cast<std::uint64_t>(std::popcount(warp.exec));
    }
    if (warp.exec != 0) {
      warp.stopped = false;
      op.run(warp, op);
      if (warp.stopped) {
        // A fragment that waits for lanes of its own warp has not moved.
        moved = moved || warp.others.back().barrier >= 0;
        continue;
      }
    }
    moved = true;
    ++warps;
    lanes += static_cast<std::uint64_t>(std::popcount(warp.exec));
    warp.now.pc = warp.jump;
  }
  launch.result.counts.warp_instructions += warps;
  launch.result.counts.lane_instructions += lanes;
  launch.instructions += warps;
  return moved;
}

void fill(Warp& warp, std::uint32_t offset, const std::string& name)
{
  const Group& group = *warp.group;
  const LaunchRequest& request = *group.launch->request;
  const auto dimension = [&](char c) { return static_cast<std::size_t>(c - 'x'); };
  for (int lane = 0; lane < k_lanes; ++lane) {
    const std::uint32_t flat = static_cast<std::uint32_t>(warp.index) * k_lanes + static_cast<std::uint32_t>(lane);
    const std::array<std::uint32_t, 3> item = {flat % request.block[0], flat / request.block[0] % request.block[1],
                                               flat / (request.block[0] * request.block[1])};
    std::uint64_t value = 0;
    const std::size_t dot = name.find('.');
    const std::string base = name.substr(0, dot);
    const std::size_t axis = dot == std::string::npos ? 0 : dimension(name.back());
    if (base == "%tid") {
      value = item[axis];
    } else if (base == "%ntid") {
      value = request.block[axis];
    } else if (base == "%ctaid") {
      value = group.id[axis];
    } else if (base == "%nctaid") {
      value = request.grid[axis];
    } else if (base == "%laneid") {
      value = static_cast<std::uint64_t>(lane);
    } else if (base == "%warpid") {
      value = static_cast<std::uint64_t>(warp.index);
    } else if (base == "%nwarpid") {
      value = group.warps.size();
    } else if (base == "%lanemask_eq") {
      value = Mask{1} << lane;
    } else if (base == "%lanemask_lt") {
      value = (Mask{1} << lane) - 1;
    } else if (base == "%lanemask_le") {
      value = ((Mask{1} << lane) - 1) | (Mask{1} << lane);
    } else if (base == "%lanemask_gt") {
      value = ~(((Mask{1} << lane) - 1) | (Mask{1} << lane));
    } else if (base == "%lanemask_ge") {
      value = ~((Mask{1} << lane) - 1);
    } else if (base == "%nsmid") {
      value = 132;
    } else if (base == "%smid") {
      value = group.number % 132;
    }
    // Read in 32 bits, or in 64 where the program says so.
    if (base == "%clock64" || base == "%globaltimer") {
      std::memcpy(warp.registers + offset + static_cast<std::size_t>(lane) * 8, &value, 8);
    } else {
      std::memcpy(warp.registers + offset + static_cast<std::size_t>(lane) * 4, &value, 4);
    }
  }
}

void begin_group(Group& group)
{
  Launch& launch = *group.launch;
  const LaunchRequest& request = *launch.request;
  const Code& code = *launch.code;
  const std::uint32_t items = request.block[0] * request.block[1] * request.block[2];
  const std::size_t count = (items + k_lanes - 1) / k_lanes;
  const std::size_t file = (code.register_bytes + 63) / 64 * 64;
  const auto aligned = [](std::vector<std::byte>& bytes) {
    const auto raw = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + ((raw + 63) / 64 * 64 - raw);
  };
  group.registers.resize(file * count + 64);
  group.local.assign(code.local_bytes * k_lanes * count, std::byte{0xa5});
  group.shared.assign(code.shared_bytes + request.dynamic_shared_bytes, std::byte{0xa5});
  if (request.checks) {
    group.shared_shadow.reset(group.shared.size());
  }
  group.barriers = {};
  group.waves.clear();
  group.mbarriers.clear();
  group.bulk_copies.clear();
  group.events = 0;
  group.warps.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    Warp& warp = group.warps[i];
    warp.group = &group;
    warp.index = static_cast<int>(i);
    warp.registers = aligned(group.registers) + i * file;
    warp.local = group.local.data() + i * code.local_bytes * k_lanes;
    std::memcpy(warp.registers, code.image.data(), code.image.size());
    const std::uint32_t lanes = std::min<std::uint32_t>(k_lanes, items - static_cast<std::uint32_t>(i) * k_lanes);
    warp.alive = lanes == k_lanes ? k_all_lanes : (Mask{1} << lanes) - 1;
    warp.now = {0, warp.alive, -1, false};
    warp.clock.assign(2 * group.actors(), 0);
    warp.clock[i] = 1;
    for (const auto& [name, offset] : code.special) {
      fill(warp, offset, name);
    }
  }
}

// Who waits for what.
void report_deadlock(Group& group)
{
  std::string text;
  Warp* first = nullptr;
  std::uint32_t place = 0;
  for (Warp& warp : group.warps) {
    if (warp.alive != 0 && warp.yields) {
      const auto found = group.mbarriers.find(warp.waits_at);
      const MBarrier& barrier = found->second;
      text += fmt::format(
        "{}warp {} waits at the mbarrier at {} of shared memory (phases completed: {}, arrivals missing: {}, "
        "bytes missing: {})",
        text.empty() ? "" : ", ", warp.index, warp.waits_at, barrier.phase, barrier.pending, barrier.bytes);
      place = first == nullptr ? warp.waits_place : place;
      first = first == nullptr ? &warp : first;
    }
    for (const Fragment& one : warp.others) {
      text += fmt::format("{}warp {} (lanes {:#010x}) waits {}", text.empty() ? "" : ", ", warp.index, one.mask,
                          one.barrier >= static_cast<int>(k_named_barriers) ? "for the other half of its wave"
                          : one.barrier >= 0                                ? fmt::format("at barrier {}", one.barrier)
                                                                            : "for other lanes of its mask");
      place = first == nullptr ? group.launch->code->ops[one.pc > 0 ? one.pc - 1 : 0].place : place;
      first = first == nullptr ? &warp : first;
    }
  }
  if (first != nullptr) {
    Op op;
    op.place = place;
    report(*first, op, FindingKind::deadlock, text);
    group.launch->fatal = true;
  }
}

void run_group(Group& group, std::mt19937_64& random)
{
  Launch& launch = *group.launch;
  begin_group(group);
  std::vector<std::size_t> order(group.warps.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  int idle_rounds = 0; // in which nobody did anything but look at mbarriers in vain
  for (;;) {
    if (launch.request->seed != 0) {
      std::ranges::shuffle(order, random);
    }
    const std::uint64_t events = group.events;
    bool moved = false, alive = false, all_wait = true;
    for (const std::size_t i : order) {
      Warp& warp = group.warps[i];
      if (warp.alive != 0) {
        moved = run_warp(warp) || moved;
        alive = alive || warp.alive != 0;
        all_wait = all_wait && (warp.alive == 0 || warp.yields || warp.now.mask == 0);
      }
      if (launch.fatal) {
        return;
      }
    }
    if (!alive) {
      return;
    }
    look_at_barriers(group);
    idle_rounds = all_wait && group.events == events ? idle_rounds + 1 : 0;
    if (!moved || idle_rounds > 2) {
      report_deadlock(group);
      return;
    }
    const bool too_many =
      launch.request->most_instructions > 0 && launch.instructions > launch.request->most_instructions;
    if (too_many || launch.request->stop.stop_requested()) {
      report(group.warps.front(), launch.code->ops.front(), FindingKind::hang,
             fmt::format("no end after {} instructions of warps", launch.instructions));
      launch.fatal = true;
      return;
    }
  }
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
  whole.code = &request.program->code_of(*entry);
  if (request.counts) {
    whole.lines.resize(whole.code->places.size());
    for (std::size_t i = 0; i < whole.lines.size(); ++i) {
      whole.lines[i].place = execute::source_place(*whole.code, static_cast<std::uint32_t>(i));
      whole.lines[i].opcode = whole.code->texts[i];
    }
  }
  for (const Program::Global& global : request.program->globals()) { // there for as long as the program runs
    memory.map(reinterpret_cast<void*>(global.begin), global.bytes, true);
  }
  whole.parameters = request.parameters;
  whole.parameters.resize(std::max(whole.parameters.size(), entry->parameter_bytes));
  std::mt19937_64 random(request.seed);
  execute::Group group;
  group.launch = &whole;
  for (std::uint32_t z = 0; z < request.grid[2] && !whole.fatal; ++z) {
    for (std::uint32_t y = 0; y < request.grid[1] && !whole.fatal; ++y) {
      for (std::uint32_t x = 0; x < request.grid[0] && !whole.fatal; ++x) {
        group.id = {x, y, z};
        execute::run_group(group, random);
        ++group.number;
      }
    }
  }
  for (const Program::Global& global : request.program->globals()) {
    memory.release(global.begin);
  }
  std::erase_if(whole.lines, [](const LineCounts& line) { return line.warps == 0; });
  whole.result.counts.lines = std::move(whole.lines);
  whole.result.finished = !whole.fatal;
  return std::move(whole.result);
}

} // namespace hone::emulate
