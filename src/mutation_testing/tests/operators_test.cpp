// Each operator on code that the compiler printed: where it sees a place, and that it sees none where a change would
// change nothing.
#include "backend/backend.h"
#include "mutation_testing/mutation_testing.h"
#include "mutation_testing/tests/shipped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hone::mutation_testing {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const lower::Dialect k_cpu = lower::cpu_dialect(64, true);
const lower::Dialect k_opencl = lower::opencl_dialect();

std::vector<std::string> changes(const kernel::Kernel& kernel, const kernel::Candidate& candidate,
                                 const lower::Dialect& dialect, const std::string& operation)
{
  std::vector<std::string> out;
  for (const Mutant& mutant : or_throw(make_mutants({kernel, candidate, dialect, {operation}}))) {
    EXPECT_EQ(mutant.operation, operation);
    EXPECT_NE(mutant.candidate.hash(), candidate.hash()) << mutant.change;
    out.push_back(mutant.change);
  }
  return out;
}

std::vector<std::string> of_naive(const std::string& kernel, const std::string& operation,
                                  const lower::Dialect& dialect = k_cpu)
{
  const kernel::Kernel loaded = shipped(kernel);
  return changes(loaded, naive(loaded, dialect), dialect, operation);
}

// At the end of the step list, which is one with vectors, tiles and masks where the machine has them.
struct StepListEnd {
  kernel::Kernel kernel;
  kernel::Candidate candidate;
  lower::Dialect dialect;

  explicit StepListEnd(const std::string& name)
    : kernel(shipped(name)), dialect(or_throw(backend::find_backend("cpu"))->dialect())
  {
    candidate = or_throw(default_subjects(kernel, *or_throw(backend::find_backend("cpu")))).back().candidate;
  }

  std::vector<std::string> by(const std::string& operation) const
  {
    return changes(kernel, candidate, dialect, operation);
  }
};

TEST(Mutation, IndexOffByOneSeesReadsAndWrites)
{
  EXPECT_THAT(of_naive("matmul", "index-off-by-one"),
              ElementsAre("A[i * k + p] -> A[i * k + p + 1]", "B[p * n + j] -> B[p * n + j + 1]",
                          "C[i * n + j] -> C[i * n + j + 1]"));
  const auto vectors = StepListEnd("gelu").by("index-off-by-one");
  EXPECT_THAT(vectors, Contains(HasSubstr("hone_load")));
  EXPECT_THAT(vectors, Contains(HasSubstr("hone_store")));
}

TEST(Mutation, DroppedTermSeesSidesAndLastTerms)
{
  EXPECT_THAT(of_naive("matmul-bias-relu", "dropped-term"),
              Contains("sum(k < k, A[m, k] * B[k, n]) + bias[n] -> bias[n]"));
  EXPECT_THAT(of_naive("matmul", "dropped-term"), Contains(HasSubstr("without the last k")));
  // exp(X - top) -> exp(X) has a name of its own.
  EXPECT_THAT(of_naive("softmax", "dropped-term"), Not(Contains(HasSubstr("-> X[i, j]"))));
}

TEST(Mutation, WrongAccumulationTypeSeesSumsOnly)
{
  EXPECT_THAT(of_naive("matmul", "wrong-accumulation-type"), SizeIs(1));
  EXPECT_THAT(of_naive("matmul-i8", "wrong-accumulation-type"), SizeIs(1));
  EXPECT_THAT(of_naive("matmul", "wrong-accumulation-type", k_opencl), SizeIs(1));
  EXPECT_THAT(of_naive("max-pool", "wrong-accumulation-type"), IsEmpty());
  EXPECT_THAT(of_naive("gelu", "wrong-accumulation-type"), IsEmpty());
}

TEST(Mutation, MissingEdgeMaskSeesMasksEndsGuardsAndConditions)
{
  const auto product = StepListEnd("matmul").by("missing-edge-mask");
  EXPECT_THAT(product, Contains(AllOf(HasSubstr("without masks"), HasSubstr("hone_store_part"))));
  EXPECT_THAT(product, Contains(HasSubstr("hone_min(")));
  EXPECT_THAT(product, Contains(HasSubstr("-> if (1)")));
  EXPECT_THAT(of_naive("matmul", "missing-edge-mask", k_opencl), ElementsAre("if (element >= m * n) -> if (0)"));
  EXPECT_THAT(of_naive("conv2d", "missing-edge-mask"), Contains(HasSubstr("without: where")));
  EXPECT_THAT(of_naive("matmul", "missing-edge-mask"), IsEmpty());
}

