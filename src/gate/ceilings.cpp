#include "gate/ceilings_probe.h"
#include "gate/gate.h"
#include "gate/session_memory.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <sched.h>
#include <thread>

namespace hone::gate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_kib = 1024;
constexpr std::size_t k_mib = k_kib * k_kib;
constexpr double k_seconds_per_rate = 0.12;
constexpr double k_seconds_per_level = 0.12;
constexpr int k_version = 2; // of the file: what is measured, and in which memory

// Pages of the kind that calls compute in: with larger ones, no candidate could reach the ceiling of memory.
Result<SharedMemory> memory_like_that_of_calls(std::size_t bytes)
{
  HONE_TRY(SharedMemory memory, SharedMemory::create("ceilings", bytes));
  std::memset(memory.data(), 1, memory.size());
  return memory;
}

std::vector<const InstructionSetLoops*> usable_instruction_sets()
{
  std::vector<const InstructionSetLoops*> sets;
  if (__builtin_cpu_supports("avx512f")) {
    sets.push_back(&k_avx512_loops);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back(&k_avx2_loops);
  }
  sets.push_back(&k_sse2_loops);
  return sets;
}

// Runs `call` again and again for `seconds` and returns the shortest time seen: a ceiling is what the hardware can
// do when nothing disturbs it. The first, untimed call warms up caches and clocks.
template <class Call> double shortest_call(double seconds, Call call)
{
  call();
  double shortest = 1e300;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  int calls = 0;
  do {
    const auto before = Clock::now();
    call();
    shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - before).count());
    ++calls;
  } while (Clock::now() < end || calls < 3);
  return shortest;
}

double measure_rate(const ArithmeticLoop& loop)
{
  double sink = 0;
  const double seconds = shortest_call(k_seconds_per_rate, [&] { sink += loop.run(); });
  asm volatile("" : : "m"(sink));
  return loop.operations_per_call / seconds / 1e9;
}

double measure_bandwidth(const InstructionSetLoops& loops, const std::byte* data, std::size_t bytes)
{
  // A set in a near cache is read in a few hundred nanoseconds: repeat it until the clock's grain does not matter.
  const std::size_t repeats = std::max<std::size_t>(1, 4 * k_mib / bytes);
  std::uint64_t sink = 0;
  double best = 0;
  for (const ReadLoop read : {loops.read_one_stream, loops.read_four_streams}) {
    const double seconds = shortest_call(k_seconds_per_level / 2, [&] {
      for (std::size_t i = 0; i < repeats; ++i) {
        sink += read(data, bytes);
      }
    });
    best = std::max(best, double(bytes) * double(repeats) / seconds / 1e9);
  }
  asm volatile("" : : "m"(sink));
  return best;
}

// Sizes of the data caches that CPU `cpu` sees, by level; levels that it does not have are missing.
std::map<std::string, double> cache_capacities(int cpu)
{
  std::map<std::string, double> capacities;
  for (int index = 0; index < 8; ++index) {
    const fs::path folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}", cpu, index);
    const auto type = read_file(folder / "type");
    const auto level = read_file(folder / "level");
    const auto size = read_file(folder / "size");
    if (!type || !level || !size || trim(*type) == "Instruction") {
      continue;
    }
    char* unit = nullptr;
    const double number = std::strtod(size->c_str(), &unit);
    const double scale = *unit == 'K' ? double(k_kib) : *unit == 'M' ? double(k_mib) : 1.0;
    capacities[fmt::format("L{}", trim(*level))] = number * scale;
  }
  return capacities;
}

struct Level {
  std::string name;
  std::size_t working_set;
};

