#include "util/random.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <sys/random.h>

namespace hone {

Random::Random(std::uint64_t seed)
{
  for (std::uint64_t& word : m_state) {
    seed += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    word = mixed ^ (mixed >> 31);
  }
}

std::uint64_t Random::next()
{
  const std::uint64_t result = std::rotl(m_state[0] + m_state[3], 23) + m_state[0];
  const std::uint64_t shifted = m_state[1] << 17;
  m_state[2] ^= m_state[0];
  m_state[3] ^= m_state[1];
  m_state[1] ^= m_state[2];
  m_state[0] ^= m_state[3];
  m_state[2] ^= shifted;
  m_state[3] = std::rotl(m_state[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound)
{
  // Rejects the few values that would make small remainders likelier.
  const std::uint64_t threshold = -bound % bound;
  while (true) {
    const std::uint64_t value = next();
    if (value >= threshold) {
      return value % bound;
    }
  }
}

double Random::uniform()
{
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal()
{
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t fresh_seed()
{
  std::uint64_t seed = 0;
  while (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
  }
  return seed;
}

} // namespace hone
