#include "backend/cuda/runner/cuda_session.h"

#include <climits>

#include <array>
#include <unistd.h>

namespace hone::backend::runner {

namespace {

constexpr const char* k_nvidia_driver = "libcuda.so.1";
constexpr const char* k_emulated_driver = "libhone-cuda-emulated.so"; // beside the runner
// Programs with waves of 64 run on the emulated device alone.
#ifdef HONE_RUNNER_HIP
constexpr bool k_is_hip = true;
#else
constexpr bool k_is_hip = false;
#endif
constexpr int k_plain_shared_bytes = 48 << 10; // more must be asked for

std::string beside_this_program(const char* name)
{
  char path[PATH_MAX] = {};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  const std::string program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return program.substr(0, program.rfind('/') + 1) + name;
}

} // namespace

std::string CudaDevice::open_with(const char* library)
{
  if (std::string missing = open_cuda(library, m_api); !missing.empty()) {
    return missing;
  }
  CuHandle context = nullptr;
  for (const auto& [what, code] :
       {std::pair("cuInit", m_api.init(0)), std::pair("cuDeviceGet", m_api.device_get(&m_device, 0))}) {
    if (code != k_cu_success) {
      return trouble(what, code);
    }
  }
  CuResult code = m_api.retain_context(&context, m_device);
  code = code == k_cu_success ? m_api.set_context(context) : code;
  return code == k_cu_success ? "" : trouble("no context could be made", code);
}

std::string CudaDevice::open()
{
  if (!k_is_hip && access("/dev/nvidiactl", F_OK) == 0 && open_with(k_nvidia_driver).empty()) {
    m_emulated = false;
    return "";
  }
  m_emulated = true;
  return open_with(beside_this_program(k_emulated_driver).c_str());
}

int CudaDevice::attribute(CuAttribute which) const
{
  int value = 0;
  return m_api.device_attribute(&value, which, m_device) == k_cu_success ? value : 0;
}

std::string CudaDevice::name() const
{
  char text[256] = {};
  return m_api.device_name(text, sizeof text - 1, m_device) == k_cu_success ? text : "a CUDA device";
}

std::string CudaDevice::trouble(const std::string& what, CuResult code) const
{
  if (m_api.findings != nullptr) {
    if (const char* const findings = m_api.findings(); findings != nullptr && *findings != '\0') {
      return findings;
    }
  }
  const char* name = nullptr;
  const char* text = nullptr;
  m_api.error_name(code, &name);
  m_api.error_text(code, &text);
  return what + ": " + (name == nullptr ? "CUDA error " + std::to_string(code) : name)
         + (text == nullptr ? "" : std::string(" (") + text + ")");
}

const char* CudaBlocks::said(CuResult code, const char* what)
{
  if (code == k_cu_success) {
    return nullptr;
  }
  m_trouble = m_device.trouble(what, code);
  return m_trouble.c_str();
}

const char* CudaBlocks::make(std::uint32_t, std::uint64_t band, std::uint64_t bytes, bool)
{
  Block& block = m_blocks.emplace_back();
  block.band = band;
  return said(m_device.api().allocate(&block.begin, 2 * band + bytes), "a buffer could not be made on the device");
}

const char* CudaBlocks::write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes)
{
  return said(m_device.api().to_device(m_blocks[block].begin + offset, from, bytes), "a buffer could not be written");
}

const char* CudaBlocks::read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes)
{
  return said(m_device.api().to_host(to, m_blocks[block].begin + offset, bytes), "a buffer could not be read");
}

void CudaBlocks::release()
{
  for (const Block& block : m_blocks) {
    if (block.begin != 0) {
      m_device.api().release(block.begin);
    }
  }
  m_blocks.clear();
}

// A map that the device does not have, since rows are no multiple of 16 bytes, stays empty: programs look at the sizes
// before they use one.
std::string CudaSession::make_maps(const JobView& job)
{
  const CuApi& api = m_device.api();
  if (job.maps() == 0) {
    return "";
  }
  if (api.encode_map == nullptr) {
    return "the driver has no tensor maps";
  }
  std::vector<EncodedMap> maps(std::size_t{job.sets()} * job.maps());
  for (std::uint32_t set = 0; set < job.sets(); ++set) {
    for (std::uint32_t i = 0; i < job.maps(); ++i) {
      const TensorMap& map = job.map(i);
      const std::uint32_t block = m_buffers.block_of(set, map.buffer);
      if (block == DeviceBuffers::k_none) {
        continue;
      }
      std::uint64_t strides[4] = {}, bytes = map.element_bytes;
      bool fits = m_blocks.address(block) % 16 == 0;
      for (std::uint32_t d = 0; d + 1 < map.rank; ++d) {
        bytes *= map.sizes[d];
        strides[d] = bytes;
        fits = fits && bytes % 16 == 0;
      }
      const std::uint32_t steps[5] = {1, 1, 1, 1, 1};
      const int swizzle = map.swizzle == 128 ? 3 : map.swizzle == 64 ? 2 : map.swizzle == 32 ? 1 : 0;
      const CuResult code = fits ? api.encode_map(&maps[std::size_t{set} * job.maps() + i], static_cast<int>(map.type),
                                                  map.rank, reinterpret_cast<void*>(m_blocks.address(block)), map.sizes,
                                                  strides, map.box, steps, 0, swizzle, 0, 0)
                                 : k_cu_success;
      if (code != k_cu_success) {
        return m_device.trouble("a tensor map of launch.toml", code);
      }
    }
  }
  const std::size_t bytes = maps.size() * sizeof(EncodedMap);
  CuResult code = api.allocate(&m_maps, bytes);
  code = code == k_cu_success ? api.to_device(m_maps, maps.data(), bytes) : code;
  return code == k_cu_success ? "" : m_device.trouble("tensor maps could not be made", code);
}

