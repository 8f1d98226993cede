#include "backend/cuda/gpu_backend.h"

#include "backend/probe_facts.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace hone::backend {
namespace {

constexpr std::int64_t k_most_groups_y = 65535; // and along z: CUDA C++ Programming Guide, compute capabilities
constexpr double k_emulated_work =
  1e6; // operations and bytes of a call that takes the emulated device a tenth of a second

} // namespace

// The emulated driver is part of Hone; the compiler is another program.
Result<ProbeFacts> GpuBackend::ask() const
{
  HONE_CHECK(check_device_compiler(m_platform.name));
  return ask_runner(m_platform.runner, m_platform.kind,
                    fmt::format("reinstall Hone: the emulated driver lies beside {}", m_platform.runner));
}

const GpuBackend::Found& GpuBackend::found() const
{
  std::call_once(m_asked, [&] {
    const Result<ProbeFacts> facts = ask();
    m_found.emulated = !facts || facts->at("kind") == "emulated";
    m_found.target = find_device_target(m_platform.arch(facts ? facts->at("capability") : "", m_found.emulated));
  });
  return m_found;
}

std::string_view GpuBackend::lock_profile() const
{
  return "compiled in the jail, without running; before loading: seccomp without new programs, processes, network or "
         "signals, Landlock (files of the system read-only)";
}

Result<DeviceInfo> GpuBackend::probe() const
{
  HONE_TRY(const ProbeFacts facts, ask());
  DeviceInfo device = device_from(facts, m_platform.name);
  device.plan_facts["device.units"] = number_in(facts, "units");
  device.plan_facts["device.max_groups_y"] = k_most_groups_y;
  device.plan_facts["device.l2"] = number_in(facts, "l2");
  device.plan_facts["device.subgroup"] = found().target->subgroup;
  device.plan_facts["device.dynamic_shared"] = number_in(facts, "largest local memory");
  device.plan_facts["device.warp_group"] = found().target->warp_group;
  device.plan_facts["device.cluster"] = found().target->cluster;
  if (m_platform.name == "hip" && found().emulated) { // the emulated device has NVIDIA's sizes
    device.name = fmt::format("emulated {} (waves of {})", found().target->arch, found().target->subgroup);
    device.plan_facts["device.shared_per_block"] = found().target->local_bytes;
    device.plan_facts["device.dynamic_shared"] = found().target->local_bytes;
  }
  return device;
}

Result<CompileJob> GpuBackend::compile_job(const BuildInput& input) const
{
  if (!device_program_text(input, m_platform.name)) {
    return CompileJob(); // nothing to compile: load() says why
  }
  return device_compile_job(input, *found().target, found().emulated);
}

Result<ListingJob> GpuBackend::listing_job(const BuildInput& input) const
{
  const bool hip = m_platform.name == "hip";
  HONE_TRY(CompileJob job, device_compile_job(input, *found().target, found().emulated));
  for (std::vector<std::string>& command : job.commands) {
    if (hip && std::ranges::find(command, "program.s") != command.end()) {
      command.emplace_back("-gline-tables-only");
    }
    for (std::string& word : command) {
      if (word == (hip ? "program.s" : "program.ptx")) {
        word = k_listing_file;
      }
    }
  }
  job.outputs = {std::string(k_listing_file)};
  return ListingJob{std::move(job), hip ? ListingSyntax::amdgcn : ListingSyntax::ptx};
}

std::vector<CodeResources> GpuBackend::resources(const BuildInput& input, std::string_view log) const
{
  const DeviceTarget& target = *found().target;
  std::vector<CodeResources> all;
  for (const KernelResources& one : resources_in(log, target)) {
    int items = 1;
    for (const kernel::ResolvedLaunch& launch : input.plan.launches) {
      if (launch.kernel == one.kernel) {
        items = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
      }
    }
    all.push_back({one.kernel, one.registers, one.spilled_bytes, one.local_bytes, occupancy(one, items, target)});
  }
  return all;
}

Capabilities GpuBackend::capabilities() const
{
  Capabilities can = device_capabilities();
  can.times = !found().emulated;
  can.most_work = found().emulated ? k_emulated_work : 0;
  return can;
}

std::expected<Module, LoadFailure> GpuBackend::load(const BuildInput& input,
                                                    const std::map<std::string, std::string>& outputs) const
{
  const auto text = device_program_text(input, m_platform.name);
  if (!text) {
    return std::unexpected(text.error());
  }
  const auto images = device_images(found().target->language, found().emulated);
  const auto file =
    std::ranges::find_if(images, [&](std::string_view name) { return outputs.contains(std::string(name)); });
  if (file == images.end()) {
    return std::unexpected(LoadFailure{LoadFailure::Kind::compile, "the compile job left no program"});
  }
  Module module;
  module.image = outputs.at(std::string(*file));
  for (const kernel::ResolvedLaunch& launch : input.plan.launches) {
    module.entry_names.push_back(launch.kernel);
  }
  module.hash = sha256(fmt::format("{}\n{}{}", found().target->arch, *text, module.image));
  return module;
}

// The compiler's own lines, and ptxas's figures, say nothing about mistakes.
std::string GpuBackend::translate_log(std::string_view log) const
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

} // namespace hone::backend
