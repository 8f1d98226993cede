#include "policy/blaster/choice.h"
#include "policy/blaster/choice_log.h"
#include "policy/blaster/learning.h"
#include "policy/blaster_setting.h"
#include "policy/tests/fakes.h"

#include <cmath>
#include <fstream>

namespace hone::policy {
namespace {

using fakes::factors;
using fakes::Steps;
using fakes::World;

// A base in memory that several climbs share, and how they search.
struct Learner {
  Learner()
  {
    auto made = knowledge::Base::in_memory();
    EXPECT_TRUE(made);
    base.emplace(std::move(*made));
    setting.base = &*base;
    setting.device = "fake";
    setting.rule = ChoiceRule::greedy;
    setting.trajectories = 2;
    setting.steps = 4;
  }

  Result<PolicyOutcome> climb(World& world, std::uint64_t seed = 1)
  {
    world.executor.time_utc = knowledge::utc_now(); // what is old weighs nothing
    PolicyContext context = world.context();
    context.seed = seed;
    context.blaster = &setting;
    HONE_TRY(const auto policy, make_policy("blaster", {}));
    return policy->run(context);
  }

  std::vector<knowledge::Evidence> evidence(const std::string& technique = "") const
  {
    knowledge::Filter filter;
    filter.technique = technique;
    const auto found = knowledge::evidence(*base, filter);
    EXPECT_TRUE(found);
    return found ? *found : std::vector<knowledge::Evidence>();
  }

  std::vector<knowledge::Change> changes(knowledge::Change::Kind kind) const
  {
    auto found = knowledge::changes(*base, {});
    EXPECT_TRUE(found);
    std::erase_if(*found, [&](const knowledge::Change& one) { return one.kind != kind; });
    return *found;
  }

  std::optional<knowledge::Base> base;
  BlasterSetting setting;
};

void add_three(World& world)
{
  for (const char* name : {"a", "b", "c"}) {
    world.add(name);
  }
  world.executor.time = factors({{"a", 0.9}, {"b", 0.5}, {"c", 1.5}});
}

// Steps that were judged, in order.
std::vector<std::string> judged(const World& world)
{
  std::vector<std::string> names;
  for (const record::Job& job : world.executor.jobs) {
    const auto& all = world.catalogue;
    if (std::ranges::find(all, job.transformation, &catalogue::Transformation::name) != all.end()) {
      names.push_back(job.transformation);
    }
  }
  return names;
}

TEST(Blaster, FindsWhatGains)
{
  for (const std::string& rule : choice_rule_names()) {
    World world;
    add_three(world);
    Learner learner;
    learner.setting.rule = *choice_rule_named(rule);
    const auto outcome = learner.climb(world);
    ASSERT_TRUE(outcome) << outcome.error().text();
    EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "b"})) << rule;
  }
}

TEST(Blaster, NeedsABase)
{
  World world;
  add_three(world);
  const auto outcome = world.run_named("blaster");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, testing::HasSubstr("base of knowledge"));
}

// When the next job begins, what was measured before is in the base: a kill then loses nothing of it.
TEST(Blaster, WritesEachMeasurementBeforeTheNextOne)
{
  World world;
  add_three(world);
  Learner learner;
  std::set<std::string> before;
  world.executor.before = [&](const record::Job& job) {
    if (!judged(world).empty() && job.transformation != k_final_step) {
      EXPECT_EQ(learner.evidence().size(), judged(world).size());
    }
  };
  ASSERT_TRUE(learner.climb(world));
  EXPECT_GE(judged(world).size(), 4u);
}

TEST(Blaster, BeginsWithWhatAnEarlierClimbFoundBest)
{
  Learner learner;
  World first;
  add_three(first);
  ASSERT_TRUE(learner.climb(first));
  EXPECT_EQ(judged(first).front(), "a") << "nothing is known yet: the catalogue's order";
  World second;
  add_three(second);
  ASSERT_TRUE(learner.climb(second));
  EXPECT_EQ(judged(second).front(), "b");
}

