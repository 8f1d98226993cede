// device_sequences BACKEND [N] [SEED]: N random legal sequences of the built-in engine's steps for devices with
// work-items, at random tuning points, each compiled by the platform and validated by the gate on small sizes. Prints
// every failure with its steps and point; exits with 1 if there was one, with 77 where there is no such device.
//
// Finds: a step that reads or writes outside of a buffer, edges that are computed twice or not at all, a barrier that
// is missing or not reached by all, a staged block that is laid out in two ways.
#include "gate/gate.h"
#include "rewrite/builtin/device/device_rewrites.h"
#include "util/random.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace {

using namespace hone;

constexpr int k_skipped = 77;

struct Case {
  std::vector<std::string> steps;
  kernel::Candidate candidate;
  kernel::TuningPoint point;
};

// Shipped kernels at sizes whose blocks are cut off on all sides.
const std::vector<std::pair<std::string, kernel::Sizes>> k_kernels = {
  {"matmul", {{"m", 45}, {"n", 70}, {"k", 51}}},
  {"matmul-ta", {{"m", 33}, {"n", 19}, {"k", 70}}},
  {"matmul-tb", {{"m", 20}, {"n", 67}, {"k", 40}}},
  {"matmul-bias-gelu", {{"m", 37}, {"n", 41}, {"k", 29}}},
  {"matmul-batched", {{"b", 3}, {"m", 18}, {"n", 23}, {"k", 35}}},
  {"softmax", {{"m", 19}, {"n", 83}}},
  {"layer-norm", {{"n", 9}, {"d", 131}}},
  {"gelu", {{"n", 1003}}},
  {"conv2d", {{"b", 2}, {"ci", 3}, {"co", 5}, {"h", 9}, {"w", 21}}},
};

bool is_legal(const kernel::Candidate& candidate, const kernel::Sizes& sizes, const kernel::TuningPoint& point,
              const kernel::PlanScope& facts)
{
  const auto holds =
    kernel::satisfies_constraints(candidate.plan.tuning, kernel::plan_scope(sizes, point, facts), nullptr);
  return holds && *holds;
}

Result<Case> draw(const kernel::Kernel& kernel, const lower::Dialect& dialect, const kernel::PlanScope& facts,
                  Random& random)
{
  std::vector<std::string> order;
  for (const rewrite::Rewrite& step : rewrite::device_rewrites()) {
    order.emplace_back(step.name);
  }
  std::shuffle(order.begin(), order.end(), random);
  const std::size_t most = 1 + random.below(order.size());
  lower::Schedule schedule = lower::naive_schedule(kernel);
  Case out;
  HONE_TRY(out.candidate, lower::lower_schedule(kernel, schedule, dialect));
  for (bool found = true; found && out.steps.size() < most;) {
    found = false;
    for (const std::string& step : order) {
      Result<lower::Schedule> next = rewrite::rewrite_schedule(schedule, step, {kernel, dialect});
      Result<kernel::Candidate> candidate = next ? lower::lower_schedule(kernel, *next, dialect) : fail("refused");
      if (candidate) {
        schedule = std::move(*next);
        out.candidate = std::move(*candidate);
        out.steps.push_back(step);
        found = true;
        break;
      }
    }
  }
  out.point = out.candidate.plan.tuning.defaults();
  for (int attempt = 0; attempt < 200; ++attempt) {
    kernel::TuningPoint point;
    for (const kernel::TuningParameter& parameter : out.candidate.plan.tuning.parameters) {
      point[parameter.name] = parameter.values[random.below(parameter.values.size())];
    }
    if (is_legal(out.candidate, kernel.timed.front(), point, facts)) {
      out.point = std::move(point);
      break;
    }
  }
  return out;
}

Result<int> run(const std::string& name, int count, std::uint64_t seed)
{
  HONE_TRY(const backend::Backend* backend, backend::find_backend(name));
  if (const auto device = backend->probe(); !device) {
    fmt::print("skipped: {}\n", device.error().text());
    return k_skipped;
  }
  Random random(seed);
  std::map<std::string, gate::Gate> gates;
  std::map<std::string, std::shared_ptr<kernel::Kernel>> kernels;
  int failed = 0, distinct = 0;
  std::map<std::string, int> of_step;
  for (int i = 0; i < count; ++i) {
    const auto& [kernel_name, sizes] = k_kernels[random.below(k_kernels.size())];
    if (!kernels.contains(kernel_name)) {
      HONE_TRY(kernel::Kernel loaded, kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / kernel_name));
      loaded.timed = {sizes};
      auto shared = std::make_shared<kernel::Kernel>(std::move(loaded));
      gate::GateOptions options;
      options.cache = HONE_BINARY_ROOT "/test-references";
      options.seed = seed;
      HONE_TRY(gate::Gate opened, gate::Gate::open(shared, *backend, options));
      gates.emplace(kernel_name, std::move(opened));
      kernels[kernel_name] = std::move(shared);
    }
    gate::Gate& judge = gates.at(kernel_name);
    HONE_TRY(const Case one, draw(*kernels[kernel_name], backend->dialect(), judge.device().plan_facts, random));
    record::Recipe recipe;
    recipe.sizes = sizes;
    HONE_TRY(const record::Verdict verdict,
             judge.validate({one.candidate, one.point, {}, {}}, recipe, record::Depth::screen));
    ++distinct;
    for (const std::string& step : one.steps) {
      ++of_step[step];
    }
    if (verdict.status != record::Status::correct) {
      ++failed;
      if (const char* const folder = std::getenv("HONE_SEQUENCES_KEEP")) {
        (void)write_file(fs::path(folder) / fmt::format("{}-{}", i, backend->dialect().device_file),
                         one.candidate.device_source());
      }
      fmt::print("{}: {} | {}\n  {}\n", kernel_name, join(one.steps, " "), kernel::to_text(one.point),
                 verdict.reason + "\n" + verdict.log.substr(0, 600));
    }
  }
  for (const auto& [step, times] : of_step) {
    fmt::print("{:24}{:5}\n", step, times);
  }
  fmt::print("{}: {} sequences validated, {} failed\n", name, distinct, failed);
  return failed == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** arguments)
{
  if (count < 2) {
    fmt::print(stderr, "usage: device_sequences BACKEND [N] [SEED]\n");
    return 2;
  }
  const int wanted = count > 2 ? std::atoi(arguments[2]) : 20;
  const std::uint64_t seed = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  const Result<int> status = run(arguments[1], wanted, seed);
  if (!status) {
    fmt::print(stderr, "device_sequences: {}\n", status.error().text());
    return 2;
  }
  return *status;
}
