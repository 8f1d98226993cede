// Launches of a plan as lines of text: how the programs of this backend that run in the jail are told what to prepare.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::opencl {

struct ListedLaunch {
  std::string kernel;
  std::array<std::int64_t, 3> groups{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1}; // work-items per group
  std::int64_t shared_bytes = 0;              // of the __local pointer behind the arguments; 0: there is none
  std::string arguments;                      // one letter each: 'b' a buffer, 'i' an integer

  bool operator==(const ListedLaunch&) const = default;
};

std::string to_text(const std::vector<ListedLaunch>& launches);
std::vector<ListedLaunch> launches_from(std::string_view text);

} // namespace hone::opencl
