// Words that the room's schemas share. (internal to the room)
#pragma once

#include "kernel/data_type.h"

#include <string>
#include <vector>

namespace hone::kernel {

constexpr const char* k_name_pattern = "^[A-Za-z_][A-Za-z0-9_]*$";

inline std::vector<std::string> type_words()
{
  std::vector<std::string> words;
  for (int type = static_cast<int>(DataType::f64); type <= static_cast<int>(DataType::boolean); ++type) {
    words.emplace_back(name_of(static_cast<DataType>(type)));
  }
  return words;
}

} // namespace hone::kernel