// The mask of a sum and the mask of what it adds say the same: both go.
TEST(Mutation, MissingEdgeMaskTakesAllMasksOfABlock)
{
  const StepListEnd norm("rms-norm");
  const auto mutants = or_throw(make_mutants({norm.kernel, norm.candidate, norm.dialect, {"missing-edge-mask"}}));
  const auto sums =
    std::ranges::find_if(mutants, [](const Mutant& mutant) { return mutant.change.contains("hone_keep"); });
  ASSERT_NE(sums, mutants.end());
  EXPECT_THAT(sums->change, HasSubstr("hone_load_part"));
}

// Pixels beyond the last one are masked again, and rows below the last one name the last one again.
TEST(Mutation, MissingEdgeMaskLeavesAloneWhatIsAskedTwice)
{
  EXPECT_THAT(StepListEnd("conv2d").by("missing-edge-mask"), Not(Contains(HasSubstr("-> pixels_begin + PIXELS"))));
  const StepListEnd product("matmul");
  EXPECT_THAT(product.by("missing-edge-mask"), Contains(HasSubstr("-> if (1), hone_min(i + r, i_end - 1) -> i + r")));
  EXPECT_THAT(product.by("wrong-comparison"), Not(Contains(HasSubstr("i + r <= i_end"))));
}

// Work-items beyond a single element compute the same element again, and its one group cannot be one less.
TEST(Mutation, ALaunchForOneElementIsLeftAlone)
{
  EXPECT_THAT(of_naive("cross-entropy", "missing-edge-mask", k_opencl), SizeIs(2)); // of three launches
  EXPECT_THAT(of_naive("cross-entropy", "wrong-comparison", k_opencl), Not(Contains(HasSubstr("element > 1"))));
  EXPECT_THAT(of_naive("cross-entropy", "wrong-launch-size", k_opencl), Not(Contains(HasSubstr("ceil_div(1, 64)"))));
  const auto halved = of_naive("cross-entropy", "wrong-launch-size", k_opencl);
  EXPECT_EQ(std::ranges::count_if(halved, [](const std::string& text) { return text.starts_with("block"); }), 2);
}

TEST(Mutation, SwappedOperandsSeesDifferencesQuotientsAndSubscripts)
{
  EXPECT_THAT(of_naive("softmax", "swapped-operands"),
              UnorderedElementsAre("X[i, j] -> X[j, i]", "X[i, j] - top[i] -> top[i] - X[i, j]", "X[i, j] -> X[j, i]",
                                   "weight[i, j] -> weight[j, i]", "weight[i, j] / total[i] -> total[i] / weight[i, j]",
                                   "weight[i, j] -> weight[j, i]"));
}

TEST(Mutation, StaleBufferSeesStoresCopiesAndCollectors)
{
  EXPECT_THAT(of_naive("matmul", "stale-buffer"),
              ElementsAre("without: C[i * n + j] = sum", "float sum = 0 -> only once, before for (int64_t j = 0)"));
  EXPECT_THAT(StepListEnd("matmul").by("stale-buffer"), Contains(HasSubstr("without: compute_")));
}

TEST(Mutation, ASumThatIsNotBegunAnewStandsBeforeTheLoop)
{
  const kernel::Kernel kernel = shipped("matmul");
  const auto mutants = or_throw(make_mutants({kernel, naive(kernel, k_cpu), k_cpu, {"stale-buffer"}}));
  EXPECT_THAT(mutants.back().candidate.device_source(),
              HasSubstr("float sum = 0;\n  for (int64_t j = 0; j < n; ++j) {"));
}

TEST(Mutation, MissingBarrierSeesBarriers)
{
  const kernel::Kernel kernel = shipped("matmul");
  const fs::path folder = fs::path(HONE_SOURCE_ROOT) / "src" / "mutation_testing" / "tests" / "tiled";
  const kernel::Candidate tiled = or_throw(kernel::load_candidate(kernel, folder));
  EXPECT_THAT(changes(kernel, tiled, k_opencl, "missing-barrier"), SizeIs(2));
  EXPECT_THAT(of_naive("matmul", "missing-barrier", k_opencl), IsEmpty());
  // Without a schedule, nothing is known about how the expression became code.
  EXPECT_THAT(changes(kernel, tiled, k_opencl, "dropped-term"), IsEmpty());
}

