#include "backend/cpu/watch/own_memory.h"

#include <algorithm>
#include <link.h>

namespace hone::cpu {
namespace {

constexpr std::size_t k_stack = 64 << 20; // so far below the top an address is still meant for the stack

std::uintptr_t number(const void* address)
{
  return reinterpret_cast<std::uintptr_t>(address);
}

} // namespace

OwnMemory::OwnMemory(const void* code, const void* top_of_stack) : m_everything(false), m_top(number(top_of_stack))
{
  struct Search {
    std::uintptr_t code;
    std::vector<Range>& found;
  } search{number(code), m_constants};
  const auto look_at = [](dl_phdr_info* library, std::size_t, void* data) {
    Search& wanted = *static_cast<Search*>(data);
    std::vector<Range> ranges;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const auto& header = library->dlpi_phdr[i];
      if (header.p_type == PT_LOAD) {
        const std::uintptr_t begin = library->dlpi_addr + header.p_vaddr;
        ranges.push_back({begin, begin + header.p_memsz});
      }
    }
    const bool found = std::ranges::any_of(
      ranges, [&](const Range& range) { return wanted.code >= range.begin && wanted.code < range.end; });
    if (found) {
      wanted.found = ranges;
    }
    return found ? 1 : 0;
  };
  dl_iterate_phdr(look_at, &search);
}

void OwnMemory::allow_reading(const void* begin, std::size_t bytes)
{
  m_read.push_back({number(begin), number(begin) + bytes});
}

std::string OwnMemory::trouble(const void* address, std::size_t size, const void* frame, bool write) const
{
  const std::uintptr_t begin = number(address);
  const std::uintptr_t end = begin + size;
  const auto holds = [&](const Range& range) { return begin >= range.begin && end <= range.end; };
  if (m_everything || (begin >= number(frame) && end <= m_top) || std::ranges::any_of(m_constants, holds)) {
    return {};
  }
  if (std::ranges::any_of(m_read, holds)) {
    return write ? "of what describes its group" : "";
  }
  if (begin < number(frame) && begin + k_stack >= m_top) {
    return "below its stack";
  }
  return "of memory that is not its own";
}

bool OwnMemory::is_in_stack(const void* address) const
{
  return m_everything || (number(address) <= m_top && number(address) + k_stack >= m_top);
}

} // namespace hone::cpu
