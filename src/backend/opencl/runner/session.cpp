#include "backend/opencl/runner/session.h"

#include <sys/mman.h>

namespace hone::runner {
namespace {

Trouble setup_trouble(const std::string& text, ClInt code = k_cl_success)
{
  return {RefusalKind::setup, code == k_cl_success ? text : text + " (OpenCL error " + std::to_string(code) + ")"};
}

Trouble launch_trouble(const char* what, const char* kernel, ClInt code)
{
  return {RefusalKind::runtime,
          std::string(what) + " of kernel " + kernel + " failed (OpenCL error " + std::to_string(code) + ")"};
}

std::string build_log(const ClApi& api, ClHandle program, ClHandle device)
{
  std::size_t bytes = 0;
  api.get_program_build_info(program, device, k_cl_program_build_log, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  api.get_program_build_info(program, device, k_cl_program_build_log, bytes, log.data(), nullptr);
  while (!log.empty() && log.back() == '\0') {
    log.pop_back();
  }
  return log.empty() ? "the OpenCL compiler refused the program without saying why" : log;
}

} // namespace

Trouble Session::open()
{
  if (const char* missing = open_opencl(m_api)) {
    return setup_trouble(missing);
  }
  constexpr ClUint k_most_platforms = 16;
  ClHandle platforms[k_most_platforms];
  ClUint count = 0;
  if (m_api.get_platform_ids(k_most_platforms, platforms, &count) != k_cl_success) {
    count = 0;
  }
  for (ClUint i = 0; i < count && i < k_most_platforms && m_device == nullptr; ++i) {
    if (m_api.get_device_ids(platforms[i], k_cl_device_type_cpu, 1, &m_device, nullptr) == k_cl_success) {
      m_platform = platforms[i];
    }
  }
  if (m_device == nullptr) {
    return setup_trouble("there is no OpenCL device that runs on this CPU");
  }
  ClInt code = k_cl_success;
  m_context = m_api.create_context(nullptr, 1, &m_device, nullptr, nullptr, &code);
  if (code != k_cl_success) {
    return setup_trouble("no OpenCL context could be made", code);
  }
  m_queue = m_api.create_command_queue(m_context, m_device, 0, &code);
  return code == k_cl_success ? Trouble{} : setup_trouble("no OpenCL queue could be made", code);
}

Trouble Session::build(const JobView& job)
{
  ClInt code = k_cl_success;
  const char* source = job.image().data();
  const std::size_t length = job.image().size();
  m_program = m_api.create_program_with_source(m_context, 1, &source, &length, &code);
  if (code != k_cl_success) {
    return setup_trouble("the OpenCL program could not be made", code);
  }
  const std::string options(job.options());
  if (m_api.build_program(m_program, 1, &m_device, options.c_str(), nullptr, nullptr) != k_cl_success) {
    return {RefusalKind::compile, build_log(m_api, m_program, m_device)};
  }
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const char* name = job.kernel_name(job.launch(i));
    m_kernels.push_back(m_api.create_kernel(m_program, name, &code));
    if (code != k_cl_success) {
      return {RefusalKind::compile, std::string("device.cl has no kernel ") + name};
    }
  }
  return {};
}

Trouble Session::wrap(const Buffer& buffer, void* memory, ClHandle& wrapped) const
{
  ClInt code = k_cl_success;
  const ClBits access = buffer.writable != 0 ? k_cl_mem_read_write : k_cl_mem_read_only;
  wrapped = m_api.create_buffer(m_context, access | k_cl_mem_use_host_ptr, buffer.bytes, memory, &code);
  return code == k_cl_success ? Trouble{} : setup_trouble("a buffer could not be shared with OpenCL", code);
}

Trouble Session::wrap_buffers(const JobView& job)
{
  for (std::uint32_t set = 0; set < job.sets(); ++set) {
    for (std::uint32_t i = 0; i < job.buffers(); ++i) {
      const Buffer& buffer = job.buffer(set, i);
      ClHandle wrapped = nullptr;
      if (Trouble trouble = wrap(buffer, reinterpret_cast<void*>(buffer.address), wrapped)) {
        return trouble;
      }
      m_buffers.push_back(wrapped);
    }
  }
  return {};
}

Trouble Session::run_launch(const JobView& job, std::uint32_t index, const ClHandle* buffers) const
{
  const Launch& launch = job.launch(index);
  const char* name = job.kernel_name(launch);
  const ClHandle kernel = m_kernels[index];
  const ArgumentSpec* specs = job.arguments(launch);
  const std::uint64_t* values = job.values(launch, 0); // integers are the same for every set
  for (ClUint i = 0; i < launch.argument_count; ++i) {
    const void* value = specs[i].kind == ArgumentKind::buffer ? static_cast<const void*>(&buffers[specs[i].buffer])
                                                              : static_cast<const void*>(&values[i]);
    if (const ClInt code = m_api.set_kernel_arg(kernel, i, sizeof(std::uint64_t), value); code != k_cl_success) {
      return launch_trouble("an argument", name, code);
    }
  }
  if (launch.shared_bytes > 0) {
    const ClInt code = m_api.set_kernel_arg(kernel, launch.argument_count, std::size_t(launch.shared_bytes), nullptr);
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
  const ClInt code = m_api.enqueue_nd_range_kernel(m_queue, kernel, 3, nullptr, items, group, 0, nullptr, nullptr);
  return code == k_cl_success ? Trouble{} : launch_trouble("the launch", name, code);
}

Trouble Session::call(const JobView& job, std::uint32_t set)
{
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const Launch& launch = job.launch(i);
    if (launch.fill_count > 0) {
      m_api.finish(m_queue); // an earlier launch may still use the buffer
    }
    for (std::uint32_t k = 0; k < launch.fill_count; ++k) {
      const Fill& fill = job.fill(launch.first_fill + k);
      fill_buffer(job.buffer(set, fill.buffer), fill);
    }
    if (Trouble trouble = run_launch(job, i, &m_buffers[std::size_t{set} * job.buffers()])) {
      return trouble;
    }
  }
  const ClInt code = m_api.finish(m_queue);
  return code == k_cl_success ? Trouble{} : Trouble{RefusalKind::runtime, "a launch did not finish"};
}

Trouble Session::rehearse(const JobView& job)
{
  std::vector<ClHandle> buffers;
  std::vector<std::pair<void*, std::size_t>> own_memory;
  for (std::uint32_t i = 0; i < job.buffers(); ++i) {
    const Buffer& buffer = job.buffer(0, i);
    void* memory = reinterpret_cast<void*>(buffer.address);
    if (buffer.writable != 0) {
      memory = mmap(nullptr, buffer.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) {
        return setup_trouble("no memory for the first launch");
      }
      own_memory.emplace_back(memory, buffer.bytes);
    }
    if (Trouble trouble = wrap(buffer, memory, buffers.emplace_back())) {
      return trouble;
    }
  }
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    if (Trouble trouble = run_launch(job, i, buffers.data())) {
      return trouble;
    }
  }
  if (m_api.finish(m_queue) != k_cl_success) {
    return {RefusalKind::runtime, "the first launch did not finish"};
  }
  for (const ClHandle buffer : buffers) {
    m_api.release_mem_object(buffer);
  }
  for (const auto& [memory, bytes] : own_memory) {
    munmap(memory, bytes);
  }
  return {};
}

} // namespace hone::runner
