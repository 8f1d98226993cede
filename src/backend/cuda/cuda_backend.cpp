#include "backend/cuda/cuda_backend.h"

#include "backend/cuda/device_compiler.h"
#include "backend/probe_facts.h"
#include "util/util.h"

#include <fmt/format.h>

#include <regex>

namespace hone::backend {
namespace {

constexpr std::string_view k_cuda_runner = "hone-runner-cuda";
constexpr const char* k_ptx_file = "program.ptx";
constexpr const char* k_cubin_file = "program.cubin";
constexpr double k_emulated_work =
  1e6; // operations and bytes of a call that takes the emulated device a tenth of a second

// The emulated driver is part of Hone; the compiler is another program.
Result<ProbeFacts> ask_cuda_device()
{
  HONE_CHECK(check_device_compiler("cuda"));
  return ask_runner(k_cuda_runner, "CUDA", "reinstall Hone: the emulated driver lies beside hone-runner-cuda");
}

bool is_cuda_emulated()
{
  static const bool emulated = [] {
    const Result<ProbeFacts> facts = ask_cuda_device();
    return !facts || facts->at("kind") == "emulated";
  }();
  return emulated;
}

// Hopper's own instructions need its own architecture.
const DeviceTarget& cuda_target()
{
  static const DeviceTarget* const target = [] {
    const Result<ProbeFacts> facts = ask_cuda_device();
    return find_device_target(facts && facts->at("capability") != "9.0" ? "sm_80" : "sm_90a");
  }();
  return *target;
}

class CudaBackend : public Backend {
public:
  std::string_view name() const override { return "cuda"; }
  record::Tier tier() const override { return record::Tier::b; }

  std::string_view lock_profile() const override
  {
    return "compiled in the jail, without running; before loading: seccomp without new programs, processes, network or "
           "signals, Landlock (files of the system read-only)";
  }

  Result<DeviceInfo> probe() const override
  {
    HONE_TRY(const ProbeFacts facts, ask_cuda_device());
    DeviceInfo device = device_from(facts, "cuda");
    device.plan_facts["device.units"] = number_in(facts, "units");
    device.plan_facts["device.l2"] = number_in(facts, "l2");
    return device;
  }

  lower::Dialect dialect() const override { return lower::cuda_dialect(); }

  Result<CompileJob> compile_job(const BuildInput& input) const override
  {
    if (!device_program_text(input, "cuda")) {
      return CompileJob(); // nothing to compile: load() says why
    }
    return device_compile_job(input, cuda_target());
  }

  std::expected<Module, LoadFailure> load(const BuildInput& input,
                                          const std::map<std::string, std::string>& outputs) const override;
  std::string translate_log(std::string_view log) const override;

  Capabilities capabilities() const override
  {
    Capabilities can;
    can.shared_memory = false;
    can.guard_pages = false;
    can.host_ceilings = false;
    can.rebinds = true;
    can.cancels = true;
    can.times = !is_cuda_emulated();
    can.most_work = is_cuda_emulated() ? k_emulated_work : 0;
    can.first_call = std::chrono::seconds(is_cuda_emulated() ? 30 : 0);
    return can;
  }
  std::string_view runner_program() const override { return k_cuda_runner; }
};

std::expected<Module, LoadFailure> CudaBackend::load(const BuildInput& input,
                                                     const std::map<std::string, std::string>& outputs) const
{
  const auto text = device_program_text(input, "cuda");
  if (!text) {
    return std::unexpected(text.error());
  }
  const auto ptx = outputs.find(k_ptx_file), cubin = outputs.find(k_cubin_file);
  if (ptx == outputs.end()) {
    return std::unexpected(LoadFailure{LoadFailure::Kind::compile, "the compile job left no PTX"});
  }
  Module module;
  module.image = is_cuda_emulated() || cubin == outputs.end() ? ptx->second : cubin->second;
  for (const kernel::ResolvedLaunch& launch : input.plan.launches) {
    module.entry_names.push_back(launch.kernel);
  }
  module.hash = sha256(fmt::format("{}\n{}{}", cuda_target().arch, *text, module.image));
  return module;
}

// The compiler's own lines, and ptxas's figures, say nothing about mistakes.
std::string CudaBackend::translate_log(std::string_view log) const
{
  static const std::regex noise(
    "^(ptxas info|[0-9]+ (error|warning)s? (and [0-9]+ errors? )?generated|    [0-9]+ bytes stack).*");
  std::string out;
  for (const std::string& line : split(log, '\n')) {
    if (!line.empty() && !std::regex_match(line, noise)) {
      out += line + '\n';
    }
  }
  return out;
}

} // namespace

const Backend& cuda_backend()
{
  static const CudaBackend backend;
  return backend;
}

} // namespace hone::backend
