#include "serve/tools/tool_list.h"

#include "app/figures.h"
#include "app/result_json.h"
#include "app/run_candidate.h"
#include "serve/mismatch.h"

#include <fmt/format.h>

namespace hone::serve {

namespace {

constexpr std::size_t k_longest_log = 6000;

} // namespace

std::vector<Tool> all_tools()
{
  return {list_kernels_tool(),
          read_kernel_tool(),
          list_steps_tool(),
          read_candidate_tool(),
          write_candidate_tool(),
          run_candidate_tool(),
          profile_candidate_tool(),
          apply_step_tool(),
          optimize_tool(),
          compare_tool(),
          ship_tool(),
          job_tool()};
}

Json short_verdict(const record::Verdict& verdict)
{
  Json json{{"status", record::name_of(verdict.status)}};
  if (!verdict.reason.empty()) {
    json["reason"] = verdict.reason;
  }
  if (verdict.status == record::Status::correctness) {
    json["mismatch"] = mismatch_json(verdict);
  }
  if (!verdict.log.empty()) {
    json["log"] = verdict.log.substr(0, k_longest_log);
  }
  Json failed = Json::array();
  for (const record::CheckResult& check : verdict.checks) {
    if (!check.passed) {
      failed.push_back({{"name", check.name}, {"detail", check.detail}});
    }
  }
  json["checks_run"] = verdict.checks.size();
  json["checks_failed"] = std::move(failed);
  if (verdict.cold || verdict.hot) {
    json["time_s"] = {{"cold", app::time_json(verdict.cold)}, {"hot", app::time_json(verdict.hot)}};
  }
  if (!verdict.comparisons.empty()) {
    const record::ComparisonResult& comparison = verdict.comparisons.front();
    json["comparison"] = {{"verdict", record::name_of(comparison.verdict)},
                          {"speed", comparison.ratio},
                          {"ci95", app::interval_json(comparison.ci95)},
                          {"reason", comparison.reason}};
  }
  if (const std::string seed = app::seed_of(verdict); !seed.empty()) {
    json["seed"] = seed;
  }
  return json;
}

std::string comparison_text(const record::Verdict& verdict)
{
  if (verdict.comparisons.empty()) {
    return "";
  }
  const record::ComparisonResult& comparison = verdict.comparisons.front();
  return fmt::format("{} {}", record::name_of(comparison.verdict), app::ratio_text(comparison.ratio, comparison.ci95));
}

Json short_step(const store::Step& step)
{
  const record::Verdict& verdict = step.record.verdict;
  Json json{{"number", step.number},
            {"step", step.record.transformation},
            {"status", record::name_of(verdict.status)},
            {"checkpoint", step.checkpoint}};
  if (!verdict.comparisons.empty()) {
    json["verdict"] = record::name_of(verdict.comparisons.front().verdict);
    json["speed"] = verdict.comparisons.front().ratio;
  }
  if (!verdict.reason.empty()) {
    json["reason"] = verdict.reason;
  }
  return json;
}

} // namespace hone::serve
