// What accesses cost on a device: sectors of global memory and their way through the L2 cache, turns of shared memory's
// banks.
#include "emulate/execute/cache.h"
#include "emulate/execute/counting.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace hone::emulate::execute {

namespace {

constexpr std::uint64_t k_banks = 32, k_bank_bytes = 4, k_turn_bytes = 128;

// A turn serves one word of each bank; lanes that want the same word share it. Updates share nothing: each needs what
// the one before it has left.
std::uint64_t turns_of(std::vector<std::uint64_t>& words, bool share)
{
  std::array<std::uint64_t, k_banks> of_bank{};
  if (share) {
    std::ranges::sort(words);
    const auto rest = std::ranges::unique(words);
    words.erase(rest.begin(), rest.end());
  }
  for (const std::uint64_t word : words) {
    ++of_bank[word % k_banks];
  }
  return std::max<std::uint64_t>(1, std::ranges::max(of_bank));
}

void add_words(std::vector<std::uint64_t>& words, std::uint64_t address, std::size_t bytes)
{
  const std::uint64_t offset = address & ~k_window_mask;
  for (std::uint64_t word = offset / k_bank_bytes; word <= (offset + bytes - 1) / k_bank_bytes; ++word) {
    words.push_back(word);
  }
}

// Lanes go in parts whose accesses fill a turn: all 32 of 4 bytes, 16 of 8, 8 of 16.
void count_shared(LineCounts& line, Mask lanes, const std::array<std::uint64_t, k_lanes>& addresses, std::size_t bytes,
                  bool share)
{
  const int each = static_cast<int>(k_turn_bytes / std::max<std::uint64_t>(bytes, k_bank_bytes)); // lanes of a part
  for (int first = 0; first < k_lanes; first += each) {
    std::vector<std::uint64_t> words;
    for (int lane = first; lane < first + each; ++lane) {
      if (((lanes >> lane) & 1) != 0) {
        add_words(words, addresses[static_cast<std::size_t>(lane)], bytes);
      }
    }
    if (!words.empty()) {
      line.wavefronts += turns_of(words, share);
      ++line.least_wavefronts;
    }
  }
}

// Where an address lies, of those that do not say it.
Where window_of(Where where, std::uint64_t address)
{
  const std::uint64_t window = address & k_window_mask;
  return where == Where::cluster       ? Where::shared
         : where != Where::generic     ? where
         : window == k_shared_window   ? Where::shared
         : window == std::uint64_t{0}  ? Where::global
         : window == k_local_window    ? Where::local
         : window == k_constant_window ? Where::constant
                                       : Where::parameter;
}

using Sectors = std::vector<std::pair<std::uint64_t, std::uint32_t>>; // with the bytes of each

void add_sectors(Sectors& sectors, std::uint64_t begin, std::uint64_t bytes)
{
  for (std::uint64_t at = begin; at < begin + bytes;) {
    const std::uint64_t within = at % k_sector_bytes, taken = std::min(k_sector_bytes - within, begin + bytes - at);
    const std::uint32_t mask = taken == k_sector_bytes ? k_whole_sector : ((std::uint32_t{1} << taken) - 1) << within;
    sectors.emplace_back(at / k_sector_bytes, mask);
    at += taken;
  }
}

void join_same(Sectors& sectors)
{
  std::ranges::sort(sectors);
  std::size_t last = 0;
  for (std::size_t i = 1; i < sectors.size(); ++i) {
    if (sectors[i].first == sectors[last].first) {
      sectors[last].second |= sectors[i].second;
    } else {
      sectors[++last] = sectors[i];
    }
  }
  sectors.resize(sectors.empty() ? 0 : last + 1);
}

} // namespace

void count_access(Warp& warp, const Op& op, Where where, const std::array<std::uint64_t, k_lanes>& addresses,
                  std::size_t bytes, Access access)
{
  LineCounts* const line = counted(warp, op);
  if (line == nullptr || bytes == 0) {
    return;
  }
  Mask in_shared = 0;
  std::vector<Stretch> stretches;
  for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
    const Where here = window_of(where, address);
    in_shared |= Mask{here == Where::shared} << lane;
    if (here == Where::global) {
      stretches.push_back({address, bytes});
    }
  }
  if (where == Where::generic && access != Access::atomic) {
    line->kind = !stretches.empty() ? InstructionClass::global_memory
                 : in_shared != 0   ? InstructionClass::shared_memory
                                    : InstructionClass::other;
  }
  count_global(warp, op, stretches, access, true);
  count_shared(*line, in_shared, addresses, bytes, access != Access::atomic);
}

void count_global(Warp& warp, const Op& op, std::span<const Stretch> stretches, Access access, bool shares_sectors)
{
  LineCounts* const line = counted(warp, op);
  if (line == nullptr) {
    return;
  }
  Launch& launch = *warp.group->launch;
  CacheModel& model = *launch.cache_model;
  Sectors sectors;
  const auto take = [&] {
    join_same(sectors);
    line->sectors += sectors.size();
    for (const auto& [sector, bytes] : sectors) {
      access == Access::load    ? model.cache.read(sector, op.place)
      : access == Access::store ? model.cache.write(sector, bytes, op.place)
                                : model.cache.update(sector, op.place);
    }
    sectors.clear();
  };
  bool any = false;
  for (const Stretch& one : stretches) {
    const Allocation* const allocation = one.bytes == 0 ? nullptr : launch.memory->find(one.address, one.bytes);
    if (allocation == nullptr) {
      continue; // what carries the access out says so
    }
    any = true;
    line->first_address = line->first_address == 0 ? one.address : line->first_address;
    line->wanted_bytes += one.bytes;
    add_sectors(sectors, model.addresses.of(*allocation, one.address), one.bytes);
    if (!shares_sectors) {
      take();
    }
  }
  take();
  line->requests += any ? 1 : 0;
}

void count_rows(Warp& warp, const Op& op, const std::array<std::uint64_t, 8>& addresses)
{
  constexpr std::size_t k_row_bytes = 16;
  if (LineCounts* const line = counted(warp, op)) {
    std::vector<std::uint64_t> words;
    for (const std::uint64_t address : addresses) {
      add_words(words, address, k_row_bytes);
    }
    line->wavefronts += turns_of(words, true);
    ++line->least_wavefronts;
  }
}

void count_bulk_shared(Warp& warp, const Op& op, std::uint64_t offset, std::uint64_t bytes)
{
  LineCounts* const line = counted(warp, op);
  if (line != nullptr && bytes != 0) {
    const std::uint64_t turns = (offset + bytes - 1) / k_turn_bytes - offset / k_turn_bytes + 1;
    line->wavefronts += turns;
    line->least_wavefronts += turns;
  }
}

} // namespace hone::emulate::execute
