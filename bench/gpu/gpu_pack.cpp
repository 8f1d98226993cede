// gpu_pack FOLDER [--arch ARCH]... [--points N] [--every N] [--jobs N] [--cache FOLDER]: candidates of the built-in
// engine, compiled for GPUs and written down so that gpu_bench can launch them where there is neither Hone nor a
// compiler: modules/NAME.cubin and .ptx, a list of launches ARCH.list, expect/NAME.bin with values and bounds, and
// ARCH.counts, what the emulated device counts.
//
// Candidates: every prefix of the sequences of matrix_steps; every prefix of the step lists in recipes/ for devices,
// on products and on the kernels below. --points: tuning points of each timed candidate, the defaults among them.
// --every: only each Nth candidate, for trials.
#include "backend/cuda/device_compiler.h"
#include "device_draw.h"
#include "emulated_plan.h"
#include "gate/jail.h"
#include "lower/lower.h"
#include "matrix_sequences.h"
#include "packed_case.h"
#include "rewrite/builtin/device/device_rewrites.h"
#include "util/hash.h"
#include "util/util.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

namespace {

using namespace hone;
using gpu_pack::Build, gpu_pack::Subject;

constexpr std::int64_t k_tiny = 64; // of a timed candidate on the emulated device
const std::vector<std::int64_t> k_timed_sizes = {k_tiny, 2048, 4096, 8192};
const kernel::Sizes k_counted = {{"m", 67}, {"n", 45}, {"k", 83}};
constexpr std::int64_t k_point_size = 4096; // at which tuning points are chosen

// Beside products, whose steps differ most.
const std::vector<std::string> k_other_kernels = {"softmax", "layer-norm", "gelu", "conv2d", "matmul-bias-gelu"};

struct Options {
  fs::path folder, cache;
  std::vector<std::string> archs;
  int points = 3, every = 1;
  unsigned jobs = 2;
};

std::vector<Steps> recipe_steps()
{
  std::vector<Steps> out;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HONE_SOURCE_ROOT) / "recipes")) {
    const std::string name = entry.path().stem().string();
    if (name.ends_with("-items") || name == "contraction-matrix") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const auto text = read_file(file);
    Steps steps;
    for (const std::string& line : split(text ? *text : "", '\n')) {
      if (line.starts_with("apply")) {
        const std::size_t begin = line.find('"') + 1;
        steps.push_back(line.substr(begin, line.find('"', begin) - begin));
      }
    }
    out.push_back(std::move(steps));
  }
  return out;
}

// Every prefix once; a step that is refused is left out, as a climb leaves it out.
Result<std::vector<std::pair<Steps, kernel::Candidate>>> candidates_of(const Subject& subject,
                                                                       const backend::DeviceTarget& target)
{
  const lower::Dialect dialect = *lower::work_item_dialect(target.language);
  std::vector<Steps> sequences = recipe_steps();
  if (subject.product != nullptr) {
    const std::vector<Steps> more = sequences_for(subject.kernel.name, target.language, target.warp_group > 0);
    sequences.insert(sequences.begin(), more.begin(), more.end());
  }
  std::vector<std::pair<Steps, kernel::Candidate>> out;
  std::set<std::string> seen;
  for (const Steps& steps : sequences) {
    lower::Schedule schedule = lower::naive_schedule(subject.kernel);
    Steps done;
    for (const std::string& step : steps) {
      if ((step == "warp-group-instructions" && target.warp_group == 0)
          || step == "share-tiles-in-clusters") { // gpu_bench launches no clusters
        continue;
      }
      auto next = rewrite::rewrite_schedule(schedule, step, {subject.kernel, dialect});
      auto candidate = next ? lower::lower_schedule(subject.kernel, *next, dialect) : fail("refused");
      if (!candidate) {
        continue;
      }
      schedule = std::move(*next);
      done.push_back(step);
      if (seen.insert(join(done, " ")).second) {
        out.emplace_back(done, std::move(*candidate));
      }
    }
  }
  return out;
}

kernel::PlanScope timing_facts(const backend::DeviceTarget& target)
{
  kernel::PlanScope facts = facts_of(target);
  facts["device.units"] = target.warp_group > 0 ? 132 : 108; // H100 and H200; A100
  return facts;
}

