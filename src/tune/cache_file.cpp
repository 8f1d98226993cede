#include "tune/cache_file.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace hone::tune {

namespace {

constexpr int k_format = 1; // of the member "hone"
constexpr double k_ms = 1e3;

constexpr std::array k_statuses{record::Status::correct, record::Status::constraints, record::Status::compile,
                                record::Status::runtime, record::Status::timeout,     record::Status::correctness,
                                record::Status::rejected};

// Kernel Tuner's words for points that gave no time.
std::string_view error_word(record::Status status)
{
  switch (status) {
  case record::Status::constraints:
    return "InvalidConfig";
  case record::Status::compile:
    return "CompilationFailedConfig";
  default:
    return "RuntimeFailedConfig";
  }
}

Result<record::Status> status_from(const std::string& word)
{
  for (const record::Status status : k_statuses) {
    if (record::name_of(status) == word) {
      return status;
    }
  }
  return fail("unknown status '" + word + "'");
}

std::string key_of(const kernel::TuningPoint& point, const std::vector<kernel::TuningParameter>& parameters)
{
  std::string key;
  for (const kernel::TuningParameter& parameter : parameters) {
    key += (key.empty() ? "" : ",") + std::to_string(point.at(parameter.name));
  }
  return key;
}

// A time on the incumbent's scale: what disturbed both arms of a pair is not in it.
double common_ms(double ratio, const StoredSpace& space)
{
  return k_ms * space.incumbent_s / ratio;
}

Json trial_json(const StoredTrial& trial, const StoredSpace& space)
{
  Json json = Json::object();
  for (const kernel::TuningParameter& parameter : space.parameters) {
    json[parameter.name] = trial.point.at(parameter.name);
  }
  if (trial.status == record::Status::correct && !trial.ratios.empty()) {
    json["time"] = common_ms(trial.ratio(), space);
    Json times = Json::array();
    for (const double ratio : trial.ratios) {
      times.push_back(common_ms(ratio, space));
    }
    json["times"] = std::move(times);
    json["call_time"] = k_ms * trial.call_s;
  } else {
    json["__error__"] = error_word(trial.status);
  }
  json["compile_time"] = k_ms * trial.build_s;
  json["verification_time"] = k_ms * trial.validate_s;
  json["benchmark_time"] = k_ms * trial.measure_s;
  json["strategy_time"] = 0;
  json["framework_time"] = 0;
  json["timestamp"] = trial.time_utc;
  json["status"] = record::name_of(trial.status);
  json["ratios"] = trial.ratios;
  return json;
}

Json own_json(const StoredSpace& space)
{
  Json best = Json::array();
  for (const StoredTrial& trial : space.best) {
    best.push_back(trial_json(trial, space));
  }
  Json defaults = Json::object();
  for (const kernel::TuningParameter& parameter : space.parameters) {
    defaults[parameter.name] = parameter.default_value;
  }
  return {{"format", k_format},
          {"kernel", space.kernel_hash},
          {"candidate", space.candidate},
          {"environment", space.environment},
          {"device_facts", space.device_facts},
          {"plan_facts", space.plan_facts},
          {"recipe", record::to_json(space.recipe)},
          {"defaults", std::move(defaults)},
          {"constraints", space.constraints},
          {"incumbent", space.incumbent},
          {"incumbent_s", space.incumbent_s},
          {"best", std::move(best)}};
}

Result<StoredTrial> trial_from(const Json& json, const StoredSpace& space)
{
  StoredTrial trial;
  for (const kernel::TuningParameter& parameter : space.parameters) {
    trial.point[parameter.name] = whole<std::int64_t>(json.at(parameter.name));
  }
  HONE_TRY(trial.status, status_from(json.at("status").get<std::string>()));
  trial.ratios = json.at("ratios").get<std::vector<double>>();
  trial.call_s = json.value("call_time", 0.0) / k_ms;
  trial.build_s = json.at("compile_time").get<double>() / k_ms;
  trial.validate_s = json.at("verification_time").get<double>() / k_ms;
  trial.measure_s = json.at("benchmark_time").get<double>() / k_ms;
  trial.time_utc = json.at("timestamp").get<std::string>();
  return trial;
}

Result<StoredSpace> space_from(const Json& json)
{
  const Json& own = json.at("hone");
  if (const int format = whole<int>(own.at("format")); format != k_format) {
    return fail(fmt::format("format {} of stored spaces is not known", format),
                "read it with the Hone that wrote it, or record the space anew");
  }
  StoredSpace space;
  space.kernel = json.at("kernel_name").get<std::string>();
  space.device = json.at("device_name").get<std::string>();
  space.kernel_hash = own.at("kernel").get<std::string>();
  space.candidate = own.at("candidate").get<std::string>();
  space.environment = own.at("environment").get<std::string>();
  space.device_facts = own.at("device_facts").get<std::map<std::string, std::string>>();
  for (const auto& [name, value] : own.at("plan_facts").items()) {
    space.plan_facts[name] = whole<std::int64_t>(value);
  }
  HONE_TRY(space.recipe, record::recipe_from_json(own.at("recipe")));
  for (const Json& key : json.at("tune_params_keys")) {
    const auto name = key.get<std::string>();
    space.parameters.push_back({name, json.at("tune_params").at(name).get<std::vector<std::int64_t>>(),
                                whole<std::int64_t>(own.at("defaults").at(name))});
  }
  space.constraints = own.at("constraints").get<std::vector<std::string>>();
  space.incumbent = whole_members(own.at("incumbent"));
  space.incumbent_s = own.at("incumbent_s").get<double>();
  for (const auto& [key, entry] : json.at("cache").items()) {
    HONE_TRY(StoredTrial trial, trial_from(entry, space));
    space.trials.push_back(std::move(trial));
  }
  for (const Json& entry : own.at("best")) {
    HONE_TRY(StoredTrial trial, trial_from(entry, space));
    space.best.push_back(std::move(trial));
  }
  return space;
}

Json header_json(const StoredSpace& space)
{
  Json sizes = Json::array();
  for (const auto& [name, value] : space.recipe.sizes) {
    sizes.push_back(value);
  }
  Json keys = Json::array(), values = Json::object();
  for (const kernel::TuningParameter& parameter : space.parameters) {
    keys.push_back(parameter.name);
    values[parameter.name] = parameter.values;
  }
  return {{"device_name", space.device},      {"kernel_name", space.kernel},
          {"problem_size", std::move(sizes)}, {"tune_params_keys", std::move(keys)},
          {"tune_params", std::move(values)}, {"objective", "time"},
          {"hone", own_json(space)}};
}

} // namespace

