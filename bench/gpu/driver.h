// The CUDA driver, opened at run time: NVIDIA's, or Hone's emulated one.
#pragma once

#include "backend/cuda/runner/cuda_api.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::gpu_bench {

using Result = backend::runner::CuResult;
using Handle = backend::runner::CuHandle; // contexts, modules, functions, streams, events
using Address = backend::runner::CuAddress;
using TensorMap = backend::runner::EncodedMap;

constexpr Result k_success = 0;
constexpr int k_dynamic_shared = 8; // CUfunction_attribute
enum Attribute : int {
  k_warp_size = 10,
  k_clock_khz = 13,
  k_units = 16,
  k_ecc = 32,
  k_memory_clock_khz = 36,
  k_memory_bus_bits = 37,
  k_l2_bytes = 38,
  k_major = 75,
  k_minor = 76,
  k_persisting_l2 = 108
};

// What the runner calls, and what measuring takes beside it: null in older drivers and in the emulated one.
struct Driver : backend::runner::CuApi {
  Result (*make_event)(Handle*, unsigned);
  Result (*record_event)(Handle, Handle);
  Result (*elapsed)(float*, Handle, Handle);
  Result (*set_words_later)(Address, unsigned, std::size_t, Handle);
  Result (*copy_later)(Address, Address, std::size_t, Handle);
  Result (*reset_persisting)();
  Result (*pci_bus_id)(char*, int, int);
};

// A device and its context. What goes wrong is said in words; "": nothing.
class Device {
public:
  // `emulated`: the emulated driver's file; "": NVIDIA's driver.
  std::string open(const std::string& emulated);
  const Driver& api() const { return m_api; }
  bool is_emulated() const { return m_emulated; }
  int attribute(Attribute which) const;
  std::string name() const;
  std::string pci() const;
  int driver_version() const;
  std::string arch() const; // whose launch list suits: "sm_90a", "sm_80"; "": none
  std::string trouble(const char* what, Result code) const;
  std::string name_of(Result code) const;

private:
  Driver m_api = {};
  int m_device = 0;
  bool m_emulated = false;
};

// PTX or machine code; functions are gone with it.
class Module {
public:
  explicit Module(const Device& device) : m_device(device) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() { unload(); }
  std::string load(const std::string& image);
  std::string function(const char* name, unsigned shared_bytes, Handle& out) const;
  void unload();

private:
  const Device& m_device;
  Handle m_module = nullptr;
};

// Bytes on the device with bands beside them that nobody may touch; the emulated device watches by itself.
class Buffer {
public:
  explicit Buffer(const Device& device) : m_device(device) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }
  std::string make(std::size_t bytes);
  void release();
  Address at() const { return m_begin + m_band; }
  std::size_t bytes() const { return m_bytes; }
  std::string touched_bands() const;

private:
  const Device& m_device;
  Address m_begin = 0;
  std::size_t m_bytes = 0, m_band = 0;
};

double now(); // seconds

// Clocks while something runs, by NVML; 0 where it cannot be asked.
class Clocks {
public:
  explicit Clocks(const std::string& pci_bus_id);
  unsigned mhz() const;

private:
  Handle m_device = nullptr;
  int (*m_clock)(Handle, int, unsigned*) = nullptr;
};

} // namespace hone::gpu_bench