// How far a point is from what devices like: 64 sums in the registers of each item, 16 to 32 thousand results of a
// group, some stages. A guess that saves the time of tuning there.
double distance_of(const Subject& subject, const kernel::Candidate& candidate, const kernel::TuningPoint& point,
                   const kernel::PlanScope& facts)
{
  const auto plan =
    kernel::resolve_plan(subject.kernel, candidate, sizes_of({k_point_size, k_point_size, k_point_size}), point, facts);
  if (!plan) {
    return 1e9;
  }
  const kernel::ResolvedLaunch& launch = plan->launches.front();
  double area = static_cast<double>(k_point_size) * k_point_size / static_cast<double>(launch.groups());
  const auto value = [&](const char* name) {
    const auto found = point.find(name);
    return found == point.end() ? 0.0 : static_cast<double>(found->second);
  };
  if (launch.groups() <= 4 * facts.at("device.units")) { // persistent: by the parameters' own product
    area = 128.0 * 128;
  }
  const auto items = static_cast<double>(launch.block[0] * launch.block[1] * launch.block[2]);
  double out = std::abs(std::log2(area / 20000)) + std::abs(std::log2(area / items / 80)) / 2;
  out += std::abs(std::log2(items / 256)) / 4;
  out += value("SLICE_K") > 0 && value("SLICE_K") < 32 ? 0.5 : 0;
  out += value("STAGES") == 2 ? 0.5 : 0;
  return out;
}

// The defaults first, then the best of those drawn, no two with the same group.
std::vector<kernel::TuningPoint> timing_points(const Subject& subject, const kernel::Candidate& candidate,
                                               const kernel::PlanScope& facts, int count, Random& random)
{
  const kernel::Sizes sizes = sizes_of({k_point_size, k_point_size, k_point_size});
  std::vector<kernel::TuningPoint> out;
  if (is_legal(candidate, sizes, candidate.plan.tuning.defaults(), facts)) {
    out.push_back(candidate.plan.tuning.defaults());
  }
  std::vector<std::pair<double, kernel::TuningPoint>> drawn;
  for (int i = 0; i < 400; ++i) {
    kernel::TuningPoint point;
    for (const kernel::TuningParameter& parameter : candidate.plan.tuning.parameters) {
      point[parameter.name] = parameter.values[random.below(parameter.values.size())];
    }
    if (is_legal(candidate, sizes, point, facts)) {
      const double distance = distance_of(subject, candidate, point, facts);
      drawn.emplace_back(distance, std::move(point));
    }
  }
  std::ranges::stable_sort(drawn, {}, &std::pair<double, kernel::TuningPoint>::first);
  for (const auto& [distance, point] : drawn) {
    if (static_cast<int>(out.size()) >= count) {
      break;
    }
    if (std::ranges::find(out, point) == out.end()) {
      out.push_back(point);
    }
  }
  return out;
}

Result<void> compile(Build& build, const backend::DeviceTarget& target, const fs::path& cache)
{
  const kernel::Sizes& sizes = build.subject->sizes.back();
  HONE_TRY(const kernel::ResolvedPlan plan,
           kernel::resolve_plan(build.subject->kernel, build.candidate, sizes, build.point, facts_of(target)));
  HONE_TRY(const backend::CompileJob job,
           backend::device_compile_job({build.subject->kernel, build.candidate, build.point, sizes, plan}, target));
  std::string all(target.arch);
  for (const auto& [file, text] : job.files) {
    all += text;
  }
  const fs::path kept = cache.empty() ? fs::path() : cache / sha256(all);
  if (!cache.empty() && fs::exists(kept / "program.ptx")) {
    HONE_TRY(build.ptx, read_file(kept / "program.ptx"));
    build.cubin = read_file(kept / "program.cubin").value_or("");
    build.log = read_file(kept / "log").value_or("");
    return {};
  }
  HONE_TRY(gate::JailOutcome outcome, gate::run_in_jail(job, {}));
  if (outcome.status != record::Status::correct) {
    return fail(outcome.reason + ": " + outcome.log.substr(0, 400));
  }
  build.ptx = std::move(outcome.outputs["program.ptx"]);
  build.cubin = std::move(outcome.outputs["program.cubin"]);
  build.log = std::move(outcome.log);
  if (!cache.empty()) {
    fs::create_directories(kept);
    HONE_CHECK(write_file(kept / "program.cubin", build.cubin));
    HONE_CHECK(write_file(kept / "log", build.log));
    HONE_CHECK(write_file(kept / "program.ptx", build.ptx));
  }
  return {};
}

