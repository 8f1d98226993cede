// Groups at their beginning: registers, memory, special registers, clocks.
#include "emulate/execute/begin.h"

#include "emulate/execute/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

namespace hone::emulate::execute {

namespace {

constexpr std::uint32_t k_most_groups = 16; // of a cluster

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
    const std::array<std::uint32_t, 3>& of_cluster = group.launch->cluster;
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
    } else if (base == "%cluster_ctaid") {
      value = group.id_in_cluster[axis];
    } else if (base == "%cluster_nctaid") {
      value = of_cluster[axis];
    } else if (base == "%cluster_ctarank") {
      value = group.rank;
    } else if (base == "%cluster_nctarank") {
      value = group.cluster->groups.size();
    } else if (base == "%clusterid") {
      value = group.cluster->id[axis];
    } else if (base == "%nclusterid") {
      value = request.grid[axis] / of_cluster[axis];
    } else if (base == "%dynamic_smem_size") {
      value = request.dynamic_shared_bytes;
    } else if (base == "%total_smem_size") {
      value = group.shared.size();
    } else if (base == "%nsmid") {
      value = 132;
    } else if (base == "%smid") {
      value = group.number % 132;
    }
    if (base == "%is_explicit_cluster") { // a predicate
      const Mask all = group.launch->explicit_cluster ? k_all_lanes : 0;
      std::memcpy(warp.registers + offset, &all, sizeof all);
      return;
    }
    // Read in 32 bits, or in 64 where the program says so.
    if (base == "%gridid") {
      std::memcpy(warp.registers + offset + static_cast<std::size_t>(lane) * 8, &value, 8);
    } else {
      std::memcpy(warp.registers + offset + static_cast<std::size_t>(lane) * 4, &value, 4);
    }
  }
}

std::size_t warps_of(const LaunchRequest& request)
{
  return (std::size_t{request.block[0]} * request.block[1] * request.block[2] + k_lanes - 1) / k_lanes;
}

void begin_group(Group& group)
{
  Launch& launch = *group.launch;
  const LaunchRequest& request = *launch.request;
  const Cluster& cluster = *group.cluster;
  const Code& code = *launch.code;
  const std::uint32_t items = request.block[0] * request.block[1] * request.block[2];
  const std::size_t count = warps_of(request);
  const std::size_t file = (code.register_bytes + 63) / 64 * 64;
  const auto aligned = [](std::vector<std::byte>& bytes) {
    const auto raw = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + ((raw + 63) / 64 * 64 - raw);
  };
  group.registers.resize(file * count + 64);
  group.local.assign(code.local_bytes * k_lanes * count, std::byte{0xa5});
  forget_flags(launch, group.shared.data(), group.shared.size());
  group.shared.assign(code.shared_bytes + request.dynamic_shared_bytes, std::byte{0xa5});
  if (request.checks) {
    group.shared_shadow.reset(group.shared.size(), cluster.warps, cluster.actors, true);
  }
  group.barriers = {};
  group.waves.clear();
  group.mbarriers.clear();
  group.bulk_copies.clear();
  group.visitors.clear();
  group.left = false;
  group.warps.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    Warp& warp = group.warps[i];
    warp.group = &group;
    warp.index = static_cast<int>(i);
    warp.actor = static_cast<std::uint32_t>(group.rank * count + i);
    warp.registers = aligned(group.registers) + i * file;
    warp.local = group.local.data() + i * code.local_bytes * k_lanes;
    std::memcpy(warp.registers, code.image.data(), code.image.size());
    const std::uint32_t lanes = std::min<std::uint32_t>(k_lanes, items - static_cast<std::uint32_t>(i) * k_lanes);
    warp.alive = lanes == k_lanes ? k_all_lanes : (Mask{1} << lanes) - 1;
    warp.now = {code.entry, warp.alive, -1, false};
    warp.clock.near.assign(2 * std::size_t{cluster.actors}, 0);
    warp.clock.near[warp.actor] = 2; // 1: that it has begun, and nothing that it did
    for (const auto& [name, offset] : code.special) {
      fill(warp, offset, name);
    }
  }
}

} // namespace

std::string take_cluster(Launch& launch, const Entry& entry)
{
  const LaunchRequest& request = *launch.request;
  const bool said = request.cluster[0] != 0;
  launch.explicit_cluster = said || !entry.cluster.empty();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t own = axis < entry.cluster.size() ? static_cast<std::uint32_t>(entry.cluster[axis]) : 1;
    launch.cluster[axis] = std::max<std::uint32_t>(said ? request.cluster[axis] : own, 1);
    if (said && !entry.cluster.empty() && launch.cluster[axis] != own) {
      return fmt::format("{} is for clusters of another size", entry.name);
    }
    if (request.grid[axis] % launch.cluster[axis] != 0) {
      return fmt::format("the grid of {} is no multiple of its clusters", entry.name);
    }
  }
  const std::uint32_t groups = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  return groups > k_most_groups ? fmt::format("a cluster of {} groups; a device has at most {}", groups, k_most_groups)
                                : "";
}

void begin_cluster(Cluster& cluster, Launch& launch, std::uint32_t number)
{
  const std::array<std::uint32_t, 3>& of = launch.cluster;
  const std::array<std::uint32_t, 3>& grid = launch.request->grid;
  const std::uint32_t nx = grid[0] / of[0], ny = grid[1] / of[1];
  const std::size_t groups = std::size_t{of[0]} * of[1] * of[2];
  cluster.launch = &launch;
  cluster.number = number;
  cluster.id = {number % nx, number / nx % ny, number / (nx * ny)};
  cluster.warps = static_cast<std::uint32_t>(groups * warps_of(*launch.request));
  cluster.actors =
    cluster.warps + (launch.code->has_mbarriers ? static_cast<std::uint32_t>(groups * k_most_mbarriers) : 0);
  cluster.first_actor = std::uint64_t{number} * cluster.actors + 1;
  cluster.arriving = cluster.released = {};
  cluster.groups.resize(groups);
  for (std::size_t rank = 0; rank < groups; ++rank) {
    if (cluster.groups[rank] == nullptr) {
      cluster.groups[rank] = std::make_unique<Group>();
    }
    Group& group = *cluster.groups[rank];
    const auto flat = static_cast<std::uint32_t>(rank);
    group.launch = &launch;
    group.cluster = &cluster;
    group.rank = flat;
    group.id_in_cluster = {flat % of[0], flat / of[0] % of[1], flat / (of[0] * of[1])};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      group.id[axis] = cluster.id[axis] * of[axis] + group.id_in_cluster[axis];
    }
    group.number = (group.id[2] * grid[1] + group.id[1]) * grid[0] + group.id[0];
    begin_group(group);
  }
}

} // namespace hone::emulate::execute
