#include "lower/dialect.h"

#include <algorithm>
#include <array>

namespace hone::lower {

Dialect cpu_dialect(int vector_bytes, bool masked_memory)
{
  return {"cpu", "device.cpp", false, vector_bytes, masked_memory, 0, 0};
}

Dialect opencl_dialect()
{
  return {"opencl", "device.cl", true, 0, false, 256, 16};
}

Dialect hlsl_dialect()
{
  return {"hlsl", "device.hlsl", true, 0, false, 32, 4};
}

Dialect cuda_dialect()
{
  return {"cuda", "device.cu", true, 0, false, 128, 8};
}

Dialect hip_dialect()
{
  return {"hip", "device.hip", true, 0, false, 128, 8};
}

std::optional<Dialect> work_item_dialect(std::string_view name)
{
  for (Dialect dialect : {opencl_dialect(), hlsl_dialect(), cuda_dialect(), hip_dialect()}) {
    if (dialect.name == name) {
      return dialect;
    }
  }
  return std::nullopt;
}

namespace {

// The names below are in this order.
constexpr std::array k_types = {kernel::DataType::f64,  kernel::DataType::f32, kernel::DataType::f16,
                                kernel::DataType::bf16, kernel::DataType::i64, kernel::DataType::i32,
                                kernel::DataType::i16,  kernel::DataType::i8,  kernel::DataType::u32,
                                kernel::DataType::u16,  kernel::DataType::u8,  kernel::DataType::boolean};
using Names = std::array<std::string_view, k_types.size()>;

constexpr Names k_cpu_names = {"double",  "float",  "hone_f16", "hone_bf16", "int64_t", "int32_t",
                               "int16_t", "int8_t", "uint32_t", "uint16_t",  "uint8_t", "bool"};
constexpr Names k_opencl_names = {"double", "float", "half", "ushort", "long",  "int",
                                  "short",  "char",  "uint", "ushort", "uchar", "uchar"};
constexpr Names k_hlsl_names = {"double", "float", "half", "ushort", "int",   "int",
                                "short",  "char",  "uint", "ushort", "uchar", "uchar"};
constexpr Names k_cuda_names = {"double",        "float",        "__half",      "__nv_bfloat16", "long long",
                                "int",           "short",        "signed char", "unsigned",      "unsigned short",
                                "unsigned char", "unsigned char"};
constexpr Names k_hip_names = {"double", "float",       "__half",   "__hip_bfloat16", "long long",     "int",
                               "short",  "signed char", "unsigned", "unsigned short", "unsigned char", "unsigned char"};

const Names& names_in(const Dialect& dialect)
{
  return dialect.name == "opencl" ? k_opencl_names
         : dialect.name == "hlsl" ? k_hlsl_names
         : dialect.name == "cuda" ? k_cuda_names
         : dialect.name == "hip"  ? k_hip_names
                                  : k_cpu_names;
}

} // namespace

std::string type_text(kernel::DataType type, const Dialect& dialect)
{
  const auto found = std::ranges::find(k_types, type);
  return std::string(names_in(dialect)[static_cast<std::size_t>(found - k_types.begin())]);
}

std::string cpu_type_text(kernel::DataType type)
{
  static const Dialect k_dialect = cpu_dialect(0, false);
  return type_text(type, k_dialect);
}

} // namespace hone::lower
