// Steps for elements side by side: what they refuse, what they print, and that they give the reference's results.
#include "rewrite/builtin/rewrites.h"
#include "sequence_harness.h"
#include "shipped_kernels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::rewrite {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Tensor {
  const char* name;
  const char* shape;
  const char* role = "input";
};

// A kernel over the sizes m, n and k.
kernel::Kernel written(const std::string& expression, const std::vector<Tensor>& tensors,
                       const std::string& type = "f32")
{
  std::string toml = fmt::format("[kernel]\nname = \"written\"\n[compute]\nexpr = \"{}\"\n[arguments]\n", expression);
  for (const Tensor& tensor : tensors) {
    toml += fmt::format("{} = {{ type = \"{}\", shape = [{}], role = \"{}\" }}\n", tensor.name, type, tensor.shape,
                        tensor.role);
  }
  std::string sizes;
  for (const char* size : {"m", "n", "k"}) {
    const bool used = std::ranges::any_of(
      tensors, [&](const Tensor& tensor) { return std::string(tensor.shape).find(size) != std::string::npos; });
    sizes += used ? fmt::format("{}{} = 64", sizes.empty() ? "" : ", ", size) : "";
  }
  toml += fmt::format("[sizes]\ntimed = [ {{ {} }} ]\nalso = \"any\"\n", sizes);
  return or_throw(kernel::parse_kernel(toml, "written"));
}

const char* const k_mn = "\"m\", \"n\"";
const char* const k_mk = "\"m\", \"k\"";
const char* const k_nk = "\"n\", \"k\"";
const char* const k_kn = "\"k\", \"n\"";
const char* const k_mm = "\"m\", \"m\"";
const char* const k_m = "\"m\"";
const char* const k_n = "\"n\"";

std::string printed_after(const kernel::Kernel& kernel, const std::vector<std::string>& steps)
{
  return or_throw(lower::lower_schedule(kernel, or_throw(after(kernel, steps)), k_cpu)).device_source();
}

const std::vector<std::string> k_both = {"vectorize-elements", "tile-elements"};

kernel::Kernel matrix_vector()
{
  return written("y[i] = 2 * sum(j, A[i,j] * x[j]) + y[i]", {{"A", k_mn}, {"x", k_n}, {"y", k_m, "inout"}});
}

