// One work-group too few, a grid that is rounded down, half as many work-items, a scratch buffer one element short.
#include "mutation_testing/operator.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::mutation_testing {

namespace {

// An entry of a list, or a value by itself: without quotes, and where it stands with them.
struct Entry {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Entry> entries_of(std::string_view toml, std::size_t begin, std::size_t end)
{
  std::vector<Entry> out;
  bool quoted = false;
  std::size_t first = begin;
  for (std::size_t at = begin; at <= end; ++at) {
    if (at < end && toml[at] == '"') {
      quoted = !quoted;
    }
    if (at == end || (toml[at] == ',' && !quoted)) {
      const std::string_view raw = trim(toml.substr(first, at - first));
      if (!raw.empty()) {
        const auto offset = static_cast<std::size_t>(raw.data() - toml.data());
        const bool text = raw.size() >= 2 && raw.front() == '"';
        out.push_back({std::string(text ? raw.substr(1, raw.size() - 2) : raw), offset, offset + raw.size()});
      }
      first = at + 1;
    }
  }
  return out;
}

// What stands behind `key =` on the lines that begin with it.
std::vector<Entry> values_of(std::string_view toml, std::string_view key)
{
  std::vector<Entry> out;
  for (std::size_t at = 0; at < toml.size();) {
    const std::size_t line_end = std::min(toml.find('\n', at), toml.size());
    const std::string_view line = toml.substr(at, line_end - at);
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && trim(line.substr(0, equals)) == key) {
      std::size_t begin = at + equals + 1;
      std::size_t end = line_end;
      if (const std::size_t open = toml.find('[', begin); open < line_end) {
        begin = open + 1;
        end = std::min(toml.find(']', begin), toml.size());
      }
      const std::vector<Entry> found = entries_of(toml, begin, end);
      out.insert(out.end(), found.begin(), found.end());
    }
    at = line_end + 1;
  }
  return out;
}

TextMutation changed(std::string_view what, const Entry& entry, const std::string& text)
{
  return {fmt::format("{} {} -> {}", what, entry.text, text), {{entry.begin, entry.end, "\"" + text + "\""}}};
}

// The arguments of ceil_div where that is all of the text.
std::vector<std::string> divided(const std::string& text)
{
  if (!text.starts_with("ceil_div(") || !text.ends_with(")")) {
    return {};
  }
  int depth = 0;
  for (std::size_t at = 9; at + 1 < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth < 0) {
      return {};
    }
    if (depth == 0 && text[at] == ',') {
      return {text.substr(9, at - 9), std::string(trim(text.substr(at + 1, text.size() - at - 2)))};
    }
  }
  return {};
}

// Whether the launch that a block belongs to computes a single element: the first work-item does it, however many
// there are.
bool is_for_one_element(std::string_view toml, const Entry& block)
{
  const std::size_t launch = toml.rfind("[[launch]]", block.begin);
  if (launch == std::string_view::npos) {
    return false;
  }
  const std::string_view own = toml.substr(launch, toml.find("[[", launch + 2) - launch);
  const std::vector<Entry> grid = values_of(own, "grid");
  return !grid.empty() && std::ranges::all_of(grid, [](const Entry& entry) {
    return entry.text == "1" || entry.text.starts_with("ceil_div(1, ");
  });
}

std::vector<TextMutation> in_plan(std::string_view toml)
{
  std::vector<TextMutation> out;
  for (const Entry& entry : values_of(toml, "grid")) {
    const Result<kernel::PlanExpression> size = kernel::PlanExpression::parse(entry.text, {});
    if (!size || size->names().empty()) { // one group, whatever the sizes
      continue;
    }
    out.push_back(changed("grid", entry, fmt::format("max(({}) - 1, 1)", entry.text)));
    if (const std::vector<std::string> parts = divided(entry.text); !parts.empty()) {
      out.push_back(changed("grid", entry, fmt::format("max(({}) / ({}), 1)", parts[0], parts[1])));
    }
  }
  for (const Entry& entry : values_of(toml, "block")) {
    if (entry.text != "1" && !is_for_one_element(toml, entry)) {
      out.push_back(changed("block", entry, fmt::format("max(({}) / 2, 1)", entry.text)));
    }
  }
  for (const Entry& entry : values_of(toml, "size")) {
    if (entry.text != "1") {
      out.push_back(changed("scratch size", entry, fmt::format("max(({}) - 1, 1)", entry.text)));
    }
  }
  return out;
}

} // namespace

MutationOperator wrong_launch_size()
{
  return {"wrong-launch-size", "one group too few, a grid rounded down, half the work-items, scratch one short",
          nullptr, nullptr, in_plan};
}

} // namespace hone::mutation_testing
