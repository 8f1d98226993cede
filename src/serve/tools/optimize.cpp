#include "app/climb.h"
#include "app/figures.h"
#include "app/headline.h"
#include "serve/tools/tool_list.h"

#include <fmt/format.h>

namespace hone::serve {

namespace {

constexpr std::int64_t k_no_wait_s = 0;

Outcome outcome_of(const app::ClimbResult& climb)
{
  Json full = app::to_json(climb);
  Json steps = Json::array();
  for (const store::Step& step : climb.steps) {
    if (!step.checkpoint.empty()) {
      steps.push_back(short_step(step));
    }
  }
  Json result{{"best", climb.best.id},
              {"start", climb.start.id},
              {"headline", app::headline(climb)},
              {"gain", app::gain_over_start(climb)},
              {"speedup", full["speedup"]},
              {"baselines", full["baselines"]},
              {"left_out", climb.left_out},
              {"kept_steps", std::move(steps)},
              {"busy", app::is_busy(climb.scale)},
              {"stopped", climb.stopped},
              {"note", climb.note},
              {"report", climb.report.string()}};
  const std::string sentence = app::headline(climb);
  return {sentence.empty() ? fmt::format("best checkpoint {}", app::short_id(climb.best.id)) : sentence,
          std::move(result), std::move(full)};
}

Result<ToolAnswer> call_optimize(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  app::ClimbRequest request;
  request.kernel = use.request;
  request.from = text_in(call.arguments, "from");
  request.branch = text_in(call.arguments, "branch");
  request.no_baselines = flag_in(call.arguments, "no_libraries");
  if (const std::string steps = text_in(call.arguments, "steps"); !steps.empty()) {
    HONE_TRY(const fs::path file, call.place.roots().inside(steps));
    request.steps = file.string();
  }
  const bool resumes = flag_in(call.arguments, "resume");
  return run_as_job(
    call, "optimize", use.name,
    [settings = use.settings, request, resumes](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
      app::Context context{settings, std::move(stop), &observer};
      HONE_TRY(const app::ClimbResult climb,
               resumes ? app::resume_climb(context, request) : app::climb(context, request));
      return outcome_of(climb);
    });
}

} // namespace

Tool optimize_tool()
{
  const std::vector<std::string> policies{"sequence", "greedy", "beam", "blaster"};
  Tool tool;
  tool.name = "optimize";
  tool.title = "Start a climb";
  tool.description =
    "Hone's own climb: tries steps and tuning parameters, keeps what is right and faster, compares the best with "
    "libraries and writes a report. Takes `budget` seconds: returns a job at once; look at it with the tool `job`. "
    "Example: optimize {\"kernel\": \"softmax\", \"budget\": 60}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"budget", bounded_schema("Seconds of wall time for all of it. Default: 110.", 5, 86400)});
  members.push_back({"policy", words_schema("Who chooses the next step. Default: sequence.", policies)});
  members.push_back({"steps", text_schema("A recipe file for the policy sequence.")});
  members.push_back({"from", text_schema("Go on from this checkpoint.")});
  members.push_back({"branch", text_schema("Go on from this branch and move it along; new with `from`.")});
  members.push_back({"resume", flag_schema("Go on with the climb that was stopped.")});
  members.push_back({"no_libraries", flag_schema("Do not compare with vendor libraries.")});
  members.push_back(wait_member());
  members.back().schema["description"] =
    fmt::format("Seconds to wait for the end, at most 25. Default: {}.", k_no_wait_s);
  tool.input = object_schema("What to climb.", members);
  tool.output = job_output_schema(any_object_schema(
    "best, start, headline, gain, speedup, baselines, kept_steps, busy, stopped, note, report (path of an HTML page)"));
  tool.read_only = false;
  tool.idempotent = false;
  tool.call = [](const ToolCall& call) {
    Json arguments = call.arguments;
    if (!arguments.contains("wait_s")) {
      arguments["wait_s"] = k_no_wait_s;
    }
    return call_optimize({call.place, arguments, call.exchange});
  };
  return tool;
}

} // namespace hone::serve
