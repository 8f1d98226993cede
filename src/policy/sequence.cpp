#include "policy/attempt.h"
#include "policy/policies.h"
#include "policy/publish.h"
#include "policy/recipe_file.h"
#include "policy/tuning.h"

namespace hone::policy {

namespace {

// Walks along a list of steps.
//
// A step that pays later is kept open: the following steps stand on it, and once their product is a confirmed gain
// all of them are part of the path. If that does not happen within the look-ahead, the walk goes back to where it
// stood, leaves the step out and tries the following ones again without it.
class Walk {
public:
  Walk(SearchRun& search, SearchNode start, const StepList& list)
    : m_search(search), m_steps(list.steps), m_look_ahead(list.look_ahead), m_solid(start), m_current(std::move(start))
  {
  }

  Result<void> go()
  {
    while (!m_search.end_if_due(next_s())) {
      if (m_next < m_steps.size()) {
        HONE_CHECK(take(m_steps[m_next++]));
      }
      const bool at_end = m_next == m_steps.size();
      if (has_failed_to_pay() || (m_open && at_end)) {
        HONE_CHECK(settle_open());
      } else if (at_end) {
        break;
      }
    }
    return {};
  }

private:
  // What comes next will take this long; at the end of the list only what is open is settled.
  double next_s() const
  {
    const bool tunes = m_next < m_steps.size() && m_steps[m_next].apply.empty();
    return tunes ? m_search.costs().trial_s() : m_next < m_steps.size() ? m_search.step_s() : 0;
  }

  Result<void> take(const RecipeStep& step)
  {
    return step.apply.empty() ? take_tuning(step) : take_transformation(step);
  }

  Result<void> take_tuning(const RecipeStep& step)
  {
    HONE_TRY(SearchNode tuned, tune(m_search, m_current, {step.tune, step.seconds}));
    if (tuned.checkpoint.id == m_current.checkpoint.id) {
      return {};
    }
    return stand_on(std::move(tuned), Choice::accept);
  }

