// One run of a policy: its clock, its journal, the path it stands on and the best so far. (internal to the policy room)
//
// Resuming is replaying: a policy starts from the beginning and asks for the same jobs; what the journal holds is
// answered from there, and what is a checkpoint already is found again instead of being made twice.
#pragma once

#include "policy/judgement.h"
#include "policy/policy.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone {

// A checkpoint as the search sees it.
struct Standing {
  Checkpoint checkpoint;
  std::vector<std::string> done; // transformations along the path from the start
  Gain gain;                     // over the start

  Contender contender() const { return {checkpoint.candidate, checkpoint.point, {}, {}}; }
};

class Session {
public:
  // `reserve` is the part of the budget that the search leaves untouched.
  static Result<Session> open(PolicyContext& context, std::chrono::seconds reserve);

  PolicyContext& context() const { return m_context; }

  // Time is up or somebody asked to stop: no further job of the search.
  bool must_end();
  // A limit over all runs is reached: nothing more is tried, in a tuning session either.
  bool limits_reached();
  // Adds the time since it was added last to what all runs of the workflow took.
  Result<void> count_time();
  // Ends the search where the engine can do nothing more: what was reached is kept, and said why.
  void look_after_engine();
  const std::string& gave_up() const { return m_gave_up; } // why; "" while it goes on
  bool stop_requested() const { return m_context.stop.stop_requested(); }
  bool ended_early() const { return m_ended_early; }
  bool has_time() const; // of the whole budget, with what the search leaves untouched
  double search_seconds_left() const;

  // The record of a job, from the journal or from the executor; new ones are journaled with the time they took.
  Result<Record> run(const Job& job);
  // The same from the executor alone: one more measurement of what was measured before.
  Result<Record> run_again(const Job& job);

  // What the journal holds of tuning sessions on a checkpoint, oldest first; a point may be there more than once.
  std::vector<Record> trials_of(const std::string& checkpoint) const;

  // The measured start of the climb, or the root of the path to `from`. A start that is not right is an error.
  // `for_own`: how deep a start that Hone wrote is checked. Less than in full, it does not become the best by itself: a
  // full validation of slow code can take more time than a climb has, and nothing is measured by what the start
  // computes. One that somebody brought along must be right before anything is built on it.
  Result<Standing> start(Depth for_own);
  // Whether a start may have been looked at briefly.
  bool needs_full_check(const Standing& start) const;
  // Where the search begins: the context's `from`, else the start.
  Result<Standing> base(const Standing& start);
  // A checkpoint of the workflow with the path that leads to it.
  Result<Standing> standing(const std::string& id) const;
  // Makes a checkpoint of a judged candidate (or finds the one made before).
  Result<Standing> keep(const Standing& parent, const Candidate& candidate, const Record& record);
  // A checkpoint that may be published: becomes the best when its gain is the largest.
  Result<void> offer(const Standing& standing);
  // All that were offered, fastest first.
  std::vector<Standing> offered() const;
  // What the workflow's best is when `best` is this climb's: an earlier one beside this climb's path may be faster.
  std::string best_of_workflow(const std::string& best) const;

  void tell(const Progress& progress) const;
  void tell_started(std::string_view step, std::string note = {}) const;
  void tell_skipped(std::string_view step, std::string note) const;
  // `checkpoint`: what it became, which is on the disk by then; or "".
  void tell_finished(const Record& record, Gain gain, bool accepted, std::string note,
                     std::string checkpoint = {}) const;

private:
  explicit Session(PolicyContext& context) : m_context(context) {}
  std::chrono::steady_clock::time_point now() const;
  Result<void> read_journal();
  Result<void> count_spending(const Record& record);
  void remember_trial(const Record& record);
  Result<void> take_up_best();
  Result<Standing> measured_start(Depth for_own);
  Standing root(Checkpoint checkpoint) const;
  Result<Record> measure_start(const Candidate& candidate, Depth depth, std::chrono::milliseconds call_deadline);
  std::chrono::milliseconds longest_call_of_start() const;
  void leave_time_for_comparison(const Verdict& start);
  bool is_reusable(const Record& record) const;
  Result<Checkpoint> checkpoint_of(const Candidate& candidate, const Record& record, const std::string& parent);
  Standing extended(const Standing& parent, Checkpoint checkpoint) const;

  PolicyContext& m_context;
  std::chrono::steady_clock::time_point m_end;        // of the budget
  std::chrono::steady_clock::time_point m_search_end; // earlier: what comes after the search takes time, too
  bool m_ended_early = false;
  std::string m_gave_up;
  std::chrono::steady_clock::time_point m_counted; // until when this run's time was added up
  double m_wall_seconds = 0;                       // of all runs of the workflow
  std::map<std::string, Record> m_records;         // by the question they answer
  std::vector<Record> m_trials;                    // of tuning sessions, each measurement
  std::map<std::string, Checkpoint> m_checkpoints; // by candidate, point, parent and step
  std::vector<Standing> m_offered;                 // begins with the workflow's best of an earlier run
  std::optional<Standing> m_aside;                 // that best, where the climb goes on from a checkpoint
};

// The error of a start that the gate refused.
std::unexpected<Error> wrong_start(const PolicyContext& context, const Verdict& verdict);

// A job that judges a candidate against a checkpoint.
Job judge_job(const PolicyContext& context, const Standing& against, Contender contender, std::string_view step,
              Depth depth);

} // namespace hone
