// The policy `blaster`: rounds of trajectories that choose their steps by what a base of knowledge expects of them,
// write what was measured to it at once, and after each round update what is expected. See docs/knowledge.md.
// Long because trajectories, choices and what is kept of them share the state of one run.
#include "policy/blaster/choice.h"
#include "policy/blaster/choice_log.h"
#include "policy/blaster/learning.h"
#include "policy/blaster/model_voice.h"
#include "policy/blaster/states.h"
#include "policy/blaster/technique_steps.h"
#include "policy/judged_attempts.h"
#include "policy/policies.h"
#include "policy/publish.h"
#include "policy/spent.h"
#include "policy/tuning.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

namespace hone::policy {
namespace {

constexpr int k_longest_open = 3;           // steps without a confirmed gain, before a trajectory goes back
constexpr int k_patience = 3;               // rejected steps in a row, of a trajectory that is behind
constexpr double k_behind = 0.7;            // of the best
constexpr double k_share_of_profiles = 0.2; // of the search's time
constexpr std::size_t k_starts = 3;         // of the fastest so far, from which trajectories of later rounds begin
constexpr std::size_t k_named_in_text = 4;  // ids
constexpr const char* k_run_name = "blaster.run";
constexpr const char* k_seed_name = "blaster.seed";

std::string times(double gain)
{
  return fmt::format("{:.2f}x", std::exp(gain));
}

std::string short_ids(const std::vector<std::string>& ids)
{
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(ids.size(), k_named_in_text); ++i) {
    shown.push_back(ids[i].substr(0, 8));
  }
  return join(shown, " ")
         + (ids.size() > k_named_in_text ? fmt::format(" and {} more", ids.size() - k_named_in_text) : "");
}

struct Trajectory {
  int number = 0;
  SearchNode current, solid;        // where it stands; where it goes back to
  int open = 0;                     // steps since `solid`
  int rejected = 0;                 // in a row
  std::vector<std::string> pending; // parts of a composite that follow
  std::string advice;               // what is known about its next step, for a model that carries it out
  bool ended = false;
  std::vector<std::pair<std::string, double>> moves; // evidence, and the gain after it over where it began
};

class Blaster {
public:
  Blaster(SearchRun& search, const BlasterSetting& setting, SearchNode base, std::string run, std::uint64_t seed)
    : m_search(search), m_setting(setting), m_base(std::move(base)), m_run(std::move(run)), m_random(seed),
      m_search_seconds(std::max(0.0, search.search_seconds_left())),
      m_states(search.context(), setting, k_share_of_profiles * m_search_seconds)
  {
  }

  Result<void> go()
  {
    HONE_CHECK(introduce_techniques());
    for (int round = 1; !out_of_time(); ++round) {
      HONE_TRY(const bool anything, play(round));
      if (!anything) {
        break;
      }
    }
    const SearchNode best = m_search.offered().front();
    HONE_CHECK(tune_at_the_end(m_search, best));
    return keep_tuning(best);
  }

  std::string summary() const
  {
    return fmt::format("{} steps in {} rounds were tried (run {}); which entries each choice rested on: {}",
                       m_tried_steps, m_rounds, m_run,
                       (m_search.context().workflow.folder() / k_choices_file).string());
  }

private:
  bool out_of_time()
  {
    return m_search.end_if_due(m_search.step_s())
           || m_search.search_seconds_left() <= k_share_of_last_tuning * m_search_seconds;
  }

  // The catalogue's steps become techniques of the base.
  Result<void> introduce_techniques()
  {
    const Result<void> done = m_setting.base->together([&]() -> Result<void> {
      for (const catalogue::Transformation& step : m_search.context().catalogue) {
        knowledge::Technique technique;
        technique.name = step.name;
        technique.description = step.intent;
        HONE_CHECK(m_setting.base->add(std::move(technique)));
      }
      return {};
    });
    return done;
  }

