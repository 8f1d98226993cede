#include "rewrite/model/answer_blocks.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::rewrite {
namespace {

constexpr std::string_view k_search = "<<<<<<< SEARCH", k_middle = "=======", k_replace = ">>>>>>> REPLACE",
                           k_unchanged = "UNCHANGED";

struct Block {
  std::string file; // "" where the fence names none
  std::vector<std::string> lines;
};

// The fence that a line begins or ends with: three or more of one character; else "".
std::string_view fence_of(std::string_view line)
{
  line = trim(line);
  if (!line.starts_with("```") && !line.starts_with("~~~")) {
    return {};
  }
  const std::size_t end = line.find_first_not_of(line[0]);
  return line.substr(0, end);
}

std::string file_named_in(std::string_view words, const std::map<std::string, std::string>& files)
{
  for (const auto& [name, text] : files) {
    if (words.find(name) != std::string_view::npos) {
      return name;
    }
  }
  return "";
}

// Fenced blocks. Edits need no fence: what stands outside is one block more where it holds some.
Result<std::vector<Block>> blocks_of(std::string_view answer, const std::map<std::string, std::string>& files)
{
  std::vector<Block> blocks;
  Block outside;
  std::string fence; // that is open
  std::string line_before;
  for (std::string& line : split(answer, '\n')) {
    const std::string_view mark = fence_of(line);
    if (fence.empty() && !mark.empty()) {
      fence = mark;
      Block& block = blocks.emplace_back();
      block.file = file_named_in(trim(line).substr(mark.size()), files);
      if (block.file.empty() && line_before.ends_with(':')) { // "`device.cpp`:"
        block.file = file_named_in(line_before, files);
      }
    } else if (!fence.empty() && mark.starts_with(fence) && trim(line) == mark) {
      fence.clear();
    } else {
      Block& block = fence.empty() ? outside : blocks.back();
      block.lines.emplace_back(without_end(line) == line ? line : std::string(without_end(line)));
    }
    if (!trim(line).empty()) {
      line_before = trim(replace_all(line, "*", ""));
    }
  }
  if (!fence.empty()) {
    return fail("the answer ends inside a code block: it was cut off, or the closing fence is missing");
  }
  if (std::ranges::find(outside.lines, k_search) != outside.lines.end()) {
    blocks.push_back(std::move(outside));
  }
  return blocks;
}

Result<std::vector<Edit>> edits_of(const Block& block)
{
  enum class Part { outside, before, after } part = Part::outside;
  std::vector<Edit> edits;
  for (const std::string& line : block.lines) {
    if (line == k_search && part == Part::outside) {
      edits.emplace_back();
      part = Part::before;
    } else if (line == k_middle && part == Part::before) {
      part = Part::after;
    } else if (line == k_replace && part == Part::after) {
      part = Part::outside;
    } else if (line == k_search || line == k_replace) {
      return fail(fmt::format("edit {} is malformed: \"{}\" comes where it does not belong", edits.size(), line));
    } else if (part == Part::before) {
      edits.back().before.push_back(line);
    } else if (part == Part::after) {
      edits.back().after.push_back(line);
    }
  }
  if (part != Part::outside) {
    return fail(fmt::format("edit {} does not end with \"{}\"", edits.size(), k_replace));
  }
  return edits;
}

bool is_unchanged(const Block& block)
{
  const auto says_so = [](const std::string& line) { return trim(line) == k_unchanged; };
  return std::ranges::count_if(block.lines, says_so) == 1
         && std::ranges::all_of(block.lines,
                                [&](const std::string& line) { return trim(line).empty() || says_so(line); });
}

} // namespace

Result<AnswerChanges> changes_in_blocks(std::string_view answer, const std::map<std::string, std::string>& files,
                                        const std::string& expected)
{
  HONE_TRY(const std::vector<Block> blocks, blocks_of(answer, files));
  AnswerChanges changes;
  bool says_unchanged = false;
  for (const Block& block : blocks) {
    if (is_unchanged(block)) {
      says_unchanged = true;
      continue;
    }
    const std::string& file = block.file.empty() ? expected : block.file;
    HONE_TRY(const std::vector<Edit> own, edits_of(block));
    for (const Edit& edit : own) {
      changes.edits.emplace_back(file, edit);
    }
    if (own.empty() && !changes.whole.emplace(file, block.lines).second) {
      return fail(
        fmt::format("the answer has more than one code block for {}: give the whole file once, its name behind "
                    "the opening fence, and no other code blocks",
                    file));
    }
  }
  if (changes.whole.empty() && changes.edits.empty() && !says_unchanged) {
    return fail(fmt::format("the answer holds neither {} in a fenced code block nor edits of it", expected));
  }
  return changes;
}

} // namespace hone::rewrite
