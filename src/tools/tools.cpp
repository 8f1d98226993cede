#include "tools/tools.h"

#include "tools/tool_list.h"
#include "util/did_you_mean.h"
#include "util/fs.h"
#include "util/hash.h"
#include "util/text.h"
#include "util/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::tools {
namespace {

std::string_view name_of(ArgumentType type)
{
  return type == ArgumentType::integer ? "integer" : "string";
}

Result<void> check_value(const Tool& tool, const ToolArgument& argument, const Json& value)
{
  const bool right = argument.type == ArgumentType::integer ? value.is_number_integer() : value.is_string();
  if (!right) {
    return fail(fmt::format("{}: {} must be {}", tool.name(), argument.name,
                            argument.type == ArgumentType::integer ? "a whole number" : "a text"),
                argument.meaning);
  }
  if (!argument.choices.empty()) {
    const auto text = value.get<std::string>();
    if (std::ranges::find(argument.choices, text) == argument.choices.end()) {
      return fail(fmt::format("{}: {} cannot be '{}'", tool.name(), argument.name, text),
                  "it is one of: " + join(argument.choices, ", "));
    }
  }
  return {};
}

fs::path kept_file(const Tool& tool, const Bench& bench, const Json& arguments)
{
  const std::string content = fmt::format("{}\n{}\n{}\n{}\n{}", tool.name(), version_text(), bench.content(),
                                          bench.spec().subject.name, arguments.dump());
  return bench.spec().cache / "tools" / (sha256(content) + ".json");
}

// What is damaged is made again.
std::optional<Report> kept_report(const fs::path& file)
{
  const auto text = read_file(file);
  auto json = text ? parse_json(*text, file.string()) : Result<Json>(std::unexpected(text.error()));
  auto report = json ? report_from_json(*json) : Result<Report>(std::unexpected(json.error()));
  return report ? std::optional(std::move(*report)) : std::nullopt;
}

} // namespace

Result<void> Tool::check(const Bench& /*bench*/) const
{
  return {};
}

std::span<const Tool* const> tools()
{
  static const std::array list{&explain_tool(), &compile_report_tool(), &instructions_tool(), &ports_tool(),
                               &memory_tool(),  &counters_tool(),       &roofline_tool(),     &compare_tool(),
                               &scaling_tool(), &timeline_tool()};
  return list;
}

Result<const Tool*> find_tool(std::string_view name)
{
  std::vector<std::string> names;
  for (const Tool* tool : tools()) {
    if (tool->name() == name) {
      return tool;
    }
    names.emplace_back(tool->name());
  }
  return fail(fmt::format("there is no tool '{}'; there are: {}", name, join(names, ", ")), did_you_mean(name, names));
}

Json input_schema(const Tool& tool)
{
  Json properties = Json::object();
  for (const ToolArgument& argument : tool.arguments()) {
    Json& one = properties[argument.name];
    one = {{"type", name_of(argument.type)}, {"description", argument.meaning}, {"default", argument.otherwise}};
    if (!argument.choices.empty()) {
      one["enum"] = argument.choices;
    }
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

Result<Json> complete_arguments(const Tool& tool, const Json& given)
{
  const std::vector<ToolArgument> arguments = tool.arguments();
  std::vector<std::string> names;
  std::ranges::transform(arguments, std::back_inserter(names), &ToolArgument::name);
  if (!given.is_object()) {
    return fail(fmt::format("{}: arguments are an object of names and values", tool.name()));
  }
  for (const auto& [name, value] : given.items()) {
    const auto argument = std::ranges::find(arguments, name, &ToolArgument::name);
    if (argument == arguments.end()) {
      return fail(fmt::format("{} takes no argument '{}'", tool.name(), name),
                  names.empty() ? "it takes none" : "it takes: " + join(names, ", "));
    }
    HONE_CHECK(check_value(tool, *argument, value));
  }
  Json complete = Json::object();
  for (const ToolArgument& argument : arguments) {
    complete[argument.name] = given.contains(argument.name) ? given[argument.name] : argument.otherwise;
  }
  return complete;
}

Result<Report> run_tool(const Tool& tool, Bench& bench, const Json& arguments)
{
  HONE_TRY(const Json complete, complete_arguments(tool, arguments));
  HONE_CHECK(tool.check(bench));
  const bool keeps = tool.is_deterministic() && !bench.spec().cache.empty();
  const fs::path file = keeps ? kept_file(tool, bench, complete) : fs::path();
  if (keeps) {
    if (auto report = kept_report(file)) {
      return std::move(*report);
    }
  }
  HONE_TRY(Report report, tool.run(bench, complete));
  report.tool = tool.name();
  report.subject = bench.subject_text();
  if (keeps) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    static_cast<void>(write_file(file, to_json(report).dump())); // without it, it is made again
  }
  return report;
}

} // namespace hone::tools
