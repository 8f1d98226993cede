#include "backend/cpu/watch/interleaving.h"

#include <array>

namespace hone::backend::cpu {
namespace {

using Kind = Interleaving::Kind;

constexpr std::size_t k_delayed = 0, k_other = 1; // fibers
constexpr std::uint64_t k_powers = 9;             // of two: groups during a delay, half of the time; else one group

Kind drawn_kind(Random& random)
{
  constexpr std::array k_kinds{Kind::random, Kind::dense, Kind::delayed, Kind::delayed};
  return k_kinds[random.below(k_kinds.size())];
}

std::int64_t drawn_others(Random& random)
{
  return random.below(2) == 0 ? 1 : std::int64_t{1} << random.below(k_powers);
}

} // namespace

Interleaving::Interleaving(Random& random) : Interleaving(drawn_kind(random), random) {}

Interleaving::Interleaving(Kind kind, Random& random, std::optional<std::int64_t> others)
  : m_random(random), m_kind(kind), m_fixed_others(others)
{
}

std::optional<std::size_t> Interleaving::choose_next(const ActiveFibers& active, bool may_start)
{
  const auto next =
    m_kind == Kind::delayed ? choose_beside_delayed(active, may_start) : choose_random(active, may_start);
  m_current = next.value_or(m_current);
  return next;
}

bool Interleaving::draw_yield()
{
  return m_kind == Kind::delayed ? m_current == k_delayed : m_random.below(2) != 0;
}

std::optional<std::size_t> Interleaving::choose_random(const ActiveFibers& active, bool may_start)
{
  std::array<std::size_t, Fibers::k_max> started{};
  std::size_t count = 0;
  std::optional<std::size_t> free;
  for (std::size_t fiber = 0; fiber < Fibers::k_max; ++fiber) {
    if (active[fiber]) {
      started[count++] = fiber;
    } else if (!free) {
      free = fiber;
    }
  }
  if (free && may_start && (count == 0 || m_kind == Kind::dense || m_random.below(2) != 0)) {
    return free;
  }
  return count == 0 ? std::nullopt : std::optional(started[m_random.below(count)]);
}

// A group that has not finished may wait for the delayed one: then both run in turns.
std::optional<std::size_t> Interleaving::choose_beside_delayed(const ActiveFibers& active, bool may_start)
{
  const bool waits = m_current == k_other && active[k_other];
  m_finished += m_current == k_other && !waits ? 1 : 0;
  if (active[k_delayed] && !waits && m_finished < m_others && (active[k_other] || may_start)) {
    return k_other;
  }
  if (active[k_delayed] || may_start) {
    m_finished = 0;
    if (!active[k_delayed]) {
      m_others = m_fixed_others ? *m_fixed_others : drawn_others(m_random);
    }
    return k_delayed;
  }
  return active[k_other] ? std::optional(k_other) : std::nullopt;
}

} // namespace hone::backend::cpu
