// launch.toml of a matrix product, and what becomes of it at the kernel's sizes.
#include "fuzz_target.h"
#include "kernel/kernel.h"

namespace hone::fuzz {

namespace {

const kernel::Kernel& product()
{
  static const kernel::Kernel k_product = [] {
    Result<kernel::Kernel> kernel =
      kernel::parse_kernel(files_named("kernels/matmul", "kernel.toml").front(), "kernel.toml");
    if (!kernel) {
      promise_broken(kernel.error().text());
    }
    return std::move(*kernel);
  }();
  return k_product;
}

std::vector<std::string> seeds()
{
  std::vector<std::string> out = files_named("tests/attacks", "launch.toml");
  out.emplace_back(R"toml([tuning]
TILE_M = { values = [16, 32, 64], default = 64 }
SPLITS = { values = [1, 2, 4], default = 2 }
constraints = ["TILE_M % 16 == 0", "shared <= device.shared_per_block"]

[[scratch]]
name = "partial"
type = "f32"
size = "SPLITS * m * n"

[[launch]]
kernel = "matmul"
grid   = ["ceil_div(n, 16)", "ceil_div(m, TILE_M)", "SPLITS"]
block  = ["1", 1, 1]
shared = "(TILE_M + 16) * 4"
args   = ["A", "B", "partial", "m", "n", "k"]

[[launch]]
kernel = "add"
grid   = ["m"]
repeat = "ceil_log2(SPLITS)"
when   = "SPLITS > 1 && m <= 2048"
args   = ["partial", "C", "m", "n", "repeat_index"]
fill   = { buffer = "C", value = 0 }
)toml");
  return out;
}

void run(std::string_view input)
{
  if (const Result<kernel::LaunchPlan> plan = kernel::parse_launch_plan(input, "launch.toml"); !plan) {
    return check_error(plan.error(), "launch.toml");
  }
  const Result<kernel::Candidate> candidate =
    kernel::make_candidate(product(), {{"device.cpp", "// nothing\n"}, {"launch.toml", std::string(input)}});
  if (!candidate) {
    return check_error(candidate.error());
  }
  const kernel::PlanScope facts = {{"device.units", 2}, {"device.shared_per_block", 1 << 20}, {"device.l2", 1 << 20}};
  for (const kernel::Sizes& sizes :
       {kernel::Sizes{{"m", 96}, {"n", 80}, {"k", 112}}, kernel::Sizes{{"m", 1}, {"n", 1}, {"k", 1}}}) {
    const Result<kernel::ResolvedPlan> plan =
      kernel::resolve_plan(product(), *candidate, sizes, candidate->plan.tuning.defaults(), facts);
    if (!plan) {
      check_error(plan.error());
    }
  }
}

} // namespace

const Target& launch_plan_target()
{
  static const Target k_target = {"launch-plan", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
