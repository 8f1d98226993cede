#include "backend/opencl/launch_list.h"

#include <sstream>

namespace hone::opencl {
namespace {

constexpr std::string_view k_no_arguments = "-";

} // namespace

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
    text << ' ' << launch.shared_bytes << ' '
         << (launch.arguments.empty() ? k_no_arguments : std::string_view(launch.arguments)) << '\n';
  }
  return text.str();
}

std::vector<ListedLaunch> launches_from(std::string_view text)
{
  std::vector<ListedLaunch> launches;
  std::istringstream input{std::string(text)};
  for (ListedLaunch launch; input >> launch.kernel;) {
    for (auto* extents : {&launch.groups, &launch.block}) {
      for (std::int64_t& extent : *extents) {
        input >> extent;
      }
    }
    input >> launch.shared_bytes >> launch.arguments;
    if (launch.arguments == k_no_arguments) {
      launch.arguments.clear();
    }
    launches.push_back(launch);
  }
  return launches;
}

} // namespace hone::opencl
