#include "kernel/candidate.h"

#include "util/did_you_mean.h"
#include "util/fs.h"
#include "util/hash.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace hone::kernel {

namespace {

struct DeviceFile {
  std::string_view backend;
  std::string_view file;
};
constexpr std::array<DeviceFile, 6> k_device_files{{{"cpu", "device.cpp"},
                                                    {"opencl", "device.cl"},
                                                    {"hlsl", "device.hlsl"},
                                                    {"cuda", "device.cu"},
                                                    {"hip", "device.hip"},
                                                    {"c", "device.c"}}};

constexpr std::uintmax_t k_most_bytes = 4u << 20;
constexpr std::string_view k_plan_file = "launch.toml";
constexpr std::string_view k_macros_file = "macros.h";
constexpr std::string_view k_schedule_file = "schedule.toml";

std::vector<std::string> allowed_files()
{
  std::vector<std::string> out{std::string(k_plan_file), std::string(k_macros_file), std::string(k_schedule_file)};
  for (const DeviceFile& entry : k_device_files) {
    out.emplace_back(entry.file);
  }
  return out;
}

const DeviceFile* device_file(std::string_view name)
{
  const auto found = std::ranges::find(k_device_files, name, &DeviceFile::file);
  return found == k_device_files.end() ? nullptr : &*found;
}

std::unexpected<Error> unknown_file(const std::string& name)
{
  const std::vector<std::string> allowed = allowed_files();
  return fail(fmt::format("a candidate holds no file '{}'; expected one device file, macros.h and launch.toml", name),
              did_you_mean(name, allowed, "remove it"));
}

// All names that a plan's expressions and arguments may use.
struct PlanNames {
  std::set<std::string> buffers;  // written or read through a pointer
  std::set<std::string> writable; // outputs and scratch
  std::set<std::string> maps;
  std::set<std::string> numbers;                                   // sizes and tuning parameters
  std::string_view arguments = "argument, scratch buffer or size"; // what `buffers` and sizes are called