  // What tuning found belongs to the last step before it: with these values it gains that much.
  Result<void> keep_tuning(const SearchNode& best)
  {
    const SearchNode tuned = m_search.offered().front();
    const store::Checkpoint& step = best.checkpoint;
    const ProfiledState* const state = m_states.known(step.parent);
    const bool is_step = catalogue::find_transformation(m_search.context().catalogue, step.transformation).has_value();
    if (tuned.checkpoint.parent != step.id || tuned.checkpoint.transformation != k_tune_step || state == nullptr
        || !is_step) {
      return {};
    }
    std::map<std::string, std::int64_t> values;
    for (const auto& [name, value] : tuned.checkpoint.point) {
      const auto before = step.point.find(name);
      if (before == step.point.end() || before->second != value) {
        values[name] = value;
      }
    }
    if (values.empty()) {
      return {};
    }
    const record::Regime regime = m_search.context().recipe.regime;
    const auto gain_of = [&](const record::Record& record) {
      return measured_gain(record.verdict, judgement_of(record.verdict, regime), regime);
    };
    const knowledge::Gain alone = gain_of(step.record), more = gain_of(tuned.checkpoint.record);
    const knowledge::Technique technique = knowledge::parametrised(step.transformation, values);
    HONE_TRY(const bool is_new, m_setting.base->add(technique));
    knowledge::Evidence evidence;
    evidence.state = state->id;
    evidence.technique = technique.name;
    evidence.kernel = m_search.context().kernel->name;
    evidence.kernel_hash = m_search.context().kernel->hash;
    evidence.environment = m_search.context().environment;
    evidence.record = tuned.checkpoint.record.id;
    evidence.time_utc = tuned.checkpoint.record.time_utc;
    evidence.before = step.parent;
    evidence.after = tuned.checkpoint.id;
    evidence.candidate = tuned.checkpoint.record.candidate;
    evidence.place = m_search.context().workflow.folder().string();
    evidence.gain = knowledge::Gain{alone.value + more.value,
                                    {alone.interval.low + more.interval.low, alone.interval.high + more.interval.high}};
    evidence.comparison = record::name_of(judgement_of(tuned.checkpoint.record.verdict, regime).comparison);
    evidence.returned = evidence.gain->value;
    evidence.run = m_run;
    evidence.reward = reward_of(evidence);
    evidence.id = knowledge::evidence_id(evidence);
    HONE_CHECK(m_setting.base->add(evidence));
    if (!is_new) {
      return {};
    }
    knowledge::Change change;
    change.kind = knowledge::Change::Kind::parameters;
    change.state = state->id;
    change.technique = technique.name;
    change.method = "tuning";
    change.run = m_run;
    change.evidence = {evidence.id};
    change.text = fmt::format("{} measured {}, and {} after its parameters were tuned", step.transformation,
                              times(alone.value), times(evidence.gain->value));
    HONE_CHECK(m_setting.base->add(change));
    return {};
  }

  // Trajectories take turns, so that each sees what the others have just measured. False: there was nothing to try.
  Result<bool> play(int round)
  {
    std::vector<Trajectory> all = begin(round);
    std::vector<Sample> samples;
    for (int step = 1; step <= m_setting.steps; ++step) {
      for (Trajectory& one : all) {
        if (one.ended || out_of_time()) {
          continue;
        }
        HONE_CHECK(advance(one, round, step, samples));
        prune(one);
      }
    }
    for (Trajectory& one : all) {
      HONE_CHECK(credit(one));
    }
    if (samples.empty()) {
      return false;
    }
    m_rounds = round;
    HONE_CHECK(learn(round, samples));
    return true;
  }

