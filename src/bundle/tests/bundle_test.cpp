#include "bundle/bundle.h"
#include "bundle/repeat_steps.h"
#include "lower/lower.h"
#include "util/compression.h"
#include "util/text.h"

#include <gmock/gmock.h>

namespace hone::bundle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path k_root = HONE_SOURCE_ROOT;

// A path of three: plain loops, the built-in engine's reordered ones, and what a model made of those.
class BundleTest : public testing::Test {
protected:
  void SetUp() override
  {
    m_kernel = kernel::load_kernel(k_root / "kernels" / "matmul").value();
    m_catalogue = catalogue::load_catalogue(k_root / "transformations", {}).value();
    m_bundle = {m_kernel.name,
                m_kernel.hash,
                m_dialect,
                {{"kernel.toml", read_file(m_kernel.folder / "kernel.toml").value()}},
                {}};
    add("start", "builtin", lower::naive_candidate(m_kernel, m_dialect).value());
    const catalogue::Transformation* step = catalogue::find_transformation(m_catalogue, "reorder-loops").value();
    add("reorder-loops", "builtin", rewrite::builtin_engine().apply({m_kernel, last(), *step, m_dialect}).value());
    add_answered();
  }

  const kernel::Candidate& last() const { return m_bundle.steps.back().checkpoint.candidate; }

  void add(const std::string& step, const std::string& engine, kernel::Candidate candidate)
  {
    store::Checkpoint checkpoint;
    checkpoint.id = std::string(40, static_cast<char>('a' + m_bundle.steps.size()));
    checkpoint.parent = m_bundle.steps.empty() ? "" : m_bundle.steps.back().checkpoint.id;
    checkpoint.transformation = step;
    checkpoint.record.transformation = step;
    checkpoint.record.engine = engine;
    checkpoint.record.candidate = candidate.hash();
    checkpoint.record.kernel = m_kernel.hash;
    checkpoint.record.recipe_used.sizes = m_kernel.timed.front();
    checkpoint.candidate = std::move(candidate);
    m_bundle.steps.push_back({std::move(checkpoint), {}});
  }

  // The first answer names no file that is there; its repair adds a line to device.cpp.
  void add_answered()
  {
    auto files = last().files;
    files["device.cpp"] += "#define HONE_TEST_TIDIED 1\n";
    const std::string right = "```cpp device.cpp\n" + files["device.cpp"] + "```\n";
    add("say-that-it-is-tidy", "model", kernel::make_candidate(m_kernel, std::move(files)).value());
    BundledExchange exchange{{"say-that-it-is-tidy", "Say that it is tidy", ""}, {}};
    const auto answer = [&](int number, bool passed, const std::string& text) {
      llm::StoredAnswer stored{"openai", {}, {}};
      stored.request.model = "some-model";
      stored.request.messages = {{llm::ModelMessage::Role::user, "what to do"}};
      stored.answer.text = text;
      stored.answer.model = "some-model";
      exchange.answers.push_back(
        {{stored.request.hash(), "whole", 0, number, passed, passed ? "" : "did not apply", ""}, std::move(stored)});
    };
    answer(0, false, "<<<<<<< SEARCH\nno such line\n=======\nanother\n>>>>>>> REPLACE\n");
    answer(1, true, right);
    m_bundle.steps.back().exchange = std::move(exchange);
  }

  Result<Bundle> there_and_back(const kernel::Kernel& kernel) const
  {
    HONE_TRY(const std::string bytes, bundle_bytes(m_bundle));
    HONE_TRY(PackedBundle packed, unpack_bundle(bytes, "some.hone"));
    return read_bundle(std::move(packed), kernel, "some.hone");
  }

  Result<std::vector<RepeatedStep>> again(const Bundle& bundle) const
  {
    return repeat_steps(m_kernel, bundle, {}, m_catalogue, k_root / "prompts");
  }

  // The bytes of the bundle with one text in the place of another.
  std::string changed(const std::string& from, const std::string& to) const
  {
    const std::string text = decompress(bundle_bytes(m_bundle).value(), std::size_t{1} << 26, "").value();
    EXPECT_THAT(text, HasSubstr(from));
    return compress(replace_all(text, from, to));
  }