  // What the launches of a plan may use, or those of its preparation.
  static PlanNames of(const Kernel& kernel, const LaunchPlan& plan, bool preparation)
  {
    PlanNames out;
    if (preparation) {
      out.arguments = "weight, prepared scratch buffer or size, which are all that [[prepare]] sees";
    }
    for (const Argument& argument : kernel.arguments) {
      if (!preparation || argument.role == Role::weight) {
        out.buffers.insert(argument.name);
      }
      if (!preparation && is_written(argument.role)) {
        out.writable.insert(argument.name);
      }
    }
    for (const ScratchSpec& scratch : plan.scratch) {
      if (!preparation || scratch.prepared) {
        out.buffers.insert(scratch.name);
      }
      if (scratch.prepared == preparation) {
        out.writable.insert(scratch.name);
      }
    }
    for (const MapSpec& map : plan.maps) {
      if (!preparation) {
        out.maps.insert(map.name);
      }
    }
    out.numbers.insert(kernel.symbols.begin(), kernel.symbols.end());
    for (const TuningParameter& parameter : plan.tuning.parameters) {
      out.numbers.insert(parameter.name);
    }
    return out;
  }
};

std::unexpected<Error> unknown_name(std::string_view what, const std::string& name, const std::set<std::string>& known,
                                    const Place& place)
{
  const std::vector<std::string> names(known.begin(), known.end());
  return fail(fmt::format("'{}' is no {}; expected one of {}", name, what, join(names, ", ")),
              did_you_mean(name, names), place);
}

Result<void> check_expression(const PlanExpression& expression, const PlanNames& names, bool shared_known,
                              const Place& place)
{
  for (const std::string& name : expression.names()) {
    const bool fact = name.starts_with("device.");
    const bool special = name == "repeat_index" || (shared_known && name == "shared");
    if (!fact && !special && !names.numbers.contains(name)) {
      HONE_CHECK(Result<void>(unknown_name(fmt::format("size or tuning parameter (in '{}')", expression.text()), name,
                                           names.numbers, place)));
    }
  }
  return {};
}

Result<void> check_launch(const Kernel& kernel, const LaunchSpec& launch, const PlanNames& names)
{
  std::set<std::string> arguments = names.buffers;
  arguments.insert(names.maps.begin(), names.maps.end());
  arguments.insert(kernel.symbols.begin(), kernel.symbols.end());
  arguments.insert("repeat_index");
  for (const std::string& name : launch.args) {
    if (!arguments.contains(name)) {
      return unknown_name(names.arguments, name, arguments, launch.place);
    }
  }
  for (const std::string& name : launch.reduce) {
    if (!names.writable.contains(name)) {
      return unknown_name("output or scratch buffer that groups may add to", name, names.writable, launch.place);
    }
  }
  if (!launch.fill_buffer.empty() && !names.writable.contains(launch.fill_buffer)) {
    return unknown_name("output or scratch buffer that can be filled", launch.fill_buffer, names.writable,
                        launch.place);
  }
  for (const std::vector<PlanExpression>* list : {&launch.grid, &launch.block, &launch.cluster}) {
    for (const PlanExpression& expression : *list) {
      HONE_CHECK(check_expression(expression, names, false, launch.place));
    }
  }
  HONE_CHECK(check_expression(launch.shared, names, false, launch.place));
  HONE_CHECK(check_expression(launch.when, names, false, launch.place));
  return check_expression(launch.repeat, names, false, launch.place);
}

// Prepared buffers and [[prepare]] need each other, and both need a weight.
Result<void> check_preparation(const Kernel& kernel, const LaunchPlan& plan, const Place& place)
{
  const auto prepared = std::ranges::find(plan.scratch, true, &ScratchSpec::prepared);
  if (plan.preparation.empty() && prepared == plan.scratch.end()) {
    return {};
  }
  if (std::ranges::find(kernel.arguments, Role::weight, &Argument::role) == kernel.arguments.end()) {
    return fail(fmt::format("nothing can be prepared: the kernel '{}' has no argument of role weight", kernel.name),
                "say role = \"weight\" in kernel.toml for an input that stays the same over many calls", place);
  }
  if (plan.preparation.empty()) {
    return fail(fmt::format("the scratch buffer '{}' is prepared, but there is no [[prepare]]", prepared->name),
                "add a [[prepare]] that writes it", place);
  }
  if (prepared == plan.scratch.end()) {
    return fail("[[prepare]] has nothing to write", "give a [[scratch]] buffer prepared = true",
                plan.preparation.front().place);
  }
  const PlanNames names = PlanNames::of(kernel, plan, true);
  for (const LaunchSpec& launch : plan.preparation) {
    HONE_CHECK(check_launch(kernel, launch, names));
    if (launch.shared.text() != PlanExpression().text()) {
      return fail("[[prepare]] has no group-local scratch memory", "leave `shared` out", launch.place);
    }
  }
  return {};
}

Result<void> check_plan(const Kernel& kernel, const LaunchPlan& plan)
{
  const Place place{std::string(k_plan_file), 0, 0};
  std::set<std::string> taken;
  for (const Argument& argument : kernel.arguments) {
    taken.insert(argument.name);
  }
  taken.insert(kernel.symbols.begin(), kernel.symbols.end());
  const auto claim = [&](const std::string& name) -> Result<void> {
    if (!taken.insert(name).second) {
      return fail(fmt::format("the name '{}' is taken by an argument, a size or another entry", name),
                  "choose another name", place);
    }
    return {};
  };
  for (const ScratchSpec& scratch : plan.scratch) {
    HONE_CHECK(claim(scratch.name));
  }
  for (const TuningParameter& parameter : plan.tuning.parameters) {
    HONE_CHECK(claim(parameter.name));
  }
  for (const MapSpec& map : plan.maps) {
    HONE_CHECK(claim(map.name));
  }
  const PlanNames names = PlanNames::of(kernel, plan, false);
  for (const ScratchSpec& scratch : plan.scratch) {
    HONE_CHECK(check_expression(scratch.size, names, false, place));
  }
  for (const PlanExpression& constraint : plan.tuning.constraints) {
    HONE_CHECK(check_expression(constraint, names, true, place));
  }
  for (const MapSpec& map : plan.maps) {
    if (!names.buffers.contains(map.tensor)) {
      return unknown_name("argument or scratch buffer", map.tensor, names.buffers, map.place);
    }
    for (const std::vector<PlanExpression>* list : {&map.sizes, &map.box}) {
      for (const PlanExpression& expression : *list) {
        HONE_CHECK(check_expression(expression, names, false, map.place));
      }
    }
  }
  for (const LaunchSpec& launch : plan.launches) {
    HONE_CHECK(check_launch(kernel, launch, names));
  }
  return check_preparation(kernel, plan, place);
}

} // namespace

TuningPoint TuningSpace::defaults() const
{
  TuningPoint out;
  for (const TuningParameter& parameter : parameters) {
    out[parameter.name] = parameter.default_value;
  }
  return out;
}

double TuningSpace::size() const
{
  double out = 1;
  for (const TuningParameter& parameter : parameters) {
    out *= static_cast<double>(parameter.values.size());
  }
  return out;
}

