// Kernels whose right results come from code: reference.cpp, or the kernel's own first candidate.
#include "gate/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::gate {
namespace {

using testing::HasSubstr;

// A running average: every element depends on the one before, which no expression says.
constexpr const char* k_average = R"(#include <cmath>
void reference(const double* X, const double* decay, double* Y, int64_t m, int64_t n)
{
  for (int64_t i = 0; i < m; ++i) {
    double state = 0;
    for (int64_t j = 0; j < n; ++j) {
      state = decay[0] * state + (1 - decay[0]) * X[i * n + j];
      Y[i * n + j] = state;
    }
  }
}
)";

std::string candidate_text(const std::string& start)
{
  return "extern \"C\" void average(const hone_group* group, const float* X, const float* decay, float* Y, int64_t n)\n"
         "{\n  const int64_t i = group->id[0];\n  float state = "
         + start
         + ";\n  for (int64_t j = 0; j < n; ++j) {\n"
           "    state = decay[0] * state + (1 - decay[0]) * X[i * n + j];\n    Y[i * n + j] = state;\n  }\n}\n";
}

std::map<std::string, std::string> candidate_files(const std::string& start)
{
  return {{"device.cpp", "#include \"hone.h\"\n" + candidate_text(start)},
          {"macros.h", "#pragma once\n"},
          {"launch.toml", "[[launch]]\nkernel = \"average\"\ngrid = \"m\"\nargs = [\"X\", \"decay\", \"Y\", \"n\"]\n"}};
}

class CodeReferences : public testing::Test {
protected:
  CodeReferences() : m_folder(TemporaryFolder::create("hone-code-reference").value()) {}

  void write(const std::string& kind, const std::string& reference)
  {
    const fs::path folder = m_folder.path();
    ASSERT_TRUE(
      write_file(folder / "kernel.toml",
                 "[kernel]\nname = \"average\"\n[compute]\nreference = \"" + kind
                   + "\"\n[arguments]\nX = { type = \"f32\", shape = [\"m\", \"n\"] }\n"
                     "decay = { type = \"f32\", domain = [0.0, 1.0] }\n"
                     "Y = { type = \"f32\", shape = [\"m\", \"n\"], role = \"output\" }\n"
                     "[sizes]\ntimed = [ { m = 8, n = 100 } ]\n[accuracy]\nrelative = 1e-5\nabsolute = 1e-5\n"));
    ASSERT_TRUE(write_file(folder / "reference.cpp", reference));
    std::error_code error;
    fs::create_directories(folder / "start" / "cpu", error);
    for (const auto& [name, text] : candidate_files("0")) {
      ASSERT_TRUE(write_file(folder / "start" / "cpu" / name, text));
    }
  }

  Result<record::Verdict> judge(const std::string& start)
  {
    HONE_TRY(kernel::Kernel loaded, kernel::load_kernel(m_folder.path()));
    const auto kernel = std::make_shared<const kernel::Kernel>(std::move(loaded));
    HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
    GateOptions options;
    options.cache = m_folder.path() / "cache";
    options.seed = 5;
    HONE_TRY(Gate gate, Gate::open(kernel, *backend, options));
    HONE_TRY(const kernel::Candidate candidate, kernel::make_candidate(*kernel, candidate_files(start)));
    record::Recipe recipe;
    recipe.sizes = kernel->timed.front();
    return gate.validate({candidate, {}, {}, {}}, recipe, record::Depth::screen);
  }

  TemporaryFolder m_folder;
};

TEST_F(CodeReferences, JudgeByReferenceCode)
{
  write("reference.cpp", k_average);
  const auto right = judge("0");
  ASSERT_TRUE(right) << right.error().text();
  EXPECT_EQ(right->status, record::Status::correct) << right->reason;
  const auto noted = std::ranges::find(right->checks, "reference", &record::CheckResult::name);
  ASSERT_NE(noted, right->checks.end());
  EXPECT_THAT(noted->detail, HasSubstr("reference.cpp"));
  const auto wrong = judge("0.25f");
  ASSERT_TRUE(wrong) << wrong.error().text();
  EXPECT_EQ(wrong->status, record::Status::correctness);
}

TEST_F(CodeReferences, JudgeByTheFirstCandidate)
{
  write("start", "");
  const auto right = judge("0");
  ASSERT_TRUE(right) << right.error().text();
  EXPECT_EQ(right->status, record::Status::correct) << right->reason;
  const auto wrong = judge("0.25f");
  ASSERT_TRUE(wrong) << wrong.error().text();
  EXPECT_EQ(wrong->status, record::Status::correctness);
}

TEST_F(CodeReferences, MistakesNameTheFileAndTheLine)
{
  write("reference.cpp", "void reference(const double* X, const double* decay, double* Y, int64_t m, int64_t n)\n"
                         "{\n  Y[0] = Z[0];\n}\n");
  const auto broken = judge("0");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().text(), HasSubstr("does not compile"));
  EXPECT_THAT(broken.error().text(), HasSubstr("reference.cpp:3"));

  write("reference.cpp", "void reference(const double* X, const double*, double* Y, int64_t m, int64_t n)\n"
                         "{\n  for (int64_t i = 0; i <= m * n; ++i) Y[i] = X[i];\n}\n");
  const auto wild = judge("0");
  ASSERT_FALSE(wild);
  EXPECT_THAT(wild.error().text(), HasSubstr("the reference fails on"));
}

} // namespace
} // namespace hone::gate