// Statements whose elements share what they read.
std::vector<kernel::Kernel> tiled_kernels()
{
  std::vector<kernel::Kernel> out;
  out.push_back(shipped("matvec"));
  out.push_back(matrix_vector());
  // Both directions in one kernel; the second reads what the first wrote.
  out.push_back(written("t[i] = sum(j, A[i,j] * x[j]); y[j] = sum(i, A[i,j] * t[i])",
                        {{"A", k_mn}, {"x", k_n}, {"y", k_n, "output"}}, "f64"));
  // Two operands of the same rows in one sum, and two sums in one element.
  out.push_back(written("y[i] = 3 * sum(j, A[i,j] * x[j]) - sum(j, B[i,j] * x[j])",
                        {{"A", k_mn}, {"B", k_mn}, {"x", k_n}, {"y", k_m, "output"}}));
  // Ranges that depend on the row, from either end.
  out.push_back(written("y[i] = sum(i <= j < m, A[i,j] * x[j])", {{"A", k_mm}, {"x", k_m}, {"y", k_m, "output"}}));
  out.push_back(
    written("y[i] = x[i] - sum(j < i, A[i,j] * x[j])", {{"A", k_mm}, {"x", k_m}, {"y", k_m, "output"}}, "f64"));
  out.push_back(written("C[i,j] = sum(p <= i, A[i,p] * B[p,j])", {{"A", k_mm}, {"B", k_mn}, {"C", k_mn, "output"}}));
  out.push_back(
    written("C[i,j] = sum(i < p < m, A[p,i] * B[p,j]) + B[i,j]", {{"A", k_mm}, {"B", k_mn}, {"C", k_mn, "output"}}));
  // Outputs of which only a part is computed.
  out.push_back(written("C[i,j] = select(j <= i, 2 * sum(p, A[i,p] * A[j,p]) + 3 * C[i,j], C[i,j])",
                        {{"A", k_mk}, {"C", k_mm, "inout"}}));
  out.push_back(written("C[i,j] = select(i <= j, sum(p, A[i,p] * B[j,p]) + sum(p, B[i,p] * A[j,p]), C[i,j])",
                        {{"A", k_mk}, {"B", k_mk}, {"C", k_mm, "inout"}}, "f64"));
  // Distances, products of differences, the largest difference.
  out.push_back(written("D[i,j] = sqrt(sum(p, (X[i,p] - Y[j,p]) * (X[i,p] - Y[j,p])))",
                        {{"X", k_mk}, {"Y", k_nk}, {"D", k_mn, "output"}}));
  out.push_back(
    written("D[i,j] = max(p, abs(X[i,p] - Y[j,p]))", {{"X", k_mk}, {"Y", k_nk}, {"D", k_mn, "output"}}, "f64"));
  out.push_back(written("a[j] = sum(p, X[p,j]) / k; C[i,j] = sum(p, (X[p,i] - a[i]) * (X[p,j] - a[j])) / (k + 1)",
                        {{"X", k_kn}, {"C", "\"n\", \"n\"", "output"}}, "f64"));
  // A product with three factors, an update.
  out.push_back(
    written("C[i,j] = C[i,j] * 0.5 + sum(p, 2 * A[i,p] * B[p,j])", {{"A", k_mk}, {"B", k_kn}, {"C", k_mn, "inout"}}));
  // In place: what is read is copied before it is overwritten.
  out.push_back(
    written("B[i,j] = 2 * (B[i,j] + sum(i < p < m, A[p,i] * B[p,j]))", {{"A", k_mm}, {"B", k_mn, "inout"}}, "f64"));
  out.push_back(
    written("A[i,j] = sum(p, A[i,p] * W[p,j]) + A[i,j] * A[i,n-1]", {{"A", k_mn, "inout"}, {"W", "\"n\", \"n\""}}));
  out.push_back(written("y[j] = y[j] + sum(i, A[i,j] * y[i])", {{"A", k_mm}, {"y", k_m, "inout"}}));
  // The sum of rows inside a formula, and the largest of a column.
  out.push_back(
    written("y[j] = sqrt(3 + sum(i, A[i,j] * A[i,j])) * x[j]", {{"A", k_mn}, {"x", k_n}, {"y", k_n, "output"}}));
  out.push_back(written("y[j] = max(i, A[i,j])", {{"A", k_mn}, {"y", k_n, "output"}}, "f64"));
  // A plane of planes.
  out.push_back(written("D[i,j,p] = sum(q < 3, 2 * X[i,j,q] * W[q,p])",
                        {{"X", "\"m\", \"n\", 3"}, {"W", "3, \"k\""}, {"D", "\"m\", \"n\", \"k\"", "output"}}));
  return out;
}

