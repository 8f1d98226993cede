#include "mutation_testing/difference.h"

#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::mutation_testing {

namespace {

using Lines = std::vector<std::string>;

// lengths[i][j]: of the longest common subsequence of before[i..] and after[j..].
std::vector<std::vector<std::size_t>> common_lengths(const Lines& before, const Lines& after)
{
  std::vector lengths(before.size() + 1, std::vector<std::size_t>(after.size() + 1, 0));
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      lengths[i][j] =
        before[i] == after[j] ? lengths[i + 1][j + 1] + 1 : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

} // namespace

std::string line_difference(std::string_view before, std::string_view after)
{
  const Lines left = split(before, '\n'), right = split(after, '\n');
  const auto lengths = common_lengths(left, right);
  std::string out;
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i] == right[j]) {
      ++i;
      ++j;
    } else if (j == right.size() || (i < left.size() && lengths[i + 1][j] >= lengths[i][j + 1])) {
      out += fmt::format("-{}: {}\n", i + 1, left[i]);
      ++i;
    } else {
      out += fmt::format("+{}: {}\n", j + 1, right[j]);
      ++j;
    }
  }
  return out;
}

std::string difference_of(const kernel::Candidate& before, const kernel::Candidate& after)
{
  std::string out;
  for (const auto& [name, text] : after.files) {
    const auto old = before.files.find(name);
    const std::string lines = line_difference(old == before.files.end() ? "" : old->second, text);
    out += lines.empty() ? "" : name + "\n" + lines;
  }
  return out;
}

} // namespace hone::mutation_testing
