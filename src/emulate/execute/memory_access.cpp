#include "emulate/execute/memory_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace hone::emulate::execute {

namespace {

std::string_view word_of(Access access)
{
  return access == Access::load ? "loads" : access == Access::store ? "stores" : "updates";
}

std::string item_text(const Warp& warp, int lane)
{
  const auto& block = warp.group->launch->request->block;
  const std::uint32_t flat = static_cast<std::uint32_t>(warp.index) * k_lanes + static_cast<std::uint32_t>(lane);
  return fmt::format("thread ({}, {}, {}) of block ({}, {}, {})", flat % block[0], flat / block[0] % block[1],
                     flat / (block[0] * block[1]), warp.group->id[0], warp.group->id[1], warp.group->id[2]);
}

std::string place_text(const Warp& warp, std::uint32_t place)
{
  const Code& code = *warp.group->launch->code;
  const ptx::Place& at = code.places[place];
  const auto file = static_cast<std::size_t>(at.file);
  return to_text(SourcePlace{file < code.files.size() ? code.files[file] : "", at.line, at.ptx_line});
}

// Whether what an actor did is known to this warp's lane: it comes before. Proxy::async: to the asynchronous proxy,
// which knows of stores that a fence has told it of.
enum class Proxy { generic, async };
constexpr int k_no_lane = -1; // of an asynchronous operation

bool is_ordered(const Warp& warp, const Actor& actor, int lane, Proxy proxy = Proxy::generic)
{
  if (actor.clock == k_pending) {
    return false; // a copy that nobody has waited for
  }
  const Group& group = *warp.group;
  if (actor.warp < group.first_actor() || actor.warp >= group.first_actor() + group.actors()) {
    return false; // of another group
  }
  const std::size_t other = actor.warp - group.first_actor();
  if (other >= group.warps.size()) {
    return actor.clock <= warp.clock[other]; // copies: asynchronous themselves
  }
  if (proxy == Proxy::async) {
    return actor.clock <= warp.clock[group.actors() + other];
  }
  if (other == static_cast<std::size_t>(warp.index)) {
    return actor.lane == lane || actor.clock < warp.own_clock();
  }
  return actor.clock <= warp.clock[other];
}

void report_race(Warp& warp, const Op& op, int lane, Access access, std::string_view memory, std::uint64_t at,
                 const Actor& other, bool other_stores)
{
  if (other.clock == k_pending) {
    report(warp, op, FindingKind::race,
           fmt::format("{} {} memory at {}, {} at {} is not waited for ({})", word_of(access), memory, at,
                       other_stores ? "to which the copy begun" : "which what was begun", place_text(warp, other.place),
                       item_text(warp, lane)),
           other.place);
    return;
  }
  const bool same_warp = other.warp == warp.group->first_actor() + static_cast<std::uint64_t>(warp.index);
  report(warp, op, FindingKind::race,
         fmt::format("{} {} memory at {}, which {} {}{} ({})", word_of(access), memory, at,
                     place_text(warp, other.place), other_stores ? "stores" : "loads",
                     same_warp ? " in the same warp without a synchronisation between them" : " without an order",
                     item_text(warp, lane)),
         other.place);
}

void check(Warp& warp, const Op& op, Shadow& shadow, std::uint64_t at, std::size_t bytes, int lane, Access access,
           std::string_view memory, bool needs_store)
{
  const Group& group = *warp.group;
  const Actor me{group.first_actor() + static_cast<std::uint64_t>(warp.index), warp.own_clock(), op.place,
                 static_cast<std::uint8_t>(lane)};
  bool told = false;
  shadow.cells(at, bytes, [&](Cell& cell) {
    if (access == Access::load) {
      // What this warp has loaded since its last synchronisation, from a store of somebody else, was looked at then.
      const Actor& known = cell.set != 0 ? shadow.loads_of(cell)[static_cast<std::size_t>(warp.index)] : cell.load;
      if (known.warp == me.warp && known.clock == me.clock && cell.store.warp != 0 && cell.store.warp != me.warp
          && cell.store.clock != k_pending && !cell.foreign) {
        return;
      }
      if (needs_store && cell.store.warp == 0 && !told) {
        told = true;
        report(warp, op, FindingKind::uninitialised,
               fmt::format("loads {} memory at {}, which nobody stored ({})", memory, at, item_text(warp, lane)));
      }
      if (cell.store.warp != 0 && !is_ordered(warp, cell.store, lane) && !told) {
        told = true;
        report_race(warp, op, lane, access, memory, at, cell.store, true);
      }
      const std::uint64_t first = group.first_actor();
      if (cell.load.warp != 0 && cell.load.warp != me.warp && (cell.set != 0 || !is_ordered(warp, cell.load, lane))) {
        if (cell.load.warp < first || cell.load.warp >= first + group.warps.size()) {
          cell.foreign = true;
        } else {
          LoadSet& loads = shadow.loads_of(cell);
          loads[cell.load.warp - first] = cell.load;
          loads[static_cast<std::size_t>(warp.index)] = me;
        }
      } else if (cell.set != 0) {
        shadow.loads_of(cell)[static_cast<std::size_t>(warp.index)] = me;
      }
      cell.load = me;
      return;
    }
    const bool both_atomic = access == Access::atomic && cell.atomic;
    if (cell.store.warp != 0 && !both_atomic && !told && !is_ordered(warp, cell.store, lane)) {
      told = true;
      report_race(warp, op, lane, access, memory, at, cell.store, true);
    }
    if (cell.load.warp != 0 && !told && !is_ordered(warp, cell.load, lane)) {
      told = true;
      report_race(warp, op, lane, access, memory, at, cell.load, false);
    }
    if (cell.foreign && !told) {
      told = true;
      report_race(warp, op, lane, access, memory, at, cell.load, false);
    }
    if (cell.set != 0 && !told) {
      for (const Actor& load : shadow.loads_of(cell)) {
        if (load.warp != 0 && !told && !is_ordered(warp, load, lane)) {
          told = true;
          report_race(warp, op, lane, access, memory, at, load, false);
        }
      }
    }
    shadow.forget_loads(cell);
    cell.store = me;
    cell.atomic = access == Access::atomic;
  });
}

std::byte* outside(Warp& warp, const Op& op, Access access, std::size_t bytes, std::string_view what, int lane)
{
  report(warp, op, FindingKind::out_of_bounds,
         fmt::format("{} {} bytes {} ({})", word_of(access), bytes, what, item_text(warp, lane)));
  return nullptr;
}

std::byte* in_shared(Warp& warp, const Op& op, std::uint64_t offset, std::size_t bytes, int lane, Access access)
{
  Group& group = *warp.group;
  if (offset + bytes > group.shared.size()) {
    return outside(warp, op, access, bytes,
                   fmt::format("at {} of {} bytes of shared memory", offset, group.shared.size()), lane);
  }
  if (group.launch->request->checks) {
    check(warp, op, group.shared_shadow, offset, bytes, lane, access, "shared", true);
  }
  return group.shared.data() + offset;
}

std::byte* in_global(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, int lane, Access access,
                     bool read_only)
{
  Launch& launch = *warp.group->launch;
  Allocation* const allocation = launch.memory->find(address, bytes);
  if (allocation == nullptr) {
    const Allocation* const before = launch.memory->before(address);
    return outside(warp, op, access, bytes,
                   before == nullptr ? fmt::format("at {:#x}, where no allocation is", address)
                                     : fmt::format("at {:#x}, {} bytes past the beginning of an allocation of {} bytes",
                                                   address, address - before->begin, before->bytes),
                   lane);
  }
  if (access != Access::load && !allocation->writable) {
    return outside(warp, op, access, bytes, "in memory that is read-only", lane);
  }
  if (launch.request->checks && !read_only) {
    Shadow& shadow = launch.shadows[allocation->begin];
    if (shadow.empty()) {
      shadow.reset(allocation->bytes);
    }
    check(warp, op, shadow, address - allocation->begin, bytes, lane, access, "global", false);
  }
  return reinterpret_cast<std::byte*>(address);
}

} // namespace

