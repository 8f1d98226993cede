#include "app/run_candidate.h"

#include "app/history.h"
#include "app/keep_candidate.h"
#include "kernel/kernel.h"
#include "serve/tools/tool_list.h"
#include "util/temporary.h"

#include <fmt/format.h>

namespace hone::serve {

namespace {

std::string summary_of(const app::CandidateRun& run, bool quick)
{
  if (run.refused) {
    return "no candidate: " + run.refused->message;
  }
  const record::Verdict& verdict = run.record->verdict;
  if (verdict.status != record::Status::correct) {
    return fmt::format("{}: {}", record::name_of(verdict.status), verdict.reason);
  }
  return quick ? app::quick_text(run) : fmt::format("correct, {} checks passed", verdict.checks.size());
}

Json spent_json(const record::Verdict& verdict)
{
  Json spent = Json::object();
  for (const auto& [phase, seconds] : verdict.spent) {
    spent[phase] = seconds;
  }
  return spent;
}

Json result_of(const app::CandidateRun& run)
{
  if (run.refused) {
    return {{"status", record::name_of(record::Status::constraints)},
            {"reason", run.refused->message},
            {"mistake", error_json(*run.refused)}};
  }
  Json json = short_verdict(run.record->verdict);
  if (run.against.empty()) {
    json.erase("comparison"); // with itself: how steady times are here
  } else {
    json["against"] = run.against;
  }
  json["spent_s"] = spent_json(run.record->verdict);
  return json;
}

Json result_of(const app::KeptCandidate& kept)
{
  Json json = short_verdict(kept.judged.record.verdict);
  json["against"] = kept.judged.parent;
  json["spent_s"] = spent_json(kept.judged.record.verdict);
  json["checkpoint"] = kept.judged.checkpoint;
  json["best"] = kept.is_best;
  return json;
}

// In full, and into the workflow.
Result<ToolAnswer> keep(const ToolCall& call, const KernelInUse& use, const std::string& given, const std::string& name)
{
  if (name.find('/') == std::string::npos) {
    return fail(fmt::format("{} is no folder that you wrote: only those are kept", given),
                "write it with write_candidate, and name scratch/NAME");
  }
  app::KeepRequest request;
  request.kernel = use.request;
  request.candidate = name;
  request.step = text_in(call.arguments, "step");
  return run_as_job(
    call, "run_candidate", use.name + ": " + given,
    [settings = use.settings, request](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
      app::Context context{settings, std::move(stop), &observer};
      HONE_TRY(const app::KeptCandidate kept, app::keep_candidate(context, request));
      return Outcome{app::text_of(kept), result_of(kept), app::to_json(kept)};
    });
}

Result<app::CandidateRun> run_folder(app::Context& context, const app::CandidateRequest& request)
{
  if (request.quick && request.kernel.sizes.empty()) {
    HONE_TRY(const kernel::Kernel kernel, kernel::load_kernel(request.kernel.kernel));
    if (const auto sizes = app::glance_sizes(kernel)) {
      app::CandidateRequest glance = request;
      glance.untimed = true;
      for (const auto& [name, value] : *sizes) {
        glance.kernel.sizes.push_back(fmt::format("{}={}", name, value));
      }
      Result<app::CandidateRun> run = app::run_candidate(context, glance);
      if (request.untimed || !run || run->refused || run->record->verdict.status != record::Status::correct
          || context.stop.stop_requested()) {
        return run;
      }
    }
  }
  return app::run_candidate(context, request);
}

// A checkpoint is run as a folder of its files.
Result<app::CandidateRun> run_named(app::Context& context, app::CandidateRequest request, const std::string& name)
{
  if (name == "naive") {
    request.naive = true;
    return run_folder(context, request);
  }
  if (name.find('/') != std::string::npos || app::names_folder(name, nullptr)) {
    request.candidate = name;
    return run_folder(context, request);
  }
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-mcp"));
  request.candidate = (folder.path() / "candidate").string();
  HONE_CHECK(app::check_out(context, request.kernel, name, request.candidate));
  return run_folder(context, request);
}

Result<ToolAnswer> call_run_candidate(const ToolCall& call)
{
  HONE_TRY(const KernelInUse use, call.place.kernel(call.arguments));
  const std::string given = text_in(call.arguments, "candidate");
  HONE_TRY(const std::string name, call.place.candidate(use, given));
  const std::string depth = text_in(call.arguments, "depth", "quick");
  if (depth == "keep") {
    return keep(call, use, given, name);
  }
  app::CandidateRequest request;
  request.kernel = use.request;
  request.values = text_in(call.arguments, "values");
  request.quick = (depth == "check" || depth == "quick") && request.values.empty();
  request.untimed = depth == "check" || depth == "validate";
  return run_as_job(
    call, "run_candidate", use.name + ": " + given,
    [settings = use.settings, request, name](app::Observer& observer, std::stop_token stop) -> Result<Outcome> {
      app::Context context{settings, std::move(stop), &observer};
      HONE_TRY(const app::CandidateRun run, run_named(context, request, name));
      return Outcome{summary_of(run, request.quick), result_of(run), app::to_json(run)};
    });
}

} // namespace

Tool run_candidate_tool()
{
  const std::vector<std::string> depths{"check", "quick", "validate", "full", "keep"};
  Tool tool;
  tool.name = "run_candidate";
  tool.title = "Put a candidate through the gate";
  tool.description =
    "Builds a candidate in a jail, checks every output element against the reference, and times it. A wrong one comes "
    "back "
    "with the place of the mismatch (argument, index, got, expected). Depth `check`: a call on small sizes, without "
    "timing, "
    "in a second; `quick` (default): that first, then a glance at the timed sizes with a few pairs against the best "
    "checkpoint; `validate`: hidden sizes and values, without timing; `full`: all, the only proof; `keep`: `full` "
    "against the best checkpoint, "
    "and a correct candidate becomes a checkpoint. Example: "
    "run_candidate "
    "{\"kernel\": \"softmax\", \"candidate\": \"scratch/mine\", \"depth\": \"check\"}";
  std::vector<SchemaMember> members = kernel_members();
  members.push_back({"candidate", text_schema("scratch/NAME, naive, a checkpoint or a folder."), true});
  members.push_back({"depth", words_schema("How far. Default: quick.", depths)});
  members.push_back(
    {"values", text_schema("Validate on this row or family of values alone, as large/around-a-middle.")});
  members.push_back({"step", text_schema("With `keep`: what was done, in a few words. Default: edit.")});
  members.push_back(
    {"seed", text_schema("Seed of inputs and hidden sizes, as a result names it, to see the same again.")});
  members.push_back(wait_member());
  tool.input = object_schema("What to run.", members);
  tool.output =
    job_output_schema(any_object_schema("status (correct, constraints, compile, runtime, timeout, correctness, "
                                        "rejected), reason, mismatch {argument, index, got, expected, "
                                        "tolerance}, log of the compiler, checks_failed, time_s, comparison {verdict, "
                                        "speed, ci95}, against, seed, spent_s, checkpoint, best"));
  tool.read_only = false;
  tool.call = call_run_candidate;
  return tool;
}

} // namespace hone::serve