  std::vector<Trajectory> begin(int round)
  {
    std::vector<SearchNode> starts{m_base};
    if (round > 1) {
      for (const SearchNode& node : m_search.offered()) {
        const auto is_this = [&](const SearchNode& other) { return other.checkpoint.id == node.checkpoint.id; };
        if (starts.size() <= k_starts && std::ranges::none_of(starts, is_this)) {
          starts.push_back(node);
        }
      }
      std::ranges::stable_sort(starts, std::greater(), [](const SearchNode& node) { return node.gain.ratio; });
    }
    std::vector<Trajectory> all;
    for (int number = 1; number <= m_setting.trajectories; ++number) {
      // The first goes on from the fastest.
      const std::size_t from = number == 1 ? 0 : m_random.below(starts.size());
      Trajectory one;
      one.number = number;
      one.current = one.solid = starts[from];
      all.push_back(std::move(one));
    }
    return all;
  }

  void prune(Trajectory& one) const
  {
    const double best = m_search.offered().front().gain.ratio;
    one.ended = one.ended || (one.rejected >= k_patience && one.solid.gain.ratio < k_behind * best);
  }

  // One choice, and what comes of it.
  Result<void> advance(Trajectory& one, int round, int step, std::vector<Sample>& samples)
  {
    HONE_TRY(const std::optional<MadeChoice> choice, next_choice(one, round, step));
    if (!choice) {
      if (one.open > 0) { // nothing stands on it: back to what is solid
        one.current = one.solid;
        one.open = 0;
        one.pending.clear();
      } else {
        one.ended = true;
      }
      return {};
    }
    const std::string name = parts_of(choice->technique).front(); // with values of parameters, where it has some
    HONE_TRY(const catalogue::Transformation* const transformation,
             catalogue::find_transformation(m_search.context().catalogue, step_of(name)));
    ++m_taken[{one.current.checkpoint.id, name}];
    m_search.notify_started(name, choice->why);
    auto made = promising_attempt(m_search.context(), one.current, *transformation, one.advice);
    m_search.end_if_engine_failed();
    if (const kernel::TuningPoint values = values_in(name); made && !values.empty()) {
      if (const auto set = set_values(m_search.context(), *made, values); !set) {
        made = std::unexpected(set.error());
      }
    }
    if (!made) {
      one.pending.clear();
      return not_carried_out(one, *choice, name, made.error(), samples);
    }
    HONE_TRY(const record::Record record, judge(m_search, one.current, *made));
    return settle(one, *choice, name, *made, record, samples);
  }

  // An engine that is not cheap may fail on a candidate that it is asked about: that is worth knowing.
  Result<void> not_carried_out(Trajectory& one, const MadeChoice& choice, const std::string& name,
                               const std::string& why, std::vector<Sample>& samples)
  {
    m_rejected.insert({one.current.checkpoint.id, name});
    m_search.notify_skipped(name, why);
    ++one.rejected;
    if (m_search.context().engine.is_cheap() || !m_search.end_reason().empty()) {
      return {};
    }
    knowledge::Evidence evidence = evidence_of(one, choice, name);
    evidence.time_utc = knowledge::utc_now();
    evidence.failure = "not-applicable";
    evidence.detail = why.substr(0, why.find('\n'));
    return write(std::move(evidence), choice, samples);
  }

  knowledge::Evidence evidence_of(const Trajectory& one, const MadeChoice& choice, const std::string& technique) const
  {
    const PolicyContext& context = m_search.context();
    knowledge::Evidence evidence;
    evidence.state = choice.state;
    evidence.technique = technique;
    evidence.kernel = context.kernel->name;
    evidence.kernel_hash = context.kernel->hash;
    evidence.environment = context.environment;
    evidence.before = one.current.checkpoint.id;
    evidence.place = context.workflow.folder().string();
    if (technique == choice.technique) { // of a composite the parts were not predicted
      evidence.predicted = choice.predicted;
    }
    evidence.run = m_run;
    evidence.round = choice.round;
    evidence.trajectory = one.number;
    evidence.step = choice.step;
    evidence.entries = choice.entries;
    return evidence;
  }

