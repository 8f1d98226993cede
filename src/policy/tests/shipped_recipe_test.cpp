// The shipped recipes, catalogue and built-in engine agree with each other.
#include "lower/lower.h"
#include "policy/recipe_file.h"
#include "policy/tests/fakes.h"

#include <set>

namespace hone::policy {
namespace {

struct Shipped {
  std::vector<catalogue::Transformation> catalogue;
  StepList list;
};

Shipped shipped(const std::string& recipe)
{
  const fs::path root = HONE_SOURCE_ROOT;
  auto catalogue = catalogue::load_catalogue(root / "transformations", {});
  auto list = load_step_list(root / "recipes" / (recipe + ".toml"));
  EXPECT_TRUE(catalogue && list);
  return catalogue && list ? Shipped{*catalogue, *list} : Shipped{};
}

using Visit = std::function<void(const kernel::Kernel&, const catalogue::Transformation&, const kernel::Candidate&)>;

// Carries out the steps of a recipe one after the other, as if each was accepted but those that are `left_out`. The
// kernel is for its timed sizes alone, so that no step is refused.
void walk(const std::string& recipe, kernel::Kernel kernel, const std::set<std::string>& left_out, const Visit& visit)
{
  kernel.also = kernel::AlsoSizes::timed;
  const Shipped parts = shipped(recipe);
  const lower::Dialect dialect = lower::cpu_dialect(64, true);
  auto current = lower::naive_candidate(kernel, dialect);
  ASSERT_TRUE(current) << current.error().text();
  for (const RecipeStep& step : parts.list.steps) {
    if (step.apply.empty() || left_out.contains(step.apply)) {
      continue;
    }
    const auto transformation = catalogue::find_transformation(parts.catalogue, step.apply);
    ASSERT_TRUE(transformation) << transformation.error().text();
    current = rewrite::builtin_engine().apply({kernel, *current, **transformation, dialect});
    ASSERT_TRUE(current) << step.apply << ": " << current.error().text();
    visit(kernel, **transformation, *current);
  }
}

void walk_recipes(const Visit& visit)
{
  // Sums in registers, and sums in the output.
  walk("contraction", fakes::matmul(), {"split-k", "spread-k"}, visit);
  walk("contraction", fakes::matmul(),
       {"cache-tiling", "register-tiling", "mask-edges", "pack-panels", "pack-in-passing", "prefetch-columns",
        "prefetch-rows", "prefetch-output", "stream-output", "dot-remainders", "register-broadcast", "balance-tiles"},
       visit);
  walk("contraction-row", fakes::matmul(), {}, visit);
  const auto transposed = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul-tb");
  ASSERT_TRUE(transposed);
  walk("contraction-transposed", *transposed, {}, visit);
  const auto bytes = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul-i8");
  const auto pairs = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / "matmul-bf16");
  ASSERT_TRUE(bytes && pairs);
  walk("contraction-narrow", *bytes, {}, visit);
  walk("contraction-narrow", *pairs, {"correct-by-columns"}, visit); // which is for bytes
}

TEST(ShippedRecipe, EveryStepCanBeCarriedOutWithLegalDefaults)
{
  std::size_t steps = 0;
  walk_recipes(
    [&](const kernel::Kernel&, const catalogue::Transformation& transformation, const kernel::Candidate& candidate) {
      const kernel::TuningSpace& space = candidate.plan.tuning;
      const auto legal = tune::is_legal(space.defaults(), space, {{"m", 1024}, {"n", 1024}, {"k", 1024}}, {});
      ASSERT_TRUE(legal) << legal.error().text();
      EXPECT_TRUE(*legal) << transformation.name << ": " << kernel::to_text(space.defaults());
      ++steps;
    });
  EXPECT_GE(steps, 15u);
}

// What several threads share out are the groups of a launch.
TEST(ShippedRecipe, EveryStepLeavesGroupsForSeveralThreads)
{
  const kernel::Sizes sizes{{"m", 1024}, {"n", 1024}, {"k", 1024}};
  walk_recipes([&](const kernel::Kernel& kernel, const catalogue::Transformation& transformation,
                   const kernel::Candidate& candidate) {
    const auto plan = kernel::resolve_plan(kernel, candidate, sizes, candidate.plan.tuning.defaults(),
                                           {{"device.shared_per_block", 1 << 20}});
    ASSERT_TRUE(plan) << plan.error().text();
    for (const kernel::ResolvedLaunch& launch : plan->launches) {
      EXPECT_GE(launch.groups(), 16) << transformation.name;
    }
  });
}

// Their steps need not all fit one kernel; those that do not are skipped in a climb.
TEST(ShippedRecipe, StepsForRowsCanBeCarriedOut)
{
  for (const auto& [recipe, name] : {std::pair{"row-reduction", "softmax"},
                                     {"map", "gelu"},
                                     {"general", "cross-entropy"},
                                     {"convolution", "conv2d"},
                                     {"pooling", "max-pool"}}) {
    const auto kernel = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name);
    ASSERT_TRUE(kernel) << kernel.error().text();
    const Shipped parts = shipped(recipe);
    auto current = lower::naive_candidate(*kernel, lower::cpu_dialect(64, true));
    ASSERT_TRUE(current) << current.error().text();
    std::size_t carried_out = 0;
    for (const RecipeStep& step : parts.list.steps) {
      const auto transformation =
        catalogue::find_transformation(parts.catalogue, step.apply.empty() ? "restate" : step.apply);
      ASSERT_TRUE(transformation) << step.apply;
      auto next = rewrite::builtin_engine().apply({*kernel, *current, **transformation, lower::cpu_dialect(64, true)});
      if (!next) {
        continue;
      }
      EXPECT_NE(next->hash(), current->hash()) << name << " " << step.apply;
      current = std::move(next);
      ++carried_out;
      for (const kernel::TuningParameter& parameter : current->plan.tuning.parameters) {
        const auto& named = (*transformation)->parameters;
        const auto found = std::ranges::find(named, parameter.name, &catalogue::TransformationParameter::name);
        EXPECT_TRUE(found == named.end() || found->values == parameter.values) << parameter.name;
      }
    }
    EXPECT_GE(carried_out, 3u) << name;
  }
}