namespace {

Actor actor_of(const Warp& warp, std::uint32_t clock, std::uint32_t place, int lane)
{
  return {warp.group->first_actor() + static_cast<std::uint64_t>(warp.index), clock, place,
          static_cast<std::uint8_t>(lane)};
}

template <class Change> void change_cells(Warp& warp, std::uint64_t offset, std::uint64_t bytes, const Change& change)
{
  Shadow& shadow = warp.group->shared_shadow;
  if (!shadow.empty()) {
    shadow.cells(offset, bytes, change);
  }
}

} // namespace

void mark_pending(Warp& warp, const AsyncCopy& copy)
{
  change_cells(warp, copy.offset, copy.bytes,
               [&](Cell& cell) { cell.store = actor_of(warp, k_pending, copy.place, copy.lane); });
}

void mark_done(Warp& warp, const AsyncCopy& copy)
{
  change_cells(warp, copy.offset, copy.bytes, [&](Cell& cell) { cell.store.clock = warp.own_clock(); });
}

std::byte* async_bytes(Warp& warp, const Op& op, std::uint64_t offset, std::size_t bytes, Access access,
                       const MBarrier* barrier)
{
  Group& group = *warp.group;
  if (offset + bytes > group.shared.size()) {
    return outside(warp, op, access, bytes,
                   fmt::format("at {} of {} bytes of shared memory", offset, group.shared.size()), 0);
  }
  bool told = false;
  const auto tell = [&](const Actor& actor, bool stores) {
    if (!told) {
      told = true;
      const bool fence = actor.clock != k_pending && stores && is_ordered(warp, actor, k_no_lane);
      report(warp, op, FindingKind::race,
             fmt::format("{} shared memory asynchronously at {}, which {} {} {} ({})", word_of(access), offset,
                         place_text(warp, actor.place), stores ? "stores" : "loads",
                         fence                      ? "without a fence.proxy.async behind it"
                         : actor.clock == k_pending ? "and which is not waited for"
                                                    : "without an order",
                         item_text(warp, 0)),
             actor.place);
    }
  };
  change_cells(warp, offset, bytes, [&](Cell& cell) {
    if (access == Access::load && cell.store.warp == 0 && !told) {
      told = true;
      report(
        warp, op, FindingKind::uninitialised,
        fmt::format("loads shared memory asynchronously at {}, which nobody stored ({})", offset, item_text(warp, 0)));
    }
    if (cell.store.warp != 0 && !is_ordered(warp, cell.store, k_no_lane, Proxy::async)) {
      tell(cell.store, true);
    }
    if (access == Access::load) {
      cell.load = actor_of(warp, k_pending, op.place, 0);
      return;
    }
    if (cell.load.warp != 0 && !is_ordered(warp, cell.load, k_no_lane)) {
      tell(cell.load, false);
    }
    if (cell.set != 0) {
      for (const Actor& load : group.shared_shadow.loads_of(cell)) {
        if (load.warp != 0 && !is_ordered(warp, load, k_no_lane)) {
          tell(load, false);
        }
      }
    }
    group.shared_shadow.forget_loads(cell);
    cell.store = {group.first_actor() + group.warps.size() + barrier->number, barrier->phase + 1, op.place, 0};
  });
  return group.shared.data() + offset;
}

