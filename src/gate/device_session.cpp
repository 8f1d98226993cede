#include "gate/device_session.h"

#include "backend/runner/device_words.h"
#include "gate/arena_layout.h"

#include <fmt/format.h>

#include <set>

namespace hone::gate {
namespace {

using backend::runner::MemoryOperation;
using backend::runner::MemoryRequest;

std::string describe_damage(const BufferPlace& place, Placement lies, std::uint64_t result)
{
  const backend::runner::GuardDamage damage = backend::runner::guard_damage(result);
  lies.name = place.name;
  lies.element_bytes = place.element_bytes;
  return "wrote out of bounds: "
         + (damage.behind ? describe_past_end(lies, damage.distance) : describe_before_start(lies, damage.distance));
}

} // namespace

DeviceCopies::DeviceCopies(Arena::Impl& arena, std::vector<BufferPlace> places, std::size_t buffers_per_set,
                           bool pulls_scratch)
  : m_arena(&arena), m_places(std::move(places)), m_buffers(buffers_per_set), m_pulls_scratch(pulls_scratch),
    m_random(fresh_seed())
{
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> DeviceCopies::distinct(std::span<const std::uint32_t> sets) const
{
  std::vector<std::pair<std::uint32_t, std::uint32_t>> buffers;
  std::set<Key> seen;
  std::set<std::uint32_t> sets_seen;
  for (const std::uint32_t set : sets) {
    if (!sets_seen.insert(set).second) {
      continue;
    }
    for (std::uint32_t i = 0; i < m_buffers; ++i) {
      const BufferPlace& here = place(set, i);
      if (here.placement != BufferPlace::k_nowhere && here.bytes > 0
          && seen.insert({here.placement, here.offset}).second) {
        buffers.emplace_back(set, i);
      }
    }
  }
  return buffers;
}

std::vector<MemoryRequest> DeviceCopies::requests_before(std::span<const std::uint32_t> sets)
{
  std::vector<MemoryRequest> requests;
  for (const auto& [set, buffer] : distinct(sets)) {
    const BufferPlace& here = place(set, buffer);
    const Placement& lies = m_arena->layout.placements[here.placement];
    Copy& copy = copy_of(here);
    if (copy.version != lies.version) {
      if (here.writable && lies.poison) {
        requests.push_back(
          {MemoryOperation::poison, set, buffer, 0, backend::runner::mixed(*lies.poison + here.offset)});
      } else {
        requests.push_back({MemoryOperation::push, set, buffer, 0, 0});
      }
      copy.version = lies.version;
      copy.digest.reset();
    }
    copy.guard_key = m_random.next();
    requests.push_back({MemoryOperation::write_guard, set, buffer, 0, copy.guard_key});
    if (!here.writable && !copy.digest) {
      requests.push_back({MemoryOperation::digest, set, buffer, 0, 0});
    }
  }
  return requests;
}

void DeviceCopies::record_digests(std::span<const MemoryRequest> requests, std::span<const std::uint64_t> results)
{
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].operation == MemoryOperation::digest) {
      copy_of(place(requests[i].set, requests[i].buffer)).digest = results[i];
    }
  }
}

std::vector<MemoryRequest> DeviceCopies::requests_after(std::span<const std::uint32_t> sets)
{
  std::vector<MemoryRequest> requests;
  for (const auto& [set, buffer] : distinct(sets)) {
    const BufferPlace& here = place(set, buffer);
    requests.push_back({MemoryOperation::check_guard, set, buffer, 0, copy_of(here).guard_key});
    if (!here.writable) {
      requests.push_back({MemoryOperation::digest, set, buffer, 0, 0});
    } else if (!here.scratch || m_pulls_scratch) {
      requests.push_back({MemoryOperation::pull, set, buffer, 0, 0});
    }
  }
  return requests;
}

std::optional<std::string> DeviceCopies::check_results(std::span<const MemoryRequest> requests,
                                                       std::span<const std::uint64_t> results)
{
  std::optional<std::string> trouble;
  std::set<std::size_t> pulled; // a placement may hold several buffers
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const MemoryRequest& request = requests[i];
    const BufferPlace& here = place(request.set, request.buffer);
    const Placement& lies = m_arena->layout.placements[here.placement];
    if (request.operation == MemoryOperation::pull) {
      pulled.insert(here.placement);
    } else if (request.operation == MemoryOperation::check_guard && results[i] != 0 && !trouble) {
      trouble = describe_damage(here, lies, results[i]);
    } else if (request.operation == MemoryOperation::digest && results[i] != copy_of(here).digest && !trouble) {
      trouble = fmt::format("wrote to input: {}{}", here.name, lies.every_set ? "" : fmt::format(", set {}", lies.set));
    }
  }
  for (const std::size_t placement : pulled) {
    m_arena->layout.placements[placement].touch();
  }
  for (auto& [key, copy] : m_copies) {
    if (pulled.contains(key.first)) {
      copy.version = m_arena->layout.placements[key.first].version;
    }
  }
  return trouble;
}

} // namespace hone::gate
