#include "inputs/order.h"

#include "inputs/matrix_form.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace hone::inputs {
namespace {

template <class T> void sort_rows(std::span<std::byte> bytes, const kernel::Domain& domain, std::size_t extent)
{
  const T low = static_cast<T>(std::ceil(domain.low));
  const T high = static_cast<T>(std::floor(domain.high));
  std::vector<T> row(extent);
  for (std::size_t at = 0; at + extent * sizeof(T) <= bytes.size(); at += extent * sizeof(T)) {
    std::memcpy(row.data(), &bytes[at], extent * sizeof(T));
    row.back() = high;
    row.front() = low;
    if (!std::ranges::is_sorted(row)) {
      std::ranges::sort(row);
    }
    std::memcpy(&bytes[at], row.data(), extent * sizeof(T));
  }
}

} // namespace

void keep_order(std::span<std::byte> bytes, const kernel::Argument& argument, std::int64_t last_extent)
{
  keep_matrix_form(bytes, argument, last_extent);
  if (!argument.rising) {
    return;
  }
  const auto extent = static_cast<std::size_t>(std::max<std::int64_t>(last_extent, 1));
  switch (argument.type) {
  case kernel::DataType::i64:
    return sort_rows<std::int64_t>(bytes, argument.domain, extent);
  case kernel::DataType::i32:
    return sort_rows<std::int32_t>(bytes, argument.domain, extent);
  case kernel::DataType::i16:
    return sort_rows<std::int16_t>(bytes, argument.domain, extent);
  case kernel::DataType::i8:
    return sort_rows<std::int8_t>(bytes, argument.domain, extent);
  case kernel::DataType::u32:
    return sort_rows<std::uint32_t>(bytes, argument.domain, extent);
  case kernel::DataType::u16:
    return sort_rows<std::uint16_t>(bytes, argument.domain, extent);
  default:
    return sort_rows<std::uint8_t>(bytes, argument.domain, extent);
  }
}

Result<void> restore_order(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::span<std::byte> bytes,
                           std::size_t position)
{
  kernel::Argument argument = kernel.arguments[position];
  if (argument.rising || argument.matrix != kernel::MatrixForm::any) {
    HONE_TRY(argument.domain, kernel::domain_of(argument, sizes));
    HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, sizes));
    keep_order(bytes, argument, shape.back());
  }
  return {};
}

} // namespace hone::inputs
