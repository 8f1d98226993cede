// counted_accesses cachegrind: the same calls of shipped kernels' candidates, compiled for x86-64-v3, under
// hone-cpu-inspector --count and under cachegrind with the same caches. Prints a table; exits with 1 where misses of
// the first or the last level differ by more than 5 %, with 77 where valgrind is missing.
//
// counted_accesses show KERNEL CANDIDATE [SIZES] [CACHE...]: counts one call and prints its lines, the heaviest first.
// CANDIDATE: a folder, or naive; SIZES: m=64,n=64,k=64, else the timed ones; CACHE: L1=49152,12,64, else this
// machine's.
//
// Finds: a wrong order of eviction, accesses that are not seen or seen twice, a call that runs otherwise than it does
// without callbacks.
#include "backend/launch_list.h"
#include "counting_kit.h"
#include "lower/lower.h"
#include "util/util.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

namespace {

using namespace hone;
using gate::test::CountedCandidate;

constexpr int k_skipped = 77;
constexpr double k_most_difference = 0.05;
constexpr std::int64_t k_noise = 64; // lines: of what the program does besides, where few lines are missed
constexpr const char* k_valgrind = "/usr/bin/valgrind";

const fs::path k_root = HONE_SOURCE_ROOT;

struct Case {
  std::string kernel;
  std::string folder; // of the candidate, in the repository; "": the naive one
  std::string what;
  kernel::Sizes sizes;
};

const std::vector<Case>& cases()
{
  static const std::vector<Case> all{
    {"matmul", "", "plain loops", {{"m", 120}, {"n", 136}, {"k", 128}}},
    {"matmul", "bench/tuning/spaces/matmul", "blocked", {{"m", 200}, {"n", 264}, {"k", 300}}},
    {"matmul-ta", "", "first matrix transposed", {{"m", 128}, {"n", 128}, {"k", 128}}},
    {"matmul-tb", "", "second matrix transposed", {{"m", 120}, {"n", 120}, {"k", 120}}},
    {"matvec", "", "plain loops", {{"m", 700}, {"k", 900}}},
    {"softmax", "", "plain loops", {{"m", 120}, {"n", 1000}}},
    {"softmax", "bench/tuning/spaces/softmax", "vectors", {{"m", 120}, {"n", 1000}}},
    {"conv2d", "", "plain loops", {{"b", 1}, {"ci", 16}, {"co", 24}, {"h", 40}, {"w", 40}}},
    {"conv2d-depthwise", "", "stencil", {{"b", 1}, {"ch", 24}, {"h", 56}, {"w", 60}}},
    {"max-pool", "", "plain loops", {{"b", 1}, {"ch", 32}, {"h", 64}, {"w", 70}}},
    {"frobenius-norm", "", "reduction", {{"m", 300}, {"n", 500}}},
    {"layer-norm", "", "reduction of rows", {{"n", 200}, {"d", 700}}},
    {"embedding", "", "gather", {{"n", 900}, {"v", 5000}, {"d", 60}}},
  };
  return all;
}

struct Misses {
  std::int64_t first = 0, last = 0;
};

Result<kernel::Candidate> candidate_of(const kernel::Kernel& kernel, const fs::path& folder)
{
  if (!folder.empty()) {
    return kernel::load_candidate(kernel, folder);
  }
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  return lower::naive_candidate(kernel, backend->dialect());
}

// The text of a program that makes the counted call.
Result<std::string> program_of(const CountedCandidate& counted)
{
  const auto& files = counted.call.files;
  std::string declarations, body;
  std::istringstream buffers(files.at("buffers.txt"));
  std::size_t count = 0;
  for (std::string line; std::getline(buffers, line); ++count) {
    body +=
      fmt::format("  char* const b{0} = memory.buffer(\"buffer{0}\", {1});\n", count, line.substr(0, line.find(' ')));
  }
  std::int64_t shared_bytes = 0;
  std::string calls;
  for (const backend::ListedLaunch& launch : backend::launches_from(files.at("launches.txt"))) {
    if (!launch.fills.empty()) {
      return fail("a launch fills buffers, which cachegrind would count");
    }
    shared_bytes = std::max(shared_bytes, launch.shared_bytes);
    declarations += fmt::format("extern \"C\" void {}();\n", launch.kernel);
    calls += fmt::format("    launch(reinterpret_cast<void*>({}), group, {{{}}}, shared, {}", launch.kernel,
                         fmt::join(launch.groups, ", "), launch.shared_bytes);
    for (const backend::ListedArgument& argument : launch.arguments) {
      calls +=
        argument.buffer ? fmt::format(", b{}", argument.value) : fmt::format(", std::int64_t{{{}}}", argument.value);
    }
    calls += ");\n";
  }
  return fmt::format("#include \"driver.h\"\n{}\nint main(int, char** words)\n{{\n  CallMemory memory(words[1]);\n{}"
                     "  char* const shared = memory.place({});\n"
                     "  auto& group = *reinterpret_cast<hone_group*>(memory.place(sizeof(hone_group)));\n"
                     "  if (words[2][0] == 'c') {{\n{}  }}\n}}\n",
                     declarations, body, shared_bytes, calls);
}

Result<void> run_command(const std::vector<std::string>& words, const fs::path& folder)
{
  ProcessRequest request;
  request.argv = words;
  request.folder = folder;
  request.deadline = std::chrono::minutes(5);
  HONE_TRY(const ProcessOutcome outcome, run_process(request));
  return outcome.ok() ? Result<void>() : fail(fmt::format("{} failed:\n{}", words.front(), outcome.err));
}

// The numbers behind "events:" and "summary:" of a file that cachegrind writes.
Result<Misses> misses_in(const fs::path& file)
{
  HONE_TRY(const std::string text, read_file(file));
  std::vector<std::string> events;
  Misses misses;
  for (const std::string& line : split(text, '\n')) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "events:") {
      while (words >> word) {
        events.push_back(word);
      }
    } else if (word == "summary:") {
      std::int64_t value = 0;
      for (std::size_t i = 0; i < events.size() && words >> value; ++i) {
        misses.first += events[i] == "D1mr" || events[i] == "D1mw" ? value : 0;
        misses.last += events[i] == "DLmr" || events[i] == "DLmw" ? value : 0;
      }
      return misses;
    }
  }
  return fail(fmt::format("{} has no summary", file.string()));
}

