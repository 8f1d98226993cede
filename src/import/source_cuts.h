// Text without some of its parts. (internal to the room)
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hone::import {

struct Cut {
  std::size_t begin, end; // bytes
  std::string instead;
};

// Cuts that overlap an earlier one are left out.
std::string with_cuts(const std::string& text, std::vector<Cut> cuts);

// No more than one empty line in a row, none at the ends.
std::string tidied(const std::string& text);

} // namespace hone::import
