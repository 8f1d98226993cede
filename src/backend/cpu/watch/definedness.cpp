#include "backend/cpu/watch/definedness.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_word = sizeof(std::uint64_t);

std::uint64_t poison_word(std::size_t word)
{
  std::uint64_t bits = (word + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  return bits ^ bits >> 27;
}

std::byte poison_byte(std::size_t offset)
{
  return static_cast<std::byte>(poison_word(offset / k_word) >> 8 * (offset % k_word));
}

constexpr std::size_t k_bits = 64; // in a word; one for each byte of the buffer

// Calls `visit(word, bits)` for the bits [begin, end), once for each word, until it returns false.
template <class Visit> bool for_each_word(std::size_t begin, std::size_t end, const Visit& visit)
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

Definedness::Definedness(std::span<std::byte> bytes) : m_bytes(bytes), m_pages(bytes.size() / (k_words * k_bits) + 1)
{
  for (std::size_t begin = 0; begin < bytes.size(); begin += k_word) {
    const std::uint64_t noise = poison_word(begin / k_word);
    std::memcpy(bytes.data() + begin, &noise, std::min(k_word, bytes.size() - begin));
  }
}

void Definedness::mark_defined(std::size_t offset, std::size_t size)
{
  for_each_word(offset, std::min(offset + size, m_bytes.size()), [this](std::size_t word, std::uint64_t bits) {
    std::unique_ptr<Page>& page = m_pages[word / k_words];
    if (!page) {
      page = std::make_unique<Page>();
    }
    (*page)[word % k_words] |= bits;
    return true;
  });
}

void Definedness::mark_all_defined()
{
  m_bytes = {};
}

void Definedness::reset()
{
  for (std::size_t p = 0; p < m_pages.size(); ++p) {
    if (!m_pages[p]) {
      continue;
    }
    const std::size_t begin = p * k_words * k_bits;
    for (std::size_t i = begin; i < std::min(begin + k_words * k_bits, m_bytes.size()); ++i) {
      if ((undefined_bits(i / k_bits) >> i % k_bits & 1) == 0) {
        m_bytes[i] = poison_byte(i);
      }
    }
    m_pages[p]->fill(0);
  }
}

std::uint64_t Definedness::undefined_bits(std::size_t word) const
{
  const std::unique_ptr<Page>& page = m_pages[word / k_words];
  return page ? ~(*page)[word % k_words] : ~std::uint64_t{0};
}

std::optional<std::size_t> Definedness::first_undefined(std::size_t offset, std::size_t size) const
{
  std::optional<std::size_t> first;
  for_each_word(offset, std::min(offset + size, m_bytes.size()), [&](std::size_t word, std::uint64_t bits) {
    if ((undefined_bits(word) & bits) != 0) {
      first = word * k_bits + static_cast<std::size_t>(std::countr_zero(undefined_bits(word) & bits));
    }
    return !first;
  });
  return first;
}

bool Definedness::is_poisoned(std::size_t offset, std::size_t size) const
{
  return for_each_word(offset, std::min(offset + size, m_bytes.size()), [&](std::size_t word, std::uint64_t bits) {
    for (std::uint64_t left = undefined_bits(word) & bits; left != 0; left &= left - 1) {
      const std::size_t i = word * k_bits + static_cast<std::size_t>(std::countr_zero(left));
      if (m_bytes[i] != poison_byte(i)) {
        return false;
      }
    }
    return true;
  });
}

} // namespace hone::backend::cpu
