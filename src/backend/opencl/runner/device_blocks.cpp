#include "backend/opencl/runner/device_blocks.h"

namespace hone::backend::runner {

const char* DeviceBlocks::trouble(const Trouble& trouble)
{
  m_trouble = trouble.text;
  return m_trouble.c_str();
}

const char* DeviceBlocks::make(std::uint32_t, std::uint64_t band, std::uint64_t bytes, bool writable)
{
  const ClApi& api = m_device.api();
  Block& block = m_blocks.emplace_back();
  ClInt code = k_cl_success;
  block.whole = api.create_buffer(m_device.context(), k_cl_mem_read_write, 2 * band + bytes, nullptr, &code);
  if (code == k_cl_success) {
    const ClRegion region{band, bytes};
    block.buffer = api.create_sub_buffer(block.whole, writable ? k_cl_mem_read_write : k_cl_mem_read_only,
                                         k_cl_buffer_create_type_region, &region, &code);
  }
  return code == k_cl_success ? nullptr : trouble(setup_trouble("a buffer could not be made on the device", code));
}

const char* DeviceBlocks::write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes)
{
  const ClInt code = m_device.api().enqueue_write_buffer(m_device.queue(), m_blocks[block].whole, 1, offset, bytes,
                                                         from, 0, nullptr, nullptr);
  return code == k_cl_success ? nullptr : trouble(setup_trouble("a buffer could not be written", code));
}

const char* DeviceBlocks::read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes)
{
  const ClInt code = m_device.api().enqueue_read_buffer(m_device.queue(), m_blocks[block].whole, 1, offset, bytes, to,
                                                        0, nullptr, nullptr);
  return code == k_cl_success ? nullptr : trouble(setup_trouble("a buffer could not be read", code));
}

void DeviceBlocks::release()
{
  for (const Block& block : m_blocks) {
    for (const ClHandle handle : {block.buffer, block.whole}) {
      if (handle != nullptr) {
        m_device.api().release_mem_object(handle);
      }
    }
  }
  m_blocks.clear();
}

} // namespace hone::backend::runner
