#include "compare.h"

#include "tune/cache_file.h"
#include "tune/simulation.h"
#include "util/stats.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

namespace {

struct Line {
  std::string space, strategy;
  std::size_t valid = 0; // points of the space that are right
  double share = 0, budget_s = 0;
  double worst = 0, median = 0, best = 0; // shortfalls over the seeds
  double points = 0;                      // measured, on average
};

Result<Line> line_of(const tune::StoredSpace& space, const std::string& name, const std::string& strategy, double share,
                     const CompareOptions& options)
{
  const tune::Simulation simulation(space);
  Line line;
  line.space = name;
  line.strategy = strategy;
  line.share = share;
  line.budget_s = share * space.seconds();
  line.valid =
    static_cast<std::size_t>(std::ranges::count(space.trials, record::Status::correct, &tune::StoredTrial::status));
  std::vector<double> shortfalls;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    HONE_TRY(const tune::SimulatedSearch search,
             simulation.run(strategy, static_cast<std::uint64_t>(seed), line.budget_s,
                            options.blind ? tune::SimulatedStart::random : tune::SimulatedStart::incumbent));
    shortfalls.push_back(search.shortfall);
    line.points += static_cast<double>(search.points) / options.seeds;
  }
  line.worst = std::ranges::max(shortfalls);
  line.best = std::ranges::min(shortfalls);
  line.median = median(shortfalls);
  return line;
}

void print(const Line& line, const std::string& format, bool last)
{
  if (format == "csv") {
    fmt::print("{},{},{},{},{:.3f},{:.5f},{:.5f},{:.5f},{:.1f}\n", line.space, line.valid, line.strategy, line.share,
               line.budget_s, line.worst, line.median, line.best, line.points);
  } else if (format == "json") {
    const Json json{{"space", line.space},   {"points", line.valid},      {"strategy", line.strategy},
                    {"share", line.share},   {"budget_s", line.budget_s}, {"worst", line.worst},
                    {"median", line.median}, {"best", line.best},         {"measured", line.points}};
    fmt::print("  {}{}\n", json.dump(), last ? "" : ",");
  } else {
    fmt::print("| {} | {} | {:.0f} % | {:.1f} s | {:.1f} | {:.2f} % | {:.2f} % |\n", line.space, line.strategy,
               100 * line.share, line.budget_s, line.points, 100 * line.median, 100 * line.worst);
  }
}

void print_head(const std::string& format)
{
  if (format == "csv") {
    fmt::print("space,valid,strategy,share,budget_s,worst,median,best,points\n");
  } else if (format == "table") {
    fmt::print("| space | strategy | budget | | points | median seed | worst seed |\n|---|---|---|---|---|---|---|\n");
  }
}

} // namespace

Result<void> compare_strategies(const CompareOptions& options)
{
  std::vector<std::string> strategies = options.strategies;
  if (strategies.empty()) {
    strategies = tune::strategy_names();
    std::erase(strategies, "exhaustive");
  }
  std::vector<Line> lines;
  for (const fs::path& file : options.spaces) {
    HONE_TRY(const tune::StoredSpace space, tune::read_cache_file(file));
    for (const double share : options.shares) {
      for (const std::string& strategy : strategies) {
        HONE_TRY(Line line, line_of(space, file.stem().string(), strategy, share, options));
        lines.push_back(std::move(line));
      }
    }
  }
  print_head(options.format);
  fmt::print("{}", options.format == "json" ? "[\n" : "");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    print(lines[i], options.format, i + 1 == lines.size());
  }
  fmt::print("{}", options.format == "json" ? "]\n" : "");
  return {};
}

} // namespace hone