  Result<void> write(knowledge::Evidence evidence, const MadeChoice& choice, std::vector<Sample>& samples)
  {
    evidence.reward = reward_of(evidence);
    evidence.site = m_setting.base->site();
    evidence.id = knowledge::evidence_id(evidence);
    HONE_CHECK(m_setting.base->add(evidence));
    ++m_tried_steps;
    samples.push_back({std::move(evidence), choice.transferred});
    return {};
  }

  Result<void> settle(Trajectory& one, const MadeChoice& choice, const std::string& name, const Attempt& made,
                      const record::Record& record, std::vector<Sample>& samples)
  {
    const record::Regime regime = m_search.context().recipe.regime;
    const Judgement judgement = judgement_of(record.verdict, regime);
    Decision decision = decide(made.transformation->speed, record.verdict, regime);
    // A composite says that what follows pays.
    if (decision.choice == Choice::reject && judgement.correct && !one.pending.empty()) {
      decision = {Choice::keep_open, decision.reason + ": kept open for the rest of " + choice.technique};
    }
    const Gain gain = one.current.gain.times(judgement);
    knowledge::Evidence evidence = evidence_of(one, choice, name);
    evidence.record = record.id;
    evidence.time_utc = record.time_utc;
    evidence.candidate = record.candidate;
    evidence.seconds = seconds_spent(record.verdict);
    if (judgement.correct) {
      evidence.gain = measured_gain(record.verdict, judgement, regime);
      evidence.comparison = record::name_of(judgement.comparison);
    } else {
      evidence.failure = record::name_of(record.verdict.status);
      evidence.detail = record.verdict.reason;
    }
    std::optional<SearchNode> kept;
    if (decision.choice != Choice::reject) {
      HONE_TRY(kept, m_search.add_checkpoint(one.current, made.contender.candidate, record));
      evidence.after = kept->checkpoint.id;
    }
    const bool is_new = !m_seen_edges.contains({one.current.checkpoint.id, name});
    m_seen_edges.insert({one.current.checkpoint.id, name});
    const std::string told = fmt::format(
      "{}{}expected {}, by {}", decision.reason, decision.reason.empty() ? "" : "; ", times(choice.predicted.value),
      choice.entries.empty() ? "no evidence" : "entries " + short_ids(choice.entries));
    const std::string id = knowledge::evidence_id(evidence);
    const double measured = evidence.gain ? evidence.gain->value : 0;
    if (is_new) { // else another trajectory has told it
      HONE_CHECK(write(std::move(evidence), choice, samples));
      m_search.notify_finished(record, gain, kept.has_value(), told, kept ? kept->checkpoint.id : "");
    }
    if (!kept) {
      m_rejected.insert({one.current.checkpoint.id, name});
      one.pending.clear();
      ++one.rejected;
      return {};
    }
    one.rejected = 0;
    one.moves.emplace_back(id, (one.moves.empty() ? 0 : one.moves.back().second) + measured);
    return stand_on(one, std::move(*kept), decision.choice);
  }

  Result<void> stand_on(Trajectory& one, SearchNode node, Choice choice)
  {
    one.current = std::move(node);
    const bool confirmed = is_confirmed_gain(one.current.gain, one.solid.gain);
    if (confirmed || (choice == Choice::accept && one.open == 0)) {
      one.solid = one.current;
      one.open = 0;
      return is_confirmed_gain(one.solid.gain, Gain{}) ? m_search.offer(one.solid) : Result<void>();
    }
    if (++one.open > k_longest_open && one.pending.empty()) {
      one.current = one.solid;
      one.open = 0;
    }
    return {};
  }

  // Each step is worth the most that was gained from it on.
  Result<void> credit(const Trajectory& one)
  {
    for (std::size_t i = 0; i < one.moves.size(); ++i) {
      const double before = i == 0 ? 0 : one.moves[i - 1].second;
      double most = one.moves[i].second;
      for (std::size_t j = i; j < one.moves.size(); ++j) {
        most = std::max(most, one.moves[j].second);
      }
      m_returns[one.moves[i].first] = std::max(m_returns[one.moves[i].first], most - before);
      HONE_CHECK(m_setting.base->credit(one.moves[i].first, most - before));
    }
    return {};
  }

