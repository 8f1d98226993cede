// Lists of launches as gpu_pack writes them, and one case of a list on a device.
#pragma once

#include "driver.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hone::gpu_bench {

enum class Type { f16, bf16, f32, f64 };
std::size_t size_of(Type type);
double roundoff(Type type);
double value_at(const std::byte* at, Type type);
void set_value(std::byte* at, Type type, double value);
const char* name_of(Type type);

enum class ArgumentKind { tensor, scratch, map, integer };

struct Argument {
  ArgumentKind kind = ArgumentKind::integer;
  std::size_t position = 0;
  long long integer = 0;
};

struct Tensor {
  Type type = Type::f32;
  std::size_t count = 0;
  bool written = false;
  std::size_t bytes() const { return count * size_of(type); }
};

struct MapOf {
  Argument tensor;
  int type = 0, swizzle = 0; // as CUDA numbers types; bytes
  std::size_t element_bytes = 0;
  std::vector<std::uint64_t> sizes; // from the innermost dimension on
  std::vector<unsigned> box;
};

struct FillOf {
  Argument buffer;
  std::size_t element_bytes = 0;
  std::uint64_t pattern = 0;
};

struct Launch {
  std::string function;
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;
  std::vector<Argument> arguments;
  std::vector<FillOf> fills; // done before
};

struct Case {
  std::string purpose, kernel, name, steps, point, module;
  std::string expect, sizes; // a file with values and bounds; of products ""
  long long m = 0, n = 0, k = 0;
  bool is_product = false, a_transposed = false, b_transposed = false;
  int registers = 0, spilled_bytes = 0;
  std::vector<Tensor> tensors;
  std::vector<std::size_t> scratch; // bytes
  std::vector<MapOf> maps;
  std::vector<Launch> launches;

  std::string candidate() const; // the name without the tuning point's number
  std::string sizes_text() const;
};

// What is wrong with the file, or "".
std::string read_list(const std::string& file, std::vector<Case>& out);
bool read_whole(const std::string& file, std::string& out);

// A case with its module, ready to be launched on buffers of somebody.
class Loaded {
public:
  Loaded(const Device& device, const Case& one) : m_device(device), m_case(one), m_module(device), m_maps(device) {}
  // Machine code where it fits, else PTX.
  std::string load(const std::string& folder, const std::vector<Address>& tensors, const std::vector<Address>& scratch);
  // Fills and launches, without waiting for them.
  std::string launch();
  const char* image() const { return m_image; } // "cubin", "ptx"
  const Case& of() const { return m_case; }

private:
  std::string make_maps();
  Address address_of(const Argument& argument) const;

  const Device& m_device;
  const Case& m_case;
  Module m_module;
  Buffer m_maps;
  const char* m_image = "";
  std::vector<Handle> m_functions;
  std::vector<Address> m_tensors, m_scratch;
};

} // namespace hone::gpu_bench
