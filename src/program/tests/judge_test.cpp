// The protocol on a machine that is pretended: which replacements are accepted, and how the others are found out.
#include "program/consistency.h"
#include "program/improve.h"
#include "program/judge.h"
#include "program/records.h"
#include "util/fs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace hone::program {
namespace {

using record::Status;
using ::testing::HasSubstr;

// What a region makes its program do.
struct Behaviour {
  double saved_s = 0;     // of a run of 1 s, of which the region takes 0.5 s
  double claims_s = 0;    // less region time than it took
  double elsewhere_s = 0; // saved outside the region
  bool wrong = false, knows_declared = false, crashes = false, hangs = false, silent = false, wrong_when_large = false;
  bool builds = true;
};

const std::map<std::string, Behaviour>& behaviours()
{
  static const std::map<std::string, Behaviour> all = [] {
    std::map<std::string, Behaviour> made;
    made["ORIGINAL"] = {};
    made["BETTER"].saved_s = 0.3;
    made["WORSE"].saved_s = -0.3;
    made["NOISE"] = {};
    made["WRONG"].wrong = true;
    made["DECLARED"].knows_declared = true;
    made["LARGE"].wrong_when_large = true;
    made["CRASHES"].crashes = true;
    made["HANGS"].hangs = true;
    made["SILENT"].silent = true;
    made["CLAIMS"].claims_s = 0.4;
    made["ELSEWHERE"].elsewhere_s = 0.4;
    made["BROKEN"].builds = false;
    return made;
  }();
  return all;
}

class PretendedBuild final : public BuiltProgram {
public:
  Behaviour behaviour;
};

class PretendedMachine final : public Machine {
public:
  Result<BuildOutcome> build(const Tree& tree, const std::vector<std::string>&) override
  {
    const std::string& text = tree.at("step.cpp");
    auto built = std::make_shared<PretendedBuild>();
    for (const auto& [word, behaviour] : behaviours()) {
      if (text.find(word) != text.npos) {
        built->behaviour = behaviour;
      }
    }
    BuildOutcome outcome;
    outcome.log = "step.cpp:1: error";
    if (built->behaviour.builds) {
      outcome.program = built;
    }
    return outcome;
  }

  Result<RunOutcome> run(const BuiltProgram& program, const RunRequest& request) override
  {
    const Behaviour& behaviour = static_cast<const PretendedBuild&>(program).behaviour;
    RunOutcome outcome;
    if (request.command.size() < 3) {
      outcome.exit_status = 0;
      return outcome;
    }
    const std::string& n = request.command[1];
    seen.insert(n + " " + request.command[2]);
    outcome.exit_status = behaviour.crashes ? -1 : 0;
    outcome.signal = behaviour.crashes ? 11 : 0;
    if (behaviour.hangs) {
      outcome.exit_status = -1;
      outcome.timed_out = true;
    }
    const bool declared = n == "8" && request.command[2] == "1";
    const bool wrong =
      behaviour.wrong || (behaviour.knows_declared && !declared) || (behaviour.wrong_when_large && n == "1000");
    outcome.out = "n " + n + " sum " + (wrong ? "1.5" : "2.5") + "\n";
    const double noise = 0.001 * (static_cast<double>(m_runs++ % 5) - 2);
    const double region = 0.5 - behaviour.saved_s;
    outcome.seconds = 1 - behaviour.saved_s - behaviour.elsewhere_s + noise;
    for (const std::string& name : request.collect) {
      if (!behaviour.silent) {
        const std::uint64_t numbers[2] = {static_cast<std::uint64_t>(1e9 * (region - behaviour.claims_s)), 10};
        outcome.files[name].assign(reinterpret_cast<const char*>(numbers), sizeof numbers);
      }
    }
    return outcome;
  }

