#include "backend/cpu/watch/definedness.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hone::cpu {
namespace {

constexpr std::size_t k_word = sizeof(std::uint64_t);

std::uint64_t noise_of(std::size_t word)
{
  std::uint64_t bits = (word + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  return bits ^ bits >> 27;
}

std::byte noise_at(std::size_t offset)
{
  return static_cast<std::byte>(noise_of(offset / k_word) >> 8 * (offset % k_word));
}

constexpr std::size_t k_bits = 64; // of bytes, in a number

// Calls `visit(number, bits)` for the bits [begin, end), in as few pieces as numbers of them hold, until it says false.
template <class Visit> bool each_piece(std::size_t begin, std::size_t end, const Visit& visit)
{
  while (begin < end) {
    const std::size_t first = begin % k_bits;
    const std::size_t count = std::min(end - begin, k_bits - first);
    const std::uint64_t ones = count < k_bits ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
    if (!visit(begin / k_bits, ones << first)) {
      return false;
    }
    begin += count;
  }
  return true;
}

} // namespace

WrittenBytes::WrittenBytes(std::span<std::byte> bytes)
  : m_bytes(bytes), m_pages(bytes.size() / (k_numbers * k_bits) + 1)
{
  for (std::size_t begin = 0; begin < bytes.size(); begin += k_word) {
    const std::uint64_t noise = noise_of(begin / k_word);
    std::memcpy(bytes.data() + begin, &noise, std::min(k_word, bytes.size() - begin));
  }
}

void WrittenBytes::write(std::size_t offset, std::size_t size)
{
  each_piece(offset, std::min(offset + size, m_bytes.size()), [this](std::size_t number, std::uint64_t bits) {
    std::unique_ptr<Page>& page = m_pages[number / k_numbers];
    if (!page) {
      page = std::make_unique<Page>();
    }
    (*page)[number % k_numbers] |= bits;
    return true;
  });
}

void WrittenBytes::write_all()
{
  m_bytes = {};
}

void WrittenBytes::forget()
{
  for (std::size_t p = 0; p < m_pages.size(); ++p) {
    if (!m_pages[p]) {
      continue;
    }
    const std::size_t begin = p * k_numbers * k_bits;
    for (std::size_t i = begin; i < std::min(begin + k_numbers * k_bits, m_bytes.size()); ++i) {
      if ((unwritten(i / k_bits) >> i % k_bits & 1) == 0) {
        m_bytes[i] = noise_at(i);
      }
    }
    m_pages[p]->fill(0);
  }
}

std::uint64_t WrittenBytes::unwritten(std::size_t number) const
{
  const std::unique_ptr<Page>& page = m_pages[number / k_numbers];
  return page ? ~(*page)[number % k_numbers] : ~std::uint64_t{0};
}

std::optional<std::size_t> WrittenBytes::first_unwritten(std::size_t offset, std::size_t size) const
{
  std::optional<std::size_t> first;
  each_piece(offset, std::min(offset + size, m_bytes.size()), [&](std::size_t number, std::uint64_t bits) {
    if ((unwritten(number) & bits) != 0) {
      first = number * k_bits + static_cast<std::size_t>(std::countr_zero(unwritten(number) & bits));
    }
    return !first;
  });
  return first;
}

bool WrittenBytes::holds_noise(std::size_t offset, std::size_t size) const
{
  return each_piece(offset, std::min(offset + size, m_bytes.size()), [&](std::size_t number, std::uint64_t bits) {
    for (std::uint64_t left = unwritten(number) & bits; left != 0; left &= left - 1) {
      const std::size_t i = number * k_bits + static_cast<std::size_t>(std::countr_zero(left));
      if (m_bytes[i] != noise_at(i)) {
        return false;
      }
    }
    return true;
  });
}

} // namespace hone::cpu
