#include "catalogue/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::catalogue::placeholders {
namespace {

constexpr std::array k_all{k_bottleneck, k_parameter, k_steps, k_why, k_snippet, k_pitfalls, k_check};

} // namespace

std::vector<Error> mistakes_for(std::string_view text, const std::string& origin)
{
  std::vector<Error> mistakes;
  for (const std::string_view placeholder : k_all) {
    for (std::size_t at = text.find(placeholder); at != std::string_view::npos; at = text.find(placeholder, at + 1)) {
      const auto line = static_cast<int>(1 + std::ranges::count(text.substr(0, at), '\n'));
      mistakes.push_back({fmt::format("the draft's own words still stand here: {}", placeholder),
                          "put your words where the brackets are, or take them out",
                          {origin, line, 0}});
    }
  }
  std::ranges::sort(mistakes, {}, [](const Error& mistake) { return mistake.place.line; });
  return mistakes;
}

} // namespace hone::catalogue::placeholders
