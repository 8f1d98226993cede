#include "backend/hlsl/hlsl_backend.h"

#include "backend/hlsl/program_text.h"
#include "backend/hlsl/shader_image.h"
#include "backend/probe_facts.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::backend {
namespace {

constexpr std::string_view k_vulkan_runner = "hone-runner-vulkan";
constexpr const char* k_glslang = "/usr/bin/glslangValidator";
constexpr const char* k_hlsl_program = "program.hlsl";
constexpr std::string_view k_spirv_target = "vulkan1.1";
constexpr std::string_view k_vulkan_hint =
  "install the Debian packages libvulkan1, mesa-vulkan-drivers (or the driver of your GPU) and glslang-tools";

// The runner knows the driver; the compiler is another program.
Result<ProbeFacts> ask_device()
{
  HONE_TRY(ProbeFacts facts, ask_runner(k_vulkan_runner, "Vulkan", k_vulkan_hint));
  std::error_code ignored;
  if (!std::filesystem::exists(k_glslang, ignored)) {
    return fail("glslangValidator is not installed: it compiles HLSL to SPIR-V", std::string(k_vulkan_hint));
  }
  return facts;
}

// Mesa's drivers for the CPU count the rounds of all loops of an item down from this and leave them at 0, so that a
// shader cannot hang (LP_MAX_TGSI_LOOP_ITERATIONS).
constexpr double k_llvmpipe_rounds = 65'535;
bool ends_long_loops()
{
  static const bool ends = [] {
    const Result<ProbeFacts> facts = ask_device();
    return facts && facts->at("device").starts_with("llvmpipe");
  }();
  return ends;
}

std::set<std::string> kernels_of(const kernel::ResolvedPlan& plan)
{
  std::set<std::string> out;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    out.insert(launch.kernel);
  }
  return out;
}

std::string shader_file(const std::string& kernel)
{
  return kernel + ".spv";
}

class HlslBackend : public Backend {
public:
  std::string_view name() const override { return "hlsl"; }
  record::Tier tier() const override { return record::Tier::b; }

  std::string_view lock_profile() const override
  {
    return "compiled in the jail, without running; before loading: Landlock (files of the system read-only), seccomp "
           "without new programs, processes, network or signals";
  }

  Result<DeviceInfo> probe() const override
  {
    HONE_TRY(const ProbeFacts facts, ask_device());
    DeviceInfo device = device_from(facts, "hlsl");
    device.plan_facts["device.units"] = 1; // Vulkan does not say
    return device;
  }

  lower::Dialect dialect() const override { return lower::hlsl_dialect(); }
  Result<CompileJob> compile_job(const BuildInput& input) const override;
  std::expected<Module, LoadFailure> load(const BuildInput& input,
                                          const std::map<std::string, std::string>& outputs) const override;
  std::string translate_log(std::string_view log) const override { return translate_hlsl_log(log); }
  Capabilities capabilities() const override
  {
    Capabilities can = device_capabilities();
    can.first_call = std::chrono::seconds(30);
    can.most_rounds = ends_long_loops() ? k_llvmpipe_rounds : 0;
    return can;
  }
  std::string_view runner_program() const override { return k_vulkan_runner; }
};

Result<CompileJob> HlslBackend::compile_job(const BuildInput& input) const
{
  CompileJob job;
  auto text = hlsl_program_text(input);
  if (!text) {
    return job; // nothing to compile: load() says why
  }
  job.files[k_hlsl_program] = std::move(*text);
  for (const std::string& kernel : kernels_of(input.plan)) {
    job.commands.push_back({k_glslang, "-D", "-V", "-S", "comp", "-e", kernel, "--target-env",
                            std::string(k_spirv_target), "-o", shader_file(kernel), k_hlsl_program});
    job.outputs.push_back(shader_file(kernel));
  }
  return job;
}

std::expected<Module, LoadFailure> HlslBackend::load(const BuildInput& input,
                                                     const std::map<std::string, std::string>& outputs) const
{
  const auto text = hlsl_program_text(input);
  if (!text) {
    return std::unexpected(text.error());
  }
  Module module;
  std::vector<Shader> shaders;
  for (const std::string& kernel : kernels_of(input.plan)) {
    const auto found = outputs.find(shader_file(kernel));
    if (found == outputs.end()) {
      return std::unexpected(LoadFailure{LoadFailure::Kind::compile, "the compile job left no code of " + kernel});
    }
    auto shader = make_shader(input, kernel, found->second);
    if (!shader) {
      return std::unexpected(LoadFailure{LoadFailure::Kind::compile, shader.error()});
    }
    shaders.push_back(std::move(*shader));
  }
  module.image = image_of(shaders);
  for (const kernel::ResolvedLaunch& launch : input.plan.launches) {
    module.entry_names.push_back(launch.kernel);
  }
  module.hash = sha256(fmt::format("{}\n{}{}", k_spirv_target, *text, module.image));
  return module;
}

} // namespace

const Backend& hlsl_backend()
{
  static const HlslBackend backend;
  return backend;
}

} // namespace hone::backend
