#include "backend/cpu/watch/own_memory.h"

#include <algorithm>
#include <link.h>

namespace hone::backend::cpu {
namespace {

constexpr std::size_t k_stack = 64 << 20; // bytes below the top that count as the stack

std::uintptr_t address_of(const void* address)
{
  return reinterpret_cast<std::uintptr_t>(address);
}

} // namespace

OwnMemory::OwnMemory(const void* code, const void* stack_top) : m_everything(false), m_top(address_of(stack_top))
{
  struct Search {
    std::uintptr_t code;
    std::vector<Range>& found;
  } search{address_of(code), m_library};
  const auto visit = [](dl_phdr_info* library, std::size_t, void* data) {
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
  dl_iterate_phdr(visit, &search);
}

void OwnMemory::allow_reading(const void* begin, std::size_t bytes)
{
  m_readable.push_back({address_of(begin), address_of(begin) + bytes});
}

std::string OwnMemory::violation(const void* address, std::size_t size, const void* frame, bool write) const
{
  const std::uintptr_t begin = address_of(address);
  const std::uintptr_t end = begin + size;
  const auto holds = [&](const Range& range) { return begin >= range.begin && end <= range.end; };
  if (m_everything || (begin >= address_of(frame) && end <= m_top) || std::ranges::any_of(m_library, holds)) {
    return {};
  }
  if (std::ranges::any_of(m_readable, holds)) {
    return write ? "of what describes its group" : "";
  }
  if (begin < address_of(frame) && begin + k_stack >= m_top) {
    return "below its stack";
  }
  return "of memory that is not its own";
}

bool OwnMemory::is_in_stack(const void* address) const
{
  return m_everything || (address_of(address) <= m_top && address_of(address) + k_stack >= m_top);
}

} // namespace hone::backend::cpu
