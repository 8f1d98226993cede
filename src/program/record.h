// What came of judging a region, as data: ratios of whole runs and of the region, with intervals, and what they rest
// on.
#pragma once

#include "record/verdict.h"
#include "util/json.h"
#include "util/stats.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::program {

constexpr double k_confidence = 0.99; // of all intervals here

// Above 1: the replacement is faster.
struct Ratio {
  double ratio = 1;
  Interval interval; // at k_confidence
};

// The times of one pair of runs on one fresh input, in seconds. The region's are the program's own account.
struct PairTimes {
  double original = 0, replaced = 0;             // whole runs, from outside
  double timed_original = 0, timed_replaced = 0; // the same of the builds that time the region
  double region_original = 0, region_replaced = 0;
  double entries_original = 0, entries_replaced = 0; // into the region
};

struct ComparedInput {
  std::string name; // of a declared input; "fresh" else
  std::string values;
  double worst = 0; // largest error as a part of what is allowed
};

struct ProgramRecord {
  std::string program;
  std::string sources;     // SHA-256 of the tree and of program.toml
  std::string region;      // "src/step.cpp:31-70, step()"
  std::string replacement; // SHA-256 of its text
  record::Status status = record::Status::correct;
  std::string reason, log;
  std::vector<ComparedInput> compared; // not the timed runs, which are all compared, too
  std::vector<PairTimes> pairs;
  std::optional<record::Comparison> verdict; // of whole runs; nothing where they were not timed
  std::optional<Ratio> whole, within;        // of whole runs, in wall time; of the region
  std::optional<Interval> unexplained;       // part of the time that the whole saved and the region did not
  double share = 0;                          // of the region in the original's time
  std::vector<std::string> flags;            // what a reader must know besides
  std::uint64_t seed = 0;                    // of the drawn inputs and of the order of runs
  std::string time_utc, machine;

  bool accepted() const { return status == record::Status::correct && verdict == record::Comparison::fast; }
};

Json to_json(const ProgramRecord& record);
Result<ProgramRecord> program_record_from(const Json& json, const std::string& origin);

// "FAST: the whole program 1.21 (1.19 to 1.24), the region 3.4 (3.3 to 3.5); tier C"
std::string to_text(const ProgramRecord& record);
std::string to_text(const Ratio& ratio);

} // namespace hone::program
