#include "lower/dialect.h"

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

std::optional<Dialect> work_item_dialect(std::string_view name)
{
  for (Dialect dialect : {opencl_dialect(), hlsl_dialect()}) {
    if (dialect.name == name) {
      return dialect;
    }
  }
  return std::nullopt;
}

std::string type_text(kernel::DataType type, const Dialect& dialect)
{
  const bool opencl = dialect.work_items;
  const bool hlsl = dialect.name == "hlsl";
  switch (type) {
  case kernel::DataType::f64:
    return "double";
  case kernel::DataType::f32:
    return "float";
  case kernel::DataType::f16:
    return opencl ? "half" : "hone_f16";
  case kernel::DataType::bf16:
    return opencl ? "ushort" : "hone_bf16";
  case kernel::DataType::i64:
    return hlsl ? "int" : opencl ? "long" : "int64_t";
  case kernel::DataType::i32:
    return opencl ? "int" : "int32_t";
  case kernel::DataType::i16:
    return opencl ? "short" : "int16_t";
  case kernel::DataType::i8:
    return opencl ? "char" : "int8_t";
  case kernel::DataType::u32:
    return opencl ? "uint" : "uint32_t";
  case kernel::DataType::u16:
    return opencl ? "ushort" : "uint16_t";
  case kernel::DataType::u8:
    return opencl ? "uchar" : "uint8_t";
  case kernel::DataType::boolean:
    return opencl ? "uchar" : "bool";
  }
  return "float";
}

std::string cpu_type_text(kernel::DataType type)
{
  static const Dialect k_dialect = cpu_dialect(0, false);
  return type_text(type, k_dialect);
}

} // namespace hone::lower
