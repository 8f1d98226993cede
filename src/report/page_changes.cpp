#include "report/format.h"
#include "report/page_parts.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::report {

namespace {

struct ColouredDiff {
  std::string html;
  std::size_t added = 0;
  std::size_t removed = 0;
};

// In the head of a file's diff, "---" and "+++" are no changed lines; inside a hunk they may be.
ColouredDiff colour(std::string_view diff)
{
  ColouredDiff result;
  bool in_hunk = false;
  for (const std::string& line : split(diff.substr(0, diff.find_last_not_of('\n') + 1), '\n')) {
    const char* css = "d-same";
    if (line.starts_with("diff ")) {
      in_hunk = false;
      css = "d-file";
    } else if (line.starts_with("@@")) {
      in_hunk = true;
      css = "d-hunk";
    } else if (!in_hunk) {
      css = "d-file";
    } else if (line.starts_with('+')) {
      css = "d-add";
      ++result.added;
    } else if (line.starts_with('-')) {
      css = "d-del";
      ++result.removed;
    }
    result.html += fmt::format(R"(<span class="{}">{}</span>)", css, escape_html(line));
  }
  return result;
}

std::string change(const ReportInput& input, const store::Checkpoint& checkpoint, const std::string& diff)
{
  const ColouredDiff coloured = colour(diff);
  const record::ComparisonResult* comparison = deciding_comparison(checkpoint.record, input.recipe.regime);
  return fmt::format(
    R"(<details class="change"><summary><b>{}</b>{}<code class="muted">{}</code><span class="spread"><span class="plus">+{}</span><span class="minus">&#8722;{}</span></span></summary><pre class="diff"><code>{}</code></pre></details>)",
    escape_html(step_name(checkpoint.record)), comparison != nullptr ? ratio_text(comparison->ratio) : "",
    escape_html(short_id(checkpoint.id)), coloured.added, coloured.removed, coloured.html);
}

} // namespace

std::string page_changes(const ReportInput& input, const ClimbSummary&)
{
  std::string changes;
  for (const store::Checkpoint& checkpoint : input.checkpoints) {
    const auto diff = input.diffs.find(checkpoint.id);
    if (diff != input.diffs.end() && !diff->second.empty()) {
      changes += change(input, checkpoint, diff->second);
    }
  }
  if (changes.empty()) {
    return "";
  }
  return fmt::format(
    R"(<section id="changes"><h2>What each step changed</h2><p class="lead">The candidate's files, against the checkpoint that the step started from.</p>{}</section>)",
    changes);
}

} // namespace hone::report