// Of the call alone: of the program with it, less those of the program without it.
Result<Misses> misses_under_cachegrind(const CountedCandidate& counted)
{
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-cachegrind"));
  HONE_TRY(const std::string program, program_of(counted));
  HONE_CHECK(write_file(folder.path() / "main.cpp", program));
  HONE_CHECK(write_file(folder.path() / "timed.s", counted.built.files.at("timed.s")));
  for (const auto& [name, text] : counted.call.files) {
    if (name.starts_with("buffer")) {
      HONE_CHECK(write_file(folder.path() / name, text));
    }
  }
  HONE_CHECK(run_command({"g++", "-std=c++20", "-O1", "-I", (k_root / "tests/property/counting").string(), "main.cpp",
                          "timed.s", "-o", "main"},
                         folder.path()));
  const auto cache = [](const backend::CacheLevel& level) {
    return fmt::format("{},{},{}", level.bytes, level.ways, level.line_bytes);
  };
  std::array<Misses, 2> found;
  for (std::size_t i = 0; i < found.size(); ++i) {
    HONE_CHECK(
      run_command({k_valgrind, "--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,64",
                   "--D1=" + cache(counted.counts.levels.front()), "--LL=" + cache(counted.counts.levels.back()),
                   "--cachegrind-out-file=counts", "./main", ".", i == 0 ? "idle" : "call"},
                  folder.path()));
    HONE_TRY(found[i], misses_in(folder.path() / "counts"));
  }
  return Misses{found[1].first - found[0].first, found[1].last - found[0].last};
}

double difference(std::int64_t counted, std::int64_t expected)
{
  return static_cast<double>(counted - expected) / static_cast<double>(std::max<std::int64_t>(expected, 1));
}

bool agrees(std::int64_t counted, std::int64_t expected)
{
  return std::abs(counted - expected) <= k_noise || std::abs(difference(counted, expected)) <= k_most_difference;
}

Result<int> compare_with_cachegrind()
{
  if (!fs::exists(k_valgrind)) {
    fmt::print("skipped: {} is missing: install the Debian package valgrind\n", k_valgrind);
    return k_skipped;
  }
  const std::vector<std::vector<backend::CacheLevel>> geometries{{{"D1", 32768, 64, 8}, {"LL", 262144, 64, 16}},
                                                                 {{"D1", 49152, 64, 12}, {"LL", 1310720, 64, 20}}};
  fmt::print("misses in lines: counted, under cachegrind, difference\n");
  int failed = 0;
  for (const std::vector<backend::CacheLevel>& levels : geometries) {
    fmt::print("{} {}\n", to_text(levels[0]), to_text(levels[1]));
    for (const Case& one : cases()) {
      HONE_TRY(const kernel::Kernel kernel, kernel::load_kernel(k_root / "kernels" / one.kernel));
      HONE_TRY(kernel::Candidate candidate, candidate_of(kernel, one.folder.empty() ? "" : k_root / one.folder));
      const kernel::TuningPoint point = candidate.plan.tuning.defaults();
      HONE_TRY(const CountedCandidate counted,
               gate::test::count_candidate({kernel, std::move(candidate), point, one.sizes, levels, 0, "x86-64-v3"}));
      HONE_TRY(const Misses expected, misses_under_cachegrind(counted));
      const std::int64_t first = counted.counts.total.misses.front().all();
      const std::int64_t last = counted.counts.total.misses.back().all();
      const bool right = counted.counts.whole && agrees(first, expected.first) && agrees(last, expected.last);
      failed += right ? 0 : 1;
      fmt::print("{:17}{:25}{:>10}{:>10}{:>+8.2f} %{:>9}{:>9}{:>+8.2f} %{}\n", one.kernel, one.what, first,
                 expected.first, 100 * difference(first, expected.first), last, expected.last,
                 100 * difference(last, expected.last), right ? "" : "  <-- differs");
      std::fflush(stdout);
    }
  }
  return failed == 0 ? 0 : 1;
}