// One working set per level: well inside it, well outside the level before.
std::vector<Level> working_sets(const std::map<std::string, double>& capacities)
{
  const auto whole_pages = [](double bytes) {
    return std::max<std::size_t>(4, std::size_t(bytes) / (4 * k_kib)) * 4 * k_kib;
  };
  std::vector<Level> levels;
  double last = 0;
  for (const char* name : {"L1", "L2", "L3"}) {
    const auto found = capacities.find(name);
    if (found != capacities.end() && found->second > 2 * last) {
      levels.push_back({name, whole_pages(last == 0 ? found->second / 2 : std::max(found->second / 4, 1.5 * last))});
      last = found->second;
    }
  }
  levels.push_back({"DRAM", whole_pages(std::clamp(4 * last, 64.0 * k_mib, 1024.0 * k_mib))});
  return levels;
}

void pin_this_thread(int cpu)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(unsigned(cpu), &set);
  sched_setaffinity(0, sizeof set, &set); // refused only where the CPU was taken away meanwhile: still measured
}

Result<void> measure_on_this_thread(Ceilings& ceilings, int cpu)
{
  pin_this_thread(cpu);
  ceilings.capacities = cache_capacities(cpu);
  const auto sets = usable_instruction_sets();
  for (const InstructionSetLoops* set : sets) {
    for (const auto& [type, loop] : {std::pair{"f32", set->f32}, std::pair{"f64", set->f64}}) {
      const double rate = measure_rate(loop);
      ceilings.gflops[fmt::format("{}/{}", type, set->name)] = rate;
      ceilings.gflops[type] = std::max(ceilings.gflops[type], rate);
    }
    if (set->i8.run != nullptr && __builtin_cpu_supports("avx512vnni")) {
      ceilings.gflops["i8"] = measure_rate(set->i8);
    }
    if (set->bf16.run != nullptr && __builtin_cpu_supports("avx512bf16")) {
      ceilings.gflops["bf16"] = measure_rate(set->bf16);
    }
  }
  const auto levels = working_sets(ceilings.capacities);
  HONE_TRY(const SharedMemory memory, memory_like_that_of_calls(levels.back().working_set));
  for (const Level& level : levels) {
    ceilings.gbytes[level.name] = measure_bandwidth(*sets.front(), memory.data(), level.working_set);
  }
  return {};
}

Result<std::map<std::string, double>> numbers_from(const Json& json, const char* member)
{
  std::map<std::string, double> numbers;
  if (!json.contains(member) || !json[member].is_object()) {
    return fail(fmt::format("ceilings: \"{}\" is missing or not an object", member), "run `hone device --measure`");
  }
  for (const auto& [name, value] : json[member].items()) {
    if (!value.is_number()) {
      return fail(fmt::format("ceilings: \"{}\" -> \"{}\" is not a number", member, name),
                  "run `hone device --measure`");
    }
    numbers[name] = value.get<double>();
  }
  return numbers;
}

// Of products of narrow operands: the rate of the instructions for dot products. Where none was measured the traffic
// alone bounds them.
const char* narrow_type(const kernel::Kernel& kernel)
{
  const auto contraction = kernel::as_contraction(kernel);
  if (!contraction) {
    return nullptr;
  }
  const kernel::DataType a = contraction->a->type;
  const kernel::DataType b = contraction->b->type;
  const bool halves = a == kernel::DataType::bf16 && b == kernel::DataType::bf16;
  return halves ? "bf16" : kernel::size_of(a) == 1 && kernel::size_of(b) == 1 ? "i8" : nullptr;
}

// The type whose arithmetic rate bounds the kernel: f64 only where everything is f64, because any narrower part may
// be done at the higher rate, and a floor must never be too high.
const char* dominating_type(const kernel::Kernel& kernel)
{
  if (const char* narrow = narrow_type(kernel)) {
    return narrow;
  }
  const bool all_f64 = std::ranges::all_of(kernel.arguments, [](const kernel::Argument& argument) {
    return !kernel::is_float(argument.type) || argument.type == kernel::DataType::f64;
  });
  const bool any_f64 = std::ranges::any_of(
    kernel.arguments, [](const kernel::Argument& argument) { return argument.type == kernel::DataType::f64; });
  return all_f64 && any_f64 ? "f64" : "f32";
}

