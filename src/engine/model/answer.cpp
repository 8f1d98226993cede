#include "engine/model/answer.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace hone {
namespace {

constexpr std::string_view k_search = "<<<<<<< SEARCH", k_middle = "=======", k_replace = ">>>>>>> REPLACE";
constexpr std::size_t k_longest_quote = 120;

struct Block {
  std::string file; // "" where the fence names none
  std::vector<std::string> lines;
};

struct Edit {
  std::vector<std::string> before, after;
};

std::string_view without_end(std::string_view line)
{
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

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

std::string joined(const std::vector<std::string>& lines)
{
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
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

std::vector<std::string> lines_of(const std::string& text)
{
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  for (std::string& line : lines) {
    line = without_end(line);
  }
  return lines;
}

std::string quoted(const std::string& line)
{
  return "\"" + (line.size() > k_longest_quote ? line.substr(0, k_longest_quote) + "..." : line) + "\"";
}

// Where most of the lines stand, and the first that does not.
std::string nearest_match(const std::vector<std::string>& lines, const std::vector<std::string>& wanted)
{
  std::size_t best = 0, best_equal = 0;
  const auto is_equal = [&](std::size_t at, std::size_t i) {
    return at + i < lines.size() && trim(lines[at + i]) == trim(wanted[i]);
  };
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      equal += is_equal(at, i) && !trim(wanted[i]).empty() ? 1 : 0;
    }
    if (equal > best_equal) {
      best = at;
      best_equal = equal;
    }
  }
  if (best_equal == 0) {
    return "none of its lines stands there";
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (best + i >= lines.size()) {
      return fmt::format("nearest at line {}, where the file ends after {} lines of it", best + 1, i);
    }
    if (lines[best + i] != wanted[i]) {
      return fmt::format("nearest at line {}: its line {} is {} and the file has {}", best + 1, i + 1,
                         quoted(wanted[i]), quoted(lines[best + i]));
    }
  }
  return fmt::format("nearest at line {}", best + 1);
}

Result<void> apply(const Edit& edit, std::size_t number, const std::string& file, std::string& text)
{
  std::vector<std::string> lines = lines_of(text);
  if (edit.before.empty()) {
    return fail(fmt::format("edit {} of {} searches for nothing: give the lines that it replaces", number, file));
  }
  auto at = std::ranges::search(lines, edit.before);
  if (at.empty()) {
    return fail(fmt::format("edit {} does not apply: its search text does not stand in {} ({})", number, file,
                            nearest_match(lines, edit.before)));
  }
  if (!std::ranges::search(std::ranges::subrange(at.begin() + 1, lines.end()), edit.before).empty()) {
    return fail(
      fmt::format("edit {} does not apply: its search text stands more than once in {}; give more lines around "
                  "it",
                  number, file));
  }
  const auto place = lines.erase(at.begin(), at.end());
  lines.insert(place, edit.after.begin(), edit.after.end());
  text = joined(lines);
  return {};
}

} // namespace

Result<std::map<std::string, std::string>>
apply_answer(std::string_view answer, const std::map<std::string, std::string>& files, const std::string& expected)
{
  HONE_TRY(const std::vector<Block> blocks, blocks_of(answer, files));
  std::map<std::string, std::string> changed = files;
  std::set<std::string> whole;
  std::vector<std::pair<std::string, Edit>> edits;
  for (const Block& block : blocks) {
    const std::string& file = block.file.empty() ? expected : block.file;
    HONE_TRY(const std::vector<Edit> own, edits_of(block));
    for (const Edit& edit : own) {
      edits.emplace_back(file, edit);
    }
    if (own.empty() && !whole.insert(file).second) {
      return fail(
        fmt::format("the answer has more than one code block for {}: give the whole file once, its name behind "
                    "the opening fence, and no other code blocks",
                    file));
    }
    if (own.empty()) {
      changed[file] = joined(block.lines);
    }
  }
  if (whole.empty() && edits.empty()) {
    return fail(fmt::format("the answer holds neither {} in a fenced code block nor edits of it", expected));
  }
  if (!whole.empty() && !edits.empty()) {
    return fail("the answer mixes whole files and edits: give one or the other");
  }
  for (std::size_t i = 0; i < edits.size(); ++i) {
    HONE_CHECK(apply(edits[i].second, i + 1, edits[i].first, changed[edits[i].first]));
  }
  return changed;
}

} // namespace hone
