#include "app/compare.h"

#include "app/figures.h"
#include "app/result_json.h"
#include "serve/tools/tool_list.h"

#include <fmt/format.h>

namespace hone::serve {

namespace {

Outcome outcome_of(const app::CompareResult& result)
{
  Json rivals = Json::array();
  std::string summary;
  for (const app::ComparedRival& rival : result.rivals) {
    Json entry = short_verdict(rival.record.verdict);
    entry["against"] = rival.name;
    if (!rival.library.empty()) {
      entry["library"] = rival.library;
    }
    rivals.push_back(std::move(entry));
    summary +=
      fmt::format("{}against {}: {}", summary.empty() ? "" : "; ", rival.name, app::verdict_text(rival.record.verdict));
  }
  if (!result.ranking.empty()) {
    summary = app::winner_text(result);
  }
  return {std::move(summary),
          {{"a", result.a}, {"correct", result.correct}, {"rivals", std::move(rivals)}, {"refused", result.refused}},
          result.rivals.empty() ? Json(nullptr) : app::to_json(result)};
}

Result<ToolAnswer> call_compare(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  app::CompareRequest request;
  request.kernel = use.request;
  HONE_TRY(request.a, call.place.candidate(use, text_in(call.arguments, "a")));
  for (const std::string& other : texts_in(call.arguments, "others")) {
    HONE_TRY(request.others.emplace_back(), call.place.candidate(use, other));
  }
  return run_as_job(
    call, "compare", use.name + ": " + text_in(call.arguments, "a"),
    [settings = use.settings, request](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
      app::Context context{settings, std::move(stop), &observer};
      HONE_TRY(const app::CompareResult result, app::compare(context, request, [](const app::ComparedRival&) {}));
      return outcome_of(result);
    });
}

} // namespace

Tool compare_tool()
{
  Tool tool;
  tool.name = "compare";
  tool.title = "Compare candidates side by side";
  tool.description =
    "Measures one candidate side by side with others, or with libraries, under one recipe, and says which is faster by "
    "how much. `speed` above 1: `a` is faster. Example: compare {\"kernel\": \"matmul\", \"a\": \"best\", "
    "\"others\": [\"start\", \"libraries\"]}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"a", text_schema("A checkpoint, scratch/NAME or a folder."), true});
  members.push_back(
    {"others",
     list_schema("Each the same; or openblas, onednn, blis, or libraries: all of them.", text_schema("One."), 1),
     true});
  members.push_back(wait_member());
  tool.input = object_schema("What to compare.", members);
  tool.output = job_output_schema(any_object_schema(
    "a, correct, rivals [against, status, comparison {verdict FAST, SLOW, SAME or AMBG, speed, ci95}], refused"));
  tool.read_only = false;
  tool.idempotent = false;
  tool.call = call_compare;
  return tool;
}

} // namespace hone::serve
