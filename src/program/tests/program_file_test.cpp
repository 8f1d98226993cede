// program.toml: what is read, and that mistakes are told with their place.
#include "program/program.h"
#include "util/fs.h"
#include "util/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::program {
namespace {

using ::testing::HasSubstr;

constexpr const char* k_sample = R"([program]
name = "heat"
sources = "src"
build = ["make", "-j2"]
run = ["./heat", "{n}", "{tree}/data"]
stdin = "{seed}\n"
[program.files]
"a.cfg" = "m = {m}"
[region]
file = "step.cpp"
function = "step"
[verify]
outputs = ["stdout", "out/field.bin as f32"]
relative = 1e-9
[[inputs]]
name = "small"
values = { n = 8, seed = 1, m = "x" }
[draw]
n = "4..64"
seed = "1..1000000"
m = ["x", "y"]
[time]
pairs = 11
values = { n = 512, seed = "1..1000000", m = "x" }
)";

class ProgramFile : public ::testing::Test {
protected:
  void SetUp() override
  {
    m_folder.emplace(std::move(*TemporaryFolder::create("hone-test")));
    fs::create_directories(m_folder->path() / "src");
    ASSERT_TRUE(write_file(m_folder->path() / "src" / "step.cpp", "void step()\n{\n}\n"));
  }
  Result<Program> loaded(const std::string& text)
  {
    EXPECT_TRUE(write_file(m_folder->path() / "program.toml", text));
    return load(m_folder->path());
  }
  std::string mistake(const std::string& from, const std::string& to)
  {
    const auto program = loaded(replace_all(k_sample, from, to));
    return program ? "no mistake" : program.error().text();
  }

private:
  std::optional<TemporaryFolder> m_folder;
};

TEST_F(ProgramFile, IsRead)
{
  const auto program = loaded(k_sample);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ(program->outputs[1].name, "out/field.bin");
  EXPECT_EQ(program->outputs[1].as, OutputSpec::As::f32);
  EXPECT_EQ(program->time.pairs, 11);
  EXPECT_EQ(program->inputs[0].values.at("n"), "8");
  EXPECT_EQ(std::get<WholeRange>(program->drawn.at("n")).high, 64);
  EXPECT_EQ(program->region_file(), "void step()\n{\n}\n");
}

// A mistake that is not told becomes a judgement of something else.
TEST_F(ProgramFile, MistakesHaveAPlaceAndAWayOut)
{
  EXPECT_THAT(mistake("relative", "relativ"), HasSubstr("did you mean 'relative'?"));
  EXPECT_THAT(mistake("relative", "relativ"), HasSubstr("program.toml:14:"));
  EXPECT_THAT(mistake("pairs = 11", "pairs = 3"), HasSubstr("number from 8"));
  EXPECT_THAT(mistake("\"src\"", "\"../src\""), HasSubstr("leads out"));
  EXPECT_THAT(mistake("out/field", "../field"), HasSubstr("is no output"));
  EXPECT_THAT(mistake("as f32", "as f16"), HasSubstr("text, f32 or f64"));
  EXPECT_THAT(mistake("seed = 1, ", ""), HasSubstr("the input 'small' gives 'seed' no value"));
  EXPECT_THAT(mistake("[draw]\nn = \"4..64\"", "[draw]\nn = \"4..64\"\nk = 1"), HasSubstr("[draw] gives 'k' a value"));
  EXPECT_THAT(mistake("\"4..64\"", "\"64..4\""), HasSubstr("is empty"));
  EXPECT_THAT(mistake("\"step.cpp\"", "\"stepp.cpp\""), HasSubstr("did you mean 'step.cpp'?"));
  EXPECT_THAT(mistake("function = \"step\"", "lines = [1, 2]"), HasSubstr("opens or closes a brace"));
  EXPECT_THAT(mistake("function = \"step\"", "function = \"step\"\nmarked = true"), HasSubstr("in one way"));
}

} // namespace
} // namespace hone::program
