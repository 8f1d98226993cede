// A request to the gate as data. Executors carry it out, here or elsewhere.
#pragma once

#include "record/contender.h"
#include "record/recipe.h"
#include "util/json.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace hone::record {

struct Job {
  enum class Kind { validate, judge, measure, compare };
  Kind kind = Kind::judge;
  Contender contender;
  std::optional<Contender> incumbent; // for judge and compare
  Recipe recipe;
  Depth depth = Depth::screen;
  bool both_regimes = false;
  std::chrono::milliseconds call_deadline{0}; // of one call, to measure what may be too slow; 0: the gate's own
  // Who asked and why: kept in the record, without meaning to the gate.
  std::string parent;         // checkpoint id, or ""
  std::string transformation; // name, or ""
  std::string engine;         // "builtin", ...
};

std::string_view name_of(Job::Kind kind); // "validate", "judge", "measure", "compare"

// Everything that another executor needs to run the job; the kernel travels apart, by its hash.
Json to_json(const kernel::Kernel& kernel, const Job& job);
Result<Job> job_from_json(const kernel::Kernel& kernel, const Json& json);

} // namespace hone::record