TEST(Mutation, WrongLaunchSizeSeesGridsBlocksAndScratch)
{
  EXPECT_THAT(of_naive("matmul", "wrong-launch-size"), ElementsAre("grid m -> max((m) - 1, 1)"));
  EXPECT_THAT(of_naive("matmul", "wrong-launch-size", k_opencl),
              ElementsAre("grid ceil_div(m * n, 64) -> max((ceil_div(m * n, 64)) - 1, 1)",
                          "grid ceil_div(m * n, 64) -> max((m * n) / (64), 1)", "block 64 -> max((64) / 2, 1)"));
  EXPECT_THAT(of_naive("softmax", "wrong-launch-size"), Contains("scratch size m * n -> max((m * n) - 1, 1)"));
}

TEST(Mutation, WrongTileConstraintSeesChoicesAndRemainders)
{
  EXPECT_THAT(StepListEnd("matmul").by("wrong-tile-constraint"), Contains(HasSubstr("-> if (1)")));
  EXPECT_THAT(StepListEnd("softmax").by("wrong-tile-constraint"), Contains(HasSubstr("-> rounded up")));
  EXPECT_THAT(of_naive("matmul", "wrong-tile-constraint"), IsEmpty());
}

TEST(Mutation, WrongInitialValueSeesCollectors)
{
  EXPECT_THAT(of_naive("matmul", "wrong-initial-value"), ElementsAre("float sum = 0 -> 1"));
  EXPECT_THAT(of_naive("softmax", "wrong-initial-value"), Contains("float largest = -INFINITY -> 0"));
}

// At least one comparison too weak and one too strong; none that only chooses between two ways to compute the same.
TEST(Mutation, WrongComparisonSeesLoopsAndConditions)
{
  EXPECT_THAT(of_naive("matmul", "wrong-comparison"), ElementsAre("j < n -> j <= n", "p < k -> p <= k"));
  EXPECT_THAT(of_naive("matmul", "wrong-comparison", k_opencl), Contains("element >= m * n -> element > m * n"));
  const auto transposed = of_naive("conv2d-transposed", "wrong-comparison");
  EXPECT_THAT(transposed, Contains("y + 1 - r >= 0 -> y + 1 - r > 0"));
  EXPECT_THAT(transposed, Not(Contains("(y + 1 - r) / 2 < h -> (y + 1 - r) / 2 <= h")));
  EXPECT_THAT(StepListEnd("matmul").by("wrong-comparison"), Not(Contains(HasSubstr("<= j_end -> "))));
}

TEST(Mutation, WrongConstantSeesNumbersAndSizes)
{
  EXPECT_THAT(of_naive("attention-scores", "wrong-constant"), ElementsAre(HasSubstr("0.125 -> 0.15625")));
  const auto norm = of_naive("layer-norm", "wrong-constant");
  EXPECT_THAT(norm, Contains(HasSubstr("1e-05 -> 1.25e-05")));
  EXPECT_THAT(norm, Contains(HasSubstr("d -> d - 1")));
  EXPECT_THAT(of_naive("matmul", "wrong-constant"), IsEmpty());
}

TEST(Mutation, MissingMaximumSubtractionSeesExponents)
{
  EXPECT_THAT(of_naive("softmax", "missing-maximum-subtraction"), ElementsAre("exp(X[i, j] - top[i]) -> exp(X[i, j])"));
  EXPECT_THAT(of_naive("gelu", "missing-maximum-subtraction"), IsEmpty());
}

TEST(Mutants, AreTheSameForTheSameSeedAndNoneTwice)
{
  const kernel::Kernel kernel = shipped("layer-norm");
  const kernel::Candidate candidate = naive(kernel, k_cpu);
  const auto drawn = [&](std::uint64_t seed) {
    std::vector<std::string> hashes;
    for (const Mutant& mutant : or_throw(make_mutants({kernel, candidate, k_cpu, {}, 2, seed}))) {
      hashes.push_back(mutant.candidate.hash());
    }
    return hashes;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  std::vector<std::string> all = drawn(3);
  EXPECT_GE(all.size(), 12U);
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

TEST(Mutants, AnUnknownOperatorIsRefusedByName)
{
  const kernel::Kernel kernel = shipped("matmul");
  const auto mutants = make_mutants({kernel, naive(kernel, k_cpu), k_cpu, {"dropped-terms"}});
  ASSERT_FALSE(mutants);
  EXPECT_THAT(mutants.error().text(), HasSubstr("did you mean 'dropped-term'?"));
}

TEST(Mutants, EachOperatorHasANameOfItsOwn)
{
  std::vector<std::string_view> names;
  for (const auto& [name, meaning] : mutation_operator_names()) {
    names.push_back(name);
    EXPECT_FALSE(meaning.empty()) << name;
  }
  EXPECT_EQ(names.size(), 13U);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

} // namespace
} // namespace hone::mutation_testing
