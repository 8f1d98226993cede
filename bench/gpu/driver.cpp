#include "driver.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <dlfcn.h>

namespace hone::gpu_bench {

namespace {

constexpr std::size_t k_band = 64 << 10;
constexpr unsigned char k_band_byte = 0xa5;
constexpr unsigned k_plain_shared_bytes = 48 << 10; // more must be asked for
constexpr int k_nvml_clock_sm = 1;

template <class Function> bool find(void* library, const char* name, Function& function)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

double now()
{
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string Device::open(const std::string& emulated)
{
  m_emulated = !emulated.empty();
  const char* const library = m_emulated ? emulated.c_str() : "libcuda.so.1";
  if (std::string missing = backend::runner::open_cuda(library, m_api); !missing.empty()) {
    return missing;
  }
  void* const driver = dlopen(library, RTLD_NOW | RTLD_LOCAL); // it is open
  find(driver, "cuEventCreate", m_api.make_event);
  find(driver, "cuEventRecord", m_api.record_event);
  if (!find(driver, "cuEventElapsedTime_v2", m_api.elapsed)) {
    find(driver, "cuEventElapsedTime", m_api.elapsed);
  }
  find(driver, "cuMemsetD32Async", m_api.set_words_later);
  find(driver, "cuMemcpyDtoDAsync_v2", m_api.copy_later);
  find(driver, "cuCtxResetPersistingL2Cache", m_api.reset_persisting);
  find(driver, "cuDeviceGetPCIBusId", m_api.pci_bus_id);
  Handle context = nullptr;
  if (const Result code = m_api.init(0); code != k_success) {
    return trouble("cuInit", code);
  }
  if (const Result code = m_api.device_get(&m_device, 0); code != k_success) {
    return trouble("cuDeviceGet", code);
  }
  Result code = m_api.retain_context(&context, m_device);
  code = code == k_success ? m_api.set_context(context) : code;
  return code == k_success ? "" : trouble("no context could be made", code);
}

int Device::attribute(Attribute which) const
{
  int value = 0;
  return m_api.device_attribute(&value, which, m_device) == k_success ? value : 0;
}

std::string Device::name() const
{
  char text[256] = {};
  return m_api.device_name(text, sizeof text - 1, m_device) == k_success ? text : "?";
}

std::string Device::pci() const
{
  char text[64] = {};
  return m_api.pci_bus_id != nullptr && m_api.pci_bus_id(text, sizeof text - 1, m_device) == k_success ? text : "";
}

int Device::driver_version() const
{
  int value = 0;
  m_api.driver_version(&value);
  return value;
}

std::string Device::arch() const
{
  const int major = attribute(k_major);
  return major == 9 ? "sm_90a" : major >= 8 ? "sm_80" : "";
}

std::string Device::name_of(Result code) const
{
  const char* text = nullptr;
  m_api.error_name(code, &text);
  return text == nullptr ? "CUDA error " + std::to_string(code) : text;
}

std::string Device::trouble(const char* what, Result code) const
{
  std::string out = std::string(what) + ": " + name_of(code);
  if (m_api.findings != nullptr) {
    if (const char* const found = m_api.findings(); found != nullptr && *found != '\0') {
      out += std::string(" (") + found + ")";
    }
  }
  return out;
}

std::string Module::load(const std::string& image)
{
  unload();
  const Result code = m_device.api().module_load(&m_module, image.c_str());
  if (code != k_success) {
    m_module = nullptr;
    return m_device.trouble("the module was refused", code);
  }
  return "";
}

std::string Module::function(const char* name, unsigned shared_bytes, Handle& out) const
{
  Result code = m_device.api().module_function(&out, m_module, name);
  if (code == k_success && shared_bytes > k_plain_shared_bytes) {
    code = m_device.api().function_set(out, k_dynamic_shared, static_cast<int>(shared_bytes));
  }
  return code == k_success ? "" : m_device.trouble(name, code);
}

void Module::unload()
{
  if (m_module != nullptr) {
    m_device.api().module_unload(m_module);
    m_module = nullptr;
  }
}

std::string Buffer::make(std::size_t bytes)
{
  release();
  m_bytes = bytes;
  m_band = m_device.is_emulated() ? 0 : k_band;
  const Result code = m_device.api().allocate(&m_begin, std::max<std::size_t>(bytes, 1) + 2 * m_band);
  if (code != k_success) {
    m_begin = 0;
    return m_device.trouble("a buffer could not be made", code);
  }
  if (m_band > 0) {
    m_device.api().set_bytes(m_begin, k_band_byte, m_band);
    m_device.api().set_bytes(m_begin + m_band + m_bytes, k_band_byte, m_band);
  }
  return "";
}

void Buffer::release()
{
  if (m_begin != 0) {
    m_device.api().release(m_begin);
    m_begin = 0;
  }
}

std::string Buffer::touched_bands() const
{
  std::vector<unsigned char> band(m_band);
  for (const Address begin : {m_begin, m_begin + m_band + m_bytes}) {
    if (m_band > 0 && m_device.api().to_host(band.data(), begin, m_band) == k_success
        && !std::ranges::all_of(band, [](unsigned char byte) { return byte == k_band_byte; })) {
      return begin == m_begin ? "stored in front of a buffer" : "stored behind a buffer";
    }
  }
  return "";
}

Clocks::Clocks(const std::string& pci_bus_id)
{
  void* const library = pci_bus_id.empty() ? nullptr : dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*init)() = nullptr;
  int (*by_pci)(const char*, Handle*) = nullptr;
  if (library == nullptr || !find(library, "nvmlInit_v2", init)
      || !find(library, "nvmlDeviceGetHandleByPciBusId_v2", by_pci) || !find(library, "nvmlDeviceGetClockInfo", m_clock)
      || init() != 0 || by_pci(pci_bus_id.c_str(), &m_device) != 0) {
    m_clock = nullptr;
  }
}

unsigned Clocks::mhz() const
{
  unsigned out = 0;
  return m_clock != nullptr && m_clock(m_device, k_nvml_clock_sm, &out) == 0 ? out : 0;
}

} // namespace hone::gpu_bench
