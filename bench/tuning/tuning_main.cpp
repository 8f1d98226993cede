// Tuning strategies against each other: exhausts a space once and stores it, and lets strategies search what was
// stored, with many seeds, without the machine. docs/results/tuning.md cites it.
#include "compare.h"
#include "record.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace {

CLI::App* add_record(CLI::App& app, hone::RecordOptions& options)
{
  CLI::App* command = app.add_subcommand("record", "Exhaust a space and store it");
  command->add_option("--kernel", options.kernel, "kernel folder")->required();
  command->add_option("--candidate", options.candidate, "candidate folder, whose launch.toml names the space")
    ->required();
  command->add_option("--out", options.out, "file of the space, one per --size; one that is there is gone on with")
    ->required();
  command->add_option("--size", options.sizes, "m=512,n=512,k=512; once per space")->required()->delimiter(';');
  command->add_option("--pairs", options.pairs, "comparisons with the incumbent per trial");
  command->add_option("--pair-seconds", options.pair_seconds, "CPU time of one");
  command->add_option("--best", options.best, "fastest points that are measured again in turns");
  command->add_option("--rounds", options.rounds, "how often they are");
  command->add_option("--seconds", options.seconds, "wall time for the trials");
  return command;
}

CLI::App* add_compare(CLI::App& app, hone::CompareOptions& options)
{
  CLI::App* command = app.add_subcommand("compare", "Let strategies search stored spaces");
  command->add_option("SPACES", options.spaces, "files of stored spaces")->required();
  command->add_option("--strategy", options.strategies, "only these");
  command->add_option("--share", options.shares, "budgets, as shares of what exhausting the space took");
  command->add_option("--seeds", options.seeds, "searches per strategy and budget");
  command->add_flag("--blind", options.blind, "begin at a drawn point instead of the incumbent");
  command->add_option("--format", options.format)->check(CLI::IsMember({"table", "csv", "json"}));
  return command;
}

} // namespace

int main(int argc, char** argv)
{
  CLI::App app("Tuning strategies on stored spaces");
  app.require_subcommand(1);
  hone::RecordOptions record;
  hone::CompareOptions compare;
  const CLI::App* recording = add_record(app, record);
  add_compare(app, compare);
  CLI11_PARSE(app, argc, argv);
  const hone::Result<void> done = recording->parsed() ? hone::record_spaces(record) : hone::compare_strategies(compare);
  if (!done) {
    fmt::print(stderr, "bench_tuning: {}\n", done.error().text());
    return 1;
  }
  return 0;
}