  std::set<std::string> seen; // inputs

private:
  int m_runs = 0;
};

Program sample(const fs::path& folder = {})
{
  Program program;
  program.name = "sample";
  program.folder = folder;
  program.file = folder / "program.toml";
  program.source_folder = "src";
  program.sources = {{"step.cpp", "int before;\nvoid step() { /* ORIGINAL */ }\nint after;\n"}};
  program.build = {"make"};
  program.run = {"./sample", "{n}", "{seed}"};
  program.region = {"step.cpp", "step", 0, 0};
  program.outputs = {{"stdout", OutputSpec::As::text}};
  program.tolerance = {1e-6, 0};
  program.inputs = {{"small", {{"n", "8"}, {"seed", "1"}}}};
  program.drawn = {{"n", WholeRange{4, 99}}, {"seed", WholeRange{2, 1'000'000'000}}};
  program.time.parameters = {{"n", Choices{"1000"}}, {"seed", WholeRange{2, 1'000'000'000}}};
  return program;
}

std::string region_of(const std::string& word)
{
  return "void step() { int variable_" + word + " = 0; }";
}

ProgramRecord judged(const std::string& text)
{
  PretendedMachine machine;
  JudgeOptions options;
  options.seed = 5;
  auto judge = Judge::open(sample(), machine, options);
  EXPECT_TRUE(judge) << (judge ? "" : judge.error().text());
  const auto record = judge->judge(text);
  EXPECT_TRUE(record) << (record ? "" : record.error().text());
  return *record;
}

TEST(ProgramJudge, AcceptsWhatIsRightAndFaster)
{
  const ProgramRecord record = judged(region_of("BETTER"));
  EXPECT_EQ(record.status, Status::correct) << record.reason;
  EXPECT_TRUE(record.accepted());
  EXPECT_NEAR(record.whole->ratio, 1 / 0.7, 0.02);
  EXPECT_NEAR(record.within->ratio, 0.5 / 0.2, 0.02);
  EXPECT_NEAR(record.share, 0.5, 0.01);
  EXPECT_THAT(record.flags[0], HasSubstr("tier C"));
}

TEST(ProgramJudge, DoesNotAcceptWhatIsNotFaster)
{
  EXPECT_EQ(judged(region_of("NOISE")).verdict, record::Comparison::same);
  EXPECT_EQ(judged(region_of("WORSE")).verdict, record::Comparison::slow);
  EXPECT_FALSE(judged(region_of("NOISE")).accepted());
}

// Each of these has a detector of its own: without it, the replacement would be accepted or end in an error.
TEST(ProgramJudge, FindsOutWhatIsWrong)
{
  EXPECT_EQ(judged(region_of("WRONG")).status, Status::correctness);
  EXPECT_EQ(judged(region_of("CRASHES")).status, Status::runtime);
  EXPECT_EQ(judged(region_of("HANGS")).status, Status::timeout);
  EXPECT_EQ(judged(region_of("BROKEN")).status, Status::compile);
  EXPECT_EQ(judged("void other() { }").status, Status::rejected);
  EXPECT_EQ(judged("void step() { puts(\"n 8 sum 2.5\"); }").status, Status::rejected);
}

// The engine's text includes what a region of others may not say, and is verified and timed like theirs.
TEST(ProgramJudge, HonesOwnTextIsNotScanned)
{
  PretendedMachine machine;
  auto judge = Judge::open(sample(), machine, {});
  ASSERT_TRUE(judge);
  const std::string text = "#define LANES 8\n" + region_of("BETTER");
  EXPECT_EQ(judge->judge(text)->status, Status::rejected);
  EXPECT_EQ(judge->judge(text, Author::hone)->status, Status::correct);
  EXPECT_EQ(judge->judge("#define LANES 8\n" + region_of("WRONG"), Author::hone)->status, Status::correctness);
}

TEST(ProgramJudge, FreshInputsFindOutWhoKnowsTheDeclaredOnes)
{
  const ProgramRecord record = judged(region_of("DECLARED"));
  EXPECT_EQ(record.status, Status::correctness);
  EXPECT_THAT(record.reason, HasSubstr("a fresh input"));
}

// A region that is right on small inputs and wrong where it is timed would be accepted without this.
TEST(ProgramJudge, TimedRunsAreComparedToo)
{
  const ProgramRecord record = judged(region_of("LARGE"));
  EXPECT_EQ(record.status, Status::correctness);
  EXPECT_THAT(record.reason, HasSubstr("a timed input"));
  EXPECT_TRUE(record.pairs.empty());
}

TEST(ProgramJudge, ARegionsOwnAccountMustAgreeWithTheWholeProgram)
{
  const ProgramRecord claims = judged(region_of("CLAIMS"));
  EXPECT_EQ(claims.status, Status::rejected);
  EXPECT_THAT(claims.reason, HasSubstr("claims to have saved"));
  const ProgramRecord elsewhere = judged(region_of("ELSEWHERE"));
  EXPECT_EQ(elsewhere.status, Status::rejected);
  EXPECT_THAT(elsewhere.reason, HasSubstr("outside the region"));
  EXPECT_EQ(judged(region_of("SILENT")).status, Status::rejected);
}

TEST(ProgramJudge, EveryPairHasAnInputOfItsOwn)
{
  PretendedMachine machine;
  auto judge = Judge::open(sample(), machine, {});
  ASSERT_TRUE(judge);
  ASSERT_TRUE(judge->judge(region_of("BETTER")));
  // one declared, six fresh, nine pairs
  EXPECT_EQ(machine.seen.size(), 16u);
}

TEST(ProgramJudge, AProgramWhoseOutputsDoNotDependOnItsRegionIsNotSound)
{
  PretendedMachine machine; // leaving the region out takes its word away, and changes nothing here
  auto judge = Judge::open(sample(), machine, {});
  ASSERT_TRUE(judge);
  const auto check = judge->check();
  ASSERT_TRUE(check) << check.error().text();
  EXPECT_TRUE(check->repeats);
  EXPECT_TRUE(check->notices_nothing);
  EXPECT_FALSE(check->sound());
  EXPECT_NEAR(check->share, 0.5, 0.01);
  EXPECT_EQ(check->entries, 10);
}

// More time than the whole program took cannot be the region's.
TEST(Consistency, RefusesImpossibleTimes)
{
  const std::vector<PairTimes> pairs(9, {1, 0.5, 1, 0.5, 0.9, 0.6, 1, 1});
  EXPECT_THAT(summary_of(pairs, 0.05).contradiction, HasSubstr("more time than the whole"));
}

// The plain build may not save what the timed one shows to lie outside the region.
TEST(Consistency, APlainRunCannotSaveMoreThanTheRegionTook)
{
  std::vector<PairTimes> pairs;
  for (int i = 0; i < 9; ++i) {
    pairs.push_back({1 + 0.001 * i, 0.3, 1, 0.9, 0.2, 0.1, 1, 1});
  }
  EXPECT_THAT(summary_of(pairs, 0.05).contradiction, HasSubstr("the region was 20 % of it"));
}

TEST(ProgramRecords, ComeBackAsTheyWere)
{
  const ProgramRecord record = judged(region_of("BETTER"));
  const auto back = program_record_from(to_json(record), "records.jsonl");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(record));
  EXPECT_FALSE(program_record_from(Json{{"program", "x"}}, "records.jsonl"));
}

TEST(ProgramRecords, TheBestIsKeptUntilTheSourcesChange)
{
  const auto folder = TemporaryFolder::create("hone-test");
  ASSERT_TRUE(folder);
  Program program = sample(folder->path());
  ProgramRecord record = judged(region_of("BETTER"));
  record.sources = sources_hash(program);
  ASSERT_TRUE(add_record(program, record));
  EXPECT_TRUE(*keep_if_best(program, region_of("BETTER"), record));
  EXPECT_FALSE(*keep_if_best(program, region_of("BETTER"), record));
  EXPECT_EQ((*best_of(program))->text, region_of("BETTER"));
  EXPECT_EQ(all_records(program)->size(), 1u);
  EXPECT_THAT(*patch_of(program, region_of("BETTER")),
              HasSubstr("--- a/src/step.cpp\n+++ b/src/step.cpp\n@@ -1,3 +1,3 @@\n int before;\n-void step()"));
  program.sources["other.h"] = "changed";
  EXPECT_FALSE(*best_of(program));
}

// Answers by their number.
class Answers final : public llm::ModelProvider {
public:
  explicit Answers(std::vector<std::string> texts) : m_texts(std::move(texts)) {}
  std::string_view name() const override { return "answers"; }
  llm::ModelResult<llm::ModelAnswer> ask(const llm::ModelRequest& request, const llm::ModelListener&) override
  {
    asked.push_back(request);
    llm::ModelAnswer answer;
    answer.text = m_texts.at(asked.size() - 1);
    return answer;
  }
  llm::ModelResult<std::vector<std::string>> models(std::stop_token) override { return std::vector<std::string>(); }
  std::vector<llm::ModelRequest> asked;

private:
  std::vector<std::string> m_texts;
};

TEST(ProgramModel, MistakesAreToldAndMended)
{
  PretendedMachine machine;
  auto judge = Judge::open(sample(), machine, {});
  ASSERT_TRUE(judge);
  const auto fenced = [](const std::string& word) { return "Why.\n```cpp\n" + region_of(word) + "\n```\n"; };
  Answers provider({"no block", fenced("WRONG"), fenced("BETTER"), fenced("NOISE")});
  ImproveRequest request;
  request.provider = &provider;
  request.prompt = "{program} {whole} {region}";
  request.start = judge->region().text;
  request.baseline.whole_s = 1;
  request.attempts = 2;
  request.repairs = 2;
  int kept = 0;
  request.kept = [&](const std::string&, const ProgramRecord& record) -> Result<bool> {
    kept += record.accepted() ? 1 : 0;
    return record.accepted();
  };
  provider.asked.reserve(8);
  auto answers = improve(*judge,
                         [&] {
                           ImproveRequest once = request;
                           once.attempts = 1;
                           return once;
                         }(),
                         {});
  ASSERT_TRUE(answers) << answers.error().text();
  ASSERT_EQ(answers->size(), 3u);
  EXPECT_EQ(kept, 1);
  EXPECT_TRUE(answers->back().best);
  EXPECT_THAT(provider.asked[0].messages[0].text, HasSubstr("sample 1.00 s void step() { /* ORIGINAL */ }"));
  EXPECT_THAT(provider.asked[1].messages[2].text, HasSubstr("no fenced block"));
  EXPECT_THAT(provider.asked[2].messages[4].text, HasSubstr("1.5 instead of 2.5"));
}

TEST(ProgramModel, TheLastFencedBlockIsTheRegion)
{
  EXPECT_EQ(region_in("a\n```cpp\none\n```\nb\n```\ntwo\n```\n"), "two\n");
  EXPECT_EQ(region_in("```cpp\nnot ended"), "");
}

} // namespace
} // namespace hone::program