// The nearest level that holds `bytes`.
std::string level_holding(double bytes, const Ceilings& ceilings)
{
  for (const char* level : {"L1", "L2", "L3"}) {
    const auto capacity = ceilings.capacities.find(level);
    if (capacity != ceilings.capacities.end() && ceilings.gbytes.contains(level) && bytes <= capacity->second) {
      return level;
    }
  }
  return "DRAM";
}

double seconds_for(double amount, const std::map<std::string, double>& rates, const std::string& name)
{
  const auto rate = rates.find(name);
  return rate != rates.end() && rate->second > 0 ? amount / (rate->second * 1e9) : 0.0;
}

// Bytes; 0: unknown.
double last_cache(const Ceilings& ceilings)
{
  double out = 0;
  for (const auto& [name, bytes] : ceilings.capacities) {
    out = std::max(out, bytes);
  }
  return out;
}

double traffic_seconds(double bytes, const Ceilings& ceilings)
{
  return seconds_for(bytes, ceilings.gbytes, level_holding(bytes, ceilings));
}

} // namespace

Result<Ceilings> measure_ceilings(const backend::Backend& backend)
{
  HONE_TRY(const backend::DeviceInfo device, backend.probe());
  Ceilings ceilings;
  ceilings.fingerprint = device.fingerprint;
  if (!backend.capabilities().host_ceilings) { // what this CPU reaches says nothing about that device
    ceilings.method = "not measured: there are no loops for this platform";
    return ceilings;
  }
  ceilings.method = backend.name() == "cpu" ? "own loops, one pinned thread"
                                            : "own CPU loops, one pinned thread (the platform runs on this CPU)";
  // A thread of its own, so that the caller's affinity stays as it was.
  Result<void> outcome;
  std::thread([&] { outcome = measure_on_this_thread(ceilings, sched_getcpu()); }).join();
  HONE_CHECK(outcome);
  return ceilings;
}

Result<bool> raise_ceilings(Ceilings& ceilings, const backend::Backend& backend)
{
  constexpr double k_noise = 1.01;
  if (!backend.capabilities().host_ceilings || !ceilings.gbytes.contains("DRAM")) {
    return false;
  }
  Result<void> outcome;
  bool grew = false;
  std::thread([&] {
    pin_this_thread(sched_getcpu());
    const auto raise = [&](double& kept, double measured) {
      grew = grew || measured > k_noise * kept;
      kept = std::max(kept, measured);
    };
    const InstructionSetLoops& loops = *usable_instruction_sets().front();
    const double before = ceilings.gflops["f32"];
    raise(ceilings.gflops["f32"], measure_rate(loops.f32));
    raise(ceilings.gflops["f64"], measure_rate(loops.f64));
    for (const char* narrow : {"bf16", "i8"}) { // measured beside the same work
      const auto rate = ceilings.gflops.find(narrow);
      if (rate != ceilings.gflops.end() && before > 0) {
        rate->second *= ceilings.gflops["f32"] / before;
      }
    }
    const std::size_t bytes = working_sets(ceilings.capacities).back().working_set;
    const auto memory = memory_like_that_of_calls(bytes);
    if (!memory) {
      outcome = std::unexpected(memory.error());
      return;
    }
    raise(ceilings.gbytes["DRAM"], measure_bandwidth(loops, memory->data(), bytes));
  }).join();
  HONE_CHECK(outcome);
  return grew;
}

Json to_json(const Ceilings& ceilings)
{
  return Json{{"version", k_version},      {"fingerprint", ceilings.fingerprint}, {"method", ceilings.method},
              {"gflops", ceilings.gflops}, {"gbytes", ceilings.gbytes},           {"capacities", ceilings.capacities}};
}

