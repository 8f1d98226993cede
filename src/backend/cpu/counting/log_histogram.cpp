#include "backend/cpu/counting/log_histogram.h"

#include <algorithm>
#include <bit>

namespace hone::backend::cpu {
namespace {

constexpr std::uint64_t k_exact = 16; // numbers below have buckets of their own
constexpr unsigned k_exact_bits = 4;
constexpr unsigned k_parts_bits = 3; // of a power of two

double middle_of(std::size_t bucket)
{
  if (bucket < k_exact) {
    return static_cast<double>(bucket);
  }
  const std::size_t part = (bucket - k_exact) & ((1U << k_parts_bits) - 1);
  const auto power = static_cast<unsigned>((bucket - k_exact) >> k_parts_bits) + k_exact_bits;
  const std::uint64_t width = std::uint64_t{1} << (power - k_parts_bits);
  return static_cast<double>((std::uint64_t{1} << power) + part * width) + 0.5 * static_cast<double>(width - 1);
}

} // namespace

std::size_t LogHistogram::bucket_of(std::uint64_t value)
{
  if (value < k_exact) {
    return value;
  }
  const auto power = static_cast<unsigned>(std::bit_width(value)) - 1;
  const std::uint64_t part = value >> (power - k_parts_bits) & ((1U << k_parts_bits) - 1);
  return k_exact + ((power - k_exact_bits) << k_parts_bits) + part;
}

void LogHistogram::add_to(std::size_t bucket, std::int64_t times)
{
  if (bucket >= m_buckets.size()) {
    m_buckets.resize(bucket + 1);
  }
  m_buckets[bucket] += times;
  m_total += times;
}

LogHistogram& LogHistogram::operator+=(const LogHistogram& other)
{
  m_buckets.resize(std::max(m_buckets.size(), other.m_buckets.size()));
  for (std::size_t i = 0; i < other.m_buckets.size(); ++i) {
    m_buckets[i] += other.m_buckets[i];
  }
  m_total += other.m_total;
  return *this;
}

double LogHistogram::quantile(double share) const
{
  double left = share * static_cast<double>(m_total);
  for (std::size_t i = 0; i < m_buckets.size(); ++i) {
    left -= static_cast<double>(m_buckets[i]);
    if (m_buckets[i] > 0 && left <= 0) {
      return middle_of(i);
    }
  }
  return 0;
}

} // namespace hone::backend::cpu