  struct Menu {
    std::vector<knowledge::Option> options;
  };

  bool may_try(const SearchNode& from, const catalogue::Transformation& step) const
  {
    const PolicyContext& context = m_search.context();
    if (m_rejected.contains({from.checkpoint.id, step.name}) || !context.engine.knows(step.name)
        || catalogue::why_not_applicable(step, *context.kernel, context.backend.name(), from.done)) {
      return false;
    }
    // Where carrying a step out costs next to nothing, what cannot be carried out is no choice.
    return !context.engine.is_cheap() || promising_attempt(context, from, step).has_value();
  }

  // Steps that may be tried here, and composites that begin with one of them.
  Result<Menu> menu_at(const SearchNode& from, const ProfiledState& state)
  {
    Menu menu;
    std::map<std::string, double> expected;
    for (const catalogue::Transformation& step : m_search.context().catalogue) {
      if (may_try(from, step)) {
        expected[step.name] = expected_without_evidence(step, state);
        menu.options.push_back({step.name, expected[step.name]});
      }
    }
    knowledge::Filter all;
    all.most = 10'000;
    HONE_TRY(const std::vector<knowledge::Technique> known, knowledge::techniques(*m_setting.base, all));
    for (const knowledge::Technique& technique : known) {
      const std::string first = technique.parts.empty() ? "" : technique.parts.front();
      const bool derived = technique.kind == knowledge::TechniqueKind::composite
                           || technique.kind == knowledge::TechniqueKind::parametrised;
      if (derived && expected.contains(first) && !m_rejected.contains({from.checkpoint.id, technique.name})) {
        menu.options.push_back({technique.name, expected[first]});
      }
    }
    return menu;
  }

  // As it was made before, if this climb is resumed; else the rest of a composite; else by what is known.
  Result<std::optional<MadeChoice>> next_choice(Trajectory& one, int round, int step)
  {
    PolicyContext& context = m_search.context();
    HONE_TRY(std::optional<MadeChoice> choice, recalled_choice(context, round, one.number, step));
    if (choice && choice->before == one.current.checkpoint.id) {
      m_random.next(); // so that what comes after is drawn as it was
      follow(one, *choice);
      return choice;
    }
    HONE_TRY(const ProfiledState* const state, m_states.of(one.current));
    tell_state(one, *state);
    if (state->is_new && m_told_new.insert(state->id).second) {
      HONE_CHECK(tell_new_state(*state, round));
    }
    HONE_TRY(choice, chosen(one, *state, round, step));
    if (choice) {
      HONE_CHECK(remember_choice(context, m_run, *choice));
      follow(one, *choice);
    }
    return choice;
  }

  void follow(Trajectory& one, const MadeChoice& choice) const
  {
    std::vector<std::string> parts = parts_of(choice.technique);
    if (parts.size() > 1) {
      one.pending.assign(parts.begin() + 1, parts.end());
    } else if (!one.pending.empty()) {
      one.pending.erase(one.pending.begin());
    }
  }

  // A line that is about no job.
  void tell(std::string step, std::string status, std::string note) const
  {
    Progress progress;
    progress.step = std::move(step);
    progress.status = std::move(status);
    progress.finished = true;
    progress.note = std::move(note);
    m_search.notify(progress);
  }

  void tell_state(const Trajectory& one, const ProfiledState& state)
  {
    if (!m_told_states.insert(one.current.checkpoint.id).second) {
      return;
    }
    const std::string levels = knowledge::traits_text(state.signature);
    tell("state", state.is_new ? "new" : "known",
         fmt::format("{} of {}: {}{}", state.id.substr(0, 8), one.current.checkpoint.id.substr(0, 10),
                     !state.remark.empty() ? state.remark
                     : levels.empty()      ? "no bottleneck stands out"
                                           : levels,
                     state.inherits.empty() || !state.is_new ? "" : "; inherits from " + state.inherits.substr(0, 8)));
  }

