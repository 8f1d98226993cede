// What poison, guards and digests of a device's own memory are made of. Every word depends on its key and its place
// only, so that a device can make and check all of them at once.
#pragma once

#include <cstdint>

namespace hone::backend::runner {

inline std::uint64_t mixed(std::uint64_t bits)
{
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93U;
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93U;
  return bits ^ (bits >> 32);
}

// The eight bytes at 8 * index of what is poisoned, and of a guard band.
inline std::uint64_t poison_word(std::uint64_t key, std::uint64_t index)
{
  return mixed(key + (index + 1) * 0x9e3779b97f4a7c15U);
}

// A digest is the sum over all words of these, where the last word is padded with zeros, and of the number of bytes.
inline std::uint64_t digest_term(std::uint64_t word, std::uint64_t index)
{
  return mixed(word + mixed(index + 0x9e3779b97f4a7c15U));
}

// The back band has the key's complement, so that it is no copy of the front one.
inline std::uint64_t back_key(std::uint64_t key)
{
  return ~key;
}

// A damaged guard: how many bytes lie between the buffer and the nearest byte of the band that is not whole.
struct GuardDamage {
  bool behind = false; // past the end, else before the start
  std::uint64_t distance = 0;
};
inline std::uint64_t damage_of(GuardDamage damage)
{
  return (damage.distance << 1 | (damage.behind ? 1U : 0U)) + 1;
}
inline GuardDamage guard_damage(std::uint64_t result) // not 0
{
  return {((result - 1) & 1) != 0, (result - 1) >> 1};
}

} // namespace hone::backend::runner
