#include "backend/launch_list.h"

#include <sstream>

namespace hone::backend {
namespace {

constexpr char k_buffer = 'b', k_integer = 'i', k_fill = 'f', k_reduced = 'r', k_end = ';';

} // namespace

// One line each: "matmul 1 1 1 64 1 1 0 f 2 0 4 b 0 b 1 b 2 i 96 ;"
std::string to_text(const std::vector<ListedLaunch>& launches)
{
  std::ostringstream text;
  for (const ListedLaunch& launch : launches) {
    text << launch.kernel;
    for (const auto& extents : {launch.groups, launch.block}) {
      for (const std::int64_t extent : extents) {
        text << ' ' << extent;
      }
    }
    text << ' ' << launch.shared_bytes;
    for (const ListedFill& fill : launch.fills) {
      text << ' ' << k_fill << ' ' << fill.buffer << ' ' << fill.pattern << ' ' << fill.element_bytes;
    }
    for (const std::int64_t buffer : launch.reduced) {
      text << ' ' << k_reduced << ' ' << buffer;
    }
    for (const ListedArgument& argument : launch.arguments) {
      text << ' ' << (argument.buffer ? k_buffer : k_integer) << ' ' << argument.value;
    }
    text << ' ' << k_end << '\n';
  }
  return text.str();
}

std::vector<ListedLaunch> launches_from(std::string_view text)
{
  std::vector<ListedLaunch> launches;
  std::istringstream input{std::string(text)};
  for (ListedLaunch launch; input >> launch.kernel; launch = {}) {
    for (auto* extents : {&launch.groups, &launch.block}) {
      for (std::int64_t& extent : *extents) {
        input >> extent;
      }
    }
    input >> launch.shared_bytes;
    for (char kind = 0; input >> kind && kind != k_end;) {
      if (kind == k_fill) {
        ListedFill& fill = launch.fills.emplace_back();
        input >> fill.buffer >> fill.pattern >> fill.element_bytes;
      } else if (kind == k_reduced) {
        input >> launch.reduced.emplace_back();
      } else {
        ListedArgument& argument = launch.arguments.emplace_back();
        argument.buffer = kind == k_buffer;
        input >> argument.value;
      }
    }
    launches.push_back(launch);
  }
  return launches;
}

} // namespace hone::backend