std::string CudaSession::load(const JobView& job)
{
  const CuApi& api = m_device.api();
  const std::string image(job.image());
  if (const CuResult code = api.module_load(&m_module, image.c_str()); code != k_cu_success) {
    return m_device.trouble("the module was refused", code);
  }
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    const Launch& launch = job.launch(i);
    const char* const name = job.kernel_name(launch);
    CuResult code = api.module_function(&m_functions.emplace_back(), m_module, name);
    if (code == k_cu_success && launch.shared_bytes > k_plain_shared_bytes) {
      code = api.function_set(m_functions.back(), k_cu_function_dynamic_shared, static_cast<int>(launch.shared_bytes));
    }
    if (code != k_cu_success) {
      return m_device.trouble(std::string("launch.toml launches ") + name, code);
    }
  }
  const char* const failure = m_buffers.make(job);
  return failure == nullptr ? make_maps(job) : failure;
}

void CudaSession::unload()
{
  m_buffers.release();
  m_functions.clear();
  if (m_maps != 0) {
    m_device.api().release(m_maps);
    m_maps = 0;
  }
  if (m_module != nullptr) {
    m_device.api().module_unload(m_module);
    m_module = nullptr;
  }
}

std::string CudaSession::run_launch(const JobView& job, std::uint32_t set, std::uint32_t index)
{
  const CuApi& api = m_device.api();
  const Launch& launch = job.launch(index);
  const ArgumentSpec* specs = job.arguments(launch);
  const std::uint64_t* values = job.values(launch, set);
  for (std::uint32_t k = 0; k < launch.fill_count; ++k) {
    const Fill& fill = job.fill(launch.first_fill + k);
    const CuAddress begin = m_blocks.address(m_buffers.block_of(set, fill.buffer));
    const CuResult code =
      fill.element_bytes == 1   ? api.set_bytes(begin, static_cast<unsigned char>(fill.pattern), fill.elements)
      : fill.element_bytes == 2 ? api.set_shorts(begin, static_cast<unsigned short>(fill.pattern), fill.elements)
      : fill.element_bytes == 4 ? api.set_words(begin, static_cast<unsigned>(fill.pattern), fill.elements)
                                : -1;
    if (code == -1) { // of 8 bytes: one word after the other
      std::vector<std::uint64_t> words(fill.elements, fill.pattern);
      api.to_device(begin, words.data(), words.size() * sizeof words[0]);
    } else if (code != k_cu_success) {
      return m_device.trouble("a buffer could not be filled", code);
    }
  }
  std::vector<std::uint64_t> arguments(launch.argument_count);
  std::vector<void*> pointers(launch.argument_count);
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    const std::uint32_t block = specs[i].kind == ArgumentKind::buffer ? m_buffers.block_of(set, specs[i].buffer) : 0;
    const std::uint64_t map = std::uint64_t{set} * job.maps() + specs[i].buffer;
    arguments[i] = specs[i].kind == ArgumentKind::tensor_map ? m_maps + map * sizeof(EncodedMap)
                   : specs[i].kind != ArgumentKind::buffer   ? values[i]
                   : block == DeviceBuffers::k_none          ? 0
                                                             : m_blocks.address(block);
    pointers[i] = &arguments[i];
  }
  const auto number = [](std::int64_t value) { return static_cast<unsigned>(value); };
  CuResult code = k_cu_success;
  if (launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1) {
    if (api.launch_with == nullptr) {
      return "the driver has no clusters";
    }
    CuLaunchAttribute clusters{k_cu_launch_cluster, 0, {launch.cluster[0], launch.cluster[1], launch.cluster[2]}};
    const CuLaunchConfig config{{number(launch.grid[0]), number(launch.grid[1]), number(launch.grid[2])},
                                {number(launch.block[0]), number(launch.block[1]), number(launch.block[2])},
                                number(launch.shared_bytes),
                                nullptr,
                                &clusters,
                                1};
    code = api.launch_with(&config, m_functions[index], pointers.data(), nullptr);
  } else {
    code = api.launch(m_functions[index], number(launch.grid[0]), number(launch.grid[1]), number(launch.grid[2]),
                      number(launch.block[0]), number(launch.block[1]), number(launch.block[2]),
                      number(launch.shared_bytes), nullptr, pointers.data(), nullptr);
  }
  return code == k_cu_success ? "" : m_device.trouble(std::string("the launch of ") + job.kernel_name(launch), code);
}

std::string CudaSession::call(const JobView& job, std::uint32_t set)
{
  for (std::uint32_t i = 0; i < job.launches(); ++i) {
    if (std::string trouble = run_launch(job, set, i); !trouble.empty()) {
      return trouble;
    }
  }
  const CuResult code = m_device.api().synchronize();
  return code == k_cu_success ? "" : m_device.trouble("a launch did not finish", code);
}

} // namespace hone::backend::runner
