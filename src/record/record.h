// Everything the gate saw about one job, as data. Whoever shows, keeps or learns from results needs only this room.
//
// Public too: "record/job.h", what the gate was asked for; "record/contender.h", what can be measured;
// "record/recipe.h", how it is measured; "record/verdict.h", how the job ended; "record/explanation.h", how a
// comparison came about; "record/validator_run.h", what became of each validator; "record/machine_load.h", how busy
// the machine was; "record/tier.h", how much rests on the candidate's process.
#pragma once

#include "record/job.h"
#include "record/verdict.h"
#include "util/json.h"

#include <string>

namespace hone::record {

struct Record {
  std::string id;          // SHA-256 over candidate or baseline, point, kernel, environment and recipe
  std::string candidate;   // content hash
  std::string kernel;      // hash
  std::string environment; // hash
  std::string recipe;      // hash
  kernel::TuningPoint point;
  Job::Kind kind = Job::Kind::judge;
  std::string parent, transformation, engine;
  std::string baseline;  // library name and setting, when the contender is a library
  std::string incumbent; // candidate hash or library it was compared with, or ""
  Recipe recipe_used;
  Verdict verdict;
  std::string time_utc;   // ISO 8601
  double predicted_s = 0; // by a cost model; 0: none
  std::string hone_version;
};

// The id that belongs to the other members.
std::string identity_of(const Record& record);

Json to_json(const Record& record);
Result<Record> record_from_json(const Json& json);

} // namespace hone::record
