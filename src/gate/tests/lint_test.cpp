// The proof of a kernel's check on real compilers and runners: sound kernels pass it, each kind of unsound one is
// refused with a reason that names what is wrong.
#include "gate/gate_state.h"
#include "gate/lint.h"
#include "gate/lint/controls.h"
#include "gate/lint/trials.h"
#include "util/fs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hone::gate {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* k_sizes = "[sizes]\ntimed = [ { m = 40, n = 48 } ]\n";

kernel::Kernel kernel_of(const std::string& expression, const std::string& arguments, const std::string& rest = k_sizes)
{
  auto kernel = kernel::parse_kernel(
    "[kernel]\nname = \"k\"\n[compute]\nexpr = \"" + expression + "\"\n[arguments]\n" + arguments + rest, "lint_test");
  if (!kernel) {
    throw std::runtime_error(kernel.error().text());
  }
  return std::move(*kernel);
}

const std::string k_matrix_x = "X = { type = \"f32\", shape = [\"m\", \"n\"] }\n";
const std::string k_matrix_y = "Y = { type = \"f32\", shape = [\"m\", \"n\"] }\n";
const std::string k_vector_y = "Y = { type = \"f32\", shape = [\"m\"] }\n";

class Lint : public testing::Test {
protected:
  // One cache for all: references and modules are compiled once.
  static void SetUpTestSuite() { s_cache = new TemporaryFolder(TemporaryFolder::create("lint-test").value()); }
  static void TearDownTestSuite()
  {
    delete s_cache;
    s_cache = nullptr;
  }

  static LintOptions options()
  {
    LintOptions out;
    out.cache = s_cache->path();
    return out;
  }

  static LintReport report_on(const kernel::Kernel& kernel)
  {
    auto report = lint_kernel(kernel, options());
    EXPECT_TRUE(report) << report.error().text();
    return report ? std::move(*report) : LintReport{};
  }

  static TemporaryFolder* s_cache;
};

TemporaryFolder* Lint::s_cache = nullptr;

const LintRow& row_of(const std::vector<LintRow>& rows, const std::string& subject)
{
  const auto found = std::ranges::find(rows, subject, &LintRow::subject);
  if (found == rows.end()) {
    throw std::runtime_error("no row " + subject);
  }
  return *found;
}

TEST_F(Lint, AMatrixProductIsSound)
{
  const LintReport report =
    report_on(kernel_of("Y[i,j] = A[i,0] + sum(p, A[i,p] * X[p,j])",
                        "A = { type = \"f32\", shape = [\"m\", \"m\"] }\n" + k_matrix_x + k_matrix_y));
  EXPECT_THAT(report.refusals, IsEmpty());
  for (const auto& rows : {report.degenerate, report.inputs, report.honest}) {
    for (const LintRow& row : rows) {
      EXPECT_EQ(row.outcome, LintRow::Outcome::proven) << row.subject << ": " << row.reason;
      EXPECT_GT(row.calls, 0) << row.subject;
    }
  }
  // The list is whole: what stands for every kind.
  for (const char* subject : {"another call's output", "zeros", "ones", "mean of another call's output", "all NaN",
                              "copy of A", "copy of X", "rounded to the 11 bits of tf32 and f16",
                              "rounded to the 8 bits of bf16", "one element off by 1.5 times its bound",
                              "last row not written", "last column not written", "last tile not written"}) {
    EXPECT_GT(row_of(report.degenerate, subject).noticed, 0) << subject;
  }
  const LintRow& off = row_of(report.degenerate, "one element off by 1.5 times its bound");
  EXPECT_EQ(off.noticed, off.calls);
  EXPECT_EQ(row_of(report.honest, "sums from the last term to the first").noticed, 0);
}

TEST_F(Lint, AConstantOutputIsRefused)
{
  const LintReport report =
    report_on(kernel_of("top[i] = max(j, X[i,j]); w[i,j] = exp(X[i,j] - top[i]); s[i] = sum(j, w[i,j]); "
                        "Y[i] = sum(j, w[i,j] / s[i]) / n",
                        k_matrix_x + k_vector_y));
  ASSERT_FALSE(report.passed());
  EXPECT_THAT(report.refusals.front(), AllOf(HasSubstr("'Y' with another call's output passes in all"),
                                             HasSubstr("a constant"), HasSubstr("of the bound off, with")));
  EXPECT_THAT(report.refusals.back(), HasSubstr("no output depends on 'X'"));
}

