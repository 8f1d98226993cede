#include "record/record.h"

#include "record/machine_load.h"
#include "record/words.h"
#include "util/hash.h"

namespace hone::record {
namespace {

constexpr std::array k_kind_names{
  std::pair{Job::Kind::validate, std::string_view("validate")},
  std::pair{Job::Kind::judge, std::string_view("judge")},
  std::pair{Job::Kind::measure, std::string_view("measure")},
  std::pair{Job::Kind::compare, std::string_view("compare")},
};

Result<Job::Kind> kind_from(const std::string& word)
{
  for (const auto& [kind, name] : k_kind_names) {
    if (name == word) {
      return kind;
    }
  }
  return fail("unknown kind of job '" + word + "'", "one of validate, judge, measure, compare");
}

Json contender_json(const Contender& contender)
{
  if (!contender.library.empty()) {
    return Json{{"library", contender.library}, {"setting", contender.library_setting}};
  }
  return Json{
    {"files", contender.candidate.files}, {"schedule", contender.candidate.schedule}, {"point", contender.point}};
}

Result<Contender> contender_from(const kernel::Kernel& kernel, const Json& json)
{
  Contender contender;
  if (json.contains("library")) {
    contender.library = json.at("library").get<std::string>();
    contender.library_setting = json.at("setting").get<std::string>();
    return contender;
  }
  HONE_TRY(contender.candidate,
           kernel::make_candidate(kernel, json.at("files").get<std::map<std::string, std::string>>()));
  contender.candidate.schedule = json.at("schedule").get<std::string>();
  contender.point = whole_members(json.at("point"));
  return contender;
}

Result<Job> read_job(const kernel::Kernel& kernel, const Json& json)
{
  if (json.at("kernel").get<std::string>() != kernel.hash) {
    return fail("the job was made for another kernel (hash " + json.at("kernel").get<std::string>() + ")",
                "send the kernel folder along, or take the job's own kernel");
  }
  Job job;
  HONE_TRY(job.kind, kind_from(json.at("kind").get<std::string>()));
  HONE_TRY(job.contender, contender_from(kernel, json.at("contender")));
  if (json.contains("incumbent")) {
    HONE_TRY(job.incumbent, contender_from(kernel, json.at("incumbent")));
  }
  HONE_TRY(job.recipe, recipe_from_json(json.at("recipe")));
  HONE_TRY(job.depth, depth_from(json.at("depth").get<std::string>()));
  job.both_regimes = json.at("both_regimes").get<bool>();
  job.call_deadline = std::chrono::milliseconds(whole<std::int64_t>(json.at("call_deadline_ms")));
  job.parent = json.at("parent").get<std::string>();
  job.transformation = json.at("transformation").get<std::string>();
  job.engine = json.at("engine").get<std::string>();
  return job;
}

Result<Record> read_record(const Json& json)
{
  Record record;
  record.id = json.at("id").get<std::string>();
  record.candidate = json.at("candidate").get<std::string>();
  record.kernel = json.at("kernel").get<std::string>();
  record.environment = json.at("environment").get<std::string>();
  record.recipe = json.at("recipe").get<std::string>();
  record.point = whole_members(json.at("point"));
  HONE_TRY(record.kind, kind_from(json.at("kind").get<std::string>()));
  record.parent = json.at("parent").get<std::string>();
  record.transformation = json.at("transformation").get<std::string>();
  record.engine = json.at("engine").get<std::string>();
  record.baseline = json.at("baseline").get<std::string>();
  record.incumbent = json.at("incumbent").get<std::string>();
  HONE_TRY(record.recipe_used, recipe_from_json(json.at("recipe_used")));
  HONE_TRY(record.verdict, verdict_from_json(json.at("verdict")));
  record.time_utc = json.at("time_utc").get<std::string>();
  record.predicted_s = json.at("predicted_s").get<double>();
  record.hone_version = json.at("hone_version").get<std::string>();
  return record;
}

} // namespace

std::string_view name_of(Job::Kind kind)
{
  return word_for(k_kind_names, kind);
}

std::string identity_of(const Record& record)
{
  const Json identity{{"candidate", record.candidate}, {"baseline", record.baseline},       {"point", record.point},
                      {"kernel", record.kernel},       {"environment", record.environment}, {"recipe", record.recipe}};
  return sha256(identity.dump());
}

Json to_json(const kernel::Kernel& kernel, const Job& job)
{
  Json json{{"kind", name_of(job.kind)}, {"kernel", kernel.hash}, {"contender", contender_json(job.contender)}};
  if (job.incumbent) {
    json["incumbent"] = contender_json(*job.incumbent);
  }
  json["recipe"] = to_json(job.recipe);
  json["depth"] = name_of(job.depth);
  json["both_regimes"] = job.both_regimes;
  json["call_deadline_ms"] = job.call_deadline.count();
  json["parent"] = job.parent;
  json["transformation"] = job.transformation;
  json["engine"] = job.engine;
  return json;
}

Result<Job> job_from_json(const kernel::Kernel& kernel, const Json& json)
{
  try {
    return read_job(kernel, json);
  } catch (const Json::exception& e) {
    return fail(std::string("the job is not readable: ") + e.what());
  }
}

Json to_json(const Record& record)
{
  const MachineLoad load = load_of(record.verdict, record.recipe_used.threads); // said again for readers of records
  return Json{{"id", record.id},
              {"candidate", record.candidate},
              {"kernel", record.kernel},
              {"environment", record.environment},
              {"recipe", record.recipe},
              {"point", record.point},
              {"kind", name_of(record.kind)},
              {"parent", record.parent},
              {"transformation", record.transformation},
              {"engine", record.engine},
              {"baseline", record.baseline},
              {"incumbent", record.incumbent},
              {"recipe_used", to_json(record.recipe_used)},
              {"verdict", to_json(record.verdict)},
              {"load", {{"timed_s", load.timed_s}, {"lost_s", load.lost_s}, {"busy", load.busy()}}},
              {"time_utc", record.time_utc},
              {"predicted_s", record.predicted_s},
              {"hone_version", record.hone_version}};
}

Result<Record> record_from_json(const Json& json)
{
  try {
    return read_record(json);
  } catch (const Json::exception& e) {
    return fail(std::string("the record is not readable: ") + e.what());
  }
}

} // namespace hone::record
