// emulated_kernels: products by tensor cores, bulk copies and warp groups, compiled by clang 19 and executed on the
// emulated device: right as they are, and refused with the right words where a line is left out. Exits with 77 where
// there is no compiler.
//
// Clusters: a product whose blocks bring each other operands, and a sum over their shared memory.
//
// The functions that kernels may name are compared with the C library's, in f32 and f64.
//
// Finds: functions that lose bits on their way through compiler flags, libraries and instructions; fragments, swizzles
// or phases that are laid out or counted in another way than kernels count on; a check that no longer looks.
#include "compiled_cuda.h"
#include "emulate/emulate.h"
#include "gate/jail.h"
#include "kernel/kernel.h"
#include "util/random.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace {

using namespace hone;

constexpr int k_skipped = 77;

struct Case {
  std::string file, left_out; // a macro that leaves something out; "": nothing
  std::string arch;
  bool halves = false;                              // of A and B
  std::array<std::uint32_t, 3> sizes{};             // m, n, k
  std::uint32_t rows = 1, columns = 1, threads = 1; // of a block
  std::string finding;                              // what must be said; "": nothing, and the product is right
};

const std::vector<Case> k_cases = {
  {"tensor_cores", "", "sm_80", true, {64, 40, 80}, 16, 8, 32, ""},
  {"tensor_cores", "", "sm_90a", true, {16, 8, 16}, 16, 8, 32, ""},
  {"tensor_cores", "NO_WAIT", "sm_80", true, {16, 8, 48}, 16, 8, 32, "is not waited for"},
  {"warp_group", "", "sm_90a", true, {128, 64, 192}, 64, 64, 128, ""},
  {"warp_group", "NO_FENCE", "sm_90a", true, {64, 64, 64}, 64, 64, 128, "without a fence.proxy.async"},
  {"warp_group", "NO_WAIT", "sm_90a", true, {64, 64, 192}, 64, 64, 128, "is not waited for"},
  {"bulk_pipeline", "", "sm_90a", false, {4, 128, 160}, 1, 64, 96, ""}, // ten slices in three stages
  {"bulk_pipeline", "NO_FULL", "sm_90a", false, {1, 64, 16}, 1, 64, 96, "race"},
  {"bulk_pipeline", "NO_EMPTY", "sm_90a", false, {1, 64, 160}, 1, 64, 96, "race"},
  {"bulk_pipeline", "TOO_MANY_BYTES", "sm_90a", false, {1, 64, 160}, 1, 64, 96, "bytes missing: 16"},
};

Result<std::string> compiled(const std::string& file, const std::string& left_out, const std::string& arch)
{
  HONE_TRY(const std::string text, read_file(fs::path(HONE_SOURCE_ROOT) / "tests/property/emulated" / (file + ".cu")));
  return compiled_cuda((left_out.empty() ? "" : "#define " + left_out + " 1\n") + text, arch);
}

std::uint16_t half_of(double eighths) // exact: few bits
{
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(eighths));
  return static_cast<std::uint16_t>(
    eighths == 0 ? 0 : (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) | (bits >> 13 & 0x3ff));
}

// "": as it must be.
Result<std::string> wrong_in(const Case& one)
{
  HONE_TRY(const std::string ptx, compiled(one.file, one.left_out, one.arch));
  HONE_TRY(const emulate::Program program, emulate::Program::load(ptx));
  const auto [m, n, k] = one.sizes;
  emulate::GlobalMemory memory;
  const std::size_t each = one.halves ? 2 : 4;
  const std::uintptr_t a = memory.allocate(each * m * k), b = memory.allocate(each * k * n),
                       c = memory.allocate(4ul * m * n);
  Random random(7);
  std::vector<double> left(std::size_t{m} * k), right(std::size_t{k} * n);
  const auto fill = [&](std::uintptr_t begin, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (static_cast<double>(random.below(17)) - 8) / 8;
      const auto single = static_cast<float>(values[i]);
      const std::uint16_t half = half_of(values[i]);
      std::memcpy(reinterpret_cast<std::byte*>(begin) + i * each,
                  one.halves ? static_cast<const void*>(&half) : &single, each);
    }
  };
  fill(a, left);
  fill(b, right);
  emulate::LaunchRequest request;
  request.program = &program;
  request.entry = "product";
  request.grid = {n / one.columns, m / one.rows, 1};
  request.block = {one.threads, 1, 1};
  request.most_instructions = 10'000'000;
  for (const std::uint64_t value :
       {std::uint64_t{a}, std::uint64_t{b}, std::uint64_t{c}, std::uint64_t{m}, std::uint64_t{n}, std::uint64_t{k}}) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    request.parameters.insert(request.parameters.end(), bytes, bytes + sizeof value);
  }
  const emulate::LaunchResult result = emulate::launch(request, memory);
  std::string findings;
  for (const emulate::Finding& finding : result.findings) {
    findings += finding.text + "\n";
  }
  if (!one.finding.empty()) {
    return findings.contains(one.finding) ? "" : fmt::format("'{}' is not said: {}", one.finding, findings);
  }
  for (std::size_t i = 0; i < m && findings.empty(); ++i) {
    for (std::size_t j = 0; j < n && findings.empty(); ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < k; ++p) {
        sum += left[i * k + p] * right[p * n + j];
      }
      const float got = reinterpret_cast<const float*>(c)[i * n + j];
      findings += std::abs(sum - got) <= 1e-4 ? "" : fmt::format("C[{}, {}] is {}, not {}", i, j, got, sum);
    }
  }
  return findings;
}