// Of one launch after the other: what ncu can count too.
Result<std::string> counted(const Build& build, const backend::DeviceTarget& target)
{
  HONE_TRY(const kernel::ResolvedPlan plan,
           kernel::resolve_plan(build.subject->kernel, build.candidate, k_counted, build.point, facts_of(target)));
  HONE_TRY(const EmulatedRun run, run_emulated(build.subject->kernel, k_counted, plan, build.ptx, 5, true));
  std::string out;
  for (std::size_t i = 0; i < run.counts.size(); ++i) {
    std::uint64_t load_sectors = 0, store_sectors = 0, load_conflicts = 0, store_conflicts = 0;
    for (const emulate::LineCounts& line : run.counts[i].lines) {
      const bool loads = line.opcode.starts_with("ld"), stores = line.opcode.starts_with("st");
      load_sectors += loads ? line.sectors : 0;
      store_sectors += stores ? line.sectors : 0;
      load_conflicts += loads ? line.wavefronts - line.least_wavefronts : 0;
      store_conflicts += stores ? line.wavefronts - line.least_wavefronts : 0;
    }
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", build.name, i, plan.launches[i].kernel, load_sectors,
                       store_sectors, load_conflicts, store_conflicts, run.counts[i].warp_instructions,
                       run.counts[i].lane_instructions);
  }
  return out;
}

Result<std::vector<Subject>> subjects()
{
  std::vector<Subject> out;
  for (const Product& product : k_products) {
    Subject& subject = out.emplace_back();
    HONE_TRY(subject.kernel, kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / product.kernel));
    subject.product = &product;
    subject.timed = product.kernel == "matmul-f16" || product.kernel == "matmul";
    for (const auto& sizes : k_sizes) {
      subject.sizes.push_back(sizes_of(sizes));
    }
  }
  for (const auto& [name, sizes] : k_device_kernels) {
    if (std::ranges::find(k_other_kernels, name) != k_other_kernels.end()) {
      Subject& subject = out.emplace_back();
      HONE_TRY(subject.kernel, kernel::load_kernel(fs::path(HONE_SOURCE_ROOT) / "kernels" / name));
      subject.sizes = {sizes};
    }
  }
  return out;
}

Result<std::vector<Build>> builds_of(const std::vector<Subject>& all, const backend::DeviceTarget& target,
                                     const Options& options)
{
  std::vector<Build> out;
  Random random(11);
  int number = 0;
  for (const Subject& subject : all) {
    HONE_TRY(auto candidates, candidates_of(subject, target));
    int step = 0;
    for (auto& [steps, candidate] : candidates) {
      ++step;
      if (number++ % options.every != 0) {
        continue;
      }
      const std::string base = fmt::format("{}.{}.{:02}-{}", subject.kernel.name, target.arch, step, steps.back());
      Build& first = out.emplace_back();
      first.subject = &subject;
      first.steps = steps;
      first.candidate = candidate;
      first.point = point_of(candidate, facts_of(target), subject.sizes.back(), random);
      first.checked = true;
      first.name = base;
      if (!subject.timed) {
        continue;
      }
      int at = 0;
      for (kernel::TuningPoint& point :
           timing_points(subject, candidate, timing_facts(target), options.points, random)) {
        Build& build = out.emplace_back();
        build.subject = &subject;
        build.steps = steps;
        build.candidate = candidate;
        build.point = std::move(point);
        build.checked = build.timed = true;
        build.name = fmt::format("{}.p{}", base, at);
        ++at;
      }
    }
  }
  return out;
}

void build_all(std::vector<Build>& builds, const backend::DeviceTarget& target, const Options& options)
{
  std::atomic<std::size_t> next = 0, done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < builds.size(); i = next++) {
      Build& build = builds[i];
      if (const auto compiled = compile(build, target, options.cache); !compiled) {
        build.trouble = compiled.error().text();
      } else {
        for (const backend::KernelResources& one : backend::resources_in(build.log, target)) {
          build.resources.registers = std::max(build.resources.registers, one.registers);
          build.resources.spilled_bytes += one.spilled_bytes;
          build.resources.local_bytes = std::max(build.resources.local_bytes, one.local_bytes);
        }
        if (build.checked && build.subject->product != nullptr) {
          if (const auto counts = counted(build, target)) {
            build.counts = *counts;
          }
        }
      }
      if (const std::size_t so_far = ++done; so_far % 20 == 0) {
        fmt::print(stderr, "{}: {} of {} compiled\n", target.arch, so_far, builds.size());
      }
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < options.jobs; ++i) {
    threads.emplace_back(work);
  }
}

