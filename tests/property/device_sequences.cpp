// device_sequences BACKEND [N] [SEED]: N random legal sequences of the built-in engine's steps for devices with
// work-items, at random tuning points, each compiled by the platform and validated by the gate on small sizes. Prints
// every failure with its steps and point; exits with 1 if there was one, with 77 where there is no such device.
//
// Finds: a step that reads or writes outside of a buffer, edges that are computed twice or not at all, a barrier that
// is missing or not reached by all, a staged block that is laid out in two ways.
#include "device_draw.h"
#include "gate/gate.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

namespace {

using namespace hone;

constexpr int k_skipped = 77;

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
  int failed = 0, distinct = 0, without = 0;
  std::map<std::string, int> of_step;
  for (int i = 0; i < count; ++i) {
    const auto& [kernel_name, sizes] = k_device_kernels[random.below(kernels_in(backend->dialect()))];
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
    if (verdict.status == record::Status::constraints) {
      ++without; // the device has no sub-groups, say
    } else if (verdict.status != record::Status::correct) {
      ++failed;
      if (const char* const folder = std::getenv("HONE_SEQUENCES_KEEP")) {
        const fs::path kept = fs::path(folder) / fmt::format("{}-{}", name, i);
        fs::create_directories(kept);
        for (const auto& [file, text] : one.candidate.files) {
          (void)write_file(kept / file, text);
        }
      }
      fmt::print("{}: {} | {}\n  {}\n", kernel_name, join(one.steps, " "), kernel::to_text(one.point),
                 verdict.reason + "\n" + verdict.log.substr(0, 600));
    }
  }
  for (const auto& [step, times] : of_step) {
    fmt::print("{:24}{:5}\n", step, times);
  }
  fmt::print("{}: {} sequences validated, {} failed, {} have no point here\n", name, distinct - without, failed,
             without);
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
