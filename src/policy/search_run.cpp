#include "policy/search_run.h"

#include "lower/lower.h"
#include "policy/attempt.h"
#include "policy/spent.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace hone::policy {

namespace {

// A naive start may take minutes to call a few times, and what counts is how later steps compare with it: its own time
// need not be exact.
constexpr int k_start_pairs = 1;
constexpr int k_calls_of_start_per_budget = 25;
constexpr std::chrono::milliseconds k_shortest_start_deadline{2'000};

std::string job_key(record::Job::Kind kind, const std::string& candidate, const kernel::TuningPoint& point,
                    const std::string& parent, const std::string& step)
{
  return fmt::format("{}|{}|{}|{}|{}", static_cast<int>(kind), candidate, kernel::to_text(point), parent, step);
}

std::string job_key(const record::Job& job)
{
  return job_key(job.kind, job.contender.candidate.hash(), job.contender.point, job.parent, job.transformation);
}

std::string job_key(const record::Record& record)
{
  return job_key(record.kind, record.candidate, record.point, record.parent, record.transformation);
}

// The transformations that a candidate's schedule says were carried out; none for code without one.
std::vector<std::string> done_in(const kernel::Candidate& candidate)
{
  const auto schedule = lower::parse_schedule(candidate.schedule, "schedule.toml");
  return schedule ? schedule->done : std::vector<std::string>();
}

// Plain or reordered loops from the formula.
bool is_written_by_hone(const PolicyContext& context, const kernel::Candidate& candidate)
{
  const auto naive = lower::naive_candidate(*context.kernel, context.backend.dialect());
  if (naive && naive->hash() == candidate.hash()) {
    return true;
  }
  const auto reordered = reordered_loops(context);
  return reordered && reordered->hash() == candidate.hash();
}

bool is_transformation(std::string_view step)
{
  return step != k_start_step && step != k_tune_step;
}

} // namespace

Result<SearchRun> SearchRun::open(PolicyContext& context, Ends ends)
{
  SearchRun search(context, ends);
  search.m_begin = search.now();
  search.m_counted = search.m_begin;
  search.m_end = search.m_begin + std::max(context.budget, std::chrono::milliseconds(0));
  HONE_CHECK(search.read_journal());
  return search;
}

bool SearchRun::is_reusable(const record::Record& record) const
{
  const bool same_environment = m_context.environment.empty() || m_context.environment == record.environment;
  record::Recipe recipe = record.recipe_used;
  recipe.pairs = m_context.recipe.pairs; // trials of a tuning session make do with fewer
  return same_environment && recipe.hash() == m_context.recipe.hash();
}

Result<void> SearchRun::read_journal()
{
  HONE_TRY(const std::string wall, m_context.workflow.recall(k_wall_seconds));
  std::from_chars(wall.data(), wall.data() + wall.size(), m_wall_seconds);
  HONE_TRY(std::vector<store::Step> steps, m_context.workflow.steps());
  for (store::Step& step : steps) {
    if (is_reusable(step.record)) {
      add_trial(step.record);
      m_costs.add(step.record, seconds_spent(step.record.verdict), step.record.transformation == k_final_step);
      const std::string key = job_key(step.record);
      m_records.insert_or_assign(key, std::move(step.record));
    }
  }
  HONE_TRY(std::vector<store::Checkpoint> checkpoints, m_context.workflow.checkpoints());
  for (store::Checkpoint& checkpoint : checkpoints) {
    if (is_reusable(checkpoint.record)) {
      const std::string key = job_key(checkpoint.record);
      m_checkpoints.insert_or_assign(key, std::move(checkpoint));
    }
  }
  return load_best();
}

// A resumed climb starts with the best of the earlier run. A climb from a checkpoint has a best of its own.
Result<void> SearchRun::load_best()
{
  HONE_TRY(const std::optional<store::Checkpoint> best, m_context.workflow.best());
  if (best && is_reusable(best->record)) {
    HONE_TRY(SearchNode node, this->node(best->id));
    if (m_context.from.empty()) {
      m_offered.push_back(std::move(node));
    } else {
      m_other_best = std::move(node);
    }
  }
  if (!m_context.reached.empty()) {
    auto node = this->node(m_context.reached); // a damaged one is as if it had not been reached
    if (node && is_reusable(node->checkpoint.record)) {
      m_offered.push_back(std::move(*node));
    }
  }
  return {};
}

Result<record::Record> SearchRun::run(const record::Job& job)
{
  const std::string key = job_key(job);
  if (const auto known = m_records.find(key); known != m_records.end()) {
    return known->second;
  }
  return run_again(job);
}

void SearchRun::add_trial(const record::Record& record)
{
  if (record.transformation == k_trial_step) {
    m_trials.push_back(record);
  }
}

Result<record::Record> SearchRun::run_again(const record::Job& job)
{
  const auto begin = now();
  HONE_TRY(record::Record record, m_context.executor.run(job));
  m_costs.add(record, std::chrono::duration<double>(now() - begin).count(), job.depth == record::Depth::promote);
  if (stop_requested() && record.verdict.status != record::Status::correct) {
    // The interruption may be the cause of the failure: it must not be recorded against the candidate.
    return fail("interrupted", "run `hone resume` to continue");
  }
  HONE_CHECK(m_context.workflow.append(record));
  HONE_CHECK(add_spending(record));
  add_trial(record);
  m_records.insert_or_assign(job_key(job), record);
  return record;
}

std::vector<record::Record> SearchRun::trials_of(const std::string& checkpoint) const
{
  std::vector<record::Record> trials;
  std::ranges::copy_if(m_trials, std::back_inserter(trials),
                       [&](const record::Record& record) { return record.parent == checkpoint; });
  return trials;
}

Result<SearchNode> SearchRun::establish_start(record::Depth for_own)
{
  if (m_context.from.empty()) {
    return measured_start(for_own);
  }
  HONE_TRY(const std::vector<std::string> path, m_context.workflow.path_to(m_context.from));
  auto start = node(path.front());
  for (std::size_t i = 1; !start && i < path.size(); ++i) { // the first that is not damaged
    start = node(path[i]);
  }
  if (start) {
    leave_time_for_comparison(start->checkpoint.record.verdict);
  }
  return start;
}

Result<SearchNode> SearchRun::establish_base(const SearchNode& start)
{
  if (m_context.from.empty()) {
    return start;
  }
  HONE_TRY(SearchNode node, this->node(m_context.from));
  if (!is_reusable(node.checkpoint.record)) {
    return fail(fmt::format("checkpoint {} was judged with other sizes, in another regime, or with another compiler",
                            m_context.from.substr(0, 12)),
                "give the --size and --regime it was judged with (hone show), or judge its path anew: hone replay");
  }
  HONE_CHECK(offer(node));
  return node;
}

// Plain loops are called some five times before anything better stands: longer calls would eat up a climb.
std::chrono::milliseconds SearchRun::longest_call_of_start() const
{
  const std::chrono::milliseconds budget = m_context.budget;
  return std::max(budget / k_calls_of_start_per_budget, k_shortest_start_deadline);
}

Result<record::Record> SearchRun::measure_start(const kernel::Candidate& candidate, record::Depth depth,
                                                std::chrono::milliseconds call_deadline)
{
  notify_started(k_start_step);
  record::Job job;
  job.kind = record::Job::Kind::measure;
  job.contender = {candidate, candidate.plan.tuning.defaults(), {}, {}};
  job.recipe = m_context.recipe;
  job.recipe.pairs = std::min(job.recipe.pairs, k_start_pairs);
  job.depth = depth;
  job.call_deadline = call_deadline;
  job.transformation = k_start_step;
  // What was rejected for its speed may have met ceilings that were measured beside other work.
  const auto known = m_records.find(job_key(job));
  const bool rejected = known != m_records.end() && known->second.verdict.status == record::Status::rejected;
  return rejected ? run_again(job) : run(job);
}

Result<SearchNode> SearchRun::measured_start(record::Depth for_own)
{
  kernel::Candidate candidate;
  if (m_context.start) {
    candidate = *m_context.start;
  } else {
    HONE_TRY(candidate, start_candidate(*m_context.kernel, m_context.backend));
  }
  const bool own = is_written_by_hone(m_context, candidate);
  const record::Depth depth = own ? for_own : record::Depth::promote;
  auto reordered = own ? reordered_loops(m_context) : std::nullopt;
  const bool replaceable = reordered && depth < record::Depth::promote;
  const auto longest_call = replaceable ? longest_call_of_start() : std::chrono::milliseconds(0);
  HONE_TRY(record::Record record, measure_start(candidate, depth, longest_call));
  if (reordered && record.verdict.status == record::Status::timeout) {
    notify_finished(record, {}, false, "too slow for this budget: the climb begins with these loops in another order");
    candidate = std::move(*reordered);
    HONE_TRY(record, measure_start(candidate, depth, std::chrono::milliseconds(0)));
  }
  if (record.verdict.status != record::Status::correct) {
    notify_finished(record, {}, false, record.verdict.reason);
    return start_failure(m_context, record.verdict);
  }
  leave_time_for_comparison(record.verdict);
  HONE_TRY(store::Checkpoint checkpoint, checkpoint_of(candidate, record, ""));
  notify_finished(record, {}, true, record.verdict.reason, checkpoint.id);
  SearchNode node = root(std::move(checkpoint));
  if (depth == record::Depth::promote) {
    HONE_CHECK(offer(node));
  } else { // the best of the workflow is only what was checked in full, or what is confirmed to be faster
    m_offered.push_back(node);
  }
  return node;
}

SearchNode SearchRun::root(store::Checkpoint checkpoint) const
{
  std::vector<std::string> done = done_in(checkpoint.candidate);
  return {std::move(checkpoint), std::move(done), {}};
}

bool SearchRun::needs_full_check(const SearchNode& start) const
{
  return is_written_by_hone(m_context, start.checkpoint.candidate);
}

Result<store::Checkpoint> SearchRun::checkpoint_of(const kernel::Candidate& candidate, const record::Record& record,
                                                   const std::string& parent)
{
  const std::string key = job_key(record);
  if (const auto known = m_checkpoints.find(key); known != m_checkpoints.end()) {
    return known->second;
  }
  HONE_TRY(store::Checkpoint checkpoint,
           m_context.workflow.add_checkpoint(*m_context.kernel, candidate, record, parent));
  m_checkpoints.emplace(key, checkpoint);
  return checkpoint;
}

SearchNode SearchRun::extended(const SearchNode& parent, store::Checkpoint checkpoint) const
{
  SearchNode result;
  result.done = parent.done;
  if (is_transformation(checkpoint.transformation)) {
    result.done.push_back(checkpoint.transformation);
  }
  result.gain = parent.gain.times(judgement_of(checkpoint.record.verdict, m_context.recipe.regime));
  result.checkpoint = std::move(checkpoint);
  return result;
}

Result<SearchNode> SearchRun::add_checkpoint(const SearchNode& parent, const kernel::Candidate& candidate,
                                             const record::Record& record)
{
  HONE_TRY(store::Checkpoint checkpoint, checkpoint_of(candidate, record, parent.checkpoint.id));
  return extended(parent, std::move(checkpoint));
}

Result<SearchNode> SearchRun::node(const std::string& id) const
{
  HONE_TRY(store::Checkpoint checkpoint, m_context.workflow.find(id));
  if (checkpoint.parent.empty()) {
    return root(std::move(checkpoint));
  }
  const auto parent = node(checkpoint.parent);
  if (!parent) { // damaged: what is left of the path begins here, without a gain that anything says
    return root(std::move(checkpoint));
  }
  return extended(*parent, std::move(checkpoint));
}

Result<void> SearchRun::offer(const SearchNode& node)
{
  const auto is_this = [&](const SearchNode& other) { return other.checkpoint.id == node.checkpoint.id; };
  if (std::ranges::any_of(m_offered, is_this)) {
    return {};
  }
  const auto beats = [&](const SearchNode& other) { return node.gain.ratio > other.gain.ratio; };
  const bool best = std::ranges::all_of(m_offered, beats) && (!m_other_best || beats(*m_other_best));
  m_offered.push_back(node);
  if (best) {
    return m_context.workflow.set_best(node.checkpoint.id);
  }
  return {};
}

std::vector<SearchNode> SearchRun::offered() const
{
  std::vector<SearchNode> result = m_offered;
  std::ranges::stable_sort(result, std::ranges::greater(), [](const SearchNode& node) { return node.gain.ratio; });
  return result;
}

std::string SearchRun::best_of_workflow(const std::string& best) const
{
  const auto found = std::ranges::find(m_offered, best, [](const SearchNode& node) { return node.checkpoint.id; });
  const double ratio = found == m_offered.end() ? 0 : found->gain.ratio;
  return m_other_best && m_other_best->gain.ratio >= ratio ? m_other_best->checkpoint.id : best;
}

void SearchRun::notify(const Progress& progress) const
{
  if (m_context.observe) {
    m_context.observe(progress);
  }
}

void SearchRun::notify_started(std::string_view step, std::string note) const
{
  Progress progress;
  progress.step = step;
  progress.status = "judging";
  progress.note = std::move(note);
  notify(std::move(progress));
}

void SearchRun::notify_skipped(std::string_view step, std::string note) const
{
  Progress progress;
  progress.step = step;
  progress.status = "skipped";
  progress.finished = true;
  progress.note = std::move(note);
  notify(progress);
}

void SearchRun::notify_finished(const record::Record& record, Gain gain, bool accepted, std::string note,
                                std::string checkpoint) const
{
  Progress progress;
  progress.step = record.transformation;
  progress.status = record::name_of(record.verdict.status);
  progress.finished = true;
  progress.record = record;
  progress.speedup = record.verdict.status == record::Status::correct ? gain.ratio : 0;
  progress.accepted = accepted;
  progress.checkpoint = std::move(checkpoint);
  progress.note = std::move(note);
  notify(std::move(progress));
}

std::unexpected<Error> start_failure(const PolicyContext& context, const record::Verdict& verdict)
{
  return fail(fmt::format("the start of {} is not correct: {}: {}", context.kernel->name,
                          record::name_of(verdict.status), verdict.reason),
              "a climb needs a correct candidate to begin with; `hone run` shows the whole verdict");
}

record::Job judge_job(const PolicyContext& context, const SearchNode& against, record::Contender contender,
                      std::string_view step, record::Depth depth)
{
  record::Job job;
  job.kind = record::Job::Kind::judge;
  job.contender = std::move(contender);
  job.incumbent = against.contender();
  job.recipe = context.recipe;
  job.depth = depth;
  job.parent = against.checkpoint.id;
  job.transformation = step;
  job.engine = context.engine.name();
  return job;
}

} // namespace hone::policy
