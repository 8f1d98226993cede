// Long because what accesses of both proxies leave behind is looked at by the same few rules, which stand together
// here.
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
  return fmt::format("thread ({}, {}, {}) of {}", flat % block[0], flat / block[0] % block[1],
                     flat / (block[0] * block[1]), group_text(*warp.group));
}

// Whether what an actor did is known to this warp's lane: it comes before. Proxy::async: to the asynchronous proxy,
// which knows of stores that a fence has told it of.
enum class Proxy { generic, async };
constexpr int k_no_lane = -1; // of an asynchronous operation

[[gnu::noinline]] bool is_known_from_afar(const Known& known, const Cluster& cluster, const Actor& actor, Proxy proxy)
{
  if (known.far == nullptr) {
    return false;
  }
  const std::uint64_t index = (actor.warp - 1) % cluster.actors;
  const auto found = known.far->find(static_cast<std::uint32_t>((actor.warp - 1) / cluster.actors));
  const bool fenced = proxy == Proxy::async && !actor.asynchronous && index < cluster.warps;
  return found != known.far->end() && actor.clock <= found->second[index + (fenced ? cluster.actors : 0)];
}

bool is_ordered(const Warp& warp, const Actor& actor, int lane, Proxy proxy = Proxy::generic)
{
  if (actor.clock == k_pending) {
    return false; // what nobody has waited for
  }
  const Cluster& cluster = *warp.group->cluster;
  const std::uint64_t other = actor.warp - cluster.first_actor;
  if (other >= cluster.actors) {
    return is_known_from_afar(warp.clock, cluster, actor, proxy);
  }
  if (proxy == Proxy::async && !actor.asynchronous && other < cluster.warps) {
    return actor.clock <= warp.clock.near[cluster.actors + other];
  }
  if (other == warp.actor && !actor.asynchronous) {
    return actor.lane == lane || actor.clock < warp.own_clock();
  }
  return actor.clock <= warp.clock.near[other];
}

// Strong accesses whose scopes hold each other are no race.
bool are_both_strong(const Warp& warp, const Actor& other, const Actor& me)
{
  const int scope = std::min(other.scope, me.scope);
  if (scope == 0 || scope == k_scope_device) {
    return scope != 0;
  }
  const Cluster& cluster = *warp.group->cluster;
  const std::uint64_t index = other.warp - cluster.first_actor;
  return index < cluster.warps && (scope == k_scope_cluster || index / warp.group->warps.size() == warp.group->rank);
}

void report_race(Warp& warp, const Op& op, int lane, Access access, std::string_view memory, std::uint64_t at,
                 const Actor& other, bool other_stores)
{
  if (other.clock == k_pending) {
    report(warp, op, FindingKind::race,
           fmt::format("{} {} memory at {}, {} {} is not waited for ({})", word_of(access), memory, at,
                       other_stores ? "to which the copy begun at" : "which what was begun at",
                       place_text(warp, other.place), item_text(warp, lane)),
           other.place);
    return;
  }
  const bool same_warp = other.warp == warp.group->cluster->first_actor + warp.actor;
  report(warp, op, FindingKind::race,
         fmt::format("{} {} memory at {}, which {} {}{} ({})", word_of(access), memory, at,
                     place_text(warp, other.place), other_stores ? "stores" : "loads",
                     same_warp ? " in the same warp without a synchronisation between them" : " without an order",
                     item_text(warp, lane)),
         other.place);
}

Actor actor_of(const Warp& warp, const Op& op, int lane, Access access)
{
  const std::uint8_t said = op.order & k_scope_mask;
  const std::uint8_t scope = access == Access::atomic && said == 0 ? std::uint8_t{k_scope_device} : said;
  return {warp.group->cluster->first_actor + warp.actor,
          warp.own_clock(),
          op.place,
          static_cast<std::uint8_t>(lane),
          scope,
          false};
}

