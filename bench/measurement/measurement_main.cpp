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
  std::map<Comparison, int> counts;
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

Result<void> repeat(Gate& gate, const BenchKernel& kernel, const Kernel& loaded, bool slower, Regime regime, int times,
                    int threads)
{
  Recipe recipe;
  recipe.sizes = loaded.timed.front();
  recipe.regime = regime;
  recipe.threads = threads;
  Tally tally;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    HONE_TRY(const ComparisonResult result,
             gate.compare(slower ? kernel.slower : kernel.honest, kernel.honest, recipe, regime));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++tally.counts[result.verdict];
    tally.seconds += seconds;
    tally.deviations.push_back(result.ratio - 1);
    fmt::print("{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.3e},{:.3f},\"{}\"\n", kernel.name, threads,
               slower ? "slower" : "aa", name_of(regime), i, name_of(result.verdict), result.ratio, result.ci95.low,
               result.ci95.high, result.candidate.median, seconds, result.reason);
    std::fflush(stdout);
  }
  const int total = std::max(1, tally.total());
  fmt::print(
    stderr,
    "{:<13} {:<7} {:<5} n={:<4} FAST {:<3} SLOW {:<3} SAME {:<4} AMBG {:<4} sd {:.3f} %  band {:+.2f} .. {:+.2f} %  "
    "{:.2f} s each\n",
    kernel.name, slower ? "slower" : "A/A", name_of(regime), total, tally.counts[Comparison::fast],
    tally.counts[Comparison::slow], tally.counts[Comparison::same], tally.counts[Comparison::ambiguous],
    100 * standard_deviation(tally.deviations), 100 * quantile(tally.deviations, 0.025),
    100 * quantile(tally.deviations, 0.975), tally.seconds / total);
  return {};
}

Result<void> run(const Options& options)
{
  HONE_TRY(const std::vector<BenchKernel> kernels, bench_kernels(options.threads));
  HONE_TRY(const Backend* backend, find_backend("cpu"));
  fmt::print("kernel,threads,kind,regime,run,verdict,ratio,low,high,call_s,seconds,reason\n");
  for (const BenchKernel& kernel : kernels) {
    if (!options.only.empty() && std::ranges::find(options.only, kernel.name) == options.only.end()) {
      continue;
    }
    HONE_TRY(Kernel loaded, parse_kernel(kernel.toml, kernel.name));
    const auto shared = std::make_shared<const Kernel>(std::move(loaded));
    GateOptions gate_options;
    gate_options.cache = cache_folder();
    HONE_TRY(Gate gate, Gate::open(shared, *backend, gate_options));
    for (const Regime regime : {Regime::hot, Regime::cold}) {
      HONE_CHECK(repeat(gate, kernel, *shared, false, regime, options.aa, options.threads));
    }
    // The shortest product is too short for the claim: 3 % of it is 60 ns.
    if (kernel.name != "gemm-96x32x32") {
      HONE_CHECK(repeat(gate, kernel, *shared, true, kernel.arithmetic ? Regime::hot : Regime::cold, options.power,
                        options.threads));
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