// Statements with borders, windows and moving ranges.
std::vector<kernel::Kernel> bordered_kernels()
{
  std::vector<kernel::Kernel> out;
  out.push_back(
    written("Y[i,j] = select(1 <= i && i < m - 1 && 1 <= j && j < n - 1, 0.2 * (X[i,j] + X[i-1,j] + X[i+1,j] "
            "+ X[i,j-1] + X[i,j+1]), Y[i,j])",
            {{"X", k_mn}, {"Y", k_mn, "inout"}}, "f64"));
  out.push_back(written("Y[i,j] = select(j == 0 || j == n - 1 || i == 0, X[i,j], 2 * X[i,j] - 1)",
                        {{"X", k_mn}, {"Y", k_mn, "output"}}));
  out.push_back(
    written("Y[p,i,j] = select(1 <= p && p < k - 1 && 1 <= i && i < m - 1 && 1 <= j && j < n - 1, X[p-1,i,j] + "
            "X[p+1,i,j] + X[p,i-1,j] + X[p,i+1,j] + X[p,i,j-1] + X[p,i,j+1], 0)",
            {{"X", "\"k\", \"m\", \"n\""}, {"Y", "\"k\", \"m\", \"n\"", "output"}}));
  // One column only, and one row only.
  out.push_back(written("Y[i,j] = select(j == n - 1, 2 * x[i], select(i == 0, 5, Y[i,j] + 1))",
                        {{"x", k_m}, {"Y", k_mn, "inout"}}));
  // Windows: moving, with a border that is left out, with a count of what is inside, with a stride.
  out.push_back(written("y[i] = sum(i <= j < i + 5, x[j])", {{"x", "\"n + 4\""}, {"y", k_n, "output"}}));
  out.push_back(written("Y[i,j] = sum(p < 3, q < 3, X[i+p-1,j+q-1] where 0 <= i+p-1 && i+p-1 < m && 0 <= j+q-1 && "
                        "j+q-1 < n) / sum(p < 3, q < 3, 1 where 0 <= i+p-1 && i+p-1 < m && 0 <= j+q-1 && j+q-1 < n)",
                        {{"X", k_mn}, {"Y", k_mn, "output"}}));
  out.push_back(written("Y[i,j] = sum(p < 2, q < 3, X[2*i+p,2*j+q-1] where !(2*j+q-1 < 0 || 2*j+q-1 >= 2*n))",
                        {{"X", "\"2 * m\", \"2 * n\""}, {"Y", k_mn, "output"}}, "f64"));
  out.push_back(written("Y[i,j] = max(q < 4, X[i,j+q-2] where 0 <= j+q-2 < n)", {{"X", k_mn}, {"Y", k_mn, "output"}}));
  return out;
}

TEST(ElementRewrites, ARowOfATileReadsTheVectorOnce)
{
  const std::string source = printed_after(matrix_vector(), k_both);
  EXPECT_THAT(source, HasSubstr("for (int c = 0; c < REG_M; ++c) {"));
  EXPECT_THAT(source, HasSubstr("hone_load(x + at)"));
}

TEST(ElementRewrites, BordersAreSplitOffSoThatTheInteriorTestsNothing)
{
  const std::string source = printed_after(bordered_kernels().front(), {"vectorize-elements"});
  EXPECT_THAT(source, HasSubstr("if (1 <= i && i < m - 1) {"));
  EXPECT_THAT(source, Not(HasSubstr("?")));
  EXPECT_THAT(source, Not(HasSubstr("hone_select")));
}

TEST(ElementRewrites, SayWhyTheyDoNotFit)
{
  EXPECT_THAT(refusal(shipped("matmul"), {"vectorize-elements"}), HasSubstr("is a contraction"));
  EXPECT_THAT(refusal(matrix_vector(), {"tile-elements"}), HasSubstr("no vectors of elements"));
  EXPECT_THAT(refusal(matrix_vector(), {"vectorize-elements", "vectorize-rows"}), HasSubstr("does not continue"));
  EXPECT_THAT(
    refusal(written("Y[j,i] = X[i,j]", {{"X", k_mn}, {"Y", "\"n\", \"m\"", "output"}}), {"vectorize-elements"}),
    HasSubstr("not neighbours in memory"));
}

