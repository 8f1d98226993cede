#include "backend/cpu/watch/interleaving.h"

#include <array>

namespace hone::cpu {
namespace {

using Kind = TurnOrder::Kind;

constexpr std::size_t k_held = 0, k_other = 1; // turns
constexpr std::uint64_t k_powers = 9;          // of two, that others come and go, half of the time; else one by one

Kind drawn_kind(Random& random)
{
  constexpr std::array k_kinds{Kind::drawn, Kind::crowded, Kind::held, Kind::held};
  return k_kinds[random.below(k_kinds.size())];
}

std::int64_t drawn_between(Random& random)
{
  return random.below(2) == 0 ? 1 : std::int64_t{1} << random.below(k_powers);
}

} // namespace

TurnOrder::TurnOrder(Random& random) : TurnOrder(drawn_kind(random), random) {}

TurnOrder::TurnOrder(Kind kind, Random& random, std::optional<std::int64_t> between)
  : m_random(random), m_kind(kind), m_fixed_between(between)
{
}

std::optional<std::size_t> TurnOrder::next(const UnderWay& under_way, bool may_begin)
{
  const auto next = m_kind == Kind::held ? next_beside_held(under_way, may_begin) : next_drawn(under_way, may_begin);
  m_at_hand = next.value_or(m_at_hand);
  return next;
}

bool TurnOrder::makes_way()
{
  return m_kind == Kind::held ? m_at_hand == k_held : m_random.below(2) != 0;
}

std::optional<std::size_t> TurnOrder::next_drawn(const UnderWay& under_way, bool may_begin)
{
  std::array<std::size_t, Turns::k_most> begun{};
  std::size_t count = 0;
  std::optional<std::size_t> free;
  for (std::size_t turn = 0; turn < Turns::k_most; ++turn) {
    if (under_way[turn]) {
      begun[count++] = turn;
    } else if (!free) {
      free = turn;
    }
  }
  if (free && may_begin && (count == 0 || m_kind == Kind::crowded || m_random.below(2) != 0)) {
    return free;
  }
  return count == 0 ? std::nullopt : std::optional(begun[m_random.below(count)]);
}

// Another that has not come to its end may wait for the one that is held up: both go on by turns, then.
std::optional<std::size_t> TurnOrder::next_beside_held(const UnderWay& under_way, bool may_begin)
{
  const bool waits = m_at_hand == k_other && under_way[k_other];
  m_gone += m_at_hand == k_other && !waits ? 1 : 0;
  if (under_way[k_held] && !waits && m_gone < m_between && (under_way[k_other] || may_begin)) {
    return k_other;
  }
  if (under_way[k_held] || may_begin) {
    m_gone = 0;
    if (!under_way[k_held]) {
      m_between = m_fixed_between ? *m_fixed_between : drawn_between(m_random);
    }
    return k_held;
  }
  return under_way[k_other] ? std::optional(k_other) : std::nullopt;
}

} // namespace hone::cpu