// An empty base is an ablation of what was learned: it must not know.
TEST(Blaster, AnEmptyBaseKnowsNothing)
{
  Learner learner, empty;
  World first, second;
  add_three(first);
  add_three(second);
  ASSERT_TRUE(learner.climb(first));
  ASSERT_TRUE(empty.climb(second));
  EXPECT_EQ(judged(second), judged(first));
}

TEST(Blaster, ChoicesNameTheEntriesTheyRestOn)
{
  Learner learner;
  World first, second;
  add_three(first);
  add_three(second);
  ASSERT_TRUE(learner.climb(first));
  const auto outcome = learner.climb(second);
  ASSERT_TRUE(outcome);
  const fs::path file = second.workflow->folder() / k_choices_file;
  EXPECT_THAT(outcome->note, testing::HasSubstr(file.string()));
  const auto text = read_file(file);
  ASSERT_TRUE(text);
  const auto choice = parse_json(text->substr(0, text->find('\n')), "choices");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->at("technique"), "b");
  ASSERT_FALSE(choice->at("entries").empty());
  for (const Json& id : choice->at("entries")) {
    EXPECT_TRUE(*learner.base->find(id.get<std::string>())) << id;
  }
  EXPECT_THAT(second.note_of("b"), testing::HasSubstr(choice->at("entries").at(0).get<std::string>().substr(0, 8)));
}

TEST(Blaster, AClimbThatIsDoneIsNotDoneAgain)
{
  Learner learner;
  learner.setting.rule = ChoiceRule::weighted;
  World world;
  add_three(world);
  const auto first = learner.climb(world);
  ASSERT_TRUE(first);
  const std::vector<std::string> steps = judged(world);
  const std::size_t known = learner.evidence().size();
  const auto updates = learner.base->counts()->changes;
  world.reopen();
  const auto second = learner.climb(world, 99);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->best, first->best);
  EXPECT_EQ(judged(world), steps) << "choices were made anew";
  EXPECT_EQ(learner.evidence().size(), known);
  EXPECT_EQ(learner.base->counts()->changes, updates);
}

TEST(Blaster, TheSameSeedChoosesTheSame)
{
  const auto steps = [](std::uint64_t seed) {
    Learner learner;
    learner.setting.rule = ChoiceRule::softmax;
    World world;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      world.add(name);
    }
    EXPECT_TRUE(learner.climb(world, seed));
    return judged(world);
  };
  EXPECT_EQ(steps(3), steps(3));
  EXPECT_NE(steps(3), steps(4));
}

TEST(Blaster, RemembersFailuresAndGivesUpOnWhatAlwaysFails)
{
  Learner learner;
  std::vector<std::size_t> tries;
  for (int climb = 0; climb < 5; ++climb) {
    World world;
    world.add("bad");
    world.add("good");
    world.executor.time = factors({{"good", 0.7}});
    world.executor.status = [](const record::Job& job) {
      return job.transformation == "bad" ? record::Status::correctness : record::Status::correct;
    };
    world.executor.time_utc = knowledge::utc_now();
    PolicyContext context = world.context();
    context.environment = fmt::format("machine {}", climb);
    context.blaster = &learner.setting;
    const auto policy = make_policy("blaster", {});
    ASSERT_TRUE(policy);
    ASSERT_TRUE((*policy)->run(context));
    tries.push_back(world.executor.count("bad"));
  }
  EXPECT_GT(tries.front(), 0u);
  EXPECT_EQ(tries.back(), 0u) << "it failed every time and is tried still";
  EXPECT_EQ(learner.changes(knowledge::Change::Kind::deprecate).size(), 1u);
  const auto failures = knowledge::failures(*learner.base, {});
  ASSERT_TRUE(failures);
  ASSERT_FALSE(failures->empty());
  EXPECT_EQ(failures->front().kind, "correctness");
}

// Vectors need tiles, which alone are slower than what little steps gain.
void add_pair(World& world)
{
  world.add("little");
  world.add("tile", catalogue::Speed::later);
  world.add("vectors");
  world.catalogue.back().after = {"tile"};
  world.executor.time = [](const Steps& steps, const kernel::TuningPoint&) {
    const double tiled = steps.contains("tile") ? (steps.contains("vectors") ? 0.2 : 1.5) : 1.0;
    return tiled * (steps.contains("little") ? 0.9 : 1.0);
  };
}

