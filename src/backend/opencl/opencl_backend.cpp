#include "backend/opencl/opencl_backend.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/opencl/oclgrind.h"
#include "backend/opencl/oclgrind_counter.h"
#include "backend/opencl/plan_launches.h"
#include "backend/opencl/program_text.h"
#include "backend/probe_facts.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace hone::backend {
namespace {

constexpr std::string_view k_runner = "hone-runner-opencl";
constexpr const char* k_compiler = "hone-opencl-compiler";
constexpr const char* k_program = "program.cl";
constexpr const char* k_launches = "launches.txt";
constexpr const char* k_binary = "program.bin";
constexpr std::string_view k_install_hint = "install the Debian packages pocl-opencl-icd and ocl-icd-libopencl1";

// The CPU behind the driver: its name and the microcode that it runs.
std::string processor()
{
  std::string facts;
  const auto text = read_file("/proc/cpuinfo");
  for (const std::string& line : split(text ? *text : "", '\n')) {
    if (line.starts_with("model name") || line.starts_with("microcode") || line.starts_with("cache size")) {
      facts += line + '\n';
    }
    if (trim(line).empty() && !facts.empty()) {
      break; // the first processor speaks for all
    }
  }
  return facts;
}

// HONE_OPENCL_MEMORY=copy: as if the device's memory were out of the parent's reach. For tests of that.
bool copies_memory()
{
  const char* const wanted = std::getenv("HONE_OPENCL_MEMORY");
  return wanted != nullptr && std::string_view(wanted) == "copy";
}

DeviceInfo device_from(const ProbeFacts& facts)
{
  DeviceInfo device;
  device.backend = "opencl";
  device.name = facts.at("device");
  device.facts = facts;
  device.facts["build options"] = opencl::k_build_options;
  if (copies_memory()) {
    device.facts["memory"] = "copied";
  }
  std::string identity = processor();
  for (const auto& [name, value] : device.facts) {
    identity += fmt::format("{}\t{}\n", name, value);
  }
  device.fingerprint = sha256(std::string_view(identity));
  if (const auto processor = cpu_backend().probe()) { // the caches are the CPU's
    for (const char* level : {"device.l1", "device.l2", "device.l3"}) {
      device.plan_facts[level] = processor->plan_facts.at(level);
    }
    device.last_level_cache = processor->last_level_cache;
  }
  device.plan_facts["device.units"] = number_in(facts, "compute units");
  device.plan_facts["device.shared_per_block"] = number_in(facts, "local memory");
  device.plan_facts["device.max_block"] = number_in(facts, "largest work-group");
  device.plan_facts["device.subgroup"] = number_in(facts, "sub-group");
  device.plan_facts["device.vector_bytes"] = 4 * number_in(facts, "floats per vector");
  return device;
}

class OpenclBackend : public Backend {
public:
  std::string_view name() const override { return "opencl"; }
  record::Tier tier() const override { return record::Tier::b; }

  std::string_view lock_profile() const override
  {
    return "compiled in the jail, without running; before loading: Landlock (files of the system read-only, a private "
           "folder writable), seccomp without new programs, processes, network or signals";
  }

  Result<DeviceInfo> probe() const override
  {
    HONE_TRY(const ProbeFacts facts, ask_runner(k_runner, "OpenCL", k_install_hint));
    return device_from(facts);
  }

  lower::Dialect dialect() const override { return lower::opencl_dialect(); }

  Result<CompileJob> compile_job(const BuildInput& input) const override;
  std::expected<Module, LoadFailure> load(const BuildInput& input,
                                          const std::map<std::string, std::string>& outputs) const override;
  std::string translate_log(std::string_view log) const override { return translate_opencl_log(log); }
  const Inspector* inspector() const override { return &opencl::oclgrind(); }
  const AccessCounter* access_counter() const override { return &opencl::oclgrind_counter(); }
  Capabilities capabilities() const override
  {
    Capabilities can;
    can.watched_accesses = true;
    can.shared_memory = !copies_memory();
    can.guard_pages = can.shared_memory;
    can.rebinds = true;
    can.cancels = true;
    return can;
  }
  std::string_view runner_program() const override { return k_runner; }
};

Result<CompileJob> OpenclBackend::compile_job(const BuildInput& input) const
{
  CompileJob job;
  auto text = opencl_program_text(input);
  if (!text) {
    return job; // nothing to compile: load() says why
  }
  const fs::path compiler = libexec_folder() / k_compiler;
  job.files[k_program] = std::move(*text);
  job.files[k_launches] = to_text(opencl::launches_to_compile(input.plan));
  job.commands = {{compiler, opencl::k_build_options}};
  job.outputs = {k_binary};
  job.readable = {compiler, "/etc/OpenCL", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system"};
  return job;
}

std::expected<Module, LoadFailure> OpenclBackend::load(const BuildInput& input,
                                                       const std::map<std::string, std::string>& outputs) const
{
  const auto text = opencl_program_text(input);
  if (!text) {
    return std::unexpected(text.error());
  }
  const auto binary = outputs.find(k_binary);
  if (binary == outputs.end()) {
    return std::unexpected(LoadFailure{LoadFailure::Kind::compile, "the compile job left no program binary"});
  }
  Module module;
  module.image = binary->second;
  module.build_options = opencl::k_build_options;
  for (const kernel::ResolvedLaunch& launch : input.plan.launches) {
    module.entry_names.push_back(launch.kernel);
  }
  // Over what was compiled: the binary differs from time to time.
  module.hash =
    sha256(fmt::format("{}\n{}{}", opencl::k_build_options, to_text(opencl::launches_to_compile(input.plan)), *text));
  return module;
}

} // namespace

const Backend& opencl_backend()
{
  static const OpenclBackend backend;
  return backend;
}

} // namespace hone::backend
