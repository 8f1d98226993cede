#include "backend/cpu/counting/cpu_access_counter.h"

#include "backend/cpu/candidate_files.h"
#include "backend/cpu/counting/call_counts.h"
#include "backend/cpu/counting/instruction_places.h"
#include "backend/cpu/machine_caches.h"
#include "backend/cpu/module_assembly.h"
#include "backend/cpu/watch/call_files.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace hone::backend::cpu {
namespace {

constexpr const char* k_timed_assembly = "timed.s";
constexpr const char* k_timed_object = "timed.o";
constexpr const char* k_preprocessed = "device.ii";
constexpr const char* k_lined_assembly = "lined.s";
constexpr const char* k_counted_assembly = "counted.s";
constexpr const char* k_counted_object = "counted.o";
constexpr const char* k_counted_library = "counted.so";
constexpr const char* k_counts = "counts.txt";
constexpr const char* k_places = "places.txt";
constexpr const char* k_addr2line = "/usr/bin/addr2line";

// Where the machine does not tell: as many processors have it.
const std::vector<CacheLevel>& usual_caches()
{
  static const std::vector<CacheLevel> levels{
    {"L1", 32 << 10, 64, 8}, {"L2", 1 << 20, 64, 16}, {"L3", 32 << 20, 64, 16}};
  return levels;
}

const std::vector<std::string>& notes_of_all()
{
  static const std::vector<std::string> notes{
    "hardware prefetch is not modelled; prefetch instructions are not counted",
    "the caches are empty at the start, hold data only, and see the addresses of one thread without translation",
    "accesses inside mathematical functions, and those of push, pop and call, are not counted"};
  return notes;
}

// Of one line's accesses to one memory, all instructions together.
struct SiteSum {
  AccessSite site;
  std::map<std::int64_t, std::int64_t> strides;
  std::int64_t steps = 0, touches = 0;
  LogHistogram reuse;

  void add(const InstructionCounts& each)
  {
    site += each;
    site.alignment = site.alignment == 0 ? each.alignment : std::min(site.alignment, each.alignment);
    for (const auto& [stride, times] : each.strides) {
      strides[stride] += times;
    }
    steps += each.steps;
    touches += each.touches;
    reuse += each.reuse;
  }

  AccessSite result() const
  {
    AccessSite made = site;
    const auto most = std::ranges::max_element(strides, {}, [](const auto& entry) { return entry.second; });
    if (most != strides.end() && steps > 0) {
      made.stride = {most->first, static_cast<double>(most->second) / static_cast<double>(steps)};
    }
    if (reuse.total() > 0 && touches > 0) {
      made.reuse = {reuse.quantile(0.5), reuse.quantile(0.9),
                    static_cast<double>(reuse.total()) / static_cast<double>(touches)};
    }
    return made;
  }
};

class CpuAccessCounter final : public AccessCounter {
public:
  std::string_view name() const override { return "instrumented code"; }
  std::string missing() const override
  {
    return !fs::exists(k_addr2line) ? fmt::format("{} is missing: install the Debian package binutils", k_addr2line)
                                    : missing_inspector();
  }
  std::vector<CacheLevel> levels() const override
  {
    std::vector<CacheLevel> levels = machine_caches();
    return check_levels(levels) ? levels : usual_caches();
  }
  std::size_t most_accesses() const override { return 20'000'000; }

  Result<std::vector<CompileJob>> build_jobs(const BuildInput& input, const Module& timed) const override
  {
    const std::string program = inspector_program();
    std::vector<CompileJob> jobs(1);
    CompileJob& job = jobs.front();
    HONE_TRY(job.files, candidate_files(input));
    HONE_TRY(job.files[k_timed_assembly], stored_assembly(timed));
    // Compared with the timed code, since line information must not change it.
    job.commands = {preprocess_command(input, k_preprocessed),
                    lined_compile_command(k_preprocessed, k_lined_assembly),
                    {program, "--instrument", k_lined_assembly, k_counted_assembly},
                    assemble_command(k_counted_assembly, k_counted_object),
                    assemble_command(k_timed_assembly, k_timed_object),
                    {program, "--verify", k_counted_object, k_timed_object},
                    watched_link_command(k_counted_object, k_counted_library)};
    job.outputs = {k_counted_library};
    job.readable = readable_to_run_inspector();
    return jobs;
  }

  Result<CompileJob> job(const InspectionInput& input, const std::vector<CacheLevel>& levels) const override
  {
    HONE_CHECK(check_levels(levels));
    CompileJob job;
    job.files = call_files(input);
    std::string& count = job.files["count.txt"];
    count = fmt::format("{} {}\n", input.most_accesses, std::max(input.threads, 1));
    for (const CacheLevel& level : levels) {
      count += fmt::format("{} {} {} {}\n", level.name, level.bytes, level.line_bytes, level.ways);
    }
    job.commands = {
      {inspector_program(), "--count"},
      {"/bin/sh", "-c",
       fmt::format("{} -a -f -i -C -e {} < addresses.txt > {}", k_addr2line, k_counted_library, k_places)}};
    job.outputs = {k_counts, k_places};
    job.readable = readable_to_run_inspector();
    return job;
  }

  Result<AccessCounts> counts(const std::map<std::string, std::string>& outputs) const override
  {
    const auto text_of = [&](const char* name) {
      const auto found = outputs.find(name);
      return found == outputs.end() ? std::string_view() : std::string_view(found->second);
    };
    return access_counts_from(text_of(k_counts), text_of(k_places));
  }
};

} // namespace

Result<AccessCounts> access_counts_from(std::string_view text, std::string_view places_text)
{
  HONE_TRY(CallCounts call, call_counts_from(text));
  const std::map<std::uint64_t, InstructionPlace> places = instruction_places(places_text);
  std::map<std::tuple<std::string, int, MemoryKind, std::string>, SiteSum> sums;
  AccessCounts counts;
  for (const InstructionCounts& each : call.instructions) {
    const auto found = places.find(each.offset);
    const InstructionPlace place = found == places.end() ? InstructionPlace() : found->second;
    SiteSum& sum = sums[{place.file, place.line, each.memory, each.buffer}];
    sum.site.file = place.file;
    sum.site.line = place.line;
    sum.site.function = place.function;
    sum.site.memory = each.memory;
    sum.site.buffer = each.buffer;
    sum.add(each);
    counts.total += each;
    if (each.memory == MemoryKind::stack) {
      counts.stack += each;
    }
  }
  for (const auto& [key, sum] : sums) {
    counts.sites.push_back(sum.result());
  }
  std::ranges::stable_sort(counts.sites, [&](const AccessSite& a, const AccessSite& b) {
    return std::pair(weight(a, call.levels), a.accesses()) > std::pair(weight(b, call.levels), b.accesses());
  });
  counts.total.misses.resize(call.levels.size());
  counts.stack.misses.resize(call.levels.size());
  counts.levels = std::move(call.levels);
  counts.traffic = std::move(call.traffic);
  counts.touched_bytes = call.touched_bytes;
  counts.groups_run = call.groups_run;
  counts.groups = call.groups;
  counts.whole = call.whole;
  counts.notes = notes_of_all();
  if (!counts.whole) {
    counts.notes.push_back(fmt::format("counted in part: {} accesses, {} of {} groups to their ends",
                                       counts.total.accesses(), counts.groups_run, counts.groups));
  }
  return counts;
}

const AccessCounter& cpu_access_counter()
{
  static const CpuAccessCounter counter;
  return counter;
}

} // namespace hone::backend::cpu
