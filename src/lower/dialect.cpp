#include "lower/dialect.h"

namespace hone {

Dialect cpu_dialect(int vector_bytes, bool masked_memory)
{
  return {"cpu", "device.cpp", false, vector_bytes, masked_memory};
}

Dialect opencl_dialect()
{
  return {"opencl", "device.cl", true, 0, false};
}

} // namespace hone