TEST_F(Lint, AnIgnoredInputIsRefusedByName)
{
  const LintReport report = report_on(
    kernel_of("Y[i,j] = 2 * X[i,j] + 0 * Z[j]", k_matrix_x + "Z = { type = \"f32\", shape = [\"n\"] }\n" + k_matrix_y));
  EXPECT_THAT(report.refusals, ElementsAre(HasSubstr("no output depends on 'Z'")));
  EXPECT_EQ(row_of(report.inputs, "X").outcome, LintRow::Outcome::proven);
}

TEST_F(Lint, AnIdentityIsRefused)
{
  const LintReport plain = report_on(kernel_of("Y[i,j] = X[i,j] * 1.0", k_matrix_x + k_matrix_y));
  EXPECT_THAT(plain.refusals, ElementsAre(HasSubstr("'Y' with copy of X passes in all")));
  // Only the domain makes it one.
  const LintReport relu = report_on(kernel_of(
    "Y[i,j] = relu(X[i,j])", "X = { type = \"f32\", shape = [\"m\", \"n\"], domain = [0.0, inf] }\n" + k_matrix_y));
  EXPECT_THAT(relu.refusals, ElementsAre(HasSubstr("copy of X")));
  EXPECT_THAT(report_on(kernel_of("Y[i,j] = relu(X[i,j])", k_matrix_x + k_matrix_y)).refusals, IsEmpty());
}

// The conversion is the computation; a kernel that only converts would be refused as a copy.
TEST_F(Lint, AConversionIsNoCopy)
{
  const LintReport report =
    report_on(kernel_of("Y[i,j] = i32(X[i,j])", "X = { type = \"f32\", shape = [\"m\", \"n\"], domain = [-1e9, 1e9] }\n"
                                                "Y = { type = \"i32\", shape = [\"m\", \"n\"] }\n"));
  EXPECT_THAT(report.refusals, IsEmpty());
}

TEST_F(Lint, WhatIsDegenerateOnSomeSizesOnlyIsNoMistake)
{
  // A sum of one term is a copy; an element repeated is its own mean; signs have no digits to lose.
  EXPECT_THAT(report_on(kernel_of("Y[i] = sum(j, X[i,j])", k_matrix_x + k_vector_y)).refusals, IsEmpty());
  EXPECT_THAT(report_on(kernel_of("Y[i] = sum(p, j, X[p,j])", k_matrix_x + k_vector_y)).refusals, IsEmpty());
  const LintReport signs = report_on(kernel_of("Y[i,j] = sign(X[i,j])", k_matrix_x + k_matrix_y));
  EXPECT_THAT(signs.refusals, IsEmpty());
  const LintRow& rounded = row_of(signs.degenerate, "rounded to the 8 bits of bf16");
  EXPECT_EQ(rounded.outcome, LintRow::Outcome::not_applicable);
  EXPECT_THAT(rounded.reason, HasSubstr("exact with so few bits"));
  EXPECT_THAT(row_of(signs.honest, "sums from the last term to the first").reason, HasSubstr("no sums"));
}

TEST_F(Lint, ABorderThatKeepsItsOldValuesIsNoMistake)
{
  const LintReport report =
    report_on(kernel_of("Y[i,j] = select(i < m - 1, 2 * X[i,j], Y[i,j])",
                        k_matrix_x + "Y = { type = \"f32\", shape = [\"m\", \"n\"], role = \"inout\" }\n"));
  EXPECT_THAT(report.refusals, IsEmpty());
  EXPECT_THAT(row_of(report.degenerate, "last row not written").reason, HasSubstr("before a call is right"));
  EXPECT_EQ(row_of(report.degenerate, "last column not written").outcome, LintRow::Outcome::proven);
}

TEST_F(Lint, EachOutputIsProvedAlone)
{
  const LintReport report = report_on(kernel_of(
    "Y[i,j] = 2 * X[i,j]; P[i] = argmax(j, X[i,j]); Q[i] = 7",
    k_matrix_x + k_matrix_y + "P = { type = \"i64\", shape = [\"m\"] }\nQ = { type = \"i32\", shape = [\"m\"] }\n"));
  ASSERT_FALSE(report.passed());
  EXPECT_THAT(report.refusals, Each(HasSubstr("'Q' with")));
  for (const LintRow& row : report.degenerate) {
    EXPECT_FALSE(row.output == "P" && row.outcome == LintRow::Outcome::refused) << row.subject;
  }
}

