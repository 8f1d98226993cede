#include "inputs/input_draw.h"

#include "inputs/value_row.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hone::inputs {

void InputDraw::set_max_magnitudes(std::vector<std::int64_t> tops)
{
  m_tops = std::move(tops);
  std::shuffle(m_tops.begin(), m_tops.end(), m_random);
}

std::size_t InputDraw::calls_for_all_tops() const
{
  constexpr std::size_t k_most = 12;
  return (std::min(m_tops.size(), k_most) * 3 + 1) / 2;
}

// Rounds count on from a drawn one, so that what a row's parameters take in turn goes on, too.
std::uint64_t InputDraw::next_seed(ValueFamily family)
{
  const std::uint64_t length = rows_of(family).round;
  const auto [entry, is_new] = m_rounds.try_emplace(family);
  Round& round = entry->second;
  if (round.left.empty()) {
    round.number = is_new ? m_random.next() / length / 2 : round.number + 1;
    round.left.resize(length);
    std::iota(round.left.begin(), round.left.end(), 0);
    std::shuffle(round.left.begin(), round.left.end(), m_random); // not in step with what else alternates
  }
  const std::uint64_t place = round.left.back();
  round.left.pop_back();
  return round.number * length + place;
}

InputSet InputDraw::of(ValueFamily family)
{
  const ValueRow* row = nullptr;
  if (m_forced && family == m_forced->family) {
    row = m_forced->row;
  } else if (m_forced) {
    family = ValueFamily::normal;
  }
  if (family == ValueFamily::whole && !m_tops.empty() && m_whole++ % 3 != 0) {
    return {family, m_random.next(), m_tops[m_topped++ % m_tops.size()], row}; // takes no row's place in the round
  }
  return {family, next_seed(family), 0, row};
}

} // namespace hone::inputs
