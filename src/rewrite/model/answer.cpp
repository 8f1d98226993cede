#include "rewrite/model/answer.h"

#include "rewrite/model/answer_blocks.h"
#include "rewrite/model/answer_object.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::rewrite {
namespace {

constexpr std::size_t k_longest_quote = 120;

std::string joined(const std::vector<std::string>& lines)
{
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
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

Result<AnswerChanges> changes_of(std::string_view answer, const std::map<std::string, std::string>& files,
                                 const std::string& expected)
{
  return is_answer_object(answer) ? changes_in_object(answer, files) : changes_in_blocks(answer, files, expected);
}

} // namespace

Result<void> apply_edit(const Edit& edit, std::size_t number, const std::string& file, std::string& text)
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

std::string_view without_end(std::string_view line)
{
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

std::vector<std::string> lines_of(std::string_view text)
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

Result<std::map<std::string, std::string>>
apply_answer(std::string_view answer, const std::map<std::string, std::string>& files, const std::string& expected)
{
  HONE_TRY(const AnswerChanges changes, changes_of(answer, files, expected));
  if (!changes.whole.empty() && !changes.edits.empty()) {
    return fail("the answer mixes whole files and edits: give one or the other");
  }
  std::map<std::string, std::string> changed = files;
  for (const auto& [file, lines] : changes.whole) {
    changed[file] = joined(lines);
  }
  for (std::size_t i = 0; i < changes.edits.size(); ++i) {
    HONE_CHECK(apply_edit(changes.edits[i].second, i + 1, changes.edits[i].first, changed[changes.edits[i].first]));
  }
  return changed;
}

} // namespace hone::rewrite
