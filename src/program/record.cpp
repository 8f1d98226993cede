#include "program/record.h"

#include "record/tier.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace hone::program {

namespace {

constexpr auto k_statuses = std::to_array<record::Status>(
  {record::Status::correct, record::Status::constraints, record::Status::compile, record::Status::runtime,
   record::Status::timeout, record::Status::correctness, record::Status::rejected});

// An end that is not bounded is null.
Json interval_json(const Interval& interval)
{
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return Json::array({end(interval.low), end(interval.high)});
}

Interval interval_from(const Json& json)
{
  const auto end = [&](std::size_t i, double unbounded) {
    return json.at(i).is_null() ? unbounded : json.at(i).get<double>();
  };
  return {end(0, -HUGE_VAL), end(1, HUGE_VAL)};
}

Json ratio_json(const std::optional<Ratio>& ratio)
{
  return ratio ? Json{{"ratio", ratio->ratio}, {"ci99", interval_json(ratio->interval)}} : Json();
}

std::optional<Ratio> ratio_from(const Json& json)
{
  if (json.is_null()) {
    return std::nullopt;
  }
  return Ratio{json.at("ratio").get<double>(), interval_from(json.at("ci99"))};
}

} // namespace

Json to_json(const ProgramRecord& record)
{
  Json compared = Json::array();
  for (const ComparedInput& input : record.compared) {
    compared.push_back({{"name", input.name}, {"values", input.values}, {"worst", input.worst}});
  }
  Json pairs = Json::array();
  for (const PairTimes& pair : record.pairs) {
    pairs.push_back({{"original_s", pair.original},
                     {"replaced_s", pair.replaced},
                     {"timed_original_s", pair.timed_original},
                     {"timed_replaced_s", pair.timed_replaced},
                     {"region_original_s", pair.region_original},
                     {"region_replaced_s", pair.region_replaced},
                     {"entries_original", pair.entries_original},
                     {"entries_replaced", pair.entries_replaced}});
  }
  return {{"program", record.program},
          {"tier", name_of(record::Tier::c)},
          {"sources", record.sources},
          {"region", record.region},
          {"replacement", record.replacement},
          {"status", name_of(record.status)},
          {"reason", record.reason},
          {"log", record.log},
          {"verdict", record.verdict ? Json(name_of(*record.verdict)) : Json()},
          {"accepted", record.accepted()},
          {"whole", ratio_json(record.whole)},
          {"within", ratio_json(record.within)},
          {"share", record.share},
          {"unexplained", record.unexplained ? interval_json(*record.unexplained) : Json()},
          {"compared", compared},
          {"pairs", pairs},
          {"flags", record.flags},
          {"seed", fmt::format("{:#x}", record.seed)},
          {"time_utc", record.time_utc},
          {"machine", record.machine}};
}

Result<ProgramRecord> program_record_from(const Json& json, const std::string& origin)
{
  try {
    ProgramRecord record;
    record.program = json.at("program").get<std::string>();
    record.sources = json.at("sources").get<std::string>();
    record.region = json.at("region").get<std::string>();
    record.replacement = json.at("replacement").get<std::string>();
    const auto status = json.at("status").get<std::string>();
    for (const record::Status known : k_statuses) {
      record.status = name_of(known) == status ? known : record.status;
    }
    record.reason = json.at("reason").get<std::string>();
    record.log = json.at("log").get<std::string>();
    if (const Json& verdict = json.at("verdict"); !verdict.is_null()) {
      record.verdict = record::comparison_named(verdict.get<std::string>());
    }
    record.whole = ratio_from(json.at("whole"));
    record.within = ratio_from(json.at("within"));
    record.share = json.at("share").get<double>();
    if (const Json& part = json.at("unexplained"); !part.is_null()) {
      record.unexplained = interval_from(part);
    }
    for (const Json& input : json.at("compared")) {
      record.compared.push_back(
        {input.at("name").get<std::string>(), input.at("values").get<std::string>(), input.at("worst").get<double>()});
    }
    for (const Json& pair : json.at("pairs")) {
      record.pairs.push_back({pair.at("original_s").get<double>(), pair.at("replaced_s").get<double>(),
                              pair.at("timed_original_s").get<double>(), pair.at("timed_replaced_s").get<double>(),
                              pair.at("region_original_s").get<double>(), pair.at("region_replaced_s").get<double>(),
                              pair.at("entries_original").get<double>(), pair.at("entries_replaced").get<double>()});
    }
    record.flags = json.at("flags").get<std::vector<std::string>>();
    record.seed = std::stoull(json.at("seed").get<std::string>(), nullptr, 0);
    record.time_utc = json.at("time_utc").get<std::string>();
    record.machine = json.at("machine").get<std::string>();
    return record;
  } catch (const std::exception& error) {
    return fail(fmt::format("this is no record of a program: {}", error.what()),
                "`hone program run` writes such records; move the file away if it was changed by hand", {origin, 1, 0});
  }
}

std::string to_text(const Ratio& ratio)
{
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio.ratio, ratio.interval.low, ratio.interval.high);
}

std::string to_text(const ProgramRecord& record)
{
  std::string text(record.verdict ? name_of(*record.verdict) : name_of(record.status));
  if (record.whole) {
    text += ": the whole program " + to_text(*record.whole);
  }
  if (record.within) {
    text += ", the region " + to_text(*record.within);
  }
  return text + fmt::format("; tier {}", name_of(record::Tier::c));
}

} // namespace hone::program
