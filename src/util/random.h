// xoshiro256++ with splitmix64 seeding: small, fast, and the same numbers on every machine.
#pragma once

#include <cstdint>

namespace hone {

class Random {
public:
  explicit Random(std::uint64_t seed);
  std::uint64_t next();                     // 64 random bits
  std::uint64_t below(std::uint64_t bound); // uniform in [0, bound); bound > 0
  double uniform();                         // uniform in [0, 1)
  double normal();                          // standard normal
  using result_type = std::uint64_t;        // a UniformRandomBitGenerator, for std::shuffle
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return next(); }

private:
  std::uint64_t m_state[4];
};

// A seed from the operating system, for everything a candidate must not be able to predict.
std::uint64_t fresh_seed();

} // namespace hone
