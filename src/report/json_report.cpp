#include "report/climb_summary.h"

namespace hone::report {

namespace {

Json interval(const Interval& interval)
{
  return Json::array({interval.low, interval.high});
}

Json optional_number(const std::optional<double>& value)
{
  return value ? Json(*value) : Json(nullptr);
}

Json end_of_path(const ReportInput& input, const store::Checkpoint* checkpoint, const record::TimeEstimate* time)
{
  if (checkpoint == nullptr) {
    return nullptr;
  }
  Json json{{"checkpoint", checkpoint->id},
            {"status", record::name_of(checkpoint->record.verdict.status)},
            {"candidate", checkpoint->record.candidate},
            {"point", checkpoint->point}};
  json["time_s"] = time != nullptr ? Json{{"median", time->median}, {"ci95", interval(time->ci95)}} : Json(nullptr);
  json["gflops"] = optional_number(time != nullptr ? gflops(input, time->median) : std::nullopt);
  json["ceiling_fraction"] = optional_number(time != nullptr ? ceiling_fraction(input, time->median) : std::nullopt);
  return json;
}

Json checkpoint_json(const store::Checkpoint& checkpoint, const std::map<std::string, std::string>& diffs)
{
  const auto diff = diffs.find(checkpoint.id);
  return Json{{"id", checkpoint.id},
              {"parent", checkpoint.parent},
              {"transformation", checkpoint.transformation},
              {"record", checkpoint.record.id},
              {"point", checkpoint.point},
              {"diff", diff == diffs.end() ? Json(nullptr) : Json(diff->second)}};
}

} // namespace

Json json_report(const ReportInput& input)
{
  const ClimbSummary summary = summarize(input);
  Json json{{"kernel", input.kernel_name},
            {"summary", input.kernel_summary},
            {"expression", input.expression},
            {"backend", input.backend},
            {"device", input.device},
            {"environment", input.environment},
            {"recipe", record::to_json(input.recipe)},
            {"accuracy", input.accuracy},
            {"flops", input.flops},
            {"floor_s", input.floor_s},
            {"start", end_of_path(input, summary.start, summary.start_time)},
            {"best", end_of_path(input, summary.best, summary.best_time)},
            {"speedup",
             {{"ratio", summary.headline.ratio},
              {"ci95", interval(summary.headline.ci95)},
              {"source", summary.headline.source}}}};
  json["baselines"] = Json::array();
  for (const BaselineFigure& baseline : input.baselines) {
    json["baselines"].push_back({{"name", baseline.name},
                                 {"setting", baseline.setting},
                                 {"ratio", baseline.ratio},
                                 {"ci95", interval(baseline.ci95)}});
  }
  json["checkpoints"] = Json::array();
  for (const store::Checkpoint& checkpoint : input.checkpoints) {
    json["checkpoints"].push_back(checkpoint_json(checkpoint, input.diffs));
  }
  json["steps"] = Json::array();
  for (const StepSummary& step : summary.steps) {
    json["steps"].push_back({{"number", step.step->number},
                             {"step", step_name(step.step->record)},
                             {"fate", name_of(step.outcome)},
                             {"checkpoint", step.step->checkpoint},
                             {"record", record::to_json(step.step->record)}});
  }
  json["spent"] = input.spent;
  return json;
}

} // namespace hone::report
