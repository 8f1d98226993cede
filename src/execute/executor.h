// Submits jobs and waits for their records. Whoever chooses steps needs only this interface, and no gate.
//
//   const JobId id = executor.submit(job);
//   JobOutcome outcome = executor.wait(id);      // or executor.cancel(id) first
//
//   Result<Record> record = executor.run(job);   // both in one
#pragma once

#include "record/record.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace hone::execute {

using JobId = std::uint64_t; // 0: no job

enum class JobState { waiting, running, ended };

struct JobProgress {
  JobId job = 0;
  JobState state = JobState::waiting;
  std::string phase; // while it runs: "building", "measuring cold"; "" at its beginning
};
// Called once for `waiting`, for `running` with every phase, and once for `ended`, in this order and never at the same
// time for one job. `waiting` comes on the thread that submits, the others come on the thread that works. It must not
// call the executor.
using JobListener = std::function<void(const JobProgress&)>;

// Bytes that belong to a record and are not part of what it says: a log, a profile, a listing.
struct Attachment {
  std::string media_type = "application/octet-stream"; // "text/plain"
  std::string bytes;
};
using Attachments = std::map<std::string, Attachment>; // by name: "build.log"

struct JobOutcome {
  // An Error means that the job could not be run at all; a bad candidate is a record.
  Result<record::Record> record;
  Attachments attachments = {}; // delivered beside the record, also beside an error
  bool cancelled = false;       // the record is an error then
};

class Executor {
public:
  virtual ~Executor() = default;

  // Takes a job and returns at once.
  virtual JobId submit(record::Job job, JobListener listener = {}) = 0;
  // Until the job has ended. Each outcome is given out once; the executor forgets the job then.
  virtual JobOutcome wait(JobId id) = 0;
  // From any thread. A job that waits never begins; the one in flight ends as soon as possible. wait() says
  // `cancelled`, unless the job had ended already. Unknown jobs are ignored.
  virtual void cancel(JobId id) = 0;
  // Hints that this contender will be asked for soon.
  virtual void prepare(const record::Contender& contender, const record::Recipe& recipe) = 0;

  // Submits the job and waits for its record.
  Result<record::Record> run(const record::Job& job) { return wait(submit(job)).record; }
};

} // namespace hone::execute
