#include "backend/cuda/device_counter.h"

#include "backend/launches_to_run.h"
#include "util/json.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace hone::backend {
namespace {

constexpr const char* k_program_name = "hone-device-counter";
constexpr const char* k_ptx = "program.ptx";
constexpr const char* k_counts = "counts.json";
constexpr std::int64_t k_sector_bytes = 32;

std::string counter_program()
{
  return libexec_folder() / k_program_name;
}

// The cache in the middle of an H100: 50 MiB.
const CacheLevel& device_cache()
{
  static const CacheLevel level{"L2", std::int64_t{50} << 20, k_sector_bytes, 16};
  return level;
}

void add_line(AccessSite& site, const Json& line)
{
  const auto number = [&](const char* name) { return line.at(name).get<std::int64_t>(); };
  const auto opcode = line.at("opcode").get<std::string>();
  const auto kind = line.at("class").get<std::string>();
  const bool atomic = opcode.starts_with("atom") || opcode.starts_with("red");
  const bool accesses = atomic || kind == "shared memory" || kind == "global memory" || kind == "copy";
  const bool stores = opcode.starts_with("st"), loads = accesses && !stores;
  const std::int64_t lanes = number("lanes");
  const std::int64_t bytes = number("requests") > 0 ? number("wanted") : lanes * item_bytes(opcode);
  if (loads) {
    site.loads += lanes;
    site.bytes_loaded += bytes;
  }
  if (accesses && (stores || atomic)) {
    site.stores += lanes;
    site.bytes_stored += bytes;
  }
  site.misses.resize(1);
  site.misses[0].reads += number("memory_reads") / k_sector_bytes;
  const bool branches = opcode.starts_with("bra") || opcode.starts_with("brx");
  site.warps += {number("warps"),
                 lanes,
                 number("requests"),
                 number("sectors"),
                 (number("wanted") + k_sector_bytes - 1) / k_sector_bytes,
                 number("turns"),
                 number("least_turns"),
                 branches ? number("warps") : 0,
                 number("parted")};
}

MemoryKind memory_of(const Json& line)
{
  const auto opcode = line.at("opcode").get<std::string>();
  return !line.at("buffer").get<std::string>().empty() ? MemoryKind::buffer
         : line.at("turns").get<std::int64_t>() > 0    ? MemoryKind::shared
         : opcode.contains(".local")                   ? MemoryKind::stack
                                                       : MemoryKind::other;
}

} // namespace

std::int64_t item_bytes(std::string_view opcode)
{
  std::int64_t bytes = 0, times = 1;
  for (const std::string& word : split(opcode, '.')) {
    const std::size_t digits = word.find_first_of("0123456789");
    int number = 0;
    if (digits != std::string::npos) {
      std::from_chars(word.data() + digits, word.data() + word.size(), number);
    }
    const std::string_view letters = std::string_view(word).substr(0, digits);
    if (letters == "v" && number > 0) {
      times = number;
    } else if (number % 8 == 0
               && (letters == "f" || letters == "u" || letters == "s" || letters == "b" || letters == "bf")) {
      bytes = number / 8;
    }
  }
  return bytes * times;
}

std::string DeviceCounter::missing() const
{
  std::error_code ignored;
  const Result<void> compiler = check_device_compiler(m_target().language);
  return !compiler ? compiler.error().message
         : !fs::exists(counter_program(), ignored)
           ? fmt::format("{} is missing: build or install Hone again", counter_program())
           : "";
}

std::vector<CacheLevel> DeviceCounter::levels() const
{
  return {device_cache()};
}

Result<std::vector<CompileJob>> DeviceCounter::build_jobs(const BuildInput& input, const Module&) const
{
  HONE_TRY(CompileJob job, device_compile_job(input, m_target(), true));
  std::erase_if(job.commands, [](const std::vector<std::string>& command) {
    return command.size() < 2 || command.back() != k_ptx || command[command.size() - 2] != "-o";
  });
  job.outputs = {k_ptx};
  return std::vector{std::move(job)};
}

