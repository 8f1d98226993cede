#include "backend/cpu/written_bytes.h"

#include <algorithm>

namespace hone::cpu {
namespace {

std::byte noise_at(std::size_t offset)
{
  std::uint64_t bits = (offset / 8 + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits ^= bits >> 27;
  return static_cast<std::byte>(bits >> 8 * (offset % 8));
}

} // namespace

WrittenBytes::WrittenBytes(std::span<std::byte> bytes) : m_bytes(bytes), m_pages(bytes.size() / k_page + 1)
{
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = noise_at(i);
  }
}

void WrittenBytes::write(std::size_t offset, std::size_t size)
{
  for (std::size_t i = offset; i < std::min(offset + size, m_bytes.size()); ++i) {
    std::unique_ptr<Page>& page = m_pages[i / k_page];
    if (!page) {
      page = std::make_unique<Page>();
    }
    page->set(i % k_page);
  }
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
    for (std::size_t i = p * k_page; i < std::min((p + 1) * k_page, m_bytes.size()); ++i) {
      if (m_pages[p]->test(i % k_page)) {
        m_bytes[i] = noise_at(i);
      }
    }
    m_pages[p]->reset();
  }
}

std::optional<std::size_t> WrittenBytes::first_unwritten(std::size_t offset, std::size_t size) const
{
  for (std::size_t i = offset; i < std::min(offset + size, m_bytes.size()); ++i) {
    const std::unique_ptr<Page>& page = m_pages[i / k_page];
    if (!page || !page->test(i % k_page)) {
      return i;
    }
  }
  return std::nullopt;
}

bool WrittenBytes::holds_noise(std::size_t offset, std::size_t size) const
{
  for (std::size_t i = offset; i < std::min(offset + size, m_bytes.size()); ++i) {
    const std::unique_ptr<Page>& page = m_pages[i / k_page];
    if ((!page || !page->test(i % k_page)) && m_bytes[i] != noise_at(i)) {
      return false;
    }
  }
  return true;
}

} // namespace hone::cpu
