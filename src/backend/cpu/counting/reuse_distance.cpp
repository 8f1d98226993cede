#include "backend/cpu/counting/reuse_distance.h"

#include <bit>
#include <utility>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_first_times = std::size_t{1} << 16;
constexpr std::size_t k_word = 64; // bits
constexpr std::uint64_t k_hash_factor = 0x9e3779b97f4a7c15;

} // namespace

ReuseDistances::ReuseDistances()
  : m_known(2 * k_first_times), m_line_at(k_first_times), m_bits(k_first_times / k_word),
    m_tree(k_first_times / k_word + 1)
{
}

std::optional<std::uint64_t> ReuseDistances::touch(std::uint64_t line)
{
  if (line == m_last) {
    return 0;
  }
  m_last = line;
  if (m_now == m_line_at.size()) {
    renumber();
  }
  Known& entry = known(line);
  std::optional<std::uint64_t> distance;
  if (entry.line == line) {
    distance = m_lines - count_up_to(entry.time);
    add(entry.time, -1);
  } else {
    entry.line = line;
    ++m_lines;
  }
  entry.time = static_cast<std::uint32_t>(m_now);
  m_line_at[m_now] = line;
  add(m_now++, 1);
  return distance;
}

ReuseDistances::Known& ReuseDistances::known(std::uint64_t line)
{
  const std::size_t mask = m_known.size() - 1;
  std::size_t at = (line * k_hash_factor >> 20) & mask;
  while (m_known[at].line != line && m_known[at].line != k_none) {
    at = (at + 1) & mask;
  }
  return m_known[at];
}

void ReuseDistances::add(std::size_t time, int by)
{
  m_bits[time / k_word] ^= std::uint64_t{1} << time % k_word;
  for (std::size_t at = time / k_word + 1; at < m_tree.size(); at += at & -at) {
    m_tree[at] += static_cast<std::uint32_t>(by);
  }
}

std::uint64_t ReuseDistances::count_up_to(std::size_t time) const
{
  const std::uint64_t up_to_it = ~std::uint64_t{0} >> (k_word - 1 - time % k_word);
  std::uint64_t count = static_cast<std::uint64_t>(std::popcount(m_bits[time / k_word] & up_to_it));
  for (std::size_t at = time / k_word; at > 0; at -= at & -at) {
    count += m_tree[at];
  }
  return count;
}

// Doubles the times where more than a quarter of them are in use, so that there is seldom more to do than touches.
void ReuseDistances::renumber()
{
  std::size_t times = m_line_at.size();
  while (4 * m_lines > times) {
    times *= 2;
  }
  std::vector<std::uint64_t> lines(times);
  std::size_t now = 0;
  for (std::size_t time = 0; time < m_now; ++time) {
    if ((m_bits[time / k_word] >> time % k_word & 1) != 0) {
      lines[now++] = m_line_at[time];
    }
  }
  m_line_at = std::move(lines);
  m_bits.assign(times / k_word, 0);
  m_tree.assign(times / k_word + 1, 0);
  m_known.assign(2 * times, {});
  m_now = now;
  for (std::size_t time = 0; time < now; ++time) {
    known(m_line_at[time]) = {m_line_at[time], static_cast<std::uint32_t>(time)};
    m_bits[time / k_word] |= std::uint64_t{1} << time % k_word;
    for (std::size_t at = time / k_word + 1; at < m_tree.size(); at += at & -at) {
      ++m_tree[at];
    }
  }
}

} // namespace hone::backend::cpu