  Result<void> tell_new_state(const ProfiledState& state, int round)
  {
    knowledge::Change change;
    change.kind = knowledge::Change::Kind::state;
    change.state = state.id;
    change.method = "profile";
    change.run = m_run;
    change.round = round;
    change.text = state.inherits.empty()
                    ? "a new state: none of those that are known is like it"
                    : fmt::format("a new state: what is known of {} holds until it has evidence of its own",
                                  state.inherits.substr(0, 10));
    for (const std::string& sentence : state.diagnosis) {
      change.text += "\n" + sentence;
    }
    HONE_CHECK(m_setting.base->add(change));
    return {};
  }

  Result<std::optional<MadeChoice>> chosen(Trajectory& one, const ProfiledState& state, int round, int step)
  {
    HONE_TRY(const Menu menu, menu_at(one.current, state));
    knowledge::Question question;
    question.signature = state.signature;
    question.state = state.id;
    question.options = menu.options;
    question.deprecated_too = false;
    if (!one.pending.empty()) { // the rest of a composite
      std::erase_if(question.options,
                    [&](const knowledge::Option& option) { return option.technique != one.pending.front(); });
      question.deprecated_too = true;
    }
    if (question.options.empty()) {
      one.pending.clear();
      return std::optional<MadeChoice>();
    }
    HONE_TRY(const knowledge::Answer answer, knowledge::rank(*m_setting.base, question));
    const std::map<std::string, double> voice = heard(one, state, answer);
    std::vector<Choosable> choosable;
    for (const knowledge::Estimate& estimate : answer.estimates) {
      const auto taken = m_taken.find({one.current.checkpoint.id, parts_of(estimate.technique).front()});
      const auto said = voice.find(estimate.technique);
      choosable.push_back(
        {&estimate, said == voice.end() ? 0.5 : said->second, taken == m_taken.end() ? 0 : taken->second});
    }
    if (choosable.empty()) {
      return std::optional<MadeChoice>();
    }
    Random drawing(m_random.next()); // one number for each choice: resuming stays in step
    const knowledge::Estimate& best = *choosable[choose(m_setting.rule, choosable, drawing)].estimate;
    if (!m_search.context().engine.is_cheap()) {
      one.advice = advice_text(*m_setting.base, state, best);
    }
    MadeChoice choice;
    choice.round = round;
    choice.trajectory = one.number;
    choice.step = step;
    choice.before = one.current.checkpoint.id;
    choice.state = state.id;
    choice.technique = best.technique;
    choice.predicted = best.gain;
    choice.transferred = best.tries == 0;
    for (const knowledge::Used& used : best.used) {
      choice.entries.insert(choice.entries.end(), used.evidence.begin(), used.evidence.end());
    }
    choice.entries.insert(choice.entries.end(), best.changes.begin(), best.changes.end());
    for (const knowledge::Estimate& estimate : answer.estimates) {
      choice.others.emplace_back(estimate.technique, estimate.worth());
    }
    choice.why =
      fmt::format("round {}, trajectory {}, step {}: {} is expected to gain {} [{} to {}], confidence {:.2f}: {}{}",
                  round, one.number, step, best.technique, times(best.gain.value), times(best.gain.interval.low),
                  times(best.gain.interval.high), best.confidence, best.why,
                  choice.entries.empty() ? "" : "; entries " + short_ids(choice.entries));
    return std::optional(std::move(choice));
  }

  // A model's ranking of what may be tried; nothing where there is no model, no choice, or no answer that can be used.
  std::map<std::string, double> heard(const Trajectory& one, const ProfiledState& state,
                                      const knowledge::Answer& answer)
  {
    if (!m_setting.ask || answer.estimates.size() < 2) {
      return {};
    }
    auto said = relevance(m_setting, state, one.current.done, answer);
    if (!said) {
      tell("model", "no ranking", said.error().message);
      return {};
    }
    return std::move(*said);
  }

