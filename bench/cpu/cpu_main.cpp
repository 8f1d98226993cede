// bench_cpu: what `hone optimize` finds by itself, beside the vendor libraries.
//
// Each problem is a kernel folder of its own and one climb within its budget. Then the best checkpoint of each is
// compared with every setting of every library, in fresh processes, interleaved; that is done for all problems, and
// again from the first for each further run. Prints a line per problem and run and a summary, or JSON; with --out also
// the CSV, a table and a plot, and the folders stay there: what was climbed once is only compared again.
#include "figures.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace hone {
namespace {

struct Options {
  bool quick = false;
  bool json = false;
  int budget_s = 300;
  int runs = 2;
  std::vector<int> threads;
  std::vector<std::string> sizes;
  std::string regime = "hot";
  std::string type = "f32";
  std::vector<std::string> only; // "64x4096x1024"; empty: all
  fs::path out;
};

HoneRun run_of(const Options& options, const Column& column, const Problem& problem)
{
  const std::string name =
    fmt::format("{}-{}-{}-{}-{}-{}", problem.kind, problem.m, problem.n, problem.k, column.sizes, column.threads);
  return {options.out / name, column.threads, options.regime};
}

void say(const Options& options, const std::string& text)
{
  if (!options.json) {
    fmt::print("{}", text);
    std::fflush(stdout);
  }
}

// Climbs once; a folder that has been climbed in is left as it is.
Result<void> prepare(const Options& options, const Column& column, const Problem& problem)
{
  const HoneRun run = run_of(options, column, problem);
  const fs::path done = run.folder / "climb.json";
  if (fs::exists(done)) {
    return {};
  }
  std::error_code failed;
  fs::create_directories(run.folder, failed);
  HONE_CHECK(write_file(run.folder / "kernel.toml", kernel_text(problem, column.sizes)));
  HONE_TRY(const Json answer, climb(run, options.budget_s));
  return write_file(done, answer.dump(2));
}

Result<void> compare(const Options& options, const Column& column, Figure& figure)
{
  HONE_TRY(const double ceiling, measured_ceiling(figure.problem.type));
  HONE_TRY(const std::vector<RivalFigure> rivals, compare_with_libraries(run_of(options, column, figure.problem)));
  HONE_TRY(RunFigure run, run_figure(figure.problem, rivals, options.regime, ceiling));
  figure.runs.push_back(std::move(run));
  return {};
}

bool wanted(const Options& options, const Problem& problem)
{
  if (!options.only.empty()) {
    return std::ranges::find(options.only, fmt::format("{}x{}x{}", problem.m, problem.n, problem.k))
           != options.only.end();
  }
  return problem.quick || !options.quick;
}

Result<void> run(Options options, const std::vector<Problem>& problems)
{
  HONE_TRY(const TemporaryFolder scratch, TemporaryFolder::create("bench-cpu"));
  const bool keep = !options.out.empty();
  options.out = keep ? fs::absolute(options.out) : scratch.path();
  std::vector<Column> columns;
  for (const std::string& sizes : options.sizes) {
    for (const int threads : options.threads) {
      Column column{sizes, threads, {}};
      for (const Problem& problem : problems) {
        if (wanted(options, problem)) {
          HONE_CHECK(prepare(options, column, problem));
          column.figures.push_back({problem, {}});
        }
      }
      columns.push_back(std::move(column));
    }
  }
  say(options, csv_heading());
  for (int number = 1; number <= options.runs; ++number) {
    for (Column& column : columns) {
      for (Figure& figure : column.figures) {
        HONE_CHECK(compare(options, column, figure));
        Figure last{figure.problem, {figure.runs.back()}};
        say(options, csv_lines(column, last, static_cast<std::size_t>(number)));
      }
    }
  }
  std::string csv = csv_heading();
  for (const Column& column : columns) {
    say(options, summary(column));
    for (const Figure& figure : column.figures) {
      csv += csv_lines(column, figure);
    }
  }
  if (keep) {
    HONE_CHECK(write_file(options.out / "figures.csv", csv));
    HONE_CHECK(write_file(options.out / "figures.md", markdown(columns)));
    HONE_CHECK(write_file(options.out / "figures.svg", plot(columns)));
  }
  if (options.json) {
    fmt::print("{}\n", to_json(columns).dump(2));
  }
  return {};
}

CLI::App* add_command(CLI::App& app, Options& options, const std::string& name, const std::string& what)
{
  CLI::App* command = app.add_subcommand(name, what);
  command->add_flag("--quick", options.quick, "few of the problems, one thread, sizes compiled in, one run, 60 s each");
  command->add_flag("--json", options.json, "one JSON object at the end in place of lines");
  command->add_option("--budget", options.budget_s, "seconds of a climb")->capture_default_str();
  command->add_option("--runs", options.runs, "whole runs of comparisons")->check(CLI::Range(1, 100));
  command->add_option("--threads", options.threads, "numbers of threads; left out: 1 and 2");
  command->add_option("--sizes", options.sizes, "timed (compiled in), any (at run time); left out: both")
    ->check(CLI::IsMember({"timed", "any"}));
  command->add_option("--only", options.only, "only these problems: 64x4096x1024 ...");
  command->add_option("--regime", options.regime, "hot or cold")->capture_default_str();
  command->add_option("--out", options.out, "folder for kernels, workflows, climb.json of each, and the figures");
  return command;
}

} // namespace
} // namespace hone

int main(int count, char** words)
{
  CLI::App app("Speed of what Hone finds on the CPU, beside the libraries");
  hone::Options options;
  app.require_subcommand(1);
  CLI::App* const gemm =
    hone::add_command(app, options, "gemm", "shapes of C = A x B: 14 in f32, fewer in other types");
  gemm->add_option("--type", options.type, "f32, f64, i8 (summed in i32) or bf16 (summed in f32)")
    ->check(CLI::IsMember({"f32", "f64", "i8", "bf16"}))
    ->capture_default_str();
  CLI::App* const fused = hone::add_command(app, options, "fused", "products with a bias and an activation in f32");
  CLI11_PARSE(app, count, words);
  const CLI::App* const given = gemm->parsed() ? gemm : fused;
  if (options.sizes.empty()) {
    options.sizes = options.quick ? std::vector<std::string>{"timed"} : std::vector<std::string>{"timed", "any"};
  }
  if (options.threads.empty()) {
    options.threads = options.quick ? std::vector<int>{1} : std::vector<int>{1, 2};
  }
  if (options.quick && given->count("--budget") == 0) {
    options.budget_s = 60;
  }
  if (options.quick && given->count("--runs") == 0) {
    options.runs = 1;
  }
  const auto problems = given == gemm ? hone::gemm_problems(options.type) : hone::fused_problems();
  if (const auto done = hone::run(options, problems); !done) {
    fmt::print(stderr, "bench_cpu: {}\n", done.error().text());
    return 1;
  }
  return 0;
}
