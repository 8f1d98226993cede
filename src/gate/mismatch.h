// Says in a few words where wrong elements lie. (internal to the gate)
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hone::gate {

// "[3, 17]" for the element at `flat` of a row-major tensor; "" for a scalar.
std::string multi_index(std::int64_t flat, std::span<const std::int64_t> shape);

// `wrong`: one byte per element, not zero where it is wrong; at least one is. Leading axes count as rows.
// "every element", "last column of every row", "every 32nd row", "rows 4 to 7", "one element", or the number of
// wrong elements where there is no simple pattern.
std::string describe_mismatch(std::span<const std::uint8_t> wrong, std::span<const std::int64_t> shape);

} // namespace hone::gate