TEST_F(Lint, AToleranceWiderThanTheNextPrecisionIsRefused)
{
  const auto folder = TemporaryFolder::create("lint-code");
  ASSERT_TRUE(folder);
  const auto refusals_with = [&](const std::string& relative) {
    EXPECT_TRUE(write_file(folder->path() / "reference.cpp",
                           "void reference(const double* X, double* Y, int64_t m, int64_t n)\n"
                           "{\n  for (int64_t i = 0; i < m * n; ++i) Y[i] = 3 * X[i];\n}\n"));
    EXPECT_TRUE(write_file(folder->path() / "kernel.toml",
                           "[kernel]\nname = \"code\"\n[compute]\nreference = \"reference.cpp\"\n[arguments]\n"
                             + k_matrix_x + "Y = { type = \"f32\", shape = [\"m\", \"n\"], role = \"output\" }\n"
                             + k_sizes + "[accuracy]\nrelative = " + relative + "\n"));
    const auto kernel = kernel::load_kernel(folder->path());
    EXPECT_TRUE(kernel) << kernel.error().text();
    return report_on(*kernel).refusals;
  };
  EXPECT_THAT(refusals_with("1e-5"), IsEmpty());
  EXPECT_THAT(refusals_with("1e-3"), ElementsAre(AllOf(HasSubstr("rounded to the 11 bits of tf32 and f16 passes"),
                                                       HasSubstr("lower relative and absolute"))));
}

TEST_F(Lint, ControlLoopsThatFailAreNoticed)
{
  const std::string arguments = k_matrix_x + k_vector_y;
  const kernel::Kernel narrow = kernel_of("Y[i] = sum(j, X[i,j])", arguments);
  const kernel::Kernel wide =
    kernel_of("Y[i] = sum(j, X[i,j])", arguments, std::string(k_sizes) + "[accuracy]\naccumulate = \"f64\"\n");
  auto reference = kernel::Reference::build(wide, s_cache->path()); // bounds for sums in f64
  ASSERT_TRUE(reference) << reference.error().text();
  References references(wide, std::move(*reference));
  Random random(3);
  const auto trials = draw_lint_trials(narrow, random);
  ASSERT_TRUE(trials);
  ASSERT_TRUE(prepare_sessions());
  const auto rows = prove_controls(narrow, references, *trials, options(), random);
  ASSERT_TRUE(rows) << rows.error().text();
  const LintRow& reversed = row_of(*rows, "sums from the last term to the first");
  EXPECT_EQ(reversed.outcome, LintRow::Outcome::refused);
  EXPECT_THAT(reversed.reason, HasSubstr("Y[")); // the element
  EXPECT_GT(reversed.error, 1);
}

TEST_F(Lint, APassIsRememberedARefusalIsNot)
{
  const auto cache = TemporaryFolder::create("lint-cache");
  ASSERT_TRUE(cache);
  LintOptions fresh = options();
  fresh.cache = cache->path();
  std::stop_source stopped;
  stopped.request_stop();
  LintOptions at_once = fresh;
  at_once.stop = stopped.get_token(); // nothing can be tried
  const kernel::Kernel sound = kernel_of("Y[i,j] = 3 * X[i,j]", k_matrix_x + k_matrix_y);
  const auto interrupted = require_lint(sound, at_once);
  ASSERT_FALSE(interrupted);
  EXPECT_THAT(interrupted.error().message, HasSubstr("stopped"));
  ASSERT_TRUE(require_lint(sound, fresh));
  EXPECT_TRUE(require_lint(sound, at_once));
  EXPECT_FALSE(require_lint(kernel_of("Y[i,j] = 5 * X[i,j]", k_matrix_x + k_matrix_y), at_once)); // another hash

  const kernel::Kernel copy = kernel_of("Y[i,j] = X[i,j]", k_matrix_x + k_matrix_y);
  for (int round = 0; round < 2; ++round) {
    const auto refused = require_lint(copy, fresh);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("kernel.toml"), HasSubstr("is refused"), HasSubstr("copy of X"),
                                              HasSubstr("hone lint")));
  }
}

TEST_F(Lint, TheSameKernelGetsTheSameAnswer)
{
  const kernel::Kernel kernel = kernel_of("Y[i,j] = 3 * X[i,j]", k_matrix_x + k_matrix_y);
  Json one = to_json(report_on(kernel));
  Json two = to_json(report_on(kernel));
  one.erase("seconds");
  two.erase("seconds");
  EXPECT_EQ(one.dump(), two.dump());
  EXPECT_EQ(one["passed"], true);
}

} // namespace
} // namespace hone::gate
