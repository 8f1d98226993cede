// Jobs and records: a gate request as data, and everything the gate saw about it as data.
// An executor has a job done by a gate, here by one in this process; why it was asked for is not its business.
#pragma once

#include "gate/gate.h"
#include "util/json.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace hone {

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
Json to_json(const Kernel& kernel, const Job& job);
Result<Job> job_from_json(const Kernel& kernel, const Json& json);

struct Record {
  std::string id;          // SHA-256 over candidate or baseline, point, kernel, environment and recipe
  std::string candidate;   // content hash
  std::string kernel;      // hash
  std::string environment; // hash
  std::string recipe;      // hash
  TuningPoint point;
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

class Executor {
public:
  virtual ~Executor() = default;
  // An Error means that the job could not be run at all; a bad candidate is a record.
  virtual Result<Record> run(const Job& job) = 0;
  // Hints that this contender will be asked for soon.
  virtual void prepare(const Contender& contender, const Recipe& recipe) = 0;
};

// Runs jobs in this process through one gate.
class LocalExecutor final : public Executor {
public:
  LocalExecutor(std::shared_ptr<const Kernel> kernel, Gate gate);
  Result<Record> run(const Job& job) override;
  void prepare(const Contender& contender, const Recipe& recipe) override;
  Gate& gate() { return m_gate; }

private:
  std::shared_ptr<const Kernel> m_kernel;
  Gate m_gate;
};

} // namespace hone
