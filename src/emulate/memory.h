// The device's global memory: allocations in this process, at addresses that programs use as they are. (public)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace hone::emulate {

struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool writable = true;
  std::unique_ptr<std::byte[]> owned; // where the memory is the emulator's own

  std::uintptr_t end() const { return begin + bytes; }
};

class GlobalMemory {
public:
  // Of at least 1 byte, at a multiple of 256. 0: there is no room.
  std::uintptr_t allocate(std::size_t bytes);
  // Memory of somebody else.
  void map(void* begin, std::size_t bytes, bool writable);
  bool release(std::uintptr_t begin);
  // The allocation that holds these bytes; nullptr: none does.
  Allocation* find(std::uintptr_t address, std::size_t bytes);
  // The allocation that ends nearest before an address, for messages; nullptr: none.
  const Allocation* before(std::uintptr_t address) const;

  // What all writable allocations hold, by their beginning.
  using Snapshot = std::map<std::uintptr_t, std::vector<std::byte>>;
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

private:
  std::map<std::uintptr_t, Allocation> m_allocations; // by begin
  Allocation* m_last = nullptr;
};

} // namespace hone::emulate