Result<kernel::Sizes> sizes_from(const std::string& text)
{
  kernel::Sizes sizes;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    std::int64_t value = 0;
    std::from_chars(part.data() + std::min(equals + 1, part.size()), part.data() + part.size(), value);
    if (value <= 0) {
      return fail(fmt::format("\"{}\" is no size", part), "write SYMBOL=EXTENT, such as m=64,n=64");
    }
    sizes[part.substr(0, equals)] = value;
  }
  return sizes;
}

void print_counts(const CountedCandidate& counted)
{
  const backend::AccessCounts& counts = counted.counts;
  for (std::size_t i = 0; i < counts.levels.size(); ++i) {
    fmt::print(
      "{:24} misses {:>10}, of them first {:>9}, conflicts {:>9}; fills {:>12} bytes, write-backs {:>12}, left "
      "dirty {:>9}\n",
      to_text(counts.levels[i]), counts.total.misses[i].all(), counts.total.misses[i].first,
      counts.total.misses[i].conflicts, counts.traffic[i].fill_bytes, counts.traffic[i].write_back_bytes,
      counts.traffic[i].dirty_bytes);
  }
  fmt::print("{} loads, {} stores, of them to the stack {} and {}; {} bytes touched; {} of {} groups{}; {:.2f} s\n",
             counts.total.loads, counts.total.stores, counts.stack.loads, counts.stack.stores, counts.touched_bytes,
             counts.groups_run, counts.groups, counts.whole ? "" : ", in part", counted.seconds);
  for (const backend::AccessSite& site : counts.sites) {
    std::string misses;
    for (const backend::CacheMisses& each : site.misses) {
      misses += fmt::format("{:>10}", each.all());
    }
    const std::string place = fmt::format("{}:{}", site.file, site.line);
    fmt::print("{:16}{:10}{:>10} loads{:>10} stores, misses{}, crossings {}, alignment {}", place,
               site.buffer.empty() ? name_of(site.memory) : std::string_view(site.buffer), site.loads, site.stores,
               misses, site.line_crossings, site.alignment);
    if (site.stride) {
      fmt::print(", stride {} ({:.0f} %)", site.stride->bytes, 100 * site.stride->share);
    }
    if (site.reuse) {
      fmt::print(", reuse {:.0f} to {:.0f}", site.reuse->median, site.reuse->most);
    }
    fmt::print("\n");
  }
}

Result<int> show(const std::vector<std::string>& words)
{
  const fs::path folder = fs::exists(words[0]) ? fs::path(words[0]) : k_root / "kernels" / words[0];
  HONE_TRY(const kernel::Kernel kernel, kernel::load_kernel(folder));
  HONE_TRY(kernel::Candidate candidate, candidate_of(kernel, words[1] == "naive" ? "" : words[1]));
  kernel::Sizes sizes = kernel.timed.front();
  std::vector<backend::CacheLevel> levels;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (auto level = backend::parse_cache_level(words[i])) {
      levels.push_back(std::move(*level));
    } else if (i == 2) {
      HONE_TRY(sizes, sizes_from(words[i]));
    } else {
      return std::unexpected(std::move(level.error()));
    }
  }
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  const kernel::TuningPoint point = candidate.plan.tuning.defaults();
  HONE_TRY(const CountedCandidate counted,
           gate::test::count_candidate(
             {kernel, std::move(candidate), point, sizes, levels, backend->access_counter()->most_accesses(), ""}));
  print_counts(counted);
  return 0;
}

} // namespace

int main(int count, char** arguments)
{
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const bool shows = words.size() >= 3 && words[0] == "show";
  if (!shows && words != std::vector<std::string>{"cachegrind"}) {
    fmt::print(stderr, "usage: counted_accesses cachegrind\n"
                       "       counted_accesses show KERNEL CANDIDATE|naive [SIZES] [CACHE...]\n");
    return 2;
  }
  const Result<int> status = shows ? show({words.begin() + 1, words.end()}) : compare_with_cachegrind();
  if (!status) {
    fmt::print(stderr, "counted_accesses: {}\n", status.error().text());
    return 2;
  }
  return *status;
}
