#include "report/story.h"

namespace hone {

namespace {

Json interval(const Interval& interval)
{
  return Json::array({interval.low, interval.high});
}

Json optional_number(const std::optional<double>& value)
{
  return value ? Json(*value) : Json(nullptr);
}

Json end_of_path(const ReportInput& input, const Checkpoint* checkpoint, const TimeEstimate* time)
{
  if (checkpoint == nullptr) {
    return nullptr;
  }
  Json json{{"checkpoint", checkpoint->id},
            {"status", name_of(checkpoint->record.verdict.status)},
            {"candidate", checkpoint->record.candidate},
            {"point", checkpoint->point}};
  json["time_s"] = time != nullptr ? Json{{"median", time->median}, {"ci95", interval(time->ci95)}} : Json(nullptr);
  json["gflops"] = optional_number(time != nullptr ? gflops(input, time->median) : std::nullopt);
  json["ceiling_fraction"] = optional_number(time != nullptr ? ceiling_fraction(input, time->median) : std::nullopt);
  return json;
}

Json checkpoint_json(const Checkpoint& checkpoint, const std::map<std::string, std::string>& diffs)
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
  const Story story = tell(input);
  Json json{{"kernel", input.kernel_name},
            {"summary", input.kernel_summary},
            {"expression", input.expression},
            {"backend", input.backend},
            {"device", input.device},
            {"environment", input.environment},
            {"recipe", to_json(input.recipe)},
            {"flops", input.flops},
            {"floor_s", input.floor_s},
            {"start", end_of_path(input, story.start, story.start_time)},
            {"best", end_of_path(input, story.best, story.best_time)},
            {"speedup",
             {{"ratio", story.headline.ratio},
              {"ci95", interval(story.headline.ci95)},
              {"source", story.headline.source}}}};
  json["baselines"] = Json::array();
  for (const BaselineFigure& baseline : input.baselines) {
    json["baselines"].push_back({{"name", baseline.name},
                                 {"setting", baseline.setting},
                                 {"ratio", baseline.ratio},
                                 {"ci95", interval(baseline.ci95)}});
  }
  json["checkpoints"] = Json::array();
  for (const Checkpoint& checkpoint : input.checkpoints) {
    json["checkpoints"].push_back(checkpoint_json(checkpoint, input.diffs));
  }
  json["steps"] = Json::array();
  for (const Moment& moment : story.moments) {
    json["steps"].push_back({{"number", moment.step->number},
                             {"step", step_name(moment.step->record)},
                             {"fate", name_of(moment.fate)},
                             {"checkpoint", moment.step->checkpoint},
                             {"record", to_json(moment.step->record)}});
  }
  json["spent"] = input.spent;
  return json;
}

} // namespace hone
