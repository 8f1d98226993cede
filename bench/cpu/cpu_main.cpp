// bench_cpu gemm: what `hone optimize` finds by itself for each shape of a matrix product, beside the vendor libraries.
//
// Each shape is a kernel folder of its own and one climb within its budget; the figures are those that the climb ends
// with: the best checkpoint against each library in its strongest setting, interleaved, in fresh processes. Prints a
// line per shape and a summary, or JSON; with --out also the CSV and what `hone optimize --json` said.
#include "gemm_shapes.h"
#include "util/json.h"
#include "util/util.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hone {
namespace {

struct Options {
  bool quick = false;
  bool json = false;
  int budget_s = 300;
  std::vector<int> threads;
  std::vector<std::string> sizes;
  std::string regime = "hot";
  std::string out;
};

struct Figure {
  GemmShape shape;
  double ratio = 0; // the strongest rival's time / ours: > 1 means ours is faster
  double low = 0, high = 0;
  std::string rival;
  double gflops = 0;
};

struct Column {
  std::string sizes;
  int threads = 1;
  std::vector<Figure> figures;

  double geomean(bool with_row_vector) const
  {
    double sum = 0;
    int count = 0;
    for (const Figure& figure : figures) {
      if (with_row_vector || !figure.shape.is_row_vector()) {
        sum += std::log(figure.ratio);
        ++count;
      }
    }
    return count > 0 ? std::exp(sum / count) : 0;
  }
  double worst() const { return figures.empty() ? 0 : std::ranges::min_element(figures, {}, &Figure::ratio)->ratio; }
};

fs::path hone_program()
{
  return fs::read_symlink("/proc/self/exe").parent_path() / "hone";
}

Result<Figure> figure_from(const GemmShape& shape, const Json& climb)
{
  Figure figure;
  figure.shape = shape;
  figure.gflops = climb.at("best").at("gflops").get<double>();
  for (const Json& baseline : climb.at("baselines")) {
    const auto name = baseline.at("name").get<std::string>();
    const double ratio = baseline.at("ratio").get<double>();
    const bool loops = name.starts_with("loops"); // our own compiler's loops are no rival
    if (!loops && (figure.ratio == 0 || ratio < figure.ratio)) {
      figure.ratio = ratio;
      figure.low = baseline.at("ci95").at(0).is_null() ? 0 : baseline.at("ci95").at(0).get<double>();
      figure.high = baseline.at("ci95").at(1).is_null() ? HUGE_VAL : baseline.at("ci95").at(1).get<double>();
      figure.rival = name;
    }
  }
  if (figure.ratio == 0) {
    return fail(shape.text() + ": the climb ended without a library to compare with",
                "install the libraries: ./test does, or see `hone doctor`");
  }
  return figure;
}

Result<Figure> climb(const Options& options, const GemmShape& shape, const std::string& sizes, int threads)
{
  const std::string name = fmt::format("gemm-{}-{}-{}-{}-{}", shape.m, shape.n, shape.k, sizes, threads);
  HONE_TRY(const TemporaryFolder scratch, TemporaryFolder::create("bench-cpu"));
  const fs::path folder = (options.out.empty() ? scratch.path() : fs::path(options.out)) / name;
  std::error_code problem;
  fs::create_directories(folder, problem);
  HONE_CHECK(write_file(folder / "kernel.toml", gemm_kernel(shape, sizes)));
  ProcessRequest request;
  request.argv = {hone_program().string(),
                  "optimize",
                  folder.string(),
                  "--json",
                  "--regime",
                  options.regime,
                  "--budget",
                  std::to_string(options.budget_s),
                  "--threads",
                  std::to_string(threads)};
  request.deadline = std::chrono::seconds(10 * options.budget_s + 600);
  request.output_cap = std::size_t{64} << 20;
  HONE_TRY(const ProcessOutcome outcome, run_process(request));
  if (!outcome.ok()) {
    return fail(fmt::format("{}: hone optimize ended with {}: {}", shape.text(), outcome.exit_status, outcome.err));
  }
  if (!options.out.empty()) {
    HONE_CHECK(write_file(folder / "climb.json", outcome.out));
  }
  HONE_TRY(const Json json, parse_json(outcome.out, name));
  return figure_from(shape, json);
}

std::string line_of(const Column& column, const Figure& figure)
{
  return fmt::format("{},{},{},{},{},{:.4f},{:.4f},{:.4f},{},{:.1f}", column.sizes, column.threads, figure.shape.m,
                     figure.shape.n, figure.shape.k, figure.ratio, figure.low, figure.high, figure.rival,
                     figure.gflops);
}

constexpr const char* k_heading = "sizes,threads,m,n,k,ratio,low95,high95,rival,gflops";

Json to_json(const std::vector<Column>& columns)
{
  Json all = Json::array();
  for (const Column& column : columns) {
    Json shapes = Json::array();
    for (const Figure& figure : column.figures) {
      shapes.push_back({{"m", figure.shape.m},
                        {"n", figure.shape.n},
                        {"k", figure.shape.k},
                        {"ratio", figure.ratio},
                        {"ci95", {figure.low, figure.high}},
                        {"rival", figure.rival},
                        {"gflops", figure.gflops}});
    }
    all.push_back({{"sizes", column.sizes},
                   {"threads", column.threads},
                   {"geomean", column.geomean(true)},
                   {"geomean_without_row_vector", column.geomean(false)},
                   {"worst", column.worst()},
                   {"shapes", shapes}});
  }
  return {{"columns", all}};
}

Result<Column> run_column(const Options& options, const std::string& sizes, int threads)
{
  Column column{sizes, threads, {}};
  for (const GemmShape& shape : gemm_shapes()) {
    if (options.quick && !shape.quick) {
      continue;
    }
    HONE_TRY(Figure figure, climb(options, shape, sizes, threads));
    column.figures.push_back(std::move(figure));
    if (!options.json) {
      fmt::print("{}\n", line_of(column, column.figures.back()));
      std::fflush(stdout);
    }
  }
  return column;
}

Result<void> run(const Options& options)
{
  std::vector<Column> columns;
  std::string csv = std::string(k_heading) + "\n";
  if (!options.json) {
    fmt::print("{}", csv);
  }
  for (const std::string& sizes : options.sizes) {
    for (const int threads : options.threads) {
      HONE_TRY(Column column, run_column(options, sizes, threads));
      for (const Figure& figure : column.figures) {
        csv += line_of(column, figure) + "\n";
      }
      if (!options.json) {
        fmt::print("# sizes {}, {} thread(s): geomean {:.4f}, without the row vector {:.4f}, worst {:.4f}\n", sizes,
                   threads, column.geomean(true), column.geomean(false), column.worst());
      }
      columns.push_back(std::move(column));
    }
  }
  if (!options.out.empty()) {
    HONE_CHECK(write_file(fs::path(options.out) / "gemm.csv", csv));
  }
  if (options.json) {
    fmt::print("{}\n", to_json(columns).dump(2));
  }
  return {};
}

} // namespace
} // namespace hone