Result<Ceilings> ceilings_from_json(const Json& json)
{
  const auto text = [&](const char* member) {
    return json.is_object() && json.contains(member) && json[member].is_string() ? json[member].get<std::string>()
                                                                                 : std::string();
  };
  Ceilings ceilings;
  ceilings.fingerprint = text("fingerprint");
  if (ceilings.fingerprint.empty()) {
    return fail("ceilings: \"fingerprint\" is missing or not a string", "run `hone device --measure`");
  }
  ceilings.method = text("method");
  HONE_TRY(ceilings.gflops, numbers_from(json, "gflops"));
  HONE_TRY(ceilings.gbytes, numbers_from(json, "gbytes"));
  HONE_TRY(ceilings.capacities, numbers_from(json, "capacities"));
  return ceilings;
}

fs::path ceilings_file(std::string_view backend)
{
  return cache_folder() / fmt::format("ceilings-{}.json", backend);
}

Result<void> save_ceilings(const Ceilings& ceilings, const fs::path& path)
{
  std::error_code ignored; // write_file names the cause where the folder cannot be made
  fs::create_directories(path.parent_path(), ignored);
  return write_file(path, to_json(ceilings).dump(2) + "\n");
}

Result<Ceilings> load_ceilings(const fs::path& path, std::string_view fingerprint)
{
  if (!fs::exists(path)) {
    return fail(fmt::format("{}: no ceilings were measured here yet", path.string()), "run `hone device --measure`");
  }
  HONE_TRY(const std::string text, read_file(path));
  HONE_TRY(const Json json, parse_json(text, path.string()));
  if (!json.is_object() || json.value("version", Json(1)) != k_version) {
    return fail(fmt::format("{}: measured by another version of Hone", path.string()), "run `hone device --measure`");
  }
  HONE_TRY(Ceilings ceilings, ceilings_from_json(json));
  if (ceilings.fingerprint != fingerprint) {
    return fail(fmt::format("{}: measured on another device ({:.12} there, {:.12} here)", path.string(),
                            ceilings.fingerprint, fingerprint),
                "run `hone device --measure`");
  }
  return ceilings;
}

Roof roof_of(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const Ceilings& ceilings, int threads,
             record::Regime regime)
{
  const auto work = kernel::work_of(kernel, sizes);
  if (!work) {
    return {};
  }
  const bool cold = regime == record::Regime::cold;
  const std::string level = cold ? "DRAM" : level_holding(work->compulsory_bytes, ceilings);
  // What a call has read and changed may stay in the last cache when it ends.
  const double bytes = work->compulsory_bytes - (cold ? std::min(work->updated_bytes, last_cache(ceilings)) : 0);
  const auto rate_of = [&](const std::map<std::string, double>& rates, const std::string& name) {
    const auto rate = rates.find(name);
    return rate != rates.end() ? rate->second * threads : 0.0;
  };
  const double arithmetic = seconds_for(work->flops, ceilings.gflops, dominating_type(kernel)) / threads;
  const double traffic = seconds_for(bytes, ceilings.gbytes, level) / threads;
  return {std::max(arithmetic, traffic), traffic > arithmetic ? level : "", bytes,
          rate_of(ceilings.gflops, dominating_type(kernel)), rate_of(ceilings.gbytes, level)};
}

double roofline_seconds(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const Ceilings& ceilings, int threads)
{
  return roof_of(kernel, sizes, ceilings, threads, record::Regime::hot).seconds;
}

double floor_seconds_prepared(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const Ceilings& ceilings,
                              int threads)
{
  double bytes = 0;
  for (const std::size_t output : kernel.outputs()) {
    const kernel::Argument& argument = kernel.arguments[output];
    const auto elements = kernel::elements_of(argument, sizes);
    bytes += elements ? static_cast<double>(*elements) * static_cast<double>(kernel::size_of(argument.type)) : 0;
  }
  return traffic_seconds(bytes, ceilings) / threads;
}

} // namespace hone::gate