TEST(Blaster, LearnsThatStepsPayTogether)
{
  Learner learner;
  World first;
  add_pair(first);
  const auto outcome = learner.climb(first);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(first.steps_at(outcome->best), (Steps{"little", "tile", "vectors"}));
  EXPECT_EQ(judged(first).front(), "little");
  const auto composites = learner.changes(knowledge::Change::Kind::composite);
  ASSERT_EQ(composites.size(), 1u);
  EXPECT_EQ(composites.front().technique, "tile+vectors");
  ASSERT_FALSE(learner.evidence("tile+vectors").empty());
  EXPECT_NEAR(learner.evidence("tile+vectors").front().gain->value, std::log(5), 0.01);
  ASSERT_FALSE(learner.evidence("tile").empty());
  EXPECT_NEAR(learner.evidence("tile").front().returned.value_or(0), std::log(5), 0.01)
    << "the step that opened the way";
  World second;
  add_pair(second);
  ASSERT_TRUE(learner.climb(second));
  EXPECT_EQ(judged(second).front(), "tile") << "alone it is slower; what is known of both says otherwise";
}

TEST(Blaster, LearnsTheParametersThatTuningFound)
{
  Learner learner;
  const auto prepare = [](World& world) {
    world.add("tile");
    world.engine.with_parameter = {"tile"};
    world.executor.time = [](const Steps& steps, const kernel::TuningPoint& point) {
      const auto found = point.find("T");
      return steps.contains("tile") ? 0.8 / (found == point.end() ? 1.0 : static_cast<double>(found->second)) : 1.0;
    };
  };
  World first;
  prepare(first);
  ASSERT_TRUE(learner.climb(first));
  const auto found = learner.evidence("tile@T=4");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found.front().gain->value, std::log(5), 0.01);
  World second;
  prepare(second);
  ASSERT_TRUE(learner.climb(second));
  const auto& jobs = second.executor.jobs;
  const auto step = std::ranges::find(jobs, "tile", &record::Job::transformation);
  ASSERT_NE(step, jobs.end());
  EXPECT_EQ(step->contender.point.at("T"), 4) << "it begins with its default again";
}

TEST(Blaster, WithoutLearningOnlyMeasurementsAreKept)
{
  Learner learner;
  learner.setting.learns = false;
  World world;
  add_pair(world);
  ASSERT_TRUE(learner.climb(world));
  EXPECT_FALSE(learner.evidence().empty());
  for (const knowledge::Change& change : *knowledge::changes(*learner.base, {})) {
    EXPECT_EQ(change.kind, knowledge::Change::Kind::state) << change.text;
  }
}

TEST(Blaster, UpdatesSayWhyExpectedAndMeasuredDiffer)
{
  Learner learner;
  World world;
  add_three(world);
  ASSERT_TRUE(learner.climb(world));
  const auto notes = learner.changes(knowledge::Change::Kind::note);
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(notes.back().text, testing::HasSubstr("b: expected"));
  EXPECT_THAT(notes.back().text, testing::HasSubstr("measured 2.00x"));
  EXPECT_FALSE(learner.changes(knowledge::Change::Kind::prediction).empty());
}

// Answers as a model would give them; the tasks it got are kept.
struct Model {
  std::string ranking, update;
  std::vector<std::string> tasks;

  void speak_for(BlasterSetting& setting)
  {
    setting.model = "fake/one";
    setting.rank_prompt = "rank";
    setting.update_prompt = "update";
    setting.ask = [this](const std::string& system, const std::string& task) -> Result<std::string> {
      tasks.push_back(task);
      return system == "rank" ? ranking : update;
    };
  }
};