// Calls `tell(load)` for loads of a cell that are not in order before what the warp does now.
template <class Tell>
void loads_without_order(const Warp& warp, Shadow& shadow, Cell& cell, const Actor& me, int lane, const Tell& tell)
{
  const auto look = [&](const Actor& load) {
    if (load.warp != 0 && !is_ordered(warp, load, lane) && !are_both_strong(warp, load, me)) {
      tell(load);
    }
  };
  look(cell.load);
  if (cell.foreign) {
    tell(cell.load);
  }
  if (cell.set != 0) {
    for (const Actor& load : shadow.near_of(cell)) {
      look(load);
    }
    for (const Actor& load : shadow.set_of(cell).far) {
      look(load);
    }
  }
}

void check(Warp& warp, const Op& op, Shadow& shadow, std::uint64_t at, std::size_t bytes, int lane, Access access,
           std::string_view memory, bool needs_store)
{
  const std::uint64_t first = warp.group->cluster->first_actor;
  const Actor me = actor_of(warp, op, lane, access);
  bool told = false;
  shadow.cells(at, bytes, [&](Cell& cell) {
    if (access == Access::load) {
      // What this warp has loaded since its last synchronisation, from a store of somebody else, was looked at then.
      const Actor& known = cell.set != 0 ? shadow.near_of(cell)[warp.actor] : cell.load;
      const bool looked_at =
        cell.store.warp == 0 ? !needs_store : cell.store.warp != me.warp && cell.store.clock != k_pending;
      if (known.warp == me.warp && known.clock == me.clock && known.scope <= me.scope && looked_at) {
        return;
      }
      if (needs_store && cell.store.warp == 0 && !told) {
        told = true;
        report(warp, op, FindingKind::uninitialised,
               fmt::format("loads {} memory at {}, which nobody stored ({})", memory, at, item_text(warp, lane)));
      }
      if (cell.store.warp != 0 && !is_ordered(warp, cell.store, lane) && !told
          && !are_both_strong(warp, cell.store, me)) {
        told = true;
        report_race(warp, op, lane, access, memory, at, cell.store, true);
      }
      const Actor& load = cell.load;
      if (cell.foreign
          || (cell.set == 0
              && (load.warp == 0 || (load.warp == me.warp && load.clock != k_pending)
                  || is_ordered(warp, load, lane)))) {
        cell.load = me;
      } else if (cell.set != 0 && shadow.set_of(cell).first_actor == first) {
        shadow.near_of(cell)[warp.actor] = me;
        cell.load = me;
      } else {
        shadow.add_load(cell, me, first);
      }
      return;
    }
    if (access == Access::atomic && needs_store && cell.store.warp == 0 && !told) {
      told = true;
      report(warp, op, FindingKind::uninitialised,
             fmt::format("updates {} memory at {}, which nobody stored ({})", memory, at, item_text(warp, lane)));
    }
    const auto tell = [&](const Actor& other, bool stores) {
      if (!told) {
        told = true;
        report_race(warp, op, lane, access, memory, at, other, stores);
      }
    };
    if (cell.store.warp != 0 && !told && !is_ordered(warp, cell.store, lane)
        && !are_both_strong(warp, cell.store, me)) {
      tell(cell.store, true);
    }
    if (cell.load.warp != 0 || cell.set != 0) {
      loads_without_order(warp, shadow, cell, me, lane, [&](const Actor& load) { tell(load, false); });
      shadow.forget_loads(cell);
    }
    cell.store = me;
  });
}

std::byte* outside(Warp& warp, const Op& op, Access access, std::size_t bytes, std::string_view what, int lane)
{
  report(warp, op, FindingKind::out_of_bounds,
         fmt::format("{} {} bytes {} ({})", word_of(access), bytes, what, item_text(warp, lane)));
  return nullptr;
}

std::byte* in_shared(Warp& warp, const Op& op, const SharedPlace& place, std::size_t bytes, int lane, Access access)
{
  Group& group = *place.group;
  if (place.offset + bytes > group.shared.size()) {
    return outside(warp, op, access, bytes,
                   fmt::format("at {} of {} bytes of shared memory", place.offset, group.shared.size()), lane);
  }
  if (group.launch->request->checks) {
    check(warp, op, group.shared_shadow, place.offset, bytes, lane, access, "shared", true);
  }
  return group.shared.data() + place.offset;
}