  kernel::Kernel m_kernel;
  std::vector<catalogue::Transformation> m_catalogue;
  lower::Dialect m_dialect = lower::cpu_dialect(32, false);
  Bundle m_bundle;
};

TEST_F(BundleTest, HoldsWhatWasPutIn)
{
  const auto bundle = there_and_back(m_kernel);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(bundle->dialect.name, "cpu");
  EXPECT_EQ(bundle->dialect.vector_bytes, m_dialect.vector_bytes);
  EXPECT_EQ(bundle->kernel_files, m_bundle.kernel_files);
  ASSERT_EQ(bundle->steps.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bundle->steps[i].checkpoint.id, m_bundle.steps[i].checkpoint.id);
    EXPECT_EQ(bundle->steps[i].checkpoint.candidate.hash(), m_bundle.steps[i].checkpoint.candidate.hash());
    EXPECT_EQ(bundle->steps[i].checkpoint.candidate.schedule, m_bundle.steps[i].checkpoint.candidate.schedule);
  }
  ASSERT_TRUE(bundle->steps[2].exchange);
  EXPECT_EQ(bundle->steps[2].exchange->answers[1].stored.answer.text,
            m_bundle.steps[2].exchange->answers[1].stored.answer.text);
  EXPECT_FALSE(bundle->steps[1].exchange);
}

TEST_F(BundleTest, TheKernelThatComesOutIsTheOneThatWentIn)
{
  const TemporaryFolder folder = TemporaryFolder::create("hone-test").value();
  const auto packed = unpack_bundle(bundle_bytes(m_bundle).value(), "some.hone");
  ASSERT_TRUE(packed);
  ASSERT_TRUE(write_kernel_files(*packed, folder.path()));
  EXPECT_EQ(kernel::load_kernel(folder.path()).value().hash, m_kernel.hash);
}

TEST_F(BundleTest, StepsLeadToTheSameFilesAgain)
{
  const auto steps = again(there_and_back(m_kernel).value());
  ASSERT_TRUE(steps) << steps.error().text();
  ASSERT_EQ(steps->size(), 3u);
  EXPECT_EQ((*steps)[0].how, RepeatedStep::How::taken);
  EXPECT_EQ((*steps)[1].how, RepeatedStep::How::builtin);
  EXPECT_THAT((*steps)[1].other, IsEmpty());
  EXPECT_EQ((*steps)[2].how, RepeatedStep::How::model);
  for (const RepeatedStep& step : *steps) {
    EXPECT_TRUE(step.same) << step.transformation;
  }
  EXPECT_THAT((*steps)[2].other,
              ElementsAre("the request of pass 'whole': its instructions (the system text) differ",
                          "the request of pass 'whole', repair 1: its instructions (the system text) differ"));
}

TEST_F(BundleTest, OtherFilesAreToldWithTheirLine)
{
  m_bundle.steps[2].exchange->answers[1].stored.answer.text =
    "```cpp device.cpp\n" + m_bundle.steps[1].checkpoint.candidate.files.at("device.cpp") + "#define ANOTHER\n```\n";
  auto files = m_bundle.steps[1].checkpoint.candidate.files;
  const std::string& device = files.at("device.cpp");
  const auto lines = std::count(device.begin(), device.end(), '\n');
  const auto steps = again(m_bundle);
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_FALSE((*steps)[2].same);
  EXPECT_EQ((*steps)[2].other.back(), "device.cpp differs from line " + std::to_string(lines + 1) + " on");
}

TEST_F(BundleTest, AnotherEngineIsTold)
{
  auto files = m_bundle.steps[1].checkpoint.candidate.files;
  files["device.cpp"] = "// written by an earlier version\n" + files["device.cpp"];
  kernel::Candidate other = kernel::make_candidate(m_kernel, std::move(files)).value();
  m_bundle.steps[1].checkpoint.record.candidate = other.hash();
  m_bundle.steps[1].checkpoint.candidate = std::move(other);
  const auto steps = again(m_bundle);
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_FALSE((*steps)[1].same);
  EXPECT_THAT((*steps)[1].other, ElementsAre("device.cpp differs from line 1 on"));
}

TEST_F(BundleTest, WithoutItsAnswersAStepIsNotTheSame)
{
  m_bundle.steps[2].exchange->answers.pop_back();
  const auto steps = again(m_bundle);
  ASSERT_TRUE(steps) << steps.error().text();
  EXPECT_FALSE((*steps)[2].same);
}

