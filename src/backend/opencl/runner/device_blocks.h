// Blocks of memory of an OpenCL device that nobody else can reach: what the parent cannot share.
#pragma once

#include "backend/opencl/runner/device.h"
#include "backend/runner/device_buffers.h"

#include <string>
#include <vector>

namespace hone::backend::runner {

class DeviceBlocks : public DeviceMemory {
public:
  explicit DeviceBlocks(const Device& device) : m_device(device) {}

  const char* make(std::uint32_t number, std::uint64_t band, std::uint64_t bytes, bool writable) override;
  const char* write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes) override;
  const char* read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes) override;
  void release() override;

  ClHandle buffer(std::uint32_t block) const { return m_blocks[block].buffer; } // what lies between the bands

private:
  struct Block {
    ClHandle whole = nullptr, buffer = nullptr;
  };

  const char* trouble(const Trouble& trouble);

  const Device& m_device;
  std::vector<Block> m_blocks;
  std::string m_trouble; // in words
};

} // namespace hone::backend::runner
