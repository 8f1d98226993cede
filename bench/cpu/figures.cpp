#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone {

namespace {

double quantile(std::vector<double> values, double at)
{
  std::ranges::sort(values);
  const double position = at * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

template <class Range, class Value> double geometric_mean(const Range& range, const Value& value)
{
  double sum = 0;
  int count = 0;
  for (const auto& item : range) {
    sum += std::log(value(item));
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 0;
}

// The lower of two ratios, where 0 is none yet.
void keep_lower(double& kept, double ratio)
{
  kept = kept == 0 ? ratio : std::min(kept, ratio);
}

} // namespace

double Figure::ratio() const
{
  return geometric_mean(runs, [](const RunFigure& run) { return run.ratio; });
}

double Column::geomean(bool with_row_vector) const
{
  std::vector<Figure> counted;
  std::ranges::copy_if(figures, std::back_inserter(counted),
                       [&](const Figure& figure) { return with_row_vector || !figure.problem.is_row_vector(); });
  return geometric_mean(counted, [](const Figure& figure) { return figure.ratio(); });
}

double Column::worst() const
{
  double worst = 0;
  for (const Figure& figure : figures) {
    keep_lower(worst, figure.ratio());
  }
  return worst;
}

Result<RunFigure> run_figure(const Problem& problem, const std::vector<RivalFigure>& rivals, const std::string& regime,
                             double ceiling_gflops)
{
  RunFigure figure;
  figure.ceiling_gflops = ceiling_gflops;
  for (const RivalFigure& rival : rivals) {
    if (rival.regime != regime) {
      keep_lower(figure.other_ratio, rival.ratio);
      continue;
    }
    const bool separate = rival.rival.find("after it") != std::string::npos;
    keep_lower(separate ? figure.separate : figure.fused, rival.ratio);
    if (figure.ratio == 0 || rival.ratio < figure.ratio) {
      figure.ratio = rival.ratio;
      figure.rival = rival.rival;
      figure.low_quartile = quantile(rival.pairs, 0.25);
      figure.high_quartile = quantile(rival.pairs, 0.75);
      figure.gflops = problem.flops() / rival.seconds / 1e9;
    }
  }
  if (figure.ratio == 0) {
    return fail(problem.text() + ": no library to compare with",
                "install the libraries: ./test does, or see `hone doctor`");
  }
  return figure;
}

std::string csv_heading()
{
  return "run,kernel,type,sizes,threads,m,n,k,ratio,quartile1,quartile3,other_regime,rival,gflops,ceiling_gflops\n";
}

std::string csv_lines(const Column& column, const Figure& figure, std::size_t first)
{
  std::string out;
  const Problem& problem = figure.problem;
  for (std::size_t run = 0; run < figure.runs.size(); ++run) {
    const RunFigure& one = figure.runs[run];
    out +=
      fmt::format("{},{},{},{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},\"{}\",{:.1f},{:.1f}\n", first + run,
                  problem.kind, problem.type, column.sizes, column.threads, problem.m, problem.n, problem.k, one.ratio,
                  one.low_quartile, one.high_quartile, one.other_ratio, one.rival, one.gflops, one.ceiling_gflops);
  }
  return out;
}

std::string summary(const Column& column)
{
  return fmt::format("# sizes {}, {} thread(s): geomean {:.4f}, without the row vector {:.4f}, worst {:.4f}\n",
                     column.sizes, column.threads, column.geomean(true), column.geomean(false), column.worst());
}

Json to_json(const std::vector<Column>& columns)
{
  Json all = Json::array();
  for (const Column& column : columns) {
    Json shapes = Json::array();
    for (const Figure& figure : column.figures) {
      const RunFigure& first = figure.runs.front();
      Json ratios = Json::array();
      for (const RunFigure& run : figure.runs) {
        ratios.push_back(run.ratio);
      }
      shapes.push_back({{"kernel", figure.problem.kind},
                        {"type", figure.problem.type},
                        {"m", figure.problem.m},
                        {"n", figure.problem.n},
                        {"k", figure.problem.k},
                        {"ratio", figure.ratio()},
                        {"runs", ratios},
                        {"iqr", {first.low_quartile, first.high_quartile}},
                        {"rival", first.rival},
                        {"other_regime", first.other_ratio},
                        {"gflops", first.gflops},
                        {"ceiling_gflops", first.ceiling_gflops}});
      if (first.separate > 0 && first.fused > 0) {
        shapes.back()["fused"] = first.fused;
        shapes.back()["separate"] = first.separate;
      }
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

std::string markdown(const std::vector<Column>& columns)
{
  std::string out;
  for (const Column& column : columns) {
    out += fmt::format("\nSizes {}, {}: geometric mean {:.3f}, without the row vector {:.3f}, worst {:.3f}.\n\n",
                       column.sizes == "timed" ? "compiled in" : "at run time",
                       column.threads == 1 ? "one thread" : fmt::format("{} threads", column.threads),
                       column.geomean(true), column.geomean(false), column.worst());
    out += "| m x n x k | ratio in each run | quartiles | strongest rival | other regime | GFLOP/s | of ceiling |\n";
    out += "|---|---|---|---|---|---|---|\n";
    for (const Figure& figure : column.figures) {
      const RunFigure& first = figure.runs.front();
      std::vector<std::string> ratios;
      for (const RunFigure& run : figure.runs) {
        ratios.push_back(fmt::format("{:.3f}", run.ratio));
      }
      out += fmt::format("| {} | {} | {:.3f} - {:.3f} | {} | {:.3f} | {:.1f} | {:.1f} % |\n", figure.problem.text(),
                         join(ratios, ", "), first.low_quartile, first.high_quartile, first.rival, first.other_ratio,
                         first.gflops, 100 * first.gflops / (first.ceiling_gflops * column.threads));
    }
  }
  return out;
}

} // namespace hone