struct ClusterCase {
  std::string left_out;
  std::array<std::uint32_t, 3> sizes{}; // m, n, k
  std::uint64_t seed = 0;
  std::vector<std::string> findings; // one of them must be said; none: nothing, and the product is right
};

// Slices of 64 in four stages: fewer, as many, and more that are no multiple.
const std::vector<ClusterCase> k_cluster_cases = {
  {"", {128, 64, 128}, 0, {}},
  {"", {128, 128, 320}, 0, {}},
  {"", {256, 64, 576}, 1, {}},
  {"", {128, 64, 448}, 2, {}},
  {"NO_OTHER_EMPTY", {128, 64, 576}, 0, {"asynchronously"}},
  {"NO_FENCE", {128, 64, 64}, 0, {"without a fence.proxy.async"}},
  {"MAP_REWRITTEN", {128, 64, 256}, 0, {"without an order"}},
  {"NO_CLUSTER_BARRIER", {128, 64, 64}, 0, {"nothing shows that it has begun", "uninitialised"}},
  {"NO_CLUSTER_BARRIER", {128, 64, 64}, 3, {"nothing shows that it has begun", "uninitialised"}},
  {"WRONG_BYTES", {128, 64, 128}, 0, {"bytes missing: 16"}},
  {"EARLY_RELEASE", {128, 64, 576}, 0, {"is not waited for", "without an order"}},
};

std::string all_findings(const emulate::LaunchResult& result)
{
  std::string out;
  for (const emulate::Finding& finding : result.findings) {
    out += finding.text + "\n";
  }
  return out;
}

bool says_one_of(const std::string& findings, const std::vector<std::string>& wanted)
{
  return std::ranges::any_of(wanted, [&](const std::string& one) { return findings.contains(one); });
}