int main(int count, char** words)
{
  CLI::App app("Speed of what Hone finds on the CPU, beside the libraries");
  hone::Options options;
  CLI::App* gemm = app.add_subcommand("gemm", "14 shapes of C = A x B in f32");
  app.require_subcommand(1);
  gemm->add_flag("--quick", options.quick, "five of the shapes, one thread, sizes compiled in, 110 s a shape");
  gemm->add_flag("--json", options.json, "one JSON object at the end in place of lines");
  gemm->add_option("--budget", options.budget_s, "seconds of a climb")->capture_default_str();
  gemm->add_option("--threads", options.threads, "numbers of threads; left out: 1 and 2");
  gemm->add_option("--sizes", options.sizes, "timed (compiled in), any (at run time); left out: both")
    ->check(CLI::IsMember({"timed", "any"}));
  gemm->add_option("--regime", options.regime, "hot or cold")->capture_default_str();
  gemm->add_option("--out", options.out, "folder for kernels, workflows, climb.json of each, gemm.csv");
  CLI11_PARSE(app, count, words);
  if (options.sizes.empty()) {
    options.sizes = options.quick ? std::vector<std::string>{"timed"} : std::vector<std::string>{"timed", "any"};
  }
  if (options.threads.empty()) {
    options.threads = options.quick ? std::vector<int>{1} : std::vector<int>{1, 2};
  }
  if (options.quick && gemm->count("--budget") == 0) {
    options.budget_s = 110;
  }
  if (const auto done = hone::run(options); !done) {
    fmt::print(stderr, "bench_cpu: {}\n", done.error().text());
    return 1;
  }
  return 0;
}