Result<int> pack_arch(const std::vector<Subject>& all, const std::string& arch, const Options& options)
{
  const backend::DeviceTarget* const target = backend::find_device_target(arch);
  if (target == nullptr || target->language != "cuda") {
    return fail(fmt::format("there is no architecture '{}' of CUDA", arch));
  }
  HONE_TRY(std::vector<Build> builds, builds_of(all, *target, options));
  build_all(builds, *target, options);
  std::string list, counts =
                      "# candidate, launch, function, sectors loaded, sectors stored, bank conflicts of loads, of "
                      "stores, instructions of warps, of lanes\n";
  int failed = 0, cases = 0, cubins = 0;
  const auto add = [&](const Build& build, const char* purpose, const kernel::Sizes& sizes,
                       const kernel::PlanScope& facts) {
    if (const auto text = gpu_pack::case_text(build, purpose, sizes, facts)) { // a point may have no room for a size
      list += *text;
      ++cases;
    } else {
      fmt::print(stderr, "{} at {}: {}\n", build.name, kernel::to_text(sizes), text.error().text());
    }
  };
  for (const Build& build : builds) {
    if (!build.trouble.empty()) {
      ++failed;
      fmt::print(stderr, "{} ({}): {}\n", build.name, kernel::to_text(build.point), build.trouble);
      continue;
    }
    HONE_CHECK(write_file(options.folder / "modules" / (build.name + ".ptx"), build.ptx));
    if (!build.cubin.empty()) {
      HONE_CHECK(write_file(options.folder / "modules" / (build.name + ".cubin"), build.cubin));
      ++cubins;
    }
    counts += build.counts;
    if (build.checked) {
      for (const kernel::Sizes& sizes : build.subject->sizes) {
        add(build, "check", sizes, facts_of(*target));
      }
    }
    if (build.timed) {
      for (const std::int64_t size : k_timed_sizes) {
        add(build, "time", sizes_of({size, size, size}), timing_facts(*target));
      }
    }
  }
  HONE_CHECK(write_file(options.folder / (arch + ".list"), list));
  HONE_CHECK(write_file(options.folder / (arch + ".counts"), counts));
  fmt::print("{}: {} modules ({} with machine code), {} cases, {} failed\n", arch, builds.size(), cubins, cases,
             failed);
  return failed;
}

Result<int> run(const Options& options)
{
  HONE_CHECK(backend::check_device_compiler("cuda"));
  fs::create_directories(options.folder / "modules");
  fs::create_directories(options.folder / "expect");
  HONE_TRY(const std::vector<Subject> all, subjects());
  for (const Subject& subject : all) {
    if (subject.product == nullptr) {
      HONE_CHECK(gpu_pack::write_expected(subject, options.folder / "expect",
                                          options.cache.empty() ? options.folder / "references" : options.cache));
    }
  }
  fs::remove_all(options.folder / "references");
  int failed = 0;
  for (const std::string& arch : options.archs) {
    HONE_TRY(const int of_arch, pack_arch(all, arch, options));
    failed += of_arch;
  }
  return failed;
}

} // namespace

int main(int count, char** arguments)
{
  Options options;
  bool understood = count > 1 && (count % 2) == 0;
  options.folder = count > 1 ? arguments[1] : "";
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string name = arguments[i], value = arguments[i + 1];
    const int number = std::atoi(value.c_str());
    if (name == "--arch") {
      options.archs.push_back(value);
    } else if (name == "--cache") {
      options.cache = value;
    } else if (name == "--points" && number > 0) {
      options.points = number;
    } else if (name == "--every" && number > 0) {
      options.every = number;
    } else if (name == "--jobs" && number > 0) {
      options.jobs = static_cast<unsigned>(number);
    } else {
      understood = false;
    }
  }
  if (!understood) {
    fmt::print(stderr,
               "usage: gpu_pack FOLDER [--arch ARCH]... [--points N] [--every N] [--jobs N] [--cache FOLDER]\n");
    return 2;
  }
  if (options.archs.empty()) {
    options.archs = {"sm_80", "sm_90a"};
  }
  const Result<int> failed = run(options);
  if (!failed) {
    fmt::print(stderr, "gpu_pack: {}\n", failed.error().text());
    return 2;
  }
  return *failed == 0 ? 0 : 1;
}