std::string to_cache_text(const StoredSpace& space)
{
  std::string text = "{";
  const Json header = header_json(space);
  for (const auto& [name, value] : header.items()) {
    text += Json(name).dump() + ": " + value.dump() + ",\n";
  }
  text += "\"cache\": {";
  bool first = true;
  for (const StoredTrial& trial : space.trials) {
    text += std::exchange(first, false) ? "\n" : ",\n";
    text += Json(key_of(trial.point, space.parameters)).dump() + ": " + trial_json(trial, space).dump();
  }
  return text + "}\n}\n"; // Kernel Tuner knows a complete file by this end
}

Result<StoredSpace> space_from_cache_text(std::string_view text, const std::string& origin)
{
  HONE_TRY(const Json json, parse_json(text, origin));
  try {
    if (!json.is_object() || !json.contains("hone")) {
      return fail(origin + " is not a stored space of Hone: it has no member 'hone'",
                  "files of other tuners cannot be replayed here; write one with hone tune --export-cache");
    }
    auto space = space_from(json);
    if (!space) {
      space.error().message = origin + ": " + space.error().message;
    }
    return space;
  } catch (const Json::exception& e) {
    return fail(origin + " is no readable stored space: " + e.what());
  }
}

Result<void> write_cache_file(const StoredSpace& space, const fs::path& path)
{
  return write_file(path, to_cache_text(space));
}

Result<StoredSpace> read_cache_file(const fs::path& path)
{
  HONE_TRY(const std::string text, read_file(path));
  return space_from_cache_text(text, path.string());
}

} // namespace hone::tune
