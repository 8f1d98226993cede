// A policy chooses the next step. It asks an engine for candidates and an executor for records, adds checkpoints to the
// workflow, and notifies an observer. It does not know how a step is applied or measured.
#pragma once

#include "backend/backend.h"
#include "catalogue/catalogue.h"
#include "execute/executor.h"
#include "rewrite/rewrite.h"
#include "store/store.h"
#include "tune/tune.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::policy {

// What a person sees live. One line of the climb.
struct Progress {
  std::string step;   // transformation, "start", "tune", "baseline openblas", "final"
  std::string status; // gate status, or "building", "validating", ...
  bool finished = false;
  std::optional<record::Record> record;
  double speedup = 0;     // over the start, product along the path; 0: not known yet
  bool accepted = false;  // became a checkpoint
  std::string checkpoint; // its id; set once it is on disk
  std::string note;
};

struct AgentSetting;
struct BlasterSetting;

struct PolicyContext {
  std::shared_ptr<const kernel::Kernel> kernel;
  const backend::Backend& backend;
  const rewrite::Engine& engine;
  execute::Executor& executor;
  store::Workflow& workflow;
  const std::vector<catalogue::Transformation>& catalogue;
  record::Recipe recipe = {};
  kernel::PlanScope device_facts = {};
  std::string tuning_strategy = "racing";
  std::chrono::milliseconds budget{110'000}; // wall time of the policy's run and of the rivals after it
  std::uint64_t seed = 1;
  std::stop_token stop = {};
  std::function<void(const Progress&)> observe = {}; // may be empty
  std::optional<kernel::Candidate> start = {};       // where the climb begins; nothing: start_candidate()
  std::string from = {};    // id of the checkpoint that the climb goes on from; empty: its start
  std::string reached = {}; // with `from`: id of the best that an earlier run of this climb found; may be empty
  std::string environment =
    {};           // Gate::environment(): records made in another one are measured again; empty: any will do
  int rivals = 0; // comparisons that follow the run: libraries, plain loops
  const AgentSetting* agent = nullptr;     // for the policy `agent`: "policy/agent_setting.h"
  const BlasterSetting* blaster = nullptr; // for the policy `blaster`: "policy/blaster_setting.h"
  double lost_share = 0; // of CPU time, that others took just before: what is not known yet will take longer
  std::function<std::chrono::steady_clock::time_point()> clock = {}; // empty: the steady clock
  // Over all runs of the workflow; what is in progress ends before the climb does.
  std::optional<double> most_device_seconds = {}; // of validating and measuring
  std::optional<double> most_minutes = {};        // from the beginning of runs to their last record
};

struct PolicyOutcome {
  std::string start;                          // checkpoint ids
  std::string best;                           // of this climb: from where it began upwards
  bool stopped = false;                       // by Ctrl-C or budget, with the best so far kept
  std::optional<record::Record> final_record; // of best against start in fresh processes: what is published
  std::string note;                           // why nothing was done, for people; usually empty
  double comparison_s = 0;                    // what one more comparison will take
};

// Names of jobs that are not transformations, as they stand in records.
constexpr std::string_view k_start_step = "start";        // the start, measured alone
constexpr std::string_view k_tune_step = "tune";          // a tuning session's winner
constexpr std::string_view k_together_step = "together";  // steps kept open, judged as one
constexpr std::string_view k_edit_step = "edit";          // edits by an agent or by hand
constexpr std::string_view k_compare_step = "compare";    // two checkpoints, for an agent
constexpr std::string_view k_trial_step = "tune-trial";   // one point of a tuning session
constexpr std::string_view k_baseline_step = "baseline";  // the best against a library, or against plain loops
constexpr std::string_view k_final_step = "final";        // the best against the start: the number that is published
constexpr std::string_view k_start_check = "start-check"; // the start in full, where it stands at the end

constexpr std::string_view k_hand_engine =
  "hand"; // who wrote a candidate that no engine wrote, as it stands in records

// The kernel's own first candidate for this backend (FOLDER/start/BACKEND), or else the naive one.
Result<kernel::Candidate> start_candidate(const kernel::Kernel& kernel, const backend::Backend& backend);

class Policy {
public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;
  // Continues where the workflow stands: steps already tried are not tried again.
  virtual Result<PolicyOutcome> run(PolicyContext& context) = 0;
};

std::vector<std::string> policy_names(); // "sequence", "greedy", "beam", "agent", "blaster"
// `recipe_file`: the list of steps for `sequence`; empty: the shipped one for the kernel's class.
Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const fs::path& recipe_file);

// One tuning session on a checkpointed candidate: measures points against its current point, validates the winner in
// full, and checkpoints it when it is faster (else the next best). Takes at most the context's budget. Returns the id
// of the best checkpoint (maybe the given one).
Result<std::string> tune_checkpoint(PolicyContext& context, const std::string& checkpoint, std::size_t max_points);

// One transformation on one checkpoint (id, prefix, "best", "start"), judged in full against it. `checkpoint` is empty
// when the result did not pass; "start" is made first where the workflow is empty.
struct AppliedStep {
  std::string parent;
  std::string checkpoint;
  record::Record record;
};
Result<AppliedStep> apply_transformation(PolicyContext& context, const std::string& transformation,
                                         const std::string& checkpoint);

// A candidate that somebody wrote, judged in full against a checkpoint. A correct one becomes a checkpoint, whether it
// is faster or not; one that is faster than the workflow's best becomes the best. `step`: what was done, as a step's
// name.
Result<AppliedStep> keep_candidate(PolicyContext& context, record::Contender contender, const std::string& step,
                                   const std::string& checkpoint);

// Also public: "policy/agent_setting.h", a model that works; "policy/blaster_setting.h", a base of
// knowledge to search by; "policy/planned_steps.h", what a policy would try;
// "policy/baselines.h", vendor libraries beside our kernel, in the same run; "policy/replay.h", a recorded path once
// more; "policy/schema.h", the JSON schema of step lists; "policy/tuned_space.h", tuning trials as a stored space;
// "policy/unmeasured.h", a step list carried out without measuring; "policy/spread.h", runs of the same kind and how
// far they lie apart; "policy/success.h", how often steps are carried out right; "policy/trial.h", the gate's word for
// an engine that is still at work.

} // namespace hone::policy