  Result<void> take_transformation(const RecipeStep& step)
  {
    const PolicyContext& context = m_search.context();
    auto found = catalogue::find_transformation(context.catalogue, step.apply);
    if (!found) {
      found.error().place = step.place;
      return std::unexpected(std::move(found.error()));
    }
    if (!context.engine.is_cheap()) {
      m_search.notify_started(step.apply, "being written");
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto candidate = promising_attempt(context, m_current, **found);
    m_search.count_writing(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (!candidate) {
      m_search.notify_skipped(step.apply, candidate.error());
      m_search.end_if_engine_failed();
      return {};
    }
    m_search.notify_started(step.apply);
    prepare_next(*candidate);
    HONE_TRY(const record::Record record, judge(m_search, m_current, *candidate));
    ++m_tried_since_open;
    const catalogue::Speed speed = step.pays_later ? catalogue::Speed::later : (*found)->speed;
    const Decision decision = decide(speed, record.verdict, context.recipe.regime);
    const Gain gain = m_current.gain.times(judgement_of(record.verdict, context.recipe.regime));
    if (decision.choice == Choice::reject) {
      m_search.notify_finished(record, gain, false, decision.reason);
      return {};
    }
    HONE_TRY(SearchNode kept, m_search.add_checkpoint(m_current, candidate->contender.candidate, record));
    m_search.notify_finished(record, gain, true, decision.reason, kept.checkpoint.id);
    return stand_on(std::move(kept), decision.choice);
  }

  // The step after this one is compiled while this one is measured, as if this one was kept: most are. Only where
  // carrying a step out costs nothing.
  void prepare_next(const Attempt& candidate)
  {
    const PolicyContext& context = m_search.context();
    const auto next = std::ranges::find_if(m_steps.begin() + static_cast<std::ptrdiff_t>(m_next), m_steps.end(),
                                           [](const RecipeStep& step) { return !step.apply.empty(); });
    if (next == m_steps.end() || !context.engine.is_cheap() || !context.engine.knows(next->apply)) {
      return;
    }
    const auto transformation = catalogue::find_transformation(context.catalogue, next->apply);
    if (!transformation) {
      return; // reported when it is reached
    }
    SearchNode kept = m_current;
    kept.checkpoint.candidate = candidate.contender.candidate;
    kept.checkpoint.point = candidate.contender.point;
    kept.done.push_back(candidate.transformation->name);
    if (const auto following = promising_attempt(context, kept, **transformation)) {
      context.executor.prepare(following->contender, context.recipe);
    }
  }

  Result<void> stand_on(SearchNode node, Choice choice)
  {
    m_current = std::move(node);
    if (choice == Choice::keep_open && !m_open) {
      m_open = m_next;
      m_tried_since_open = 0;
    }
    if (m_open && !is_confirmed_gain(m_current.gain, m_solid.gain)) {
      return {};
    }
    m_open.reset();
    m_solid = m_current;
    return m_search.offer(m_solid);
  }

  bool has_failed_to_pay() const { return m_open && m_tried_since_open >= m_look_ahead; }

  // A step that is still open has had its chance: the steps after it get theirs without it, unless all of them
  // together are faster after all. The product of their intervals is far wider than that of one comparison.
  Result<void> settle_open()
  {
    if (m_current.gain.ratio <= m_solid.gain.ratio || m_search.end_if_due()) {
      retract_gain();
      return {};
    }
    m_search.notify_started(k_together_step, "the steps that are open, judged as one");
    const record::Regime regime = m_search.context().recipe.regime;
    HONE_TRY(const record::Record record, m_search.run(judge_job(m_search.context(), m_solid, m_current.contender(),
                                                                 k_together_step, record::Depth::screen)));
    const Decision decision = decide(catalogue::Speed::faster, record.verdict, regime);
    const Gain gain = m_solid.gain.times(judgement_of(record.verdict, regime));
    const bool pays = decision.choice == Choice::accept;
    m_search.notify_finished(record, gain, pays, decision.reason, pays ? m_current.checkpoint.id : "");
    if (!pays) {
      retract_gain();
      return {};
    }
    m_open.reset();
    m_current.gain = gain;
    m_solid = m_current;
    return m_search.offer(m_solid);
  }

  // Each call leaves one step out for good, so the walk ends.
  void retract_gain()
  {
    m_steps.erase(m_steps.begin() + static_cast<std::ptrdiff_t>(*m_open) - 1);
    m_next = *m_open - 1;
    m_open.reset();
    m_current = m_solid;
  }

  SearchRun& m_search;
  std::vector<RecipeStep> m_steps;
  std::size_t m_next = 0;
  int m_look_ahead;
  SearchNode m_solid;                // where the walk goes back to
  SearchNode m_current;              // where it stands
  std::optional<std::size_t> m_open; // index after the step that is kept open
  int m_tried_since_open = 0;
};

const catalogue::Transformation* restating_step(const PolicyContext& context, const SearchNode& start)
{
  const auto restate = catalogue::find_transformation(context.catalogue, rewrite::k_restate_step);
  const bool applies =
    start.checkpoint.candidate.schedule.empty() && restate && context.engine.knows(rewrite::k_restate_step)
    && !catalogue::why_not_applicable(**restate, *context.kernel, context.backend.name(), start.done);
  return applies ? *restate : nullptr;
}

// A model reads a user's own start as it is. Steps for products are written for plain loops, so that it restates those.
void begin_from_foreign_code(const PolicyContext& context, const SearchNode& start, StepList& list)
{
  const kernel::KernelClass kernel_class = kernel::classify(*context.kernel);
  const bool product =
    kernel_class == kernel::KernelClass::contraction || kernel_class == kernel::KernelClass::products;
  if (!context.engine.is_cheap() && product && restating_step(context, start) != nullptr) {
    list.steps.insert(list.steps.begin(), {.apply = std::string(rewrite::k_restate_step)});
  }
}

// The built-in engine can only continue its own work. So plain loops of the same expression enter the climb beside a
// user's own start, and the steps stand on them, however slow they are by themselves. Gains count from the user's code:
// it stays the best until something is faster.
Result<SearchNode> beside_foreign_code(SearchRun& search, const SearchNode& start)
{
  const PolicyContext& context = search.context();
  const catalogue::Transformation* const restate = restating_step(context, start);
  if (restate == nullptr || !context.engine.is_cheap() || search.end_if_due()) {
    return start;
  }
  const auto loops = promising_attempt(context, start, *restate);
  if (!loops) {
    search.notify_skipped(rewrite::k_restate_step, loops.error());
    return start;
  }
  search.notify_started(rewrite::k_restate_step);
  HONE_TRY(const record::Record record, judge(search, start, *loops));
  const Judgement judgement = judgement_of(record.verdict, context.recipe.regime);
  const Gain gain = start.gain.times(judgement);
  if (!judgement.correct) {
    search.notify_finished(record, gain, false, record.verdict.reason);
    return start;
  }
  HONE_TRY(SearchNode kept, search.add_checkpoint(start, loops->contender.candidate, record));
  search.notify_finished(record, gain, true, "plain loops from the expression: the following steps stand on them",
                         kept.checkpoint.id);
  if (is_confirmed_gain(kept.gain, start.gain)) {
    HONE_CHECK(search.offer(kept));
  }
  return kept;
}

class SequencePolicy final : public Policy {
public:
  explicit SequencePolicy(std::optional<StepList> list) : m_list(std::move(list)) {}

  std::string_view name() const override { return "sequence"; }

  Result<PolicyOutcome> run(PolicyContext& context) override
  {
    HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_publication));
    HONE_TRY(const SearchNode start, search.establish_start(record::Depth::glance));
    HONE_TRY(const SearchNode base, search.establish_base(start));
    HONE_TRY(StepList list, m_list ? Result<StepList>(*m_list)
                                   : shipped_step_list(*context.kernel, context.recipe.sizes, context.backend.name()));
    begin_from_foreign_code(context, base, list);
    HONE_TRY(const SearchNode ground, beside_foreign_code(search, base));
    HONE_TRY(PolicyOutcome outcome, conclude(search, start, base, Walk(search, ground, list).go()));
    const bool beside = ground.checkpoint.id != base.checkpoint.id;
    if (beside && outcome.best == base.checkpoint.id && outcome.note.empty()) {
      outcome.note = "nothing made from the expression is faster than the start: your own code stays the best";
    }
    return outcome;
  }

private:
  std::optional<StepList> m_list;
};

} // namespace

Result<std::unique_ptr<Policy>> make_sequence_policy(const fs::path& recipe_file)
{
  if (recipe_file.empty()) {
    return std::make_unique<SequencePolicy>(std::nullopt);
  }
  HONE_TRY(StepList list, load_step_list(recipe_file));
  return std::make_unique<SequencePolicy>(std::move(list));
}

} // namespace hone::policy
