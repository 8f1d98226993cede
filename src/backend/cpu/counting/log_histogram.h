// Counts of numbers, in buckets that are exact below 16 and an eighth of a power of two wide above. (internal)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::backend::cpu {

class LogHistogram {
public:
  void add(std::uint64_t value) { add_to(bucket_of(value), 1); }
  void add_to(std::size_t bucket, std::int64_t times);
  LogHistogram& operator+=(const LogHistogram& other);

  const std::vector<std::int64_t>& buckets() const { return m_buckets; } // those behind are empty
  std::int64_t total() const { return m_total; }
  // The middle of the bucket in which this share of the numbers ends; 0 if there are none.
  double quantile(double share) const;

  static constexpr std::size_t k_max_buckets = 496;
  static std::size_t bucket_of(std::uint64_t value);

  bool operator==(const LogHistogram&) const = default;

private:
  std::vector<std::int64_t> m_buckets;
  std::int64_t m_total = 0;
};

} // namespace hone::backend::cpu
