#include "store/checkpoint_files.h"

#include "util/json.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hone::store {

namespace {

constexpr const char* k_schedule_file = "schedule.toml";
constexpr const char* k_point_file = "point.json";
constexpr std::string_view k_number_line = "number: ";

Result<Json> json_file(const Commit& commit, const std::string& name)
{
  const auto found = commit.files.find(name);
  if (found == commit.files.end()) {
    return fail(fmt::format("checkpoint {} has no {}", commit.id, name));
  }
  return parse_json(found->second, commit.id.substr(0, 12) + ":" + name);
}

const record::ComparisonResult* deciding_comparison(const record::Record& record)
{
  for (const record::ComparisonResult& comparison : record.verdict.comparisons) {
    if (comparison.regime == record.recipe_used.regime) {
      return &comparison;
    }
  }
  return nullptr;
}

const std::optional<record::TimeEstimate>& deciding_time(const record::Record& record)
{
  return record.recipe_used.regime == record::Regime::cold ? record.verdict.cold : record.verdict.hot;
}

std::string time_line(std::string_view regime, const record::TimeEstimate& time)
{
  return fmt::format("time {}: {} [{}, {}] over {} calls\n", regime, format_seconds(time.median),
                     format_seconds(time.ci95.low), format_seconds(time.ci95.high), time.calls);
}

} // namespace

std::string record_text(const record::Record& record)
{
  return record::to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

FileMap checkpoint_files(const kernel::Candidate& candidate, const record::Record& record)
{
  FileMap files;
  for (const auto& [name, bytes] : candidate.files) {
    files[std::string(k_candidate_folder) + "/" + name] = bytes;
  }
  if (!candidate.schedule.empty()) {
    files[k_schedule_file] = candidate.schedule;
  }
  files[k_point_file] = Json(record.point).dump(2) + "\n";
  files[k_record_file] = record::to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return files;
}

std::string commit_message(const record::Record& record, std::int64_t number)
{
  const std::string step = record.transformation.empty() ? "start" : record.transformation;
  std::string message = fmt::format("{}: {}", step, record::name_of(record.verdict.status));
  const record::ComparisonResult* comparison = deciding_comparison(record);
  if (comparison != nullptr) {
    message += fmt::format(" {} {:.3g}x", record::name_of(comparison->verdict), comparison->ratio);
  }
  if (const auto& time = deciding_time(record)) {
    message += " " + format_seconds(time->median);
  }
  message += "\n\n";
  if (comparison != nullptr) {
    message += fmt::format("ratio {}: {:.4g} [{:.4g}, {:.4g}] against {}\n", record::name_of(comparison->regime),
                           comparison->ratio, comparison->ci95.low, comparison->ci95.high, record.incumbent);
  }
  if (record.verdict.cold) {
    message += time_line("cold", *record.verdict.cold);
  }
  if (record.verdict.hot) {
    message += time_line("hot", *record.verdict.hot);
  }
  if (!record.point.empty()) {
    message += fmt::format("tuning: {}\n", kernel::to_text(record.point));
  }
  message += fmt::format("engine: {}\ncandidate: {}\nrecord: {}\n{}{}\n", record.engine, record.candidate, record.id,
                         k_number_line, number);
  return message;
}

std::int64_t number_of(const Commit& commit)
{
  std::int64_t number = 0;
  for (const std::string& line : split(commit.message, '\n')) {
    if (line.starts_with(k_number_line)) {
      const char* begin = line.data() + k_number_line.size();
      std::from_chars(begin, line.data() + line.size(), number);
    }
  }
  return std::max<std::int64_t>(number, 0);
}

std::map<std::string, std::string> candidate_files(const Commit& commit)
{
  const std::string prefix = std::string(k_candidate_folder) + "/";
  std::map<std::string, std::string> files;
  for (const auto& [path, bytes] : commit.files) {
    if (path.starts_with(prefix)) {
      files[path.substr(prefix.size())] = bytes;
    }
  }
  return files;
}

std::string candidate_hash(const Commit& commit)
{
  kernel::Candidate candidate;
  candidate.files = candidate_files(commit);
  return candidate.hash();
}

Result<record::Record> record_of(const Commit& commit)
{
  HONE_TRY(const Json json, json_file(commit, k_record_file));
  return record::record_from_json(json);
}

Result<kernel::TuningPoint> point_of(const Commit& commit)
{
  HONE_TRY(const Json json, json_file(commit, k_point_file));
  kernel::TuningPoint point;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number_integer()) {
      return fail(fmt::format("{} of checkpoint {}: {} is not a whole number", k_point_file, commit.id, name));
    }
    point[name] = value.get<std::int64_t>();
  }
  return point;
}

Result<Checkpoint> checkpoint_of(const kernel::Kernel& kernel, const Commit& commit)
{
  Checkpoint checkpoint;
  checkpoint.id = commit.id;
  checkpoint.parent = commit.parent;
  HONE_TRY(checkpoint.record, record_of(commit));
  HONE_TRY(checkpoint.point, point_of(commit));
  checkpoint.transformation = checkpoint.record.transformation.empty() ? "start" : checkpoint.record.transformation;
  HONE_TRY(checkpoint.candidate, kernel::make_candidate(kernel, candidate_files(commit)));
  if (const auto schedule = commit.files.find(k_schedule_file); schedule != commit.files.end()) {
    checkpoint.candidate.schedule = schedule->second;
  }
  return checkpoint;
}

} // namespace hone::store