std::string Candidate::hash() const
{
  std::string text = "hone candidate 1\n";
  for (const auto& [name, bytes] : files) {
    text += fmt::format("{}\n{}\n", name, bytes.size());
    text += bytes;
  }
  return sha256(text);
}

const std::string& Candidate::device_source() const
{
  static const std::string k_none;
  const auto found = files.find(device_file_name(backend));
  return found == files.end() ? k_none : found->second;
}

std::string device_file_name(std::string_view backend)
{
  const auto found = std::ranges::find(k_device_files, backend, &DeviceFile::backend);
  return found == k_device_files.end() ? std::string() : std::string(found->file);
}

Result<Candidate> make_candidate(const Kernel& kernel, std::map<std::string, std::string> files)
{
  Candidate out;
  if (const auto schedule = files.find(std::string(k_schedule_file)); schedule != files.end()) {
    out.schedule = std::move(schedule->second);
    files.erase(schedule);
  }
  for (const auto& [name, bytes] : files) {
    const DeviceFile* device = device_file(name);
    if (device != nullptr && !out.backend.empty()) {
      return fail(
        fmt::format("a candidate has one device file; this one has {} and {}", device_file_name(out.backend), name),
        "keep the one of the backend that is meant");
    }
    if (device != nullptr) {
      out.backend = device->backend;
    } else if (name != k_plan_file && name != k_macros_file) {
      return unknown_file(name);
    }
    if (bytes.size() > k_most_bytes) {
      return fail(fmt::format("'{}' is larger than 4 MiB", name), "a candidate is source text");
    }
  }
  if (out.backend.empty()) {
    return fail("a candidate needs a device file, such as device.cpp (CPU) or device.cl (OpenCL)");
  }
  if (!files.contains(std::string(k_plan_file))) {
    return fail("a candidate needs a launch.toml", "it names the kernels to launch, their grids and arguments");
  }
  files.try_emplace(std::string(k_macros_file)); // device code may always include it
  HONE_TRY(out.plan, parse_launch_plan(files.at(std::string(k_plan_file)), std::string(k_plan_file)));
  HONE_CHECK(check_plan(kernel, out.plan));
  if (!out.plan.maps.empty() && out.backend != "cuda") {
    return fail(fmt::format("{} has no tensor maps", out.backend), "leave [[tensor_map]] out; CUDA has them");
  }
  for (const LaunchSpec& launch : out.plan.launches) {
    if (!launch.cluster.empty() && out.backend != "cuda") {
      return fail(fmt::format("{} has no clusters of groups", out.backend), "leave cluster out; CUDA has them",
                  launch.place);
    }
  }
  out.files = std::move(files);
  return out;
}

Result<Candidate> load_candidate(const Kernel& kernel, const fs::path& folder)
{
  std::error_code problem;
  std::map<std::string, std::string> files;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    // symlink_status does not follow: a link could lead anywhere.
    if (!fs::is_regular_file(entry->symlink_status())) {
      return fail(fmt::format("'{}' in the candidate folder is not a plain file", name),
                  "links and folders are not read", {folder.string(), 0, 0});
    }
    const std::vector<std::string> allowed = allowed_files();
    if (std::ranges::find(allowed, name) == allowed.end()) {
      return unknown_file(name);
    }
    if (entry->file_size(problem) > k_most_bytes) {
      return fail(fmt::format("'{}' is larger than 4 MiB", name), "a candidate is source text",
                  {folder.string(), 0, 0});
    }
    HONE_TRY(files[name], read_file(entry->path()));
  }
  if (problem) {
    return fail(fmt::format("cannot read the candidate folder '{}': {}", folder.string(), problem.message()),
                "a candidate is a folder with device.cpp, macros.h and launch.toml");
  }
  auto out = make_candidate(kernel, std::move(files));
  if (!out && out.error().place.file == k_plan_file) {
    out.error().place.file = (folder / k_plan_file).string();
  }
  return out;
}

fs::path start_folder(const fs::path& kernel_folder, std::string_view backend)
{
  return kernel_folder / "start" / backend;
}

Result<void> save_candidate(const Candidate& candidate, const fs::path& folder)
{
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    return fail(fmt::format("cannot make the folder '{}': {}", folder.string(), problem.message()));
  }
  for (const auto& [name, bytes] : candidate.files) {
    HONE_CHECK(write_file(folder / name, bytes));
  }
  if (candidate.schedule.empty()) {
    fs::remove(folder / k_schedule_file, problem); // one of an earlier candidate would not belong to this one
    return {};
  }
  return write_file(folder / k_schedule_file, candidate.schedule);
}

} // namespace hone::kernel
