#include "app/profile.h"

#include "catalogue/catalogue.h"
#include "tools/import_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hone::app {
namespace {

constexpr std::string_view k_naive = "naive";

Result<tools::Subject> naive_subject(const Workbench& bench)
{
  HONE_TRY(record::Contender contender, naive_contender(bench));
  return tools::Subject{std::string(k_naive), std::move(contender)};
}

Result<tools::Subject> subject_named(const Workbench& bench, store::Workflow* workflow, const std::string& name)
{
  if (name == k_naive) {
    return naive_subject(bench);
  }
  HONE_TRY(record::Contender contender, contender_named(bench, workflow, name));
  return tools::Subject{name, std::move(contender)};
}

// The best checkpoint; where there is none, plain loops.
Result<tools::Subject> usual_subject(const Workbench& bench, store::Workflow* workflow)
{
  auto best = workflow != nullptr ? workflow->best() : Result<std::optional<store::Checkpoint>>(std::nullopt);
  if (!best || !*best) {
    return naive_subject(bench);
  }
  return tools::Subject{"best", {std::move((*best)->candidate), std::move((*best)->point), {}, {}}};
}

// Steps that led to a checkpoint; none for folders and plain loops.
std::vector<std::string> steps_to(const store::Workflow* workflow, const std::string& name)
{
  std::vector<std::string> steps;
  if (workflow == nullptr || name == k_naive || names_folder(name, workflow)) {
    return steps;
  }
  const auto path = path_of(*workflow, name);
  for (std::size_t i = 1; path && i < path->size(); ++i) { // the first is the start
    steps.push_back((*path)[i].transformation);
  }
  return steps;
}

Json value_from(const std::string& text)
{
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? Json(number) : Json(text);
}

// "memory.lines=20" -> {"memory": {"lines": 20}}, as the tools take them.
Result<Json> arguments_by_tool(const std::vector<std::string>& items)
{
  Json all = Json::object();
  for (const std::string& item : items) {
    const std::size_t dot = item.find('.'), equals = item.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals) {
      return fail(fmt::format("'{}' is no argument of a tool", item), "write TOOL.NAME=VALUE: --with memory.lines=20",
                  Place{"--with", 0, 0});
    }
    HONE_TRY(const tools::Tool* tool, tools::find_tool(item.substr(0, dot)));
    all[std::string(tool->name())][item.substr(dot + 1, equals - dot - 1)] = value_from(item.substr(equals + 1));
  }
  for (const auto& [name, arguments] : all.items()) {
    HONE_TRY(const tools::Tool* tool, tools::find_tool(name));
    if (auto complete = tools::complete_arguments(*tool, arguments); !complete) {
      complete.error().place = Place{"--with", 0, 0};
      return std::unexpected(std::move(complete.error()));
    }
  }
  return all;
}

Result<std::vector<const tools::Tool*>> tools_named(const std::vector<std::string>& names)
{
  std::vector<const tools::Tool*> list;
  for (const std::string& name : names) {
    auto tool = tools::find_tool(name);
    if (!tool) {
      tool.error().place = Place{"--tool", 0, 0};
      return std::unexpected(std::move(tool.error()));
    }
    list.push_back(*tool);
  }
  return list;
}

} // namespace

Result<Profile> profile(Context& context, const ProfileRequest& request)
{
  HONE_TRY(const Json arguments, arguments_by_tool(request.arguments));
  HONE_TRY(std::vector<const tools::Tool*> chosen, tools_named(request.tools));
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  auto workflow = open_existing_workflow(bench);
  store::Workflow* const known = workflow ? &*workflow : nullptr;
  tools::BenchSpec spec;
  spec.kernel = bench.kernel;
  spec.backend = bench.backend;
  spec.recipe = bench.recipe;
  spec.cache = cache_folder();
  spec.stop = context.stop;
  spec.ceilings = [&] { return ceilings_of(bench, context); };
  HONE_TRY(spec.subject,
           request.candidate.empty() ? usual_subject(bench, known) : subject_named(bench, known, request.candidate));
  if (!request.against.empty()) {
    HONE_TRY(spec.against, subject_named(bench, known, request.against));
  }
  HONE_TRY(spec.catalogue, catalogue::load_catalogue(share_folder() / "transformations", bench.kernel->folder));
  spec.done = steps_to(known, spec.subject.name);
  HONE_TRY(gate::Gate gate, open_gate(bench, context));
  spec.gate = &gate;
  Profile result{bench.kernel->name, std::string(bench.backend->name()), spec.subject.name, {}, false};
  tools::Bench looked_at(std::move(spec));
  if (chosen.empty()) {
    std::ranges::copy_if(tools::tools(), std::back_inserter(chosen),
                         [&](const tools::Tool* tool) { return tool->check(looked_at).has_value(); });
  }
  for (const tools::Tool* tool : chosen) {
    if (context.stop.stop_requested()) {
      result.stopped = true;
      break;
    }
    const std::string name(tool->name());
    context.observer->status(fmt::format("{} ...", name));
    result.outcomes.push_back(
      {name, tools::run_tool(*tool, looked_at, arguments.contains(name) ? arguments[name] : Json::object())});
  }
  context.observer->clear_status();
  return result;
}

Result<tools::Report> profile_from_file(Context& context, const fs::path& file)
{
  return tools::import_profile(file, context.stop);
}

Json to_json(const Profile& profile)
{
  Json reports = Json::array();
  for (const ToolOutcome& one : profile.outcomes) {
    if (one.report) {
      reports.push_back(tools::to_json(*one.report));
    } else {
      reports.push_back(
        {{"tool", one.tool}, {"error", {{"message", one.report.error().message}, {"hint", one.report.error().hint}}}});
    }
  }
  return {{"kernel", profile.kernel},
          {"backend", profile.backend},
          {"candidate", profile.candidate},
          {"stopped", profile.stopped},
          {"reports", std::move(reports)}};
}

Json tool_json(const tools::Tool& tool)
{
  return {{"name", tool.name()}, {"summary", tool.summary()}, {"input", tools::input_schema(tool)}};
}

} // namespace hone::app
