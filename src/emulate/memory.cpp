#include "emulate/memory.h"

#include <algorithm>
#include <new>

namespace hone::emulate {

namespace {

constexpr std::size_t k_global_alignment = 256; // as cuMemAlloc promises

} // namespace

std::uintptr_t GlobalMemory::allocate(std::size_t bytes)
{
  Allocation one;
  one.owned.reset(new (std::nothrow) std::byte[bytes + k_global_alignment]);
  if (!one.owned) {
    return 0;
  }
  const auto raw = reinterpret_cast<std::uintptr_t>(one.owned.get());
  one.begin = (raw + k_global_alignment - 1) / k_global_alignment * k_global_alignment;
  one.bytes = bytes;
  const std::uintptr_t begin = one.begin;
  m_allocations[begin] = std::move(one);
  m_last = nullptr;
  return begin;
}

void GlobalMemory::map(void* begin, std::size_t bytes, bool writable)
{
  Allocation one;
  one.begin = reinterpret_cast<std::uintptr_t>(begin);
  one.bytes = bytes;
  one.writable = writable;
  m_allocations[one.begin] = std::move(one);
  m_last = nullptr;
}

bool GlobalMemory::release(std::uintptr_t begin)
{
  m_last = nullptr;
  return m_allocations.erase(begin) > 0;
}

Allocation* GlobalMemory::find(std::uintptr_t address, std::size_t bytes)
{
  const auto holds = [&](const Allocation& one) { return address >= one.begin && address + bytes <= one.end(); };
  if (m_last != nullptr && holds(*m_last)) {
    return m_last;
  }
  auto found = m_allocations.upper_bound(address);
  if (found == m_allocations.begin()) {
    return nullptr;
  }
  --found;
  if (!holds(found->second)) {
    return nullptr;
  }
  m_last = &found->second;
  return m_last;
}

const Allocation* GlobalMemory::before(std::uintptr_t address) const
{
  auto found = m_allocations.upper_bound(address);
  return found == m_allocations.begin() ? nullptr : &std::prev(found)->second;
}

GlobalMemory::Snapshot GlobalMemory::snapshot() const
{
  Snapshot out;
  for (const auto& [begin, one] : m_allocations) {
    if (one.writable) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(begin);
      out[begin].assign(bytes, bytes + one.bytes);
    }
  }
  return out;
}

void GlobalMemory::restore(const Snapshot& snapshot)
{
  for (const auto& [begin, bytes] : snapshot) {
    if (find(begin, bytes.size()) != nullptr) {
      std::ranges::copy(bytes, reinterpret_cast<std::byte*>(begin));
    }
  }
}

} // namespace hone::emulate