  // The outer loop: expected against measured, why they differ, and what is expected from now on.
  Result<void> learn(int round, std::vector<Sample>& samples)
  {
    PolicyContext& context = m_search.context();
    const std::string name = fmt::format("blaster.learned.{}", round);
    HONE_TRY(const std::string learned, context.workflow.recall(name));
    if (!m_setting.learns || !learned.empty()) {
      return {};
    }
    for (Sample& sample : samples) {
      if (const auto found = m_returns.find(sample.evidence.id); found != m_returns.end()) {
        sample.evidence.returned = found->second;
      }
    }
    const std::vector<Finding> findings = evaluate(samples);
    HONE_TRY(std::vector<knowledge::Change> changes,
             update_by_statistics(*m_setting.base, findings, samples, m_run, round));
    if (m_setting.ask && !m_search.stop_requested()) {
      // What a model says comes after the statistics, and holds before them.
      if (auto said = update_by_model(*m_setting.base, m_setting, findings, m_run, round)) {
        std::ranges::move(*said, std::back_inserter(changes));
      } else {
        tell("model", "no update", said.error().message);
      }
    }
    for (const knowledge::Change& change : changes) {
      const std::string about = change.technique.empty() ? "" : " " + change.technique;
      for (const std::string& line : split(change.text, '\n')) {
        tell("update", "learned", fmt::format("{}{}: {}", knowledge::name_of(change.kind), about, line));
      }
    }
    return context.workflow.remember(name, "1");
  }

  using Edge = std::pair<std::string, std::string>; // checkpoint, technique

  SearchRun& m_search;
  const BlasterSetting& m_setting;
  SearchNode m_base;
  std::string m_run;
  Random m_random;
  double m_search_seconds;
  States m_states;
  std::set<Edge> m_rejected, m_seen_edges;
  std::map<Edge, int> m_taken;
  std::map<std::string, double> m_returns; // by evidence
  std::set<std::string> m_told_states, m_told_new;
  int m_tried_steps = 0, m_rounds = 0;
};

// What a climb was begun with holds when it is resumed.
Result<std::string> remembered(PolicyContext& context, const char* name, const std::string& otherwise)
{
  HONE_TRY(std::string known, context.workflow.recall(name));
  if (known.empty()) {
    known = otherwise;
    HONE_CHECK(context.workflow.remember(name, known));
  }
  return known;
}

class BlasterPolicy final : public Policy {
public:
  std::string_view name() const override { return "blaster"; }

  Result<PolicyOutcome> run(PolicyContext& context) override
  {
    if (context.blaster == nullptr) {
      return fail("the policy 'blaster' needs a base of knowledge", "it works with hone optimize (docs/knowledge.md)",
                  Place{"--policy", 0, 0});
    }
    HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_publication));
    HONE_TRY(const SearchNode start, search.establish_start(record::Depth::glance));
    HONE_TRY(const SearchNode base, search.establish_base(start));
    HONE_TRY(const std::string run, remembered(context, k_run_name, fmt::format("{:016x}", fresh_seed())));
    HONE_TRY(const std::string seed_text, remembered(context, k_seed_name, std::to_string(context.seed)));
    std::uint64_t seed = context.seed;
    std::from_chars(seed_text.data(), seed_text.data() + seed_text.size(), seed);
    Blaster blaster(search, *context.blaster, base, run, seed);
    HONE_TRY(PolicyOutcome outcome, conclude(search, start, base, blaster.go()));
    outcome.note += (outcome.note.empty() ? "" : "; ") + blaster.summary();
    return outcome;
  }
};

} // namespace

std::unique_ptr<Policy> make_blaster_policy()
{
  return std::make_unique<BlasterPolicy>();
}

} // namespace hone::policy