void expect_right(const std::vector<kernel::Kernel>& kernels, bool tiles)
{
  Random random(5);
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    EXPECT_TRUE(after(kernel, {"vectorize-elements"}))
      << kernel.expression_text << refusal(kernel, {"vectorize-elements"});
    if (tiles) {
      EXPECT_TRUE(after(kernel, k_both)) << kernel.expression_text << refusal(kernel, k_both);
    }
    for (const std::vector<std::string>& steps : {std::vector<std::string>{"vectorize-elements"}, k_both}) {
      for (int point = 0; point < 2 && after(kernel, steps); ++point) {
        cases.push_back(or_throw(make_case(kernel, k_cpu, steps, random)));
      }
    }
  }
  SequenceRun run;
  run.extents = {{1}, {2, 3, 5}, {3, 2, 1}, {5, 31, 17}, {7, 129, 33}, {33, 127, 6}, {40, 70, 130}};
  const std::vector<std::vector<std::string>> sets = {{"-march=native"}, {"-mavx2", "-mfma"}, {"-msse2"}};
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::vector<SequenceCase> chosen;
    for (std::size_t i = set; i < cases.size(); i += sets.size()) {
      chosen.push_back(cases[i]);
    }
    run.flags = sets[set];
    const Result<std::vector<std::string>> failures = run_cases(chosen, run);
    ASSERT_TRUE(failures) << failures.error().text();
    EXPECT_THAT(*failures, testing::IsEmpty()) << join(run.flags, " ");
  }
}

TEST(ElementSequences, TilesGiveTheReferencesResults)
{
  expect_right(tiled_kernels(), true);
}

// Statements that were fused and have no vectors together are taken apart again.
TEST(ElementSequences, FusedStatementsGiveTheReferencesResults)
{
  const kernel::Kernel kernel =
    written("x[i] = x[i] + sum(j, A[i,j] * a[j]); y[i] = y[i] + sum(j, A[j,i] * b[j])",
            {{"A", k_mm}, {"a", k_m}, {"b", k_m}, {"x", k_m, "inout"}, {"y", k_m, "inout"}}, "f64");
  const std::vector<std::string> steps = {"fuse-statements", "vectorize-elements", "tile-elements"};
  EXPECT_TRUE(after(kernel, steps)) << refusal(kernel, steps);
  Random random(6);
  EXPECT_EQ(wrong_results({or_throw(make_case(kernel, k_cpu, steps, random))}, {{1}, {5}, {33}, {130}}), "");
}

// Weights in blocks with a scale each: bytes, and nibbles of which a byte holds two.
TEST(ElementSequences, BlocksWithScalesGiveTheReferencesResults)
{
  const auto blocks = [](const std::string& expression, const std::string& bytes, const std::string& type) {
    return or_throw(kernel::parse_kernel("[kernel]\nname = \"blocks\"\n[compute]\nexpr = \"" + expression
                                           + "\"\n[arguments]\nW = { type = \"" + type + "\", shape = [\"n\", \""
                                           + bytes
                                           + " * b\"] }\ns = { type = \"f16\", shape = [\"n\", \"b\"] }\n"
                                             "x = { type = \"f32\", shape = [\"32 * b\"] }\n"
                                             "y = { type = \"f32\", shape = [\"n\"], role = \"output\" }\n"
                                             "[sizes]\ntimed = [ { n = 64, b = 8 } ]\nalso = \"any\"\n",
                                         "blocks"));
  };
  const std::vector<kernel::Kernel> kernels = {
    blocks("y[o] = sum(g, s[o, g] * sum(r < 32, W[o, 32 * g + r] * x[32 * g + r]))", "32", "i8"),
    blocks("y[o] = sum(g, s[o, g] * sum(r < 16, (W[o, 16 * g + r] % 16 - 8) * x[32 * g + r] + (W[o, 16 * g + r] / 16 "
           "- 8) * x[32 * g + 16 + r]))",
           "16", "u8")};
  Random random(8);
  std::vector<SequenceCase> cases;
  for (const kernel::Kernel& kernel : kernels) {
    EXPECT_EQ(refusal(kernel, k_both), "carried out");
    EXPECT_THAT(printed_after(kernel, k_both),
                HasSubstr("hone_load_" + std::string(name_of(kernel.arguments[0].type))));
    cases.push_back(or_throw(make_case(kernel, k_cpu, {"vectorize-elements"}, random)));
    cases.push_back(or_throw(make_case(kernel, k_cpu, k_both, random)));
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {3, 5}, {37, 8}}), "");
}

