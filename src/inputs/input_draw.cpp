#include "inputs/input_draw.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hone {
namespace {

// From one seed of a family to the next. Odd, and no multiple of 3, 5 or 7, so that remainders come in turn; small, so
// that no round goes beyond 64 bits. Of thousands of such numbers the one with which twelve seeds, shifted by up to ten
// bits, have most remainders by 2 to 8 and by 12: 99 % of as many as there can be, at least 92 % of each; of
// independent seeds these are 89 % and 64 %.
constexpr std::uint64_t k_step = 0xd23582eba3U;

} // namespace

void InputDraw::set_tops(std::vector<std::int64_t> tops)
{
  m_tops = std::move(tops);
  std::shuffle(m_tops.begin(), m_tops.end(), m_random);
}

std::size_t InputDraw::calls_for_all_tops() const
{
  constexpr std::size_t k_most = 12;
  return (std::min(m_tops.size(), k_most) * 3 + 1) / 2;
}

InputSet InputDraw::of(ValueFamily family)
{
  const auto [entry, is_new] = m_turns.try_emplace(family);
  Turn& turn = entry->second;
  if (turn.left.empty()) {
    turn.base = is_new ? m_random.next() : turn.base + k_round * k_step;
    turn.left.resize(k_round);
    std::iota(turn.left.begin(), turn.left.end(), 0);
    std::shuffle(turn.left.begin(), turn.left.end(), m_random); // not in step with what else alternates
  }
  const std::uint64_t place = turn.left.back();
  turn.left.pop_back();
  InputSet drawn{family, turn.base + place * k_step};
  if (family == ValueFamily::whole && !m_tops.empty() && m_whole++ % 3 != 0) {
    drawn.top = m_tops[m_topped++ % m_tops.size()];
  }
  return drawn;
}

} // namespace hone
