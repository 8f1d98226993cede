// The figures of bench_cpu, and how they are written: lines, JSON, CSV, a plot.
#pragma once

#include "hone_runs.h"
#include "problems.h"

#include <string>
#include <vector>

namespace hone {

// One problem in one whole run: the strongest rival in the regime that decides, and the other regime beside it.
struct RunFigure {
  double ratio = 0;
  double low_quartile = 0, high_quartile = 0; // of the pairs' ratios
  std::string rival;
  double other_ratio = 0; // the strongest rival's in the other regime
  double gflops = 0;
  double ceiling_gflops = 0; // measured just before, one thread
  double fused = 0;          // against the strongest that does all in one call; 0: none
  double separate = 0;       // against the strongest that needs a pass of its own after the product; 0: none
};

struct Figure {
  Problem problem;
  std::vector<RunFigure> runs;

  double ratio() const; // geometric mean over the runs
};

struct Column {
  std::string sizes; // "timed": compiled in; "any": at run time
  int threads = 1;
  std::vector<Figure> figures;

  double geomean(bool with_row_vector) const;
  double worst() const;
};

// From all rivals' figures, in the regime that decides. The error says that there is none.
Result<RunFigure> run_figure(const Problem& problem, const std::vector<RivalFigure>& rivals, const std::string& regime,
                             double ceiling_gflops);

std::string csv_heading();
// One line per run; `first`: the number of the first of them.
std::string csv_lines(const Column& column, const Figure& figure, std::size_t first = 1);
std::string summary(const Column& column);
Json to_json(const std::vector<Column>& columns);
std::string markdown(const std::vector<Column>& columns);
// Ratios per problem as an SVG picture, one colour per column.
std::string plot(const std::vector<Column>& columns);

} // namespace hone