void end_async_load(Warp& warp, std::uint64_t offset, std::uint64_t bytes)
{
  change_cells(warp, offset, bytes, [&](Cell& cell) {
    if (cell.load.clock == k_pending) {
      cell.load.clock = warp.own_clock();
    }
  });
}

std::byte* bytes_at(Warp& warp, const Op& op, Where where, std::uint64_t address, std::size_t bytes, int lane,
                    Access access, bool read_only)
{
  Launch& launch = *warp.group->launch;
  if (address % bytes != 0) {
    report(warp, op, FindingKind::misaligned,
           fmt::format("{} {} bytes at {:#x} ({})", word_of(access), bytes, address, item_text(warp, lane)));
    return nullptr;
  }
  if (where == Where::generic) {
    const std::uint64_t window = address & k_window_mask;
    where = window == k_shared_window      ? Where::shared
            : window == k_local_window     ? Where::local
            : window == k_constant_window  ? Where::constant
            : window == k_parameter_window ? Where::parameter
                                           : Where::global;
  }
  const std::uint64_t offset = address & ~k_window_mask;
  switch (where) {
  case Where::shared:
    return in_shared(warp, op, offset, bytes, lane, access);
  case Where::local: {
    const std::size_t each = launch.code->local_bytes;
    return offset + bytes > each ? outside(warp, op, access, bytes, "beyond local memory", lane)
                                 : warp.local + static_cast<std::size_t>(lane) * each + offset;
  }
  case Where::constant:
    return offset + bytes > launch.code->constants.size() || access != Access::load
             ? outside(warp, op, access, bytes, "beyond constant memory", lane)
             : const_cast<std::byte*>(launch.code->constants.data()) + offset;
  case Where::parameter:
    return offset + bytes > launch.parameters.size() || access != Access::load
             ? outside(warp, op, access, bytes, "beyond the parameters", lane)
             : launch.parameters.data() + offset;
  default:
    return in_global(warp, op, address, bytes, lane, access, read_only);
  }
}

} // namespace hone::emulate::execute