// What can be looked at is whether each one's turn can come.
TEST(ShippedRecipe, StepsOnOpenClApplyInTheirOrder)
{
  for (const char* name :
       {"matmul", "matmul-bias-relu", "attention-scores", "softmax", "rms-norm", "gelu", "cross-entropy"}) {
    const auto kernel = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name);
    ASSERT_TRUE(kernel) << name;
    const Shipped parts = shipped(std::string(kernel::name_of(kernel::classify(*kernel))) + "-items");
    std::vector<std::string> done;
    for (const RecipeStep& step : parts.list.steps) {
      if (step.apply.empty()) {
        continue;
      }
      const auto transformation = catalogue::find_transformation(parts.catalogue, step.apply);
      ASSERT_TRUE(transformation) << step.apply;
      const auto& conflicts = (*transformation)->conflicts;
      if (std::ranges::find_first_of(conflicts, done) != conflicts.end()) {
        continue; // it is for where the other was dropped
      }
      EXPECT_EQ(catalogue::why_not_applicable(**transformation, *kernel, "opencl", done), std::nullopt)
        << name << " " << step.apply;
      done.push_back(step.apply);
    }
    EXPECT_FALSE(done.empty()) << name;
  }
}

TEST(ShippedRecipe, NarrowProductsOnDevicesGoByMatrixInstructions)
{
  const Shipped parts = shipped("contraction-matrix");
  const auto kernel = kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels/matmul-f16");
  ASSERT_TRUE(kernel);
  for (const char* backend : {"cuda", "hip"}) {
    std::vector<std::string> done;
    for (const RecipeStep& step : parts.list.steps) {
      const auto transformation = catalogue::find_transformation(parts.catalogue, step.apply);
      if (transformation && !catalogue::why_not_applicable(**transformation, *kernel, backend, done)) {
        done.push_back(step.apply);
      }
    }
    ASSERT_GE(done.size(), 5u) << backend;
    EXPECT_EQ(done.front(), "matrix-instructions");
  }
}

TEST(ShippedRecipe, FilesNameTheParametersThatTheEngineIntroduces)
{
  walk_recipes(
    [](const kernel::Kernel&, const catalogue::Transformation& transformation, const kernel::Candidate& candidate) {
      for (const catalogue::TransformationParameter& parameter : transformation.parameters) {
        const auto& parameters = candidate.plan.tuning.parameters;
        const auto found = std::ranges::find(parameters, parameter.name, &kernel::TuningParameter::name);
        ASSERT_NE(found, parameters.end()) << transformation.name << " " << parameter.name;
        EXPECT_EQ(found->values, parameter.values) << transformation.name << " " << parameter.name;
      }
    });
}

} // namespace
} // namespace hone::policy
