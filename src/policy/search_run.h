// The search of one run of a policy: its clock, its journal, the checkpoints it has reached and the best of them.
// (internal to the policy room)
//
// Resuming works by replaying: a policy starts from the beginning and asks for the same jobs. Records in the journal
// answer them without running anything, and checkpoints that exist are found instead of being made twice.
#pragma once

#include "policy/job_costs.h"
#include "policy/judgement.h"
#include "policy/policy.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::policy {

// A checkpoint with the path that leads to it.
struct SearchNode {
  store::Checkpoint checkpoint;
  std::vector<std::string> done; // transformations along the path from the start
  Gain gain;                     // over the start

  record::Contender contender() const { return {checkpoint.candidate, checkpoint.point, {}, {}}; }
};

// What a run of the search ends with: its last word, or the number that is published and the rivals after it.
enum class Ends { with_search, with_publication };

constexpr const char* k_wall_seconds = "climb.wall-seconds"; // a remembered name

// Wide because all policies share it: the budget, attempts, gains and what is journaled.
class SearchRun {
public:
  static Result<SearchRun> open(PolicyContext& context, Ends ends);

  PolicyContext& context() const { return m_context; }

  // True, and the search is over, if something that takes so long could not end in its time, or somebody asked to stop:
  // no further job may start.
  bool end_if_due(double needed_s = 0);
  // True, and the search is over, if a limit over all runs of the workflow is reached. Tuning sessions end, too.
  bool end_at_limits();
  // Adds the time since the last call to the total of all runs of the workflow.
  Result<void> add_elapsed_time();
  // Ends the search if the engine can do nothing more. What was reached is kept.
  void end_if_engine_failed();
  const std::string& end_reason() const { return m_end_reason; } // why it is over, for people; "" while it continues
  bool stop_requested() const { return m_context.stop.stop_requested(); }
  bool ended_early() const { return m_ended_early; }
  bool has_time() const;              // of the whole budget, the reserve included
  double search_seconds_left() const; // before what follows the search has to begin
  Ends ends() const { return m_ends; }
  const JobCosts& costs() const { return m_costs; }
  double step_s() const;                                               // what the next step will take
  void count_writing(double seconds) { m_costs.add_writing(seconds); } // of an engine that is not cheap

  // The record of a job, from the journal or from the executor; new ones are journaled with the time they took.
  Result<record::Record> run(const record::Job& job);
  // The same from the executor alone: one more measurement of what was measured before.
  Result<record::Record> run_again(const record::Job& job);

  // The journal's trials of tuning sessions on a checkpoint, oldest first; a point may occur more than once.
  std::vector<record::Record> trials_of(const std::string& checkpoint) const;

  // Measures the start of the climb, or finds the root of the path to `from`. An incorrect start is an error.
  // `for_own`: depth of the check of a start that Hone generated. With less than full depth it does not become the best
  // by itself. A full validation of slow code may take longer than the climb. A user's own start is always checked in
  // full.
  Result<SearchNode> establish_start(record::Depth for_own);
  // Whether the start may have been checked with less depth than in full.
  bool needs_full_check(const SearchNode& start) const;
  // The node from which the search begins: the context's `from`, else the start. Offers it.
  Result<SearchNode> establish_base(const SearchNode& start);
  // Of a checkpoint in the workflow.
  Result<SearchNode> node(const std::string& id) const;
  // Makes a checkpoint of a judged candidate (or finds the one made before).
  Result<SearchNode> add_checkpoint(const SearchNode& parent, const kernel::Candidate& candidate,
                                    const record::Record& record);
  // A checkpoint that may be published: becomes the best when its gain is the largest.
  Result<void> offer(const SearchNode& node);
  // All that were offered, fastest first.
  std::vector<SearchNode> offered() const;
  // What the workflow's best is when `best` is this climb's: an earlier one beside this climb's path may be faster.
  std::string best_of_workflow(const std::string& best) const;

  void notify(const Progress& progress) const;
  void notify_started(std::string_view step, std::string note = {}) const;
  void notify_skipped(std::string_view step, std::string note) const;
  // `checkpoint`: what it became, which is on the disk by then; or "".
  void notify_finished(const record::Record& record, Gain gain, bool accepted, std::string note,
                       std::string checkpoint = {}) const;

private:
  SearchRun(PolicyContext& context, Ends ends)
    : m_context(context), m_ends(ends), m_costs(kernel::classify(*context.kernel), context.lost_share)
  {
  }
  double reserve_s() const; // for what follows the search
  std::chrono::steady_clock::time_point now() const;
  Result<void> read_journal();
  Result<void> add_spending(const record::Record& record);
  void add_trial(const record::Record& record);
  Result<void> load_best();
  Result<SearchNode> measured_start(record::Depth for_own);
  SearchNode root(store::Checkpoint checkpoint) const;
  Result<record::Record> measure_start(const kernel::Candidate& candidate, record::Depth depth,
                                       std::chrono::milliseconds call_deadline);
  std::chrono::milliseconds longest_call_of_start() const;
  void leave_time_for_comparison(const record::Verdict& start);
  bool is_reusable(const record::Record& record) const;
  Result<store::Checkpoint> checkpoint_of(const kernel::Candidate& candidate, const record::Record& record,
                                          const std::string& parent);
  SearchNode extended(const SearchNode& parent, store::Checkpoint checkpoint) const;

  PolicyContext& m_context;
  Ends m_ends;
  JobCosts m_costs;
  std::chrono::steady_clock::time_point m_begin;
  std::chrono::steady_clock::time_point m_end; // of the budget
  double m_slow_start_s = 0;                   // more for the last comparison, with a start that is slow
  bool m_ended_early = false;
  std::string m_end_reason;
  std::chrono::steady_clock::time_point m_counted;        // until when this run's time was added up
  double m_wall_seconds = 0;                              // of all runs of the workflow
  std::map<std::string, record::Record> m_records;        // by job_key()
  std::vector<record::Record> m_trials;                   // of tuning sessions, each measurement
  std::map<std::string, store::Checkpoint> m_checkpoints; // by candidate, point, parent and step
  std::vector<SearchNode> m_offered;                      // begins with the workflow's best of an earlier run
  std::optional<SearchNode> m_other_best; // the workflow's best, if the climb starts from another checkpoint
};

// The error for a start that the gate refused.
std::unexpected<Error> start_failure(const PolicyContext& context, const record::Verdict& verdict);

// A job that judges a candidate against a checkpoint.
record::Job judge_job(const PolicyContext& context, const SearchNode& against, record::Contender contender,
                      std::string_view step, record::Depth depth);

} // namespace hone::policy
