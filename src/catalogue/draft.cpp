#include "catalogue/catalogue.h"
#include "catalogue/placeholders.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::catalogue {
namespace {

// In the order in which they are asked for: the code needs what the plan brings in.
constexpr std::array<std::pair<Region, std::string_view>, 3> k_passes{
  {{Region::launch, "plan"}, {Region::macros, "macros"}, {Region::device, "code"}}};

Region region_of(std::string_view file)
{
  return file == "launch.toml" ? Region::launch : file == "macros.h" ? Region::macros : Region::device;
}

// "diff --git a/x b/x", "--- a/x" and "+++ b/x" begin a file's part. Schedules are the built-in engine's own.
std::vector<std::pair<std::string, std::string>> parts_of(std::string_view difference)
{
  std::vector<std::pair<std::string, std::string>> parts; // file, its lines
  for (const std::string& line : split(difference, '\n')) {
    if (line.starts_with("diff --git ")) {
      parts.emplace_back(line.substr(line.rfind("/") + 1), "");
    }
    if (!parts.empty()) {
      parts.back().second += line + "\n";
    }
  }
  std::erase_if(parts, [](const auto& part) { return part.first == "schedule.toml"; });
  return parts;
}

std::string toml_string(std::string_view text)
{
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? std::string(" ") : std::string(1, c);
  }
  return out + '"';
}

std::string instruction_of(Region region, const Transformation& step, const Draft& draft)
{
  std::string text = fmt::format("{}.\n\n{}{}]\n", step.intent, placeholders::k_steps,
                                 draft.difference.empty() ? "" : " The snippet below shows it once.");
  const bool introduces = region == Region::launch && !draft.parameters.empty();
  for (const TransformationParameter& parameter : draft.parameters) {
    if (introduces) {
      text +=
        fmt::format("\nAdd {} to `[tuning]`, with values {}.\n", parameter.name, fmt::join(parameter.values, ", "));
    }
  }
  return text;
}

} // namespace

Result<std::string> draft_transformation(const Draft& draft)
{
  HONE_TRY(const Transformation step, free_transformation(draft.sentence));
  const auto parts = parts_of(draft.difference);
  std::string text = "+++\n";
  text += fmt::format("name       = {}\n", toml_string(step.name));
  text += fmt::format("intent     = {}\n", toml_string(step.intent));
  text += fmt::format("bottleneck = {}\n", toml_string(placeholders::k_bottleneck));
  text += "speed      = \"faster\"\n";
  if (draft.kernel_class) {
    text += fmt::format("classes    = [{}]\n", toml_string(kernel::name_of(*draft.kernel_class)));
  }
  if (!draft.backend.empty()) {
    text += fmt::format("backends   = [{}]\n", toml_string(draft.backend));
  }
  for (const TransformationParameter& parameter : draft.parameters) {
    text += fmt::format("\n[[parameters]]\nname    = {}\nvalues  = [{}]\nmeaning = {}\n", toml_string(parameter.name),
                        fmt::join(parameter.values, ", "),
                        toml_string(parameter.meaning.empty() ? placeholders::k_parameter : parameter.meaning));
  }
  std::string sections;
  for (const auto& [region, name] : k_passes) {
    const bool changed = std::ranges::any_of(parts, [&](const auto& part) { return region_of(part.first) == region; })
                         || (region == Region::launch && !draft.parameters.empty())
                         || (region == Region::device && parts.empty());
    if (changed) {
      text += fmt::format("\n[[passes]]\nname   = {}\nregion = {}\n", toml_string(name), toml_string(name_of(region)));
      sections += fmt::format("## Pass: {}\n\n{}\n", name, instruction_of(region, step, draft));
    }
  }
  text += fmt::format("+++\n\n## Why\n\n{}\n\n{}## Snippets\n\n", placeholders::k_why, sections);
  for (const auto& [file, lines] : parts) {
    text += fmt::format("{} before and after:\n\n```diff\n{}```\n\n", file, lines);
  }
  text += parts.empty() ? fmt::format("{}\n\n", placeholders::k_snippet) : "";
  text += fmt::format("## Pitfalls\n\n{}\n\n## How to check\n\n{}\n", placeholders::k_pitfalls, placeholders::k_check);
  HONE_TRY([[maybe_unused]] const Transformation sound, parse_transformation(text, step.name + ".md"));
  return text;
}

} // namespace hone::catalogue
