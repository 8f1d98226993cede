#include "app/profile.h"
#include "serve/tools/tool_list.h"
#include "tools/tools.h"

#include <fmt/format.h>

namespace hone::serve {

namespace {

constexpr std::int64_t k_usual_tokens = 1000;

Outcome outcome_of(const app::Profile& profile, std::size_t tokens)
{
  Json reports = Json::array();
  std::string summary;
  for (const app::ToolOutcome& one : profile.outcomes) {
    if (one.report) {
      reports.push_back({{"tool", one.tool}, {"report", tools::to_text(*one.report, tokens)}});
      if (summary.empty() && !one.report->diagnosis.empty()) {
        summary = one.report->diagnosis.front();
      }
    } else {
      reports.push_back({{"tool", one.tool}, {"error", error_json(one.report.error())}});
    }
  }
  return {summary.empty() ? "no tool could look at it" : summary,
          {{"candidate", profile.candidate}, {"reports", std::move(reports)}},
          app::to_json(profile)};
}

Result<ToolAnswer> call_profile_candidate(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  app::ProfileRequest request;
  request.kernel = use.request;
  const std::string given = text_in(call.arguments, "candidate");
  if (!given.empty()) {
    HONE_TRY(request.candidate, call.place.candidate(use, given));
  }
  request.tools = texts_in(call.arguments, "tools");
  request.arguments = texts_in(call.arguments, "with");
  const auto tokens = static_cast<std::size_t>(integer_in(call.arguments, "tokens", k_usual_tokens));
  return run_as_job(
    call, "profile_candidate", use.name + ": " + (given.empty() ? "best" : given),
    [settings = use.settings, request, tokens](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
      app::Context context{settings, std::move(stop), &observer};
      HONE_TRY(const app::Profile profile, app::profile(context, request));
      return outcome_of(profile, tokens);
    });
}

} // namespace

Tool profile_candidate_tool()
{
  std::vector<std::string> names;
  std::string meanings;
  for (const tools::Tool* one : tools::tools()) {
    names.emplace_back(one->name());
    meanings += fmt::format(" {}: {}", one->name(), one->summary());
    for (const tools::ToolArgument& argument : one->arguments()) {
      meanings +=
        fmt::format(" [{}.{}={}]", one->name(), argument.name,
                    argument.otherwise.is_string() ? argument.otherwise.get<std::string>() : argument.otherwise.dump());
    }
  }
  Tool tool;
  tool.name = "profile_candidate";
  tool.title = "Profile a candidate";
  tool.description = "Looks at a candidate with performance tools; each report begins with a diagnosis." + meanings
                     + " Example: profile_candidate {\"kernel\": \"matmul\", \"candidate\": \"best\", \"tools\": "
                       "[\"explain\"]}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back(
    {"candidate", text_schema("scratch/NAME, naive, a checkpoint or a folder. Default: best, else naive.")});
  members.push_back({"tools", list_schema("Which ones. Default: all that work here.", words_schema("A tool.", names))});
  members.push_back({"with", list_schema("Their arguments.", text_schema("TOOL.NAME=VALUE, as memory.lines=20"))});
  members.push_back({"tokens", bounded_schema("Most tokens of one report, about. Default: 1000.", 100, 20000)});
  members.push_back(wait_member());
  tool.input = object_schema("What to look at.", members);
  tool.output = job_output_schema(any_object_schema("candidate, reports [{tool, report or error}]"));
  tool.call = call_profile_candidate;
  return tool;
}

} // namespace hone::serve