TEST(Blaster, AModelRanksAndExplains)
{
  Learner learner;
  Model model{"Sure:\n```json\n{\"c\": 1.0, \"a\": 0, \"b\": 0.1, \"unheard\": 1}\n```",
              R"({"analysis": "b saves half", "updates": [
                   {"kind": "prediction", "technique": "a", "state": "", "value": 7, "why": "too good"},
                   {"kind": "deprecate", "technique": "c", "state": "", "why": "everywhere is too much"},
                   {"kind": "confidence", "technique": "unheard", "state": "", "value": 0.5, "why": "not shown"}]})",
              {}};
  model.speak_for(learner.setting);
  World world;
  add_three(world);
  ASSERT_TRUE(learner.climb(world));
  EXPECT_EQ(judged(world).front(), "c");
  EXPECT_THAT(model.tasks.front(), testing::HasSubstr("- b: expected"));
  std::vector<knowledge::Change> said = *knowledge::changes(*learner.base, {});
  std::erase_if(said, [](const knowledge::Change& one) { return one.method != "model fake/one"; });
  std::set<std::string> texts;
  for (const knowledge::Change& one : said) {
    texts.insert(one.text);
    EXPECT_LE(std::abs(one.value), 1) << "without bounds a model could drown every measurement";
  }
  EXPECT_EQ(texts, (std::set<std::string>{"b saves half", "too good"}));
}

TEST(Blaster, GoesOnWithoutAnAnswerOfTheModel)
{
  Learner learner;
  Model model{"I cannot say", "nothing", {}};
  model.speak_for(learner.setting);
  World world;
  add_three(world);
  const auto outcome = learner.climb(world);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(world.steps_at(outcome->best), (Steps{"a", "b"}));
  EXPECT_FALSE(learner.changes(knowledge::Change::Kind::note).empty()) << "statistics hold alone";
}

knowledge::Estimate estimate(const std::string& name, double gain, double tries, double reward)
{
  knowledge::Estimate one;
  one.technique = name;
  one.gain = {gain, {gain - 0.1, gain + 0.1}};
  one.returned = gain;
  one.tries = tries;
  one.reward = reward;
  one.confidence = tries / (tries + 2);
  return one;
}

TEST(ChoiceRule, GreedyTakesTheMostPromising)
{
  const knowledge::Estimate low = estimate("low", 0.1, 5, 0.1), high = estimate("high", 0.9, 5, 0.9);
  const std::vector<Choosable> options{{&low}, {&high}};
  Random random(1);
  EXPECT_EQ(choose(ChoiceRule::greedy, options, random), 1u);
}

TEST(ChoiceRule, DrawsPreferWhatPromisesMoreAndNeverForgetTheRest)
{
  const knowledge::Estimate low = estimate("low", 0.2, 5, 0.2), high = estimate("high", 0.4, 5, 0.4);
  const std::vector<Choosable> options{{&low}, {&high}};
  for (const ChoiceRule rule : {ChoiceRule::weighted, ChoiceRule::softmax}) {
    int highs = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      Random random(seed);
      highs += choose(rule, options, random) == 1 ? 1 : 0;
    }
    EXPECT_GT(highs, 240) << name_of(rule);
    EXPECT_LT(highs, 396) << name_of(rule);
  }
}

TEST(ChoiceRule, UcbGivesATurnToWhatWasTriedSeldom)
{
  const knowledge::Estimate often = estimate("often", 0.3, 60, 0.3), seldom = estimate("seldom", 0.2, 0, 0);
  const std::vector<Choosable> options{{&often}, {&seldom}};
  Random random(1);
  EXPECT_EQ(choose(ChoiceRule::ucb, options, random), 1u);
  EXPECT_EQ(choose(ChoiceRule::greedy, options, random), 0u);
}

TEST(ChoiceRule, TrajectoriesDiffer)
{
  const knowledge::Estimate low = estimate("low", 0.5, 5, 0.5), high = estimate("high", 0.6, 5, 0.6);
  const std::vector<Choosable> options{{&low, 0.5, 0}, {&high, 0.5, 1}};
  Random random(1);
  EXPECT_EQ(choose(ChoiceRule::greedy, options, random), 0u) << "another trajectory took the other one from here";
}

TEST(ChoiceRule, NamesAreKnown)
{
  for (const std::string& name : choice_rule_names()) {
    EXPECT_EQ(name_of(*choice_rule_named(name)), name);
  }
  EXPECT_FALSE(choice_rule_named("best"));
}

} // namespace
} // namespace hone::policy
