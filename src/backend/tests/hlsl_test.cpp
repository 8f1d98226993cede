// From a candidate in HLSL to what the runner gets, without a device.
#include "backend/hlsl/hlsl_backend.h"
#include "backend/hlsl/program_text.h"
#include "backend/hlsl/runner/shaders.h"
#include "backend/hlsl/shader_image.h"
#include "util/util.h"

#include <gmock/gmock.h>

namespace hone::backend {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class HlslProgram : public testing::Test {
protected:
  HlslProgram()
  {
    auto kernel =
      kernel::parse_kernel("[kernel]\nname = \"add\"\n[compute]\nexpr = \"Y[i,j] = X[i,j] + 1\"\n[arguments]\n"
                           "X = { type = \"f32\", shape = [\"m\", \"n\"] }\n"
                           "Y = { type = \"f32\", shape = [\"m\", \"n\"], role = \"output\" }\n"
                           "[sizes]\ntimed = [ { m = 8, n = 8 } ]\nalso = \"any\"\n",
                           "add");
    EXPECT_TRUE(kernel) << kernel.error().text();
    m_kernel = *kernel;
    m_plan.launches.push_back({});
    m_plan.launches[0].kernel = "add";
    m_plan.launches[0].block = {8, 4, 1};
    kernel::LaunchSpec launch;
    launch.kernel = "add";
    launch.args = {"Y", "n", "X", "m"};
    m_candidate.plan.launches = {launch};
  }

  BuildInput input() const { return {m_kernel, m_candidate, {{"TILE", 8}}, {{"m", 8}, {"n", 8}}, m_plan}; }

  std::expected<std::string, LoadFailure> program(const std::string& device)
  {
    m_candidate.files = {{"device.hlsl", device}, {"macros.h", "#pragma once\n#define TWICE (2 * TILE)\n"}};
    return hlsl_program_text(input());
  }

  kernel::Kernel m_kernel;
  kernel::Candidate m_candidate;
  kernel::ResolvedPlan m_plan;
};

// SPIR-V with nothing but the size of the group.
std::string code_with_block(std::uint32_t x, std::uint32_t y)
{
  const std::vector<std::uint32_t> words = {0x07230203, 0x10300, 0, 2, 0, 6u << 16 | 16, 1, 17, x, y, 1};
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t)};
}

TEST_F(HlslProgram, DeclaresTensorsAndSizesByTheirNames)
{
  const auto text = program("#include \"macros.h\"\n[numthreads(8, 4, 1)] void add() {}\n");
  ASSERT_TRUE(text) << text.error().reason;
  EXPECT_THAT(*text, AllOf(HasSubstr("[[vk::binding(0)]] StructuredBuffer<float> X;"),
                           HasSubstr("[[vk::binding(1)]] RWStructuredBuffer<float> Y;"),
                           HasSubstr("  int m;\n  int n;\n"), HasSubstr("#define TILE 8"), HasSubstr("#line 1 2\n")));
}

TEST_F(HlslProgram, RefusesOtherFilesAndTypesThatShadersLack)
{
  const auto included = program("#include \"/etc/passwd\"\n");
  ASSERT_FALSE(included);
  EXPECT_THAT(included.error().reason, HasSubstr("`include`"));
  EXPECT_FALSE(program("#pragma pack_matrix(row_major)\n"));
  EXPECT_FALSE(program("#line 7 1\n")) << "messages would name other lines";
  m_kernel.arguments[0].type = kernel::DataType::f64;
  const auto wide = program("");
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.error().reason, HasSubstr("X holds f64"));
}

TEST_F(HlslProgram, SizesGoWhereTheLaunchNamesThem)
{
  const auto shader = make_shader(input(), "add", code_with_block(8, 4));
  ASSERT_TRUE(shader) << shader.error();
  EXPECT_THAT(shader->offsets, ElementsAre(4U, 0U)); // n comes before m among the arguments
  const auto packed = runner::shaders_in(image_of({*shader}));
  ASSERT_EQ(packed.size(), 1U);
  EXPECT_EQ(packed[0].kernel, "add");
  EXPECT_THAT(packed[0].offsets, ElementsAre(4U, 0U));
  EXPECT_EQ(packed[0].code.size(), 11U);
}

TEST_F(HlslProgram, AnImageThatIsCutOffIsNone)
{
  const auto shader = make_shader(input(), "add", code_with_block(8, 4));
  ASSERT_TRUE(shader);
  const std::string image = image_of({*shader});
  for (std::size_t length = 0; length < image.size(); ++length) {
    EXPECT_TRUE(runner::shaders_in(image.substr(0, length)).empty()) << length;
  }
}

TEST_F(HlslProgram, TheBlockOfThePlanAndOfTheCodeAgree)
{
  const auto other = make_shader(input(), "add", code_with_block(16, 4));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error(), AllOf(HasSubstr("8 x 4 x 1"), HasSubstr("16 x 4 x 1")));
  m_plan.launches[0].shared_bytes = 64;
  const auto shared = make_shader(input(), "add", code_with_block(8, 4));
  ASSERT_FALSE(shared);
  EXPECT_THAT(shared.error(), HasSubstr("groupshared"));
}

TEST(HlslLog, PlacesComeFirst)
{
  EXPECT_EQ(translate_hlsl_log("program.hlsl\nERROR: 2:12: 'x' : undeclared identifier \nERROR: 1 compilation errors.  "
                               "No code generated.\n"),
            "device.hlsl:12: error: 'x' : undeclared identifier \n");
}

} // namespace
} // namespace hone::backend
