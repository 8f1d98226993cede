#include "backend/opencl/runner/session.h"

#include "backend/runner/fill.h"

#include <string>

namespace hone::backend::runner {

Trouble Session::load(const JobView& job)
{
  if (Trouble trouble = m_device.load(job.image(), std::string(job.options()).c_str(), m_program)) {
    return trouble;
  }
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const char* name = job.kernel_name(job.launch(i));
    if (Trouble trouble = m_device.kernel(m_program, name, m_kernels.emplace_back())) {
      return trouble;
    }
  }
  return {};
}

Trouble Session::wrap_buffers(const JobView& job)
{
  for (std::uint32_t set = 0; set < job.sets(); ++set) {
    for (std::uint32_t i = 0; i < job.buffers(); ++i) {
      const Buffer& buffer = job.buffer(set, i);
      if (buffer.bytes == 0) { // nothing that this runner's launches use
        m_buffers.push_back(nullptr);
        continue;
      }
      const ClBits access = buffer.writable != 0 ? k_cl_mem_read_write : k_cl_mem_read_only;
      ClInt code = k_cl_success;
      m_buffers.push_back(m_device.api().create_buffer(m_device.context(), access | k_cl_mem_use_host_ptr, buffer.bytes,
                                                       reinterpret_cast<void*>(buffer.address), &code));
      if (code != k_cl_success) {
        return setup_trouble("a buffer could not be shared with OpenCL", code);
      }
    }
  }
  return {};
}

Trouble Session::make_buffers(const JobView& job)
{
  if (job.head().own_memory == 0) {
    return wrap_buffers(job);
  }
  if (const char* failure = m_copies.make(job)) {
    return {RefusalKind::runtime, failure};
  }
  for (std::uint32_t set = 0; set < job.sets(); ++set) {
    for (std::uint32_t i = 0; i < job.buffers(); ++i) {
      const std::uint32_t block = m_copies.block_of(set, i);
      m_buffers.push_back(block == DeviceBuffers::k_none ? nullptr : m_blocks.buffer(block));
    }
  }
  return {};
}

void Session::unload()
{
  const ClApi& api = m_device.api();
  if (m_copies.is_made()) {
    m_copies.release();
  } else {
    for (const ClHandle buffer : m_buffers) {
      buffer != nullptr ? api.release_mem_object(buffer) : 0;
    }
  }
  m_buffers.clear();
  for (const ClHandle kernel : m_kernels) {
    api.release_kernel(kernel);
  }
  m_kernels.clear();
  if (m_program != nullptr) {
    api.release_program(m_program);
    m_program = nullptr;
  }
}

Trouble Session::fill(const JobView& job, std::uint32_t set, const Fill& fill) const
{
  const Buffer& buffer = job.buffer(set, fill.buffer);
  if (job.head().own_memory == 0) {
    fill_buffer(buffer, fill);
    return {};
  }
  const ClInt code = m_device.api().enqueue_fill_buffer(
    m_device.queue(), m_buffers[std::size_t{set} * job.buffers() + fill.buffer], &fill.pattern, fill.element_bytes, 0,
    fill.elements * fill.element_bytes, 0, nullptr, nullptr);
  return code == k_cl_success ? Trouble{} : setup_trouble("a buffer could not be filled", code);
}

Trouble Session::run_launch(const JobView& job, std::uint32_t index, const ClHandle* buffers) const
{
  const ClApi& api = m_device.api();
  const Launch& launch = job.launch(index);
  const char* name = job.kernel_name(launch);
  const ClHandle kernel = m_kernels[index];
  const ArgumentSpec* specs = job.arguments(launch);
  const std::uint64_t* values = job.values(launch, 0); // integers are the same for every set
  for (ClUint i = 0; i < launch.argument_count; ++i) {
    const void* value = specs[i].kind == ArgumentKind::buffer ? static_cast<const void*>(&buffers[specs[i].buffer])
                                                              : static_cast<const void*>(&values[i]);
    if (const ClInt code = api.set_kernel_arg(kernel, i, sizeof(std::uint64_t), value); code != k_cl_success) {
      return launch_trouble("an argument", name, code);
    }
  }
  if (launch.shared_bytes > 0) {
    const ClInt code = api.set_kernel_arg(kernel, launch.argument_count, std::size_t(launch.shared_bytes), nullptr);
    if (code != k_cl_success) {
      return launch_trouble("the local memory argument", name, code);
    }
  }
  std::size_t items[3];
  std::size_t group[3];
  for (int i = 0; i < 3; ++i) {
    group[i] = std::size_t(launch.block[i]);
    items[i] = std::size_t(launch.grid[i]) * group[i];
  }
  const ClInt code =
    api.enqueue_nd_range_kernel(m_device.queue(), kernel, 3, nullptr, items, group, 0, nullptr, nullptr);
  return code == k_cl_success ? Trouble{} : launch_trouble("the launch", name, code);
}

Trouble Session::call(const JobView& job, std::uint32_t set)
{
  const ClApi& api = m_device.api();
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const Launch& launch = job.launch(i);
    if (launch.fill_count > 0 && job.head().own_memory == 0) {
      api.finish(m_device.queue()); // an earlier launch may still use the buffer
    }
    for (std::uint32_t k = 0; k < launch.fill_count; ++k) {
      if (Trouble trouble = fill(job, set, job.fill(launch.first_fill + k))) {
        return trouble;
      }
    }
    if (Trouble trouble = run_launch(job, i, &m_buffers[std::size_t{set} * job.buffers()])) {
      return trouble;
    }
  }
  const ClInt code = api.finish(m_device.queue());
  return code == k_cl_success ? Trouble{} : Trouble{RefusalKind::runtime, "a launch did not finish"};
}

} // namespace hone::backend::runner