TEST_F(BundleTest, AnotherKernelIsRefused)
{
  kernel::Kernel other = m_kernel;
  other.hash = std::string(64, '0');
  const auto bundle = there_and_back(other);
  ASSERT_FALSE(bundle);
  EXPECT_THAT(bundle.error().message, HasSubstr("of another kernel"));
}

// Its steps would be read with the wrong dialect.
TEST_F(BundleTest, AnUnknownBackendIsRefused)
{
  auto packed = unpack_bundle(bundle_bytes(m_bundle).value(), "some.hone");
  ASSERT_TRUE(packed) << packed.error().text();
  packed->backend = "metal";
  const auto bundle = read_bundle(std::move(*packed), m_kernel, "some.hone");
  ASSERT_FALSE(bundle);
  EXPECT_THAT(bundle.error().message, HasSubstr("backend 'metal', which this Hone does not have"));
}

TEST_F(BundleTest, FilesThatAreNotTheirRecordsAreRefused)
{
  auto packed = unpack_bundle(changed("HONE_TEST_TIDIED", "HONE_TEST_SHODDY"), "some.hone");
  ASSERT_TRUE(packed) << packed.error().text();
  const auto bundle = read_bundle(std::move(*packed), m_kernel, "some.hone");
  ASSERT_FALSE(bundle);
  EXPECT_THAT(bundle.error().message, HasSubstr("not those its record was made for"));
}

TEST_F(BundleTest, AChangedRequestIsRefused)
{
  auto packed = unpack_bundle(changed("what to do", "what to do!"), "some.hone");
  ASSERT_TRUE(packed) << packed.error().text();
  EXPECT_FALSE(read_bundle(std::move(*packed), m_kernel, "some.hone"));
}

TEST_F(BundleTest, RecordsThatAskForTooMuchAreRefused)
{
  const std::vector<std::pair<std::string, std::string>> changes{
    {"\"pairs\":4", "\"pairs\":-1"},
    {"\"pairs\":4", "\"pairs\":100000"},
    {"\"seconds_per_pair\":0.1", "\"seconds_per_pair\":1e9"},
    {"\"try\":1", "\"try\":2000000000"},
    {"\"sample\":0", "\"sample\":-1"},
    {"\"parent\":\"" + std::string(40, 'b'), "\"parent\":\"" + std::string(40, 'a')},
    {"\"transformation\":\"start\"", "\"transformation\":\"\\u001b[2J\""}};
  for (const auto& [from, to] : changes) {
    auto packed = unpack_bundle(changed(from, to), "some.hone");
    ASSERT_TRUE(packed) << packed.error().text();
    EXPECT_FALSE(read_bundle(std::move(*packed), m_kernel, "some.hone")) << to;
  }
}

TEST_F(BundleTest, NamesThatLeadOutOfTheFolderAreRefused)
{
  for (const char* name : {"../kernel.toml", "/etc/passwd", "start/../../x", ".hone/x", "a/b/c/d", "", "a//b", "a b"}) {
    const auto packed = unpack_bundle(changed("\"kernel.toml\"", Json(name).dump()), "some.hone");
    ASSERT_FALSE(packed) << name;
    EXPECT_THAT(packed.error().message, HasSubstr("is no name of a kernel's file"));
  }
}

TEST_F(BundleTest, WhatIsNoBundleIsRefusedWithItsName)
{
  for (const std::string& bytes :
       {std::string("no zstd"), compress("no JSON"), compress("{}"), compress("[]"),
        compress(R"({"format": "hone-bundle 99"})"), changed("\"steps\":[", "\"steps\":[7,")}) {
    auto packed = unpack_bundle(bytes, "some.hone");
    const auto bundle =
      packed ? read_bundle(std::move(*packed), m_kernel, "some.hone") : std::unexpected(std::move(packed.error()));
    ASSERT_FALSE(bundle);
    EXPECT_THAT(bundle.error().text(), HasSubstr("some.hone"));
  }
}

TEST_F(BundleTest, OnlyTextIsTakenAlong)
{
  m_bundle.kernel_files["start/cpu/macros.h"] = "\xff\xfe";
  EXPECT_FALSE(bundle_bytes(m_bundle));
}

} // namespace
} // namespace hone::bundle
