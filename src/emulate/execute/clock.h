// What warps know of each other: vector clocks, and how flags in memory pass them on. (internal to the room)
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace hone::emulate::execute {

// Op::order: how far an access or fence reaches, and what it orders. 0: a weak access.
enum Order : std::uint8_t {
  k_scope_group = 1,
  k_scope_cluster = 2,
  k_scope_device = 3,
  k_scope_mask = 3,
  k_acquires = 4,
  k_releases = 8,
};
constexpr std::size_t k_scopes = 3;

// Of other clusters, by their number: what is known of their actors, as Clock::near.
using FarClocks = std::map<std::uint32_t, std::vector<std::uint32_t>>;

struct Known {
  std::vector<std::uint32_t> near;
  std::shared_ptr<const FarClocks> far; // nullptr: nothing
};

// Of every actor of the cluster how far it is known: [0, actors) to the generic proxy, behind these to the
// asynchronous proxy (fence.proxy.async). `fenced`: what of it stands before a fence of each scope, so that relaxed
// stores tell of it; empty: no fence.
struct Clock : Known {
  std::array<Known, k_scopes> fenced;
};

void learn(std::shared_ptr<const FarClocks>& into, const std::shared_ptr<const FarClocks>& from);
void learn(Known& into, const Known& from);
void learn(Clock& into, const Clock& from);

// A word that strong stores and atomic updates have written: what their readers come to know, for readers of the same
// group, the same cluster, or others.
struct Flag {
  std::array<std::shared_ptr<const FarClocks>, k_scopes> known;
  std::uint32_t group = 0, cluster = 0; // of the last writer
};

// With the scope that a fence must have to take it over.
using Unfenced = std::vector<std::pair<std::uint8_t, std::shared_ptr<const FarClocks>>>;

} // namespace hone::emulate::execute
