// device_texts ARCH [N] [SEED]: N random legal sequences of the built-in engine's steps, drawn as device_sequences
// draws them, printed as CUDA C++ or HIP and compiled for ARCH (sm_80, sm_90a, gfx90a, gfx942, gfx1100). Prints every
// failure and what the functions need of the device; exits with 1 if there was a failure, with 77 where a compiler is
// missing.
//
// Finds: text that one language takes and another does not, a function of the kernel language without a counterpart,
// more local memory than a group may have; on the emulated device races, accesses out of bounds, local memory that
// nobody wrote; and what the emulator does not know or does wrong.
#include "backend/cuda/device_compiler.h"
#include "device_draw.h"
#include "device_facts.h"
#include "emulated_plan.h"
#include "gate/jail.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>

namespace {

using namespace hone;

constexpr int k_skipped = 77;

Result<std::string> ptx_of(const backend::BuildInput& input, const backend::DeviceTarget& target)
{
  HONE_TRY(const backend::CompileJob job, backend::device_compile_job(input, target));
  HONE_TRY(gate::JailOutcome outcome, gate::run_in_jail(job, {}));
  return outcome.status == record::Status::correct ? Result<std::string>(std::move(outcome.outputs["program.ptx"]))
                                                   : fail(outcome.reason + "\n" + outcome.log);
}

Result<int> run(const std::string& arch, int count, std::uint64_t seed)
{
  const backend::DeviceTarget* target = backend::find_device_target(arch);
  if (target == nullptr) {
    return fail(fmt::format("there is no architecture '{}'", arch));
  }
  if (const auto ready = backend::check_device_compiler(target->language); !ready) {
    fmt::print("skipped: {}\n", ready.error().text());
    return k_skipped;
  }
  const kernel::PlanScope facts = facts_of(*target, 100);
  const lower::Dialect dialect = *lower::work_item_dialect(target->language);
  Random random(seed);
  int failed = 0, without = 0, most_registers = 0, spilled = 0;
  double seconds = 0, least_occupancy = 1;
  std::map<std::string, int> of_step;
  std::map<std::string, EmulatedRun> naive; // by kernel
  std::uint64_t lane_instructions = 0;
  double executing = 0;
  for (int i = 0; i < count; ++i) {
    const auto& [kernel_name, sizes] = k_device_kernels[random.below(kernels_in(dialect))];
    HONE_TRY(kernel::Kernel kernel, kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / kernel_name));
    kernel.timed = {sizes};
    HONE_TRY(const Case one, draw(kernel, dialect, facts, random));
    const Result<kernel::ResolvedPlan> resolved = kernel::resolve_plan(kernel, one.candidate, sizes, one.point, facts);
    if (!resolved) { // matrix instructions that the device does not have, say
      ++without;
      continue;
    }
    const kernel::ResolvedPlan& plan = *resolved;
    const backend::BuildInput input{kernel, one.candidate, one.point, sizes, plan};
    HONE_TRY(const backend::CompileJob job, backend::device_compile_job(input, *target));
    HONE_TRY(const gate::JailOutcome outcome, gate::run_in_jail(job, {}));
    seconds += outcome.seconds;
    for (const std::string& step : one.steps) {
      ++of_step[step];
    }
    if (outcome.status != record::Status::correct) {
      ++failed;
      if (const char* const folder = std::getenv("HONE_SEQUENCES_KEEP")) {
        for (const auto& [name, text] : job.files) {
          (void)write_file(fs::path(folder) / fmt::format("{}-{}", i, name), text);
        }
      }
      fmt::print("{}: {} | {}\n  {}\n{}\n", kernel_name, join(one.steps, " "), kernel::to_text(one.point),
                 outcome.reason, outcome.log.substr(0, 1200));
      continue;
    }
    if (target->language == "cuda") {
      if (!naive.contains(kernel_name)) {
        HONE_TRY(const kernel::Candidate plain, lower::lower_schedule(kernel, lower::naive_schedule(kernel), dialect));
        HONE_TRY(const kernel::ResolvedPlan plain_plan, kernel::resolve_plan(kernel, plain, sizes, {}, facts));
        HONE_TRY(const std::string plain_ptx, ptx_of({kernel, plain, {}, sizes, plain_plan}, *target));
        HONE_TRY(naive[kernel_name], run_emulated(kernel, sizes, plain_plan, plain_ptx, seed));
      }
      const auto begin = std::chrono::steady_clock::now();
      HONE_TRY(const EmulatedRun ran, run_emulated(kernel, sizes, plan, outcome.outputs.at("program.ptx"), seed));
      executing += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      lane_instructions += ran.lane_instructions;
      const double part = kernel_name.contains("bf16") ? 0.02 : 1e-5;
      std::string wrong = naive[kernel_name].trouble + ran.trouble;
      wrong += wrong.empty() ? difference(ran, naive[kernel_name], part) : "";
      if (!wrong.empty()) {
        ++failed;
        if (const char* const folder = std::getenv("HONE_SEQUENCES_KEEP")) {
          (void)write_file(fs::path(folder) / fmt::format("{}.cu", i), job.files.at("program.cu"));
          (void)write_file(fs::path(folder) / fmt::format("{}.ptx", i), outcome.outputs.at("program.ptx"));
        }
        fmt::print("{}: {} | {}\n  {}\n", kernel_name, join(one.steps, " "), kernel::to_text(one.point),
                   wrong.substr(0, 1500));
      }
    }
    for (const backend::KernelResources& one_of : backend::resources_in(outcome.log, *target)) {
      most_registers = std::max(most_registers, one_of.registers);
      spilled += one_of.spilled_bytes > 0 ? 1 : 0;
      for (const kernel::ResolvedLaunch& launch : plan.launches) {
        if (launch.kernel == one_of.kernel) {
          const auto items = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
          least_occupancy = std::min(least_occupancy, backend::occupancy(one_of, items, *target));
        }
      }
    }
  }
  for (const auto& [step, times] : of_step) {
    fmt::print("{:24}{:5}\n", step, times);
  }
  fmt::print("{}: {} sequences compiled in {:.1f} s, {} failed, {} have no point here; at most {} registers, {} "
             "functions spill, lowest "
             "occupancy {:.0f} %\n",
             arch, count - without, seconds, failed, without, most_registers, spilled, 100 * least_occupancy);
  if (executing > 0) {
    fmt::print("{}: executed on the emulated device, {:.3g} instructions of lanes in {:.1f} s\n", arch,
               static_cast<double>(lane_instructions), executing);
  }
  return failed == 0 ? 0 : 1;
}

} // namespace

int main(int count, char** arguments)
{
  if (count < 2) {
    fmt::print(stderr, "usage: device_texts ARCH [N] [SEED]\n");
    return 2;
  }
  const int wanted = count > 2 ? std::atoi(arguments[2]) : 20;
  const std::uint64_t seed = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  const Result<int> status = run(arguments[1], wanted, seed);
  if (!status) {
    fmt::print(stderr, "device_texts: {}\n", status.error().text());
    return 2;
  }
  return *status;
}
