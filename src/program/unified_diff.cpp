#include "program/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hone::program {

namespace {

constexpr std::size_t k_context = 3;
constexpr std::size_t k_most_cells = std::size_t{16} << 20; // of the table; larger texts are replaced as a whole

struct DiffLine {
  char kind = ' '; // ' ', '-', '+'
  std::string_view text;
};

std::vector<std::string_view> lines_of(std::string_view text)
{
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

// By the longest common subsequence.
void compare_middle(const Lines& a, const Lines& b, std::vector<DiffLine>& all)
{
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> common;
  if ((a.size() + 1) * width <= k_most_cells) {
    common.assign((a.size() + 1) * width, 0);
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        common[i * width + j] = a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                                             : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
  }
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (!common.empty() && i < a.size() && j < b.size() && a[i] == b[j]) {
      all.push_back({' ', a[i]});
      ++i;
      ++j;
    } else if (i < a.size()
               && (j == b.size() || common.empty() || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      all.push_back({'-', a[i++]});
    } else {
      all.push_back({'+', b[j++]});
    }
  }
}

std::string hunk(const std::vector<DiffLine>& all, std::size_t begin, std::size_t end, std::size_t old_line,
                 std::size_t new_line)
{
  std::string body;
  std::size_t old_count = 0, new_count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    old_count += all[i].kind != '+' ? 1 : 0;
    new_count += all[i].kind != '-' ? 1 : 0;
    body += all[i].kind;
    body += all[i].text;
    if (!all[i].text.ends_with('\n')) {
      body += "\n\\ No newline at end of file\n";
    }
  }
  return fmt::format("@@ -{},{} +{},{} @@\n{}", old_count == 0 ? old_line - 1 : old_line, old_count,
                     new_count == 0 ? new_line - 1 : new_line, new_count, body);
}

} // namespace

std::string unified_diff(const std::string& old_name, std::string_view old_text, const std::string& new_name,
                         std::string_view new_text)
{
  if (old_text == new_text) {
    return "";
  }
  const Lines a = lines_of(old_text);
  const Lines b = lines_of(new_text);
  std::size_t first = 0, last = 0;
  while (first < std::min(a.size(), b.size()) && a[first] == b[first]) {
    ++first;
  }
  while (last < std::min(a.size(), b.size()) - first && a[a.size() - 1 - last] == b[b.size() - 1 - last]) {
    ++last;
  }
  std::vector<DiffLine> all;
  for (std::size_t i = 0; i < first; ++i) {
    all.push_back({' ', a[i]});
  }
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end() - static_cast<std::ptrdiff_t>(last));
  };
  compare_middle(middle(a), middle(b), all);
  for (std::size_t i = a.size() - last; i < a.size(); ++i) {
    all.push_back({' ', a[i]});
  }
  std::string text = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
  std::size_t old_line = 1, new_line = 1, at = 0;
  const auto pass = [&](std::size_t to) {
    for (; at < to; ++at) {
      old_line += all[at].kind != '+' ? 1 : 0;
      new_line += all[at].kind != '-' ? 1 : 0;
    }
  };
  std::size_t change = 0;
  while (true) {
    while (change < all.size() && all[change].kind == ' ') {
      ++change;
    }
    if (change == all.size()) {
      return text;
    }
    pass(std::max(at, change - std::min(change, k_context)));
    std::size_t end = change;
    for (std::size_t quiet = 0; end < all.size() && quiet <= 2 * k_context; ++end) {
      quiet = all[end].kind == ' ' ? quiet + 1 : 0;
    }
    std::size_t changed = end;
    while (changed > change && all[changed - 1].kind == ' ') {
      --changed;
    }
    end = std::min(changed + k_context, all.size());
    text += hunk(all, at, end, old_line, new_line);
    pass(end);
    change = end;
  }
}

} // namespace hone::program
