#include "app/check_kernel.h"
#include "app/climb_plan.h"
#include "app/history.h"
#include "serve/tools/tool_list.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::serve {

namespace {

constexpr std::int64_t k_usual_steps = 20;

constexpr const char* k_contract =
  "A candidate is a folder with device code (device.cpp for cpu), macros.h and launch.toml (grid, arguments, tuning "
  "parameters). It holds no host code: no allocation, no input and output, no threads. The argument order and types "
  "are "
  "those of `naive`, a right candidate to start from. Every output element must lie within the kernel's error bound on "
  "sizes and values that are not known in advance.";

Json scratch_names(const KernelInUse& use)
{
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(use.scratch(), error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    if (fs::exists(entry->path() / "launch.toml", error)) {
      names.push_back(std::string(k_scratch) + entry->path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

Json history_of(const app::Context& context, const KernelInUse& use, std::int64_t most)
{
  const auto log = app::workflow_log(context, use.request, true);
  if (!log) {
    return {{"best", nullptr}, {"steps", Json::array()}, {"note", log.error().message}};
  }
  Json steps = Json::array();
  const auto count = static_cast<std::int64_t>(log->steps.size());
  for (std::int64_t i = std::max<std::int64_t>(0, count - most); i < count; ++i) {
    steps.push_back(short_step(log->steps[static_cast<std::size_t>(i)]));
  }
  return {{"best", log->best.empty() ? Json(nullptr) : Json(log->best)},
          {"branches", log->branches},
          {"steps", std::move(steps)},
          {"steps_in_all", count}};
}

Json steps_of(const app::Context& context, const KernelInUse& use)
{
  app::ClimbRequest climb;
  climb.kernel = use.request;
  const auto plan = app::plan_climb(context, climb);
  Json steps = Json::array();
  for (const policy::PlannedStep& step : plan ? plan->steps.steps : std::vector<policy::PlannedStep>()) {
    steps.push_back({{"step", step.name}, {"applies", step.applies}, {"remark", step.remark}});
  }
  return steps;
}

Result<ToolAnswer> read_kernel(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  HONE_TRY(const app::CheckedKernel checked, app::check_kernel_files(use.folder.string(), true));
  HONE_TRY(const std::string toml, read_file(use.folder / "kernel.toml"));
  const app::Context context{use.settings, call.exchange.stop};
  ToolAnswer answer;
  answer.content = {
    {"kernel", use.name}, {"folder", use.folder.string()}, {"toml", toml}, {"meaning", to_json(checked)}};
  if (!checked.kernel) {
    return answer;
  }
  HONE_TRY(const app::Workbench bench, app::open_workbench(context, use.request));
  HONE_TRY(const record::Contender naive, app::naive_contender(bench));
  call.place.prepare(use);
  answer.content["contract"] = k_contract;
  answer.content["naive"] = naive.candidate.files;
  answer.content["planned_steps"] = steps_of(context, use);
  answer.content["scratch"] = scratch_names(use);
  answer.content["history"] = history_of(context, use, integer_in(call.arguments, "steps", k_usual_steps));
  answer.content["state"] = use.state.string();
  return answer;
}

} // namespace

Tool read_kernel_tool()
{
  Tool tool;
  tool.name = "read_kernel";
  tool.title = "Read a kernel";
  tool.description =
    "Everything about one kernel: kernel.toml, what it means (shapes, types, error bound), the contract of a "
    "candidate with the plain one's files, the steps that a climb would try, scratch candidates, and what "
    "was tried before. Example: read_kernel {\"kernel\": \"softmax\"}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"steps", bounded_schema("Of the history, the last so many. Default: 20.", 0, 1000)});
  tool.input = object_schema("Which one.", members);
  tool.output = output_schema(
    "The kernel.",
    {{"kernel", text_schema("Its name."), true},
     {"folder", text_schema("Where it stands.")},
     {"toml", text_schema("kernel.toml."), true},
     {"meaning", any_object_schema("What kernel.toml says, or its mistakes."), true},
     {"contract", text_schema("What a candidate is.")},
     {"naive", any_object_schema("Files of the plain candidate by name.")},
     {"planned_steps", list_schema("In the order of the plan.", any_object_schema("step, applies, remark"))},
     {"scratch", list_schema("Candidates written before.", text_schema("scratch/NAME"))},
     {"history", any_object_schema("best, branches, steps: what was tried, the last ones")},
     {"state", text_schema("Folder of workflows.")}});
  tool.call = read_kernel;
  return tool;
}

} // namespace hone::serve
