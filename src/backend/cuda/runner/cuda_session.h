// A CUDA device, real or emulated, and a job on it: from a module to finished launches.
#pragma once

#include "backend/cuda/runner/cuda_api.h"
#include "backend/runner/device_buffers.h"
#include "backend/runner/runner_core.h"

#include <string>
#include <vector>

namespace hone::backend::runner {

// What goes wrong is said in words; "": nothing.
class CudaDevice {
public:
  // NVIDIA's first GPU where there is one, else the emulated device.
  std::string open();
  bool is_emulated() const { return m_emulated; }
  const CuApi& api() const { return m_api; }
  CuDevice device() const { return m_device; }
  int attribute(CuAttribute which) const;
  std::string name() const;
  // "the launch of matmul: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"; of an emulated
  // device what it found.
  std::string trouble(const std::string& what, CuResult code) const;

private:
  std::string open_with(const char* library);

  CuApi m_api = {};
  CuDevice m_device = 0;
  bool m_emulated = false;
};

class CudaBlocks : public DeviceMemory {
public:
  explicit CudaBlocks(const CudaDevice& device) : m_device(device) {}

  const char* make(std::uint32_t number, std::uint64_t band, std::uint64_t bytes, bool writable) override;
  const char* write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes) override;
  const char* read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes) override;
  void release() override;
  CuAddress address(std::uint32_t block) const { return m_blocks[block].begin + m_blocks[block].band; }

private:
  struct Block {
    CuAddress begin = 0;
    std::uint64_t band = 0;
  };

  const char* said(CuResult code, const char* what);

  const CudaDevice& m_device;
  std::vector<Block> m_blocks;
  std::string m_trouble;
};

class CudaSession {
public:
  std::string open() { return m_device.open(); }
  std::string load(const JobView& job);
  void unload();
  const char* execute_requests(const JobView& job, Reply& reply) { return m_buffers.execute(job, reply); }
  std::string call(const JobView& job, std::uint32_t set);

private:
  std::string make_maps(const JobView& job);
  std::string run_launch(const JobView& job, std::uint32_t set, std::uint32_t index);

  CudaDevice m_device;
  CuHandle m_module = nullptr;
  CuAddress m_maps = 0;              // per set and map of the job
  std::vector<CuHandle> m_functions; // per launch
  CudaBlocks m_blocks{m_device};
  DeviceBuffers m_buffers{m_blocks};
};

} // namespace hone::backend::runner
