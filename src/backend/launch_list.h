// Launches of a plan as lines of text: how programs that run in the jail are told what to do.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

// A kernel argument: an index into the buffers (kernel arguments in order, then scratch), or an integer.
struct ListedArgument {
  bool buffer = false;
  std::int64_t value = 0;
  bool operator==(const ListedArgument&) const = default;
};

struct ListedFill {
  std::int64_t buffer = 0;
  std::uint64_t pattern = 0; // the element's bits, in the low bytes
  std::int64_t element_bytes = 1;
  bool operator==(const ListedFill&) const = default;
};

struct ListedLaunch {
  std::string kernel;
  std::array<std::int64_t, 3> groups{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1}; // work-items per group
  std::int64_t shared_bytes = 0;              // of the __local pointer behind the arguments; 0: there is none
  std::vector<ListedArgument> arguments;
  std::vector<ListedFill> fills;     // done before this launch
  std::vector<std::int64_t> reduced; // buffers that groups may add to together
  bool operator==(const ListedLaunch&) const = default;
};

std::string to_text(const std::vector<ListedLaunch>& launches);
std::vector<ListedLaunch> launches_from(std::string_view text);

} // namespace hone::backend