const std::vector<std::string> k_pass = {"vectorize-elements", "tile-elements", "share-rows"};

// Statements that read the rows of one matrix, and how many launches are left.
std::vector<std::pair<kernel::Kernel, std::size_t>> passes()
{
  std::vector<std::pair<kernel::Kernel, std::size_t>> out;
  out.emplace_back(written("t[i] = sum(j, A[i,j] * x[j]); y[j] = sum(i, A[i,j] * t[i])",
                           {{"A", k_mn}, {"x", k_n}, {"y", k_n, "output"}}, "f64"),
                   1);
  out.emplace_back(written("s[j] = sum(i, r[i] * A[i,j]); q[i] = sum(j, A[i,j] * p[j])",
                           {{"A", k_mn}, {"p", k_n}, {"r", k_m}, {"s", k_n, "output"}, {"q", k_m, "output"}}),
                   1);
  out.emplace_back(written("x[i] = x[i] + sum(j, A[i,j] * a[j]); y[j] = y[j] + 2 * sum(i, A[i,j] * b[i])",
                           {{"A", k_mn}, {"a", k_n}, {"b", k_m}, {"x", k_m, "inout"}, {"y", k_n, "inout"}}, "f64"),
                   1);
  // The last statement reads a sum of rows, which is complete behind the pass.
  out.emplace_back(
    written("A[i,j] = A[i,j] + u[i] * v[j]; x[j] = x[j] + sum(i, A[i,j] * u[i]); w[i] = sum(j, A[i,j] * x[j])",
            {{"u", k_m}, {"v", k_n}, {"A", k_mn, "inout"}, {"x", k_n, "inout"}, {"w", k_m, "output"}}, "f64"),
    2);
  // In place: a launch of its own copies x.
  out.emplace_back(written("x[i] = sum(j, A[i,j] * x[j]); y[j] = sum(i, A[i,j] * x[i])",
                           {{"A", k_mm}, {"x", k_m, "inout"}, {"y", k_m, "output"}}),
                   2);
  return out;
}

TEST(ElementSequences, PassesOverRowsGiveTheReferencesResults)
{
  Random random(7);
  std::vector<SequenceCase> cases;
  const auto kernels = passes();
  for (const auto& [kernel, launches] : kernels) {
    const kernel::Candidate pass = or_throw(lower::lower_schedule(kernel, or_throw(after(kernel, k_pass)), k_cpu));
    EXPECT_EQ(pass.plan.launches.size(), launches) << pass.device_source();
    cases.push_back(or_throw(make_case(kernel, k_cpu, k_pass, random)));
    cases.push_back(or_throw(make_case(kernel, k_cpu, k_pass, random)));
  }
  EXPECT_EQ(wrong_results(cases, {{1}, {3, 5}, {5, 3}, {33, 70}, {130, 67}}), "");
}

// Each of these would read what is not there yet, or what is there already.
TEST(ElementRewrites, PassesOverRowsNeedRowsThatDependOnNoOther)
{
  const std::vector<Tensor> tensors = {{"A", k_mm}, {"x", k_m, "inout"}, {"y", k_m, "output"}};
  for (const char* expression : {"y[j] = sum(i, A[i,j] * x[i]); x[i] = sum(j, A[i,j] * y[j])",
                                 "x[i] = sum(j, A[i,j] * 2.0); y[i] = sum(j, A[i,j] * x[j])",
                                 "y[i] = sum(j, A[i,j] * x[j]); x[i] = sum(j, A[i,j] * 2.0)"}) {
    const std::string said = refusal(written(expression, tensors), k_pass);
    EXPECT_THAT(said, HasSubstr("no neighbouring statements")) << expression;
  }
}

TEST(ElementSequences, BordersAndWindowsGiveTheReferencesResults)
{
  expect_right(bordered_kernels(), false);
}

} // namespace
} // namespace hone::rewrite
