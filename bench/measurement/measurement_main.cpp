// How far the measuring protocol can be trusted, measured with the real gate: comparisons of identical candidates (A/A:
// every FAST or SLOW is false) and of candidates that are slower by a known amount (power: every verdict but SLOW
// is a miss). Prints one CSV line per comparison and a summary; docs/results/measurement.md cites it.
#include "bench_kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <map>

namespace hone {

namespace {

struct Options {
  int aa = 100;    // A/A comparisons per kernel and regime
  int power = 100; // slower-copy comparisons per kernel
  int threads = 1;
  std::vector<std::string> only;
};

struct Tally {
  std::map<record::Comparison, int> counts;
  double seconds = 0;
  std::vector<double> deviations; // ratio - 1
  int total() const
  {
    int sum = 0;
    for (const auto& [verdict, count] : counts) {
      sum += count;
    }
    return sum;
  }
};

Result<void> repeat(gate::Gate& gate, const BenchKernel& kernel, const kernel::Kernel& loaded, bool slower,
                    record::Regime regime, int times, int threads)
{
  record::Recipe recipe;
  recipe.sizes = loaded.timed.front();
  recipe.regime = regime;
  recipe.threads = threads;
  Tally tally;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    HONE_TRY(const record::ComparisonResult result,
             gate.compare(slower ? kernel.slower : kernel.honest, kernel.honest, recipe, regime));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++tally.counts[result.verdict];
    tally.seconds += seconds;
    tally.deviations.push_back(result.ratio - 1);
    fmt::print("{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.3e},{:.3f},\"{}\"\n", kernel.name, threads,
               slower ? "slower" : "aa", record::name_of(regime), i, record::name_of(result.verdict), result.ratio,
               result.ci95.low, result.ci95.high, result.candidate.median, seconds, result.reason);
    std::fflush(stdout);
  }
  const int total = std::max(1, tally.total());
  fmt::print(
    stderr,
    "{:<13} {:<7} {:<5} n={:<4} FAST {:<3} SLOW {:<3} SAME {:<4} AMBG {:<4} sd {:.3f} %  band {:+.2f} .. {:+.2f} %  "
    "{:.2f} s each\n",
    kernel.name, slower ? "slower" : "A/A", record::name_of(regime), total, tally.counts[record::Comparison::fast],
    tally.counts[record::Comparison::slow], tally.counts[record::Comparison::same],
    tally.counts[record::Comparison::ambiguous], 100 * standard_deviation(tally.deviations),
    100 * quantile(tally.deviations, 0.025), 100 * quantile(tally.deviations, 0.975), tally.seconds / total);
  return {};
}

Result<void> run(const Options& options)
{
  HONE_TRY(const std::vector<BenchKernel> kernels, bench_kernels(options.threads));
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  fmt::print("kernel,threads,kind,regime,run,verdict,ratio,low,high,call_s,seconds,reason\n");
  for (const BenchKernel& kernel : kernels) {
    if (!options.only.empty() && std::ranges::find(options.only, kernel.name) == options.only.end()) {
      continue;
    }
    HONE_TRY(kernel::Kernel loaded, kernel::parse_kernel(kernel.toml, kernel.name));
    const auto shared = std::make_shared<const kernel::Kernel>(std::move(loaded));
    gate::GateOptions gate_options;
    gate_options.cache = cache_folder();
    HONE_TRY(gate::Gate gate, gate::Gate::open(shared, *backend, gate_options));
    for (const record::Regime regime : {record::Regime::hot, record::Regime::cold}) {
      HONE_CHECK(repeat(gate, kernel, *shared, false, regime, options.aa, options.threads));
    }
    // The shortest product is too short for the claim: 3 % of it is 60 ns.
    if (kernel.name != "gemm-96x32x32") {
      HONE_CHECK(repeat(gate, kernel, *shared, true, kernel.arithmetic ? record::Regime::hot : record::Regime::cold,
                        options.power, options.threads));
    }
  }
  return {};
}

} // namespace

} // namespace hone

int main(int argc, char** argv)
{
  hone::Options options;
  CLI::App app("How far the measuring protocol can be trusted on this machine");
  app.add_option("--aa", options.aa, "A/A comparisons per kernel and regime");
  app.add_option("--power", options.power, "comparisons with the slower copy per kernel");
  app.add_option("--threads", options.threads, "threads of the contenders")->check(CLI::Range(1, 32));
  app.add_option("--only", options.only, "kernels by name");
  CLI11_PARSE(app, argc, argv);
  if (const auto done = hone::run(options); !done) {
    fmt::print(stderr, "bench_measurement: {}\n", done.error().text());
    return 1;
  }
  return 0;
}
