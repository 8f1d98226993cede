#include "tools/remarks.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>

namespace hone::tools {
namespace {

struct Said {
  int vector_bytes = 0;
  bool not_vectorised = false, unrolled = false;
  std::string reason; // the first one that follows
};

} // namespace

std::vector<LoopRemark> loop_remarks(std::string_view remarks)
{
  static const std::regex line_of("(device\\.cpp|macros\\.h):(\\d+):\\d+: (optimized|missed):\\s*(.*)");
  static const std::regex vectorised("loop vectorized using (\\d+) byte vectors");
  std::map<std::pair<std::string, int>, Said> loops;
  Said* without_reason = nullptr; // a reason follows the loop that it is about, under the line of a statement
  for (const std::string& line : split(remarks, '\n')) {
    std::smatch parts;
    if (!std::regex_match(line, parts, line_of)) {
      continue;
    }
    const std::pair<std::string, int> place{parts[1], std::stoi(parts[2])};
    const std::string text = parts[4];
    std::smatch bytes;
    if (std::regex_search(text, bytes, vectorised)) {
      loops[place].vector_bytes = std::max(loops[place].vector_bytes, std::stoi(bytes[1]));
    } else if (text.starts_with("couldn't vectorize loop")) {
      without_reason = &loops[place];
      without_reason->not_vectorised = true;
    } else if (text.starts_with("not vectorized: ") && without_reason != nullptr) {
      if (without_reason->reason.empty()) {
        without_reason->reason = fmt::format("line {}: {}", place.second, text.substr(16));
      }
      without_reason = nullptr;
    } else if (text.contains("completely unrolled") && parts[3] == "optimized") {
      loops[place].unrolled = true;
    }
  }
  std::vector<LoopRemark> list;
  for (auto& [place, said] : loops) {
    std::vector<std::string> words;
    if (said.vector_bytes > 0) {
      words.emplace_back("vectorised");
    }
    if (said.unrolled) {
      words.emplace_back("unrolled completely");
    }
    if (said.vector_bytes == 0 && said.not_vectorised) {
      words.push_back(said.reason.empty() ? "not vectorised" : "not vectorised: " + said.reason);
    }
    list.push_back({fmt::format("{}:{}", place.first, place.second), said.vector_bytes, join(words, ", ")});
  }
  return list;
}

} // namespace hone::tools