Result<std::string> wrong_in_cluster(const ClusterCase& one)
{
  HONE_TRY(const std::string ptx, compiled("cluster_product", one.left_out, "sm_90a"));
  HONE_TRY(const emulate::Program program, emulate::Program::load(ptx));
  const std::size_t m = one.sizes[0], n = one.sizes[1], k = one.sizes[2];
  emulate::GlobalMemory memory;
  const std::uintptr_t a = memory.allocate(2 * m * k), b = memory.allocate(2 * k * n), c = memory.allocate(4 * m * n);
  const std::uintptr_t maps = memory.allocate(3 * emulate::k_tensor_map_bytes);
  std::vector<double> left(m * k), right(k * n);
  Random random(9);
  const auto fill = [&](std::uintptr_t begin, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (static_cast<double>(random.below(17)) - 8) / 8;
      reinterpret_cast<std::uint16_t*>(begin)[i] = half_of(values[i]);
    }
  };
  fill(a, left);
  fill(b, right);
  const auto map = [&](int number, emulate::TensorType type, std::uintptr_t address, std::size_t columns,
                       std::size_t rows, std::uint32_t box_rows, emulate::TensorSwizzle swizzle) -> Result<void> {
    emulate::TensorMap out;
    out.type = type;
    out.rank = 2;
    out.address = address;
    out.sizes = {columns, rows, 1, 1, 1};
    out.strides = {columns * out.element_bytes()};
    out.box = {64, box_rows, 1, 1, 1};
    out.swizzle = swizzle;
    HONE_TRY(const emulate::TensorMapBytes bytes, emulate::encode(out));
    std::memcpy(reinterpret_cast<std::byte*>(maps) + number * bytes.size(), bytes.data(), bytes.size());
    return {};
  };
  HONE_CHECK(map(0, emulate::TensorType::f16, a, k, m, 64, emulate::TensorSwizzle::bytes_128));
  HONE_CHECK(map(1, emulate::TensorType::f16, b, n, k, 32, emulate::TensorSwizzle::bytes_128));
  HONE_CHECK(map(2, emulate::TensorType::f32, c, n, m, 64, emulate::TensorSwizzle::none));
  emulate::LaunchRequest request;
  request.program = &program;
  request.entry = "product";
  request.grid = {one.sizes[1] / 64, one.sizes[0] / 64, 1};
  request.block = {160, 1, 1};
  request.cluster = {1, 2, 1};
  request.seed = one.seed;
  request.delays = one.seed != 0;
  request.dynamic_shared_bytes = 4 * 16384 + 16384 + 1024;
  request.most_instructions = 10'000'000;
  request.parameters.resize(12);
  const auto tiles = static_cast<std::int32_t>(k / 64);
  std::memcpy(request.parameters.data(), &maps, 8);
  std::memcpy(request.parameters.data() + 8, &tiles, 4);
  std::string findings = all_findings(emulate::launch(request, memory));
  if (!one.findings.empty()) {
    return says_one_of(findings, one.findings) ? "" : fmt::format("'{}' is not said: {}", one.findings[0], findings);
  }
  for (std::size_t i = 0; i < m && findings.empty(); ++i) {
    for (std::size_t j = 0; j < n && findings.empty(); ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < k; ++p) {
        sum += left[i * k + p] * right[p * n + j];
      }
      const float got = reinterpret_cast<const float*>(c)[i * n + j];
      findings += std::abs(sum - got) <= 1e-4 ? "" : fmt::format("C[{}, {}] is {}, not {}", i, j, got, sum);
    }
  }
  return findings;
}

Result<std::string> wrong_sum(const std::string& left_out, std::uint64_t seed, const std::vector<std::string>& wanted)
{
  HONE_TRY(const std::string ptx, compiled("cluster_sum", left_out, "sm_90a"));
  HONE_TRY(const emulate::Program program, emulate::Program::load(ptx));
  constexpr std::size_t k_clusters = 3, k_numbers = 256;
  emulate::GlobalMemory memory;
  const std::uintptr_t x = memory.allocate(4 * k_clusters * k_numbers), y = memory.allocate(4 * k_clusters);
  for (std::size_t i = 0; i < k_clusters * k_numbers; ++i) {
    reinterpret_cast<float*>(x)[i] = static_cast<float>(i % 7);
  }
  emulate::LaunchRequest request;
  request.program = &program;
  request.entry = "sum";
  request.grid[0] = 4 * k_clusters;
  request.block[0] = 64;
  request.cluster = {4, 1, 1};
  request.seed = seed;
  request.most_instructions = 1'000'000;
  request.parameters.resize(16);
  std::memcpy(request.parameters.data(), &x, 8);
  std::memcpy(request.parameters.data() + 8, &y, 8);
  std::string findings = all_findings(emulate::launch(request, memory));
  if (!wanted.empty()) {
    return says_one_of(findings, wanted) ? "" : fmt::format("'{}' is not said: {}", wanted[0], findings);
  }
  for (std::size_t i = 0; i < k_clusters && findings.empty(); ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < k_numbers; ++j) {
      sum += static_cast<float>((i * k_numbers + j) % 7);
    }
    const float got = reinterpret_cast<const float*>(y)[i];
    findings += got == sum ? "" : fmt::format("sum {} is {}, not {}", i, got, sum);
  }
  return findings;
}

int wrong_clusters()
{
  int failed = 0;
  const auto count = [&](const std::string& name, const Result<std::string>& wrong) {
    const std::string text = wrong ? *wrong : wrong.error().text();
    failed += text.empty() ? 0 : 1;
    fmt::print("{}: {}\n", name, text.empty() ? "as it must be" : text);
  };
  for (const ClusterCase& one : k_cluster_cases) {
    count("cluster_product " + one.left_out, wrong_in_cluster(one));
  }
  for (const std::uint64_t seed : {0, 1, 2}) {
    count("cluster_sum", wrong_sum("", seed, {}));
    count("cluster_sum NO_FIRST_BARRIER", wrong_sum("NO_FIRST_BARRIER", seed, {"race", "nobody stored"}));
    count("cluster_sum NO_LAST_BARRIER", wrong_sum("NO_LAST_BARRIER", seed, {"leaves", "has left"}));
  }
  return failed;
}