Result<CompileJob> DeviceCounter::job(const InspectionInput& input, const std::vector<CacheLevel>& levels) const
{
  const kernel::Kernel& kernel = input.build.kernel;
  const kernel::ResolvedPlan& plan = input.build.plan;
  if (levels.size() != 1 || levels.front().line_bytes != k_sector_bytes) {
    return fail("the emulated device has one cache, of sectors of 32 bytes", "give one, such as L2=52428800,16,32");
  }
  if (!plan.maps.empty()) {
    return fail("launch plans with tensor maps are not counted", "`instructions` looks at the code itself");
  }
  CompileJob job;
  job.files = input.built;
  job.files["launches.txt"] = to_text(launches_to_run(kernel, plan));
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    job.files["clusters.txt"] += fmt::format("{} {} {}\n", launch.cluster[0], launch.cluster[1], launch.cluster[2]);
  }
  // A warp's instruction is 32 accesses where it accesses memory, as one in four does.
  job.files["count.txt"] =
    fmt::format("{} {} {}\n", input.most_accesses / 8, levels.front().bytes, levels.front().ways);
  std::size_t buffers = 0;
  const auto add_buffer = [&](const std::string& name, std::size_t bytes, std::span<const std::byte> contents) {
    job.files["buffers.txt"] += fmt::format("{} {}\n", bytes, name);
    job.files[fmt::format("buffer{}", buffers++)].assign(reinterpret_cast<const char*>(contents.data()),
                                                         contents.size());
  };
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    add_buffer(kernel.arguments[i].name, input.arguments.at(i).size(), input.arguments.at(i));
  }
  for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
    add_buffer(plan.scratch[i].name, plan.scratch[i].bytes(), input.scratch.at(i));
  }
  job.commands = {{counter_program()}};
  job.outputs = {k_counts};
  job.readable = {counter_program()};
  if (const fs::path libraries = library_folder(); !libraries.empty()) {
    job.readable.push_back(libraries);
  }
  return job;
}

Result<AccessCounts> DeviceCounter::counts(const std::map<std::string, std::string>& outputs) const
{
  const auto found = outputs.find(k_counts);
  return device_counts_from(found == outputs.end() ? "" : found->second);
}

Result<AccessCounts> device_counts_from(std::string_view text)
{
  HONE_TRY(const Json json, parse_json(std::string(text), k_counts));
  AccessCounts counts;
  counts.of_warps = true;
  counts.levels = {device_cache()};
  counts.traffic.resize(1);
  std::map<std::tuple<std::string, int, MemoryKind, std::string>, AccessSite> sites;
  try {
    counts.levels[0].bytes = json.at("cache").at(0);
    counts.levels[0].ways = json.at("cache").at(1);
    counts.groups_run = json.at("groups_run");
    counts.groups = json.at("groups");
    counts.whole = json.at("whole");
    for (const Json& line : json.at("lines")) {
      const MemoryKind memory = memory_of(line);
      const std::string file = line.at("file"), buffer = line.at("buffer");
      const int number = line.at("line");
      AccessSite& site = sites[{file, number, memory, buffer}];
      site.file = file;
      site.line = number;
      site.memory = memory;
      site.buffer = buffer;
      add_line(site, line);
      counts.traffic[0].fill_bytes += line.at("memory_reads").get<std::int64_t>();
      counts.traffic[0].write_back_bytes += line.at("memory_writes").get<std::int64_t>();
    }
  } catch (const Json::exception& error) {
    return fail(fmt::format("the counts of the emulated device cannot be read: {}", error.what()),
                "hone-device-counter belongs to another version of Hone: build or install Hone again");
  }
  counts.total.misses.resize(1);
  counts.stack.misses.resize(1);
  for (auto& [key, site] : sites) {
    counts.total += site;
    if (site.memory == MemoryKind::stack) {
      counts.stack += site;
    }
    counts.sites.push_back(std::move(site));
  }
  // What the device's units spend on each: sectors and turns.
  std::ranges::stable_sort(counts.sites, std::greater(), [](const AccessSite& site) {
    return std::tuple(site.warps.sectors + site.warps.turns, site.accesses(), site.warps.instructions);
  });
  counts.notes = {"counted on the emulated device: an L2 cache is modelled, the caches of the units are not",
                  "groups run one after another: what they would do to each other's lines is not seen"};
  if (!counts.whole) {
    counts.notes.push_back(fmt::format("counted in part: {} instructions of warps, {} of {} groups to their ends",
                                       counts.total.warps.instructions, counts.groups_run, counts.groups));
  }
  return counts;
}

} // namespace hone::backend
