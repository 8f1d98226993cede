// The buffers of a job in a device's own memory, and the requests of Command::memory on them.
//
// A platform provides DeviceMemory: blocks that can be written and read. Everything else is done here, through memory
// of the runner; a platform that fills or digests faster on the device overrides that.
#pragma once

#include "backend/runner/platform.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::backend::runner {

// Functions return nullptr, or what went wrong.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  // Makes block `number` (0, 1, 2, ...): a buffer of so many bytes between two bands.
  virtual const char* make(std::uint32_t number, std::uint64_t band, std::uint64_t bytes, bool writable) = 0;
  // `offset` counts from the start of the block, bands included.
  virtual const char* write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes) = 0;
  virtual const char* read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes) = 0;
  virtual void release() = 0; // all blocks

  // Where the runner sees an address of the staging area.
  virtual void* staging(std::uint64_t address) { return reinterpret_cast<void*>(address); }
};

class DeviceBuffers {
public:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  explicit DeviceBuffers(DeviceMemory& memory) : m_memory(&memory) {}

  // One block per buffer of the job; those that share an address share a block.
  const char* make(const JobView& job);
  void release();
  bool is_made() const { return m_made > 0; }

  // k_none: of no bytes.
  std::uint32_t block_of(std::uint32_t set, std::uint32_t buffer) const
  {
    return m_blocks[std::size_t{set} * m_buffers + buffer];
  }

  // Command::memory.
  const char* execute(const JobView& job, Reply& reply);

private:
  struct Range {
    std::uint32_t block;
    std::uint64_t offset, bytes;
  };

  const char* execute(const JobView& job, const MemoryRequest& request, std::uint64_t& result);
  const char* write_words(const Range& range, std::uint64_t key);
  const char* write_pattern(const Range& range, std::uint64_t pattern, std::uint32_t element_bytes);
  const char* digest(const Range& range, std::uint64_t& result);
  // Position of the first byte that differs from the key's words, or with `last` the last one; `bytes` when whole.
  const char* damage(const Range& range, std::uint64_t key, bool last, std::uint64_t& position);
  const char* check_guard(const Range& front, const Range& back, std::uint64_t key, std::uint64_t& result);

  DeviceMemory* m_memory;
  std::uint32_t m_buffers = 0; // per set
  std::uint32_t m_made = 0;
  std::vector<std::uint32_t> m_blocks; // [set][buffer]
  std::vector<std::uint64_t> m_chunk;  // what is on its way
};

} // namespace hone::backend::runner