struct Function {
  std::string name;
  double (*value)(double);
};

const std::vector<Function> k_functions = {{"exp", std::exp},
                                           {"log", std::log},
                                           {"log1p", std::log1p},
                                           {"tanh", std::tanh},
                                           {"erf", std::erf},
                                           {"sin", std::sin},
                                           {"cos", std::cos},
                                           {"sqrt", std::sqrt},
                                           {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
                                           {"floor", std::floor},
                                           {"pow", [](double x) { return std::pow(x, 1.5); }}};

constexpr int k_arguments = 256;
constexpr double k_units = 4; // in the last place, that a function may be off

// Sizes from 1e-8 to 3e3 with both signs, where the function has a value and floats hold it.
double argument(const std::string& name, int i)
{
  double x = std::pow(10.0, -8 + i % 128 * 0.09) * (i < 128 ? 1 : -1);
  const bool positive =
    name == "log" || name == "pow" || name == "sqrt" || name == "rsqrt" || (name == "log1p" && x <= -1);
  x = positive ? std::abs(x) : x;
  return name == "exp" ? std::fmod(x, 80) : x;
}

template <class T> Result<std::string> wrong_function(const emulate::Program& program, const Function& function)
{
  emulate::GlobalMemory memory;
  const std::uintptr_t x = memory.allocate(k_arguments * sizeof(T)), y = memory.allocate(k_arguments * sizeof(T));
  for (int i = 0; i < k_arguments; ++i) {
    reinterpret_cast<T*>(x)[i] = static_cast<T>(argument(function.name, i));
  }
  emulate::LaunchRequest request;
  request.program = &program;
  request.entry = function.name + (sizeof(T) == 4 ? "_f32" : "_f64");
  request.grid[0] = k_arguments / 64;
  request.block[0] = 64;
  request.parameters.resize(20);
  std::memcpy(request.parameters.data(), &x, 8);
  std::memcpy(request.parameters.data() + 8, &y, 8);
  std::memcpy(request.parameters.data() + 16, &k_arguments, 4);
  const emulate::LaunchResult result = emulate::launch(request, memory);
  if (!result.findings.empty()) {
    return result.findings.front().text;
  }
  for (int i = 0; i < k_arguments; ++i) {
    const double from = reinterpret_cast<const T*>(x)[i], got = reinterpret_cast<const T*>(y)[i];
    const double wanted = function.value(from), bound = k_units * std::numeric_limits<T>::epsilon() * std::abs(wanted);
    if (!(std::abs(got - wanted) <= bound)) {
      return fmt::format("of {} is {}, not {}", from, got, wanted);
    }
  }
  return "";
}

Result<int> wrong_functions()
{
  HONE_TRY(const std::string ptx, compiled("functions", "", "sm_90a"));
  HONE_TRY(const emulate::Program program, emulate::Program::load(ptx));
  int failed = 0;
  for (const Function& function : k_functions) {
    HONE_TRY(const std::string single, wrong_function<float>(program, function));
    HONE_TRY(const std::string wide, wrong_function<double>(program, function));
    failed += single.empty() && wide.empty() ? 0 : 1;
    fmt::print("{}: {}\n", function.name,
               single.empty() && wide.empty() ? "as it must be" : "f32 " + single + "; f64 " + wide);
  }
  return failed;
}

} // namespace

int main()
{
  if (const auto ready = backend::check_device_compiler("cuda"); !ready) {
    fmt::print("skipped: {}\n", ready.error().text());
    return k_skipped;
  }
  int failed = 0;
  for (const Case& one : k_cases) {
    const Result<std::string> wrong = wrong_in(one);
    const std::string text = wrong ? *wrong : wrong.error().text();
    failed += text.empty() ? 0 : 1;
    fmt::print("{} {} {}: {}\n", one.file, one.arch, one.left_out, text.empty() ? "as it must be" : text);
  }
  failed += wrong_clusters();
  const Result<int> functions = wrong_functions();
  if (!functions) {
    fmt::print("{}\n", functions.error().text());
  }
  return failed == 0 && functions && *functions == 0 ? 0 : 1;
}
