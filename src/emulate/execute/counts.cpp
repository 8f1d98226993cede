// What accesses cost on a device: sectors of global memory, turns of shared memory's banks.
#include "emulate/execute/memory_access.h"

#include <algorithm>
#include <array>
#include <vector>

namespace hone::emulate::execute {

namespace {

constexpr std::uint64_t k_sector_bytes = 32, k_banks = 32, k_bank_bytes = 4, k_turn_bytes = 128;

// Lanes go in parts whose accesses fill a turn: all 32 of 4 bytes, 16 of 8, 8 of 16. A turn serves one word of each
// bank; lanes that want the same word share it.
std::uint64_t turns_of(const std::vector<std::uint64_t>& words)
{
  std::array<std::uint64_t, k_banks> of_bank{};
  std::vector<std::uint64_t> distinct = words;
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  for (const std::uint64_t word : distinct) {
    ++of_bank[word % k_banks];
  }
  return std::max<std::uint64_t>(1, std::ranges::max(of_bank));
}

} // namespace

void count_access(Warp& warp, const Op& op, Where where, const std::array<std::uint64_t, k_lanes>& addresses,
                  std::size_t bytes)
{
  Launch& launch = *warp.group->launch;
  if (launch.lines.empty()) {
    return;
  }
  LineCounts& line = launch.lines[op.place];
  const std::uint64_t window = addresses[static_cast<std::size_t>(std::countr_zero(warp.exec))] & k_window_mask;
  const bool shared = where == Where::shared || (where == Where::generic && window == k_shared_window);
  const bool global = where == Where::global || (where == Where::generic && window == 0);
  if (global) {
    std::vector<std::uint64_t> sectors;
    for (Mask rest = warp.exec; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
      for (std::uint64_t at = address / k_sector_bytes; at <= (address + bytes - 1) / k_sector_bytes; ++at) {
        sectors.push_back(at);
      }
    }
    std::ranges::sort(sectors);
    line.sectors += static_cast<std::uint64_t>(std::ranges::unique(sectors).begin() - sectors.begin());
  } else if (shared) {
    const int each = static_cast<int>(k_turn_bytes / std::max<std::uint64_t>(bytes, k_bank_bytes)); // lanes of a part
    for (int first = 0; first < k_lanes; first += each) {
      std::vector<std::uint64_t> words;
      for (int lane = first; lane < first + each; ++lane) {
        if (((warp.exec >> lane) & 1) != 0) {
          const std::uint64_t address = addresses[static_cast<std::size_t>(lane)] & ~k_window_mask;
          for (std::uint64_t word = address / k_bank_bytes; word <= (address + bytes - 1) / k_bank_bytes; ++word) {
            words.push_back(word);
          }
        }
      }
      if (!words.empty()) {
        line.wavefronts += turns_of(words);
        ++line.least_wavefronts;
      }
    }
  }
}

} // namespace hone::emulate::execute