Shadow& shadow_of(Warp& warp, const Allocation& allocation)
{
  Launch& launch = *warp.group->launch;
  if (launch.last_shadow != nullptr && launch.last_begin == allocation.begin) {
    return *launch.last_shadow;
  }
  Shadow& shadow = launch.shadows[allocation.begin];
  if (shadow.empty()) {
    const Cluster& cluster = *warp.group->cluster;
    shadow.reset(allocation.bytes, cluster.warps, cluster.actors, launch.code->orders_groups);
  }
  launch.last_shadow = &shadow;
  launch.last_begin = allocation.begin;
  return shadow;
}

// nullptr: reported.
Allocation* allocation_of(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, int lane, Access access)
{
  Launch& launch = *warp.group->launch;
  Allocation* const allocation = launch.memory->find(address, bytes);
  if (allocation == nullptr) {
    const Allocation* const before = launch.memory->before(address);
    return outside(warp, op, access, bytes,
                   before == nullptr ? fmt::format("at {:#x}, where no allocation is", address)
                                     : fmt::format("at {:#x}, {} bytes past the beginning of an allocation of {} bytes",
                                                   address, address - before->begin, before->bytes),
                   lane),
           nullptr;
  }
  if (access != Access::load && !allocation->writable) {
    return outside(warp, op, access, bytes, "in memory that is read-only", lane), nullptr;
  }
  return allocation;
}

std::byte* in_global(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, int lane, Access access,
                     bool read_only)
{
  const Allocation* const allocation = allocation_of(warp, op, address, bytes, lane, access);
  if (allocation == nullptr) {
    return nullptr;
  }
  if (warp.group->launch->request->checks && !read_only) {
    check(warp, op, shadow_of(warp, *allocation), address - allocation->begin, bytes, lane, access, "global", false);
  }
  return reinterpret_cast<std::byte*>(address);
}

} // namespace

std::string place_text(const Warp& warp, std::uint32_t place)
{
  const Code& code = *warp.group->launch->code;
  const ptx::Place& at = code.places[place];
  const auto file = static_cast<std::size_t>(at.file);
  return to_text(SourcePlace{file < code.files.size() ? code.files[file] : "", at.line, at.ptx_line});
}

std::string group_text(const Group& group)
{
  return fmt::format("block ({}, {}, {})", group.id[0], group.id[1], group.id[2]);
}

