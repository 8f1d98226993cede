// The memory model of PTX, as far as vector clocks show it: a release makes what its warp knows part of the word that
// it writes; who acquires from the word knows it too. A relaxed access does half of it, and a fence the other half.
#include "emulate/execute/order.h"

#include "emulate/execute/decoder.h"

#include <algorithm>

namespace hone::emulate::execute {

namespace {

using Told = std::shared_ptr<const FarClocks>;

Told told_by(const Known& known, const Cluster& cluster)
{
  if (known.near.empty()) {
    return nullptr;
  }
  auto out = known.far == nullptr ? std::make_shared<FarClocks>() : std::make_shared<FarClocks>(*known.far);
  (*out)[cluster.number] = known.near;
  return out;
}

void take_over(Warp& warp, const Told& told)
{
  const auto mine = told->find(warp.group->cluster->number);
  if (mine != told->end()) {
    learn(static_cast<Known&>(warp.clock), Known{mine->second, nullptr});
  }
  learn(warp.clock.far, told);
}

} // namespace

std::uint8_t order_in(const Decoder& decoder)
{
  const bool strong = decoder.has("relaxed") || decoder.has("acquire") || decoder.has("release")
                      || decoder.has("acq_rel") || decoder.has("sc") || decoder.has("volatile") || decoder.has("mmio");
  const bool updates = decoder.name() == "atom" || decoder.name() == "red";
  if (!strong && !updates) {
    return 0;
  }
  const int scope = decoder.has("cta") ? k_scope_group : decoder.has("cluster") ? k_scope_cluster : k_scope_device;
  const bool both = decoder.has("acq_rel") || decoder.has("sc");
  return static_cast<std::uint8_t>(scope | (both || decoder.has("acquire") ? k_acquires : 0)
                                   | (both || decoder.has("release") ? k_releases : 0));
}

void read_flag(Warp& warp, const Op& op, const std::byte* at)
{
  const Launch& launch = *warp.group->launch;
  const auto found = launch.flags.find(reinterpret_cast<std::uintptr_t>(at));
  if (found == launch.flags.end()) {
    return;
  }
  const Flag& flag = found->second;
  const std::uint8_t needed = flag.group == warp.group->number              ? k_scope_group
                              : flag.cluster == warp.group->cluster->number ? k_scope_cluster
                                                                            : k_scope_device;
  const Told& told = flag.known[needed - 1u];
  if (told == nullptr) {
    return;
  }
  if ((op.order & k_acquires) != 0 && (op.order & k_scope_mask) >= needed) {
    take_over(warp, told);
  } else if (warp.unfenced.empty() || warp.unfenced.back().second != told) {
    warp.unfenced.emplace_back(needed, told);
  }
}

void write_flag(Warp& warp, const Op& op, const std::byte* at, bool continues)
{
  Launch& launch = *warp.group->launch;
  const Cluster& cluster = *warp.group->cluster;
  const bool releases = (op.order & k_releases) != 0;
  if (!launch.code->orders_groups) {
    return;
  }
  Flag& flag = launch.flags[reinterpret_cast<std::uintptr_t>(at)];
  if (!continues) {
    flag.known = {};
  } else if (flag.group != warp.group->number) { // who wrote before is in another scope to those near this one
    flag.known[0] = flag.cluster == cluster.number ? flag.known[1] : flag.known[2];
    flag.known[1] = flag.cluster == cluster.number ? flag.known[1] : flag.known[2];
  }
  flag.group = warp.group->number;
  flag.cluster = cluster.number;
  const Told whole = releases ? told_by(warp.clock, cluster) : nullptr;
  Told before, last;
  for (std::size_t i = 0; i < k_scopes; ++i) {
    const bool reaches = releases && (op.order & k_scope_mask) >= i + 1;
    const Told told = reaches ? whole : told_by(warp.clock.fenced[i], cluster);
    if (i > 0 && flag.known[i] == before && told == last) { // most often all scopes are told the same
      flag.known[i] = flag.known[i - 1];
      continue;
    }
    before = flag.known[i];
    last = told;
    learn(flag.known[i], told);
  }
}

void forget_flags(Launch& launch, const std::byte* begin, std::size_t bytes)
{
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  launch.flags.erase(launch.flags.lower_bound(from), launch.flags.lower_bound(from + bytes));
}

void fence(Warp& warp, std::uint8_t scope)
{
  std::erase_if(warp.unfenced, [&](const auto& one) {
    if (one.first <= scope) {
      take_over(warp, one.second);
    }
    return one.first <= scope;
  });
  for (std::size_t i = 0; i < scope; ++i) {
    warp.clock.fenced[i] = static_cast<const Known&>(warp.clock);
  }
  warp.advance();
}

namespace {

// kind: the scope.
void pass_fence(Warp& warp, const Op& op)
{
  fence(warp, op.kind);
}

// To the asynchronous proxy, what the warp knows of is known.
void fence_proxies(Warp& warp, const Op&)
{
  const auto show = [&](std::vector<std::uint32_t>& clocks) {
    const std::size_t actors = clocks.size() / 2;
    for (std::size_t i = 0; i < actors; ++i) {
      clocks[actors + i] = std::max(clocks[actors + i], clocks[i]);
    }
  };
  show(warp.clock.near);
  if (warp.clock.far != nullptr) {
    auto far = std::make_shared<FarClocks>(*warp.clock.far);
    for (auto& [cluster, clocks] : *far) {
      show(clocks);
    }
    warp.clock.far = std::move(far);
  }
  warp.advance();
}

} // namespace

// fence.acq_rel.gpu, fence.mbarrier_init.release.cluster, membar.gl, fence.proxy.async
void decode_fence(Decoder& decoder)
{
  if (decoder.has("proxy")) {
    if (decoder.has("async")) {
      decoder.emit(fence_proxies);
    } else if (!decode_map_fence(decoder)) {
      decoder.unsupported("");
    }
    return;
  }
  const int scope = decoder.has("cta") ? k_scope_group : decoder.has("cluster") ? k_scope_cluster : k_scope_device;
  decoder.emit(pass_fence).kind = static_cast<std::uint8_t>(scope);
}

} // namespace hone::emulate::execute
