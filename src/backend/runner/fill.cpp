#include "backend/runner/fill.h"

#include <algorithm>

namespace hone::backend::runner {
namespace {

template <class T> void fill_as(void* memory, std::uint64_t first, std::uint64_t count, std::uint64_t pattern)
{
  std::fill_n(static_cast<T*>(memory) + first, count, static_cast<T>(pattern));
}

} // namespace

void fill_elements(void* memory, const Fill& spec, std::uint64_t first, std::uint64_t count)
{
  switch (spec.element_bytes) {
  case 1:
    fill_as<std::uint8_t>(memory, first, count, spec.pattern);
    break;
  case 2:
    fill_as<std::uint16_t>(memory, first, count, spec.pattern);
    break;
  case 4:
    fill_as<std::uint32_t>(memory, first, count, spec.pattern);
    break;
  default:
    fill_as<std::uint64_t>(memory, first, count, spec.pattern);
    break;
  }
}

void fill_elements(const Buffer& buffer, const Fill& spec, std::uint64_t first, std::uint64_t count)
{
  fill_elements(reinterpret_cast<void*>(buffer.address), spec, first, count);
}

void fill_buffer(const Buffer& buffer, const Fill& spec)
{
  fill_elements(buffer, spec, 0, spec.elements);
}

} // namespace hone::backend::runner