namespace {

template <class Change> void change_cells(Warp& warp, std::uint64_t offset, std::uint64_t bytes, const Change& change)
{
  Shadow& shadow = warp.group->shared_shadow;
  if (!shadow.empty()) {
    shadow.cells(offset, bytes, change);
  }
}

// What an asynchronous operation touches, and who has it done when.
void check_async(Warp& warp, const Op& op, Shadow& shadow, std::uint64_t at, std::size_t bytes, Access access,
                 const MBarrier* barrier, std::string_view memory, bool needs_store)
{
  const std::uint64_t first = warp.group->cluster->first_actor;
  Actor me{first + warp.actor, k_pending, op.place, 0, 0, true};
  if (barrier != nullptr) {
    me.warp = first + barrier->actor;
    me.clock = barrier->phase + 1;
  }
  me.scope = access == Access::atomic ? std::uint8_t{k_scope_device} : std::uint8_t{0};
  bool told = false;
  const auto tell = [&](const Actor& actor, bool stores) {
    if (!told) {
      told = true;
      const bool fence = actor.clock != k_pending && stores && is_ordered(warp, actor, k_no_lane);
      report(warp, op, FindingKind::race,
             fmt::format("{} {} memory asynchronously at {}, which {} {} {} ({})", word_of(access), memory, at,
                         place_text(warp, actor.place), stores ? "stores" : "loads",
                         fence                      ? "without a fence.proxy.async behind it"
                         : actor.clock == k_pending ? "and which is not waited for"
                                                    : "without an order",
                         item_text(warp, 0)),
             actor.place);
    }
  };
  shadow.cells(at, bytes, [&](Cell& cell) {
    if (needs_store && access == Access::load && cell.store.warp == 0 && !told) {
      told = true;
      report(
        warp, op, FindingKind::uninitialised,
        fmt::format("loads {} memory asynchronously at {}, which nobody stored ({})", memory, at, item_text(warp, 0)));
    }
    if (cell.store.warp != 0 && !is_ordered(warp, cell.store, k_no_lane, Proxy::async)
        && !are_both_strong(warp, cell.store, me)) {
      tell(cell.store, true);
    }
    if (access == Access::load) {
      const bool free = cell.load.warp == 0 || is_ordered(warp, cell.load, k_no_lane);
      if (cell.set == 0 && free && !cell.foreign) {
        cell.load = me;
      } else {
        shadow.add_load(cell, me, first);
      }
      return;
    }
    if (cell.load.warp != 0 || cell.set != 0) {
      loads_without_order(warp, shadow, cell, me, k_no_lane, [&](const Actor& load) { tell(load, false); });
      shadow.forget_loads(cell);
    }
    cell.store = me;
  });
}

// Another group's memory: it must have begun, and stay until this is done.
bool visit(Warp& warp, const Op& op, Group& group, int lane, Access access)
{
  if (group.left) {
    report(warp, op, FindingKind::race,
           fmt::format("{} shared memory of {}, which has left ({})", word_of(access), group_text(group),
                       item_text(warp, lane)));
    return false;
  }
  const Cluster& cluster = *group.cluster;
  const bool begun = std::ranges::any_of(group.warps, [&](const Warp& one) { return warp.clock.near[one.actor] > 0; });
  if (!begun && group.launch->request->checks) {
    report(warp, op, FindingKind::race,
           fmt::format("{} shared memory of {}, and nothing shows that it has begun ({})", word_of(access),
                       group_text(group), item_text(warp, lane)));
  }
  group.visitors.resize(cluster.warps);
  group.visitors[warp.actor] = actor_of(warp, op, lane, access);
  return true;
}

} // namespace

void mark_pending(Warp& warp, const AsyncCopy& copy)
{
  change_cells(warp, copy.offset, copy.bytes, [&](Cell& cell) {
    cell.store = {warp.group->cluster->first_actor + warp.actor, k_pending, copy.place,
                  static_cast<std::uint8_t>(copy.lane),          0,         false};
  });
}

void mark_done(Warp& warp, const AsyncCopy& copy)
{
  change_cells(warp, copy.offset, copy.bytes, [&](Cell& cell) { cell.store.clock = warp.own_clock(); });
}

SharedPlace shared_place(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, int lane, Access access)
{
  const std::uint64_t offset = address & ~k_window_mask, rank = offset >> k_rank_shift;
  if (rank == 0) {
    return {warp.group, offset};
  }
  Cluster& cluster = *warp.group->cluster;
  if (rank > cluster.groups.size()) {
    outside(warp, op, access, bytes, fmt::format("of block {} of a cluster of {}", rank - 1, cluster.groups.size()),
            lane);
    return {};
  }
  Group& group = *cluster.groups[rank - 1];
  const bool fine = &group == warp.group || visit(warp, op, group, lane, access);
  return fine ? SharedPlace{&group, offset & ((std::uint64_t{1} << k_rank_shift) - 1)} : SharedPlace{};
}

std::byte* async_bytes(Warp& warp, const Op& op, const SharedPlace& place, std::size_t bytes, Access access,
                       const MBarrier* barrier)
{
  Group& group = *place.group;
  if (place.offset + bytes > group.shared.size()) {
    return outside(warp, op, access, bytes,
                   fmt::format("at {} of {} bytes of shared memory", place.offset, group.shared.size()), 0);
  }
  if (!group.shared_shadow.empty()) {
    check_async(warp, op, group.shared_shadow, place.offset, bytes, access, barrier, "shared", true);
  }
  return group.shared.data() + place.offset;
}

