#include "backend/library/library.h"
#include "gate/arena.h"
#include "gate/cpus.h"
#include "gate/gate.h"
#include "gate/runner_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <sched.h>
#include <unistd.h>

namespace hone::gate {
namespace {

using testing::HasSubstr;

// A kernel that libraries compute, with its output written out by hand: element (batch, row, column) from a reader of
// inputs by argument and flat index.
struct Example {
  std::string toml;
  kernel::Sizes sizes;
  using Read = std::function<double(std::size_t argument, std::int64_t flat)>;
  std::function<double(const Read& read, std::int64_t batch, std::int64_t row, std::int64_t column)> expected;
  double tolerance = 1e-5;
};

constexpr std::int64_t k_batch = 3, k_m = 37, k_baseline_columns = 29, k_k = 41;

std::string kernel_toml(const std::string& expression, const std::string& arguments, const std::string& sizes)
{
  return "[kernel]\nname = \"example\"\n[compute]\nexpr = \"" + expression + "\"\n[arguments]\n" + arguments
         + "[sizes]\ntimed = [ { " + sizes + " } ]\n";
}

const kernel::Sizes k_plain_sizes{{"m", k_m}, {"n", k_baseline_columns}, {"k", k_k}};
const std::string k_plain_sizes_text = "m = 37, n = 29, k = 41";

double product(const Example::Read& read, std::int64_t row, std::int64_t column)
{
  double sum = 0;
  for (std::int64_t k = 0; k < k_k; ++k) {
    sum += read(0, row * k_k + k) * read(1, k * k_baseline_columns + column);
  }
  return sum;
}

Example plain(const std::string& type, double tolerance)
{
  return {kernel_toml("C[m,n] = sum(k, A[m,k] * B[k,n])",
                      "A = { type = '" + type + "', shape = ['m', 'k'] }\nB = { type = '" + type
                        + "', shape = ['k', 'n'] }\nC = { type = '" + type
                        + "', shape = ['m', 'n'], role = 'output' }\n",
                      k_plain_sizes_text),
          k_plain_sizes,
          [](const Example::Read& read, std::int64_t, std::int64_t row, std::int64_t column) {
            return product(read, row, column);
          },
          tolerance};
}

Example biased_relu()
{
  return {
    kernel_toml("C[m,n] = max(sum(k, A[m,k] * B[k,n]) + bias[n], 0)",
                "A = { type = 'f32', shape = ['m', 'k'] }\nB = { type = 'f32', shape = ['k', 'n'] }\n"
                "bias = { type = 'f32', shape = ['n'] }\nC = { type = 'f32', shape = ['m', 'n'], role = 'output' }\n",
                k_plain_sizes_text),
    k_plain_sizes, [](const Example::Read& read, std::int64_t, std::int64_t row, std::int64_t column) {
      return std::max(0.0, product(read, row, column) + read(2, column));
    }};
}

Example transposed()
{
  return {kernel_toml("C[m,n] = sum(k, A[k,m] * B[n,k])",
                      "A = { type = 'f32', shape = ['k', 'm'] }\nB = { type = 'f32', shape = ['n', 'k'] }\n"
                      "C = { type = 'f32', shape = ['m', 'n'], role = 'output' }\n",
                      k_plain_sizes_text),
          k_plain_sizes, [](const Example::Read& read, std::int64_t, std::int64_t row, std::int64_t column) {
            double sum = 0;
            for (std::int64_t k = 0; k < k_k; ++k) {
              sum += read(0, k * k_m + row) * read(1, column * k_k + k);
            }
            return sum;
          }};
}

Example batched_scores()
{
  return {kernel_toml("S[b,i,j] = sum(d, Q[b,i,d] * K[b,j,d]) * 0.125",
                      "Q = { type = 'f32', shape = ['b', 'm', 'k'] }\nK = { type = 'f32', shape = ['b', 'n', 'k'] }\n"
                      "S = { type = 'f32', shape = ['b', 'm', 'n'], role = 'output' }\n",
                      "b = 3, " + k_plain_sizes_text),
          {{"b", k_batch}, {"m", k_m}, {"n", k_baseline_columns}, {"k", k_k}},
          [](const Example::Read& read, std::int64_t batch, std::int64_t row, std::int64_t column) {
            double sum = 0;
            for (std::int64_t k = 0; k < k_k; ++k) {
              sum += read(0, (batch * k_m + row) * k_k + k) * read(1, (batch * k_baseline_columns + column) * k_k + k);
            }
            return 0.125 * sum;
          }};
}

double element(Arena& arena, std::size_t argument, std::int64_t flat, kernel::DataType type)
{
  const std::byte* data = arena.tensor(0, argument).data();
  return type == kernel::DataType::f64 ? reinterpret_cast<const double*>(data)[flat]
                                       : double(reinterpret_cast<const float*>(data)[flat]);
}

void fill(Arena& arena, std::size_t argument, kernel::DataType type, Random& random)
{
  const auto bytes = arena.tensor(0, argument);
  for (std::size_t i = 0; i < bytes.size() / kernel::size_of(type); ++i) {
    const double value = random.uniform() - 0.5;
    if (type == kernel::DataType::f64) {
      reinterpret_cast<double*>(bytes.data())[i] = value;
    } else {
      reinterpret_cast<float*>(bytes.data())[i] = float(value);
    }
  }
}

class FakeCpu : public backend::Backend {
public:
  std::string_view name() const override { return "cpu"; }
  record::Tier tier() const override { return record::Tier::b; }
  std::string_view lock_profile() const override { return ""; }
  Result<backend::DeviceInfo> probe() const override { return fail("a test backend has no device"); }
  lower::Dialect dialect() const override { return {}; }
  Result<backend::CompileJob> compile_job(const backend::BuildInput&) const override { return backend::CompileJob{}; }
  std::expected<backend::Module, backend::LoadFailure> load(const backend::BuildInput&,
                                                            const std::map<std::string, std::string>&) const override
  {
    return backend::Module{};
  }
  std::string translate_log(std::string_view log) const override { return std::string(log); }
  std::string_view runner_program() const override { return "hone-runner-cpu"; }
};

const FakeCpu g_cpu;

kernel::Kernel kernel_of_example(const Example& example)
{
  auto kernel = kernel::parse_kernel(example.toml, "kernel.toml");
  EXPECT_TRUE(kernel) << kernel.error().text();
  return kernel ? *kernel : kernel::Kernel{};
}

// Threads of libraries may spin for long; stopped, they cannot, though on a busy machine that takes its time.
bool comes_to_rest(const RunnerSession& session)
{
  for (int attempt = 0; attempt < 1'000; ++attempt) {
    const double late_s = session.late_cpu_s();
    usleep(2'000);
    if (session.late_cpu_s() - late_s < 1e-3) {
      return true;
    }
  }
  return false;
}

// Two blocks of one call each, the second on poisoned memory again: the output must be right both times.
void expect_right(const Example& example, const kernel::Kernel& kernel, const Baseline& baseline,
                  const std::vector<int>& cpus)
{
  SCOPED_TRACE(fmt::format("{} {} on {} threads", baseline.name, baseline.setting, cpus.size()));
  const auto library = backend::library_module(kernel, example.sizes, baseline.name, baseline.setting);
  ASSERT_TRUE(library) << library.error().text();
  ArenaSpec arena_spec;
  arena_spec.kernel = &kernel;
  arena_spec.sizes = example.sizes;
  arena_spec.workers = cpus.size();
  arena_spec.layout_seed = 5;
  auto arena = Arena::create(arena_spec);
  ASSERT_TRUE(arena) << arena.error().text();
  Random random(3);
  const kernel::DataType type = kernel.arguments.front().type;
  for (const std::size_t input : kernel.inputs()) {
    fill(*arena, input, type, random);
  }

  SessionSpec spec;
  spec.backend = &g_cpu;
  spec.module = &library->module;
  spec.plan = &library->plan;
  spec.library = baseline.name;
  spec.library_setting = baseline.setting;
  spec.cpus = cpus;
  spec.layout_seed = 5;
  auto session = RunnerSession::open(spec, *arena);
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_TRUE(*session) << (*session).error().reason;
  EXPECT_FALSE((*session)->supports_groups());
  const std::size_t output = kernel.outputs().front();
  const std::int64_t batches = example.sizes.contains("b") ? k_batch : 1;
  const std::uint32_t sets[] = {0};
  for (int block = 0; block < 2; ++block) {
    arena->poison(0, random);
    const auto timing = (*session)->run_block(sets);
    ASSERT_TRUE(timing) << timing.error().reason;
    const auto read = [&](std::size_t argument, std::int64_t flat) { return element(*arena, argument, flat, type); };
    for (std::int64_t flat = 0; flat < batches * k_m * k_baseline_columns; ++flat) {
      const double expected = example.expected(read, flat / (k_m * k_baseline_columns), flat / k_baseline_columns % k_m,
                                               flat % k_baseline_columns);
      ASSERT_NEAR(element(*arena, output, flat, type), expected, example.tolerance) << "element " << flat;
    }
    EXPECT_EQ(arena->damaged_guard(0), "");
    EXPECT_TRUE(comes_to_rest(**session)) << "threads of the library go on after the block";
  }
}

void expect_all_right(const Example& example)
{
  const kernel::Kernel kernel = kernel_of_example(example);
  const auto baselines = baselines_for(kernel, kernel.timed.front(), g_cpu);
  if (baselines.empty()) {
    GTEST_SKIP() << "no numerical library is installed (libopenblas0-pthread, libdnnl2, libblis4-pthread)";
  }
  for (const Baseline& baseline : baselines) {
    expect_right(example, kernel, baseline, {sched_getcpu()});
    expect_right(example, kernel, baseline, {usable_cpus().front(), usable_cpus().back()});
  }
}

TEST(Baselines, ComputePlainProducts)
{
  expect_all_right(plain("f32", 1e-5));
}

TEST(Baselines, ComputeProductsOfDoubles)
{
  const Example example = plain("f64", 1e-13);
  const kernel::Kernel kernel = kernel_of_example(example);
  for (const Baseline& baseline : baselines_for(kernel, kernel.timed.front(), g_cpu)) {
    EXPECT_NE(baseline.name, "onednn") << "it has no f64";
  }
  expect_all_right(example);
}

TEST(Baselines, ComputeTransposedProducts)
{
  expect_all_right(transposed());
}

TEST(Baselines, ComputeScaledBatches)
{
  expect_all_right(batched_scores());
}

TEST(Baselines, ComputeBiasAndReluAndSayHow)
{
  const Example example = biased_relu();
  const kernel::Kernel kernel = kernel_of_example(example);
  for (const Baseline& baseline : baselines_for(kernel, kernel.timed.front(), g_cpu)) {
    EXPECT_THAT(baseline.setting, HasSubstr("bias and ReLU"));
  }
  expect_all_right(example);
}

TEST(Baselines, DoNotExistForOtherKernels)
{
  const Example softmax{
    kernel_toml("Y[i] = exp(X[i])",
                "X = { type = 'f32', shape = ['n'] }\nY = { type = 'f32', shape = ['n'], role = 'output' }\n", "n = 8"),
    {{"n", 8}},
    {}};
  const kernel::Kernel kernel = kernel_of_example(softmax);
  EXPECT_TRUE(baselines_for(kernel, kernel.timed.front(), g_cpu).empty());
}

} // namespace
} // namespace hone::gate
