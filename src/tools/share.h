// Parts of a whole, where the whole may be empty. (internal)
#pragma once

#include <cstdint>

namespace hone::tools {

inline double share(std::int64_t part, std::int64_t whole)
{
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

} // namespace hone::tools