std::byte* async_global(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, Access access,
                        const MBarrier* barrier)
{
  const Allocation* const allocation = allocation_of(warp, op, address, bytes, 0, access);
  if (allocation == nullptr) {
    return nullptr;
  }
  if (warp.group->launch->request->checks) {
    check_async(warp, op, shadow_of(warp, *allocation), address - allocation->begin, bytes, access, barrier, "global",
                false);
  }
  return reinterpret_cast<std::byte*>(address);
}

void end_async(Warp& warp, const PendingAccess& access)
{
  const std::uint64_t me = warp.group->cluster->first_actor + warp.actor;
  Shadow* shadow = &warp.group->shared_shadow;
  std::uint64_t at = access.at;
  if (access.global) {
    const Allocation* const allocation = warp.group->launch->memory->find(access.at, access.bytes);
    shadow = allocation == nullptr ? nullptr : &shadow_of(warp, *allocation);
    at -= allocation == nullptr ? 0 : allocation->begin;
  }
  if (shadow == nullptr || shadow->empty() || !warp.group->launch->request->checks) {
    return;
  }
  shadow->cells(at, access.bytes, [&](Cell& cell) {
    if (!access.stores) {
      shadow->end_load(cell, me, warp.own_clock());
    } else if (cell.store.warp == me && cell.store.clock == k_pending) {
      cell.store.clock = warp.own_clock();
    }
  });
}

bool check_tensor_map(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, const MBarrier* barrier)
{
  const Allocation* const allocation = allocation_of(warp, op, address, bytes, 0, Access::load);
  if (allocation == nullptr) {
    return false;
  }
  if (!warp.group->launch->request->checks) {
    return true;
  }
  const Launch& launch = *warp.group->launch;
  const Cluster& cluster = *warp.group->cluster;
  Actor me{cluster.first_actor + warp.actor, k_pending, op.place, 0, 0, true};
  if (barrier != nullptr) {
    me.warp = cluster.first_actor + barrier->actor;
    me.clock = barrier->phase + 1;
  }
  const auto view = warp.map_views.find(address);
  const auto is_shown = [&](const Actor& store) { // to this warp's view of the map, by a fence at each side
    if (view == warp.map_views.end() || store.clock == k_pending) {
      return false;
    }
    const auto released = launch.map_releases.find(store.warp);
    const std::uint64_t other = store.warp - cluster.first_actor;
    return released != launch.map_releases.end() && store.clock <= released->second
           && (other < cluster.actors ? store.clock <= view->second.near[other]
                                      : is_known_from_afar(view->second, cluster, store, Proxy::generic));
  };
  Shadow& shadow = shadow_of(warp, *allocation);
  bool told = false;
  shadow.cells(address - allocation->begin, bytes, [&](Cell& cell) {
    if (cell.store.warp != 0 && !told && !is_shown(cell.store)) {
      told = true;
      const bool ordered = is_ordered(warp, cell.store, k_no_lane);
      report(warp, op, FindingKind::race,
             fmt::format(
               "uses the tensor map at {:#x}, which {} stores {} ({})", address, place_text(warp, cell.store.place),
               ordered ? "without a fence.proxy.tensormap behind it" : "without an order", item_text(warp, 0)),
             cell.store.place);
    }
    if (cell.set == 0 && (cell.load.warp == 0 || is_ordered(warp, cell.load, k_no_lane)) && !cell.foreign) {
      cell.load = me;
    } else {
      shadow.add_load(cell, me, cluster.first_actor);
    }
  });
  return true;
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
    where = window == k_shared_window      ? Where::cluster
            : window == k_local_window     ? Where::local
            : window == k_constant_window  ? Where::constant
            : window == k_parameter_window ? Where::parameter
                                           : Where::global;
  }
  const std::uint64_t offset = address & ~k_window_mask;
  switch (where) {
  case Where::shared:
    return in_shared(warp, op, {warp.group, offset}, bytes, lane, access);
  case Where::cluster: {
    const SharedPlace place = shared_place(warp, op, address, bytes, lane, access);
    return place.group == nullptr ? nullptr : in_shared(warp, op, place, bytes, lane, access);
  }
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
