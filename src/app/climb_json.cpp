#include "app/climb.h"
#include "app/report_files.h"
#include "app/result_json.h"

namespace hone::app {

namespace {

Json end_json(const ClimbResult& climb, const store::Checkpoint& checkpoint, const record::Verdict& verdict)
{
  const auto time = deciding_time(verdict, climb.recipe.regime);
  const bool timed = time && time->median > 0;
  return {
    {"checkpoint", checkpoint.id},
    {"candidate", checkpoint.record.candidate},
    {"transformation", checkpoint.transformation},
    {"point", point_json(checkpoint.point)},
    {"status", record::name_of(verdict.status)},
    {"time_s", time_json(time)},
    {"cold_s", time_json(verdict.cold)},
    {"hot_s", time_json(verdict.hot)},
    {"gflops", timed ? Json(climb.scale.flops / time->median / 1e9) : Json(nullptr)},
    {"gbytes_per_s", timed && climb.scale.bytes > 0 ? Json(climb.scale.bytes / time->median / 1e9) : Json(nullptr)},
    {"bound_by", climb.scale.floor_s > 0 ? Json(climb.scale.bound_by.empty() ? "arithmetic" : climb.scale.bound_by)
                                         : Json(nullptr)},
    {"ceiling_fraction", timed && climb.scale.floor_s > 0 ? Json(climb.scale.floor_s / time->median) : Json(nullptr)}};
}

Json steps_json(const std::vector<store::Step>& steps)
{
  Json list = Json::array();
  for (const store::Step& step : steps) {
    const record::Record& record = step.record;
    if (record.transformation.empty() || is_baseline(step)) {
      continue;
    }
    const bool compared = !record.verdict.comparisons.empty();
    list.push_back(
      {{"transformation", record.transformation},
       {"engine", record.engine},
       {"point", point_json(record.point)},
       {"status", record::name_of(record.verdict.status)},
       {"reason", record.verdict.reason},
       {"comparison", compared ? Json(record::name_of(record.verdict.comparisons.front().verdict)) : Json(nullptr)},
       {"ratio", compared ? Json(record.verdict.comparisons.front().ratio) : Json(nullptr)},
       {"ci95", compared ? interval_json(record.verdict.comparisons.front().ci95) : Json(nullptr)},
       {"checkpoint", step.checkpoint},
       {"record", record.id}});
  }
  return list;
}

Json by_size_json(const record::ComparisonResult& comparison)
{
  Json list = Json::array();
  for (const record::SizedComparison& one : comparison.by_size) {
    list.push_back({{"sizes", one.sizes},
                    {"weight", one.weight},
                    {"ratio", one.result.ratio},
                    {"ci95", interval_json(one.result.ci95)},
                    {"verdict", record::name_of(one.result.verdict)}});
  }
  return list;
}

Json baselines_json(const ClimbResult& climb)
{
  Json list = Json::array();
  for (const policy::BaselineResult& result : climb.baselines) {
    const auto version = climb.library_versions.find(result.baseline.name);
    list.push_back({{"name", result.baseline.name},
                    {"setting", result.baseline.setting},
                    {"version", version == climb.library_versions.end() ? "" : version->second},
                    {"ratio", result.comparison.ratio},
                    {"ci95", interval_json(result.comparison.ci95)},
                    {"regime", record::name_of(result.comparison.regime)}});
  }
  return list;
}

} // namespace

record::Verdict best_verdict(const ClimbResult& result)
{
  record::Verdict verdict = result.final_record ? result.final_record->verdict : result.best.record.verdict;
  if (result.band_record) {
    verdict.cold = result.band_record->verdict.cold;
    verdict.hot = result.band_record->verdict.hot;
  }
  return verdict;
}

std::optional<record::TimeEstimate> deciding_time(const record::Verdict& verdict, record::Regime regime)
{
  return regime == record::Regime::cold ? verdict.cold : verdict.hot;
}

const record::ComparisonResult* deciding_comparison(const std::optional<record::Record>& record)
{
  return record && !record->verdict.comparisons.empty() ? &record->verdict.comparisons.front() : nullptr;
}

Json to_json(const ClimbResult& result)
{
  const record::Verdict best = best_verdict(result);
  const record::ComparisonResult* speedup = deciding_comparison(result.final_record);
  const record::ComparisonResult* band = deciding_comparison(result.band_record);
  Json sizes = Json::object();
  for (const auto& [name, value] : result.recipe.sizes) {
    sizes[name] = value;
  }
  Json phases = Json::object();
  for (const auto& [phase, seconds] : result.spent) {
    phases[phase] = seconds;
  }
  return {{"kernel", result.kernel},
          {"backend", result.backend},
          {"device", result.device},
          {"threads", result.recipe.threads},
          {"sizes", sizes},
          {"accuracy", result.accuracy},
          {"regime", record::name_of(result.recipe.regime)},
          {"recipe", record::to_json(result.recipe)},
          {"start", end_json(result, result.start, result.start.record.verdict)},
          {"best", end_json(result, result.best, best)},
          {"speedup", speedup != nullptr ? Json{{"ratio", speedup->ratio},
                                                {"ci95", interval_json(speedup->ci95)},
                                                {"verdict", record::name_of(speedup->verdict)},
                                                {"by_size", by_size_json(*speedup)}}
                                         : Json(nullptr)},
          {"sweep", result.sweep ? to_json(*result.sweep) : Json(nullptr)},
          {"baselines", baselines_json(result)},
          {"left_out", result.left_out},
          {"steps", steps_json(result.steps)},
          {"band", band != nullptr ? Json{{"ratio", band->ratio},
                                          {"ci95", interval_json(band->ci95)},
                                          {"verdict", record::name_of(band->verdict)}}
                                   : Json(nullptr)},
          {"load",
           {{"lost_share", lost_share(result.scale)},
            {"lost_share_at_begin", result.scale.lost_at_begin},
            {"timed_s", result.scale.timed_s},
            {"busy", is_busy(result.scale)}}},
          {"spent", phases},
          {"workflow", result.workflow.string()},
          {"stopped", result.stopped},
          {"note", result.note},
          {"report", result.report.string()},
          {"branch", result.branch}};
}

} // namespace hone::app
