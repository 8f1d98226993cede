// How far the gate's numbers can be trusted: what two copies of a candidate look like, whether the printed intervals
// hold what they say, how small a difference is still found, and what all that costs. Writes CSV on stdout;
// trust_page.py makes docs/results/trust.md of it.
#include "rows.h"
#include "studies.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

const std::vector<double> k_simulated_percent{0, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 50};
const std::vector<double> k_known_percent{0, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10};

void add_only(CLI::App* command, hone::StudyOptions& options)
{
  command->add_option("--only", options.only, "kernels by name");
  command->add_flag("--neighbour", options.neighbour, "with a program that copies memory on another CPU");
}

void add_percent(CLI::App* command, hone::StudyOptions& options)
{
  command->add_option("--percent", options.percent, "true differences, in percent")->check(CLI::Range(0.0, 900.0));
}

} // namespace

int main(int argc, char** argv)
{
  hone::StudyOptions options;
  CLI::App app("How far the gate's numbers can be trusted on this machine");
  app.require_subcommand(1);
  CLI::App* simulated = app.add_subcommand("simulated", "the protocol on modelled machines: coverage and power");
  simulated->add_option("--seed", options.seed, "of the noise");
  CLI::App* same = app.add_subcommand("aa", "candidates against themselves");
  same->add_option("--regimes", options.regimes, "hot, cold")->check(CLI::IsMember({"hot", "cold"}));
  CLI::App* known = app.add_subcommand("known", "known work against more of it: coverage and power");
  CLI::App* cost = app.add_subcommand("cost", "seconds per candidate by phase");
  options.kernel = hone::share_folder() / "kernels/matmul";
  options.candidate = hone::share_folder() / "bench/tuning/spaces/matmul";
  cost->add_option("--kernel", options.kernel, "kernel folder");
  cost->add_option("--candidate", options.candidate, "candidate folder with tuning parameters");
  for (CLI::App* command : {same, known}) {
    add_only(command, options);
  }
  for (CLI::App* command : {simulated, known}) {
    add_percent(command, options);
  }
  for (CLI::App* command : {simulated, same, known, cost}) {
    command->add_option("--n", options.n, "comparisons per cell; candidates per depth")->check(CLI::PositiveNumber);
  }
  for (CLI::App* command : {simulated, same, known}) {
    command->add_option("--seconds", options.seconds, "wall time at most")->check(CLI::PositiveNumber);
  }
  CLI11_PARSE(app, argc, argv);

  if (options.percent.empty()) {
    options.percent = simulated->parsed() ? k_simulated_percent : k_known_percent;
  }
  hone::print_head(argc, argv);
  const auto study = simulated->parsed() ? hone::study_simulated
                     : same->parsed()    ? hone::study_same
                     : known->parsed()   ? hone::study_known
                                         : hone::study_cost;
  if (const auto done = study(options); !done) {
    fmt::print(stderr, "bench_trust: {}\n", done.error().text());
    return 1;
  }
  return 0;
}
