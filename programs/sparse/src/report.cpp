#include "report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

// The mean of a horizontal slice of cells.
double slice_mean(const Box& box, const Vector& values, int z)
{
  double sum = 0;
  for (int y = 0; y < box.cells; ++y) {
    for (int x = 0; x < box.cells; ++x) {
      sum += values[static_cast<std::size_t>(box.index(x, y, z))];
    }
  }
  return sum / (static_cast<double>(box.cells) * box.cells);
}

// What flows in through the bottom.
double inflow(const Box& box, const Medium& medium, const Vector& values)
{
  double sum = 0;
  for (int y = 0; y < box.cells; ++y) {
    for (int x = 0; x < box.cells; ++x) {
      const auto cell = static_cast<std::size_t>(box.index(x, y, 0));
      sum += 2 * box.spacing() * medium.vertical[cell] * (1.0 - values[cell]);
    }
  }
  return sum;
}

} // namespace

void print_problem(std::FILE* out, const Box& box, const Medium& medium, const SparseMatrix& matrix)
{
  const auto [low, high] = std::minmax_element(medium.horizontal.begin(), medium.horizontal.end());
  std::fprintf(out, "cells %d, rows %d, entries %zu, wells %zu\n", box.cells, matrix.rows, matrix.value.size(),
               medium.wells.size());
  std::fprintf(out, "diffusivity from %.9e to %.9e, asymmetry %.1e\n", *low, *high, largest_asymmetry(matrix));
}

void print_solution(std::FILE* out, const Box& box, const Medium& medium, const Solution& solution, int probe)
{
  std::fprintf(out, "%s after %d iterations\n", solution.converged ? "converged" : "NOT CONVERGED", solution.iterations);
  for (std::size_t n = 0; n < solution.history.size() && n < 2; ++n) {
    std::fprintf(out, "  residual after %zu: %.4e\n", 10 * (n + 1), solution.history[n]);
  }
  const Vector& values = solution.values;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  std::fprintf(out, "values from %.9f to %.9f, mean %.9f\n", *low, *high, mean);
  std::fprintf(out, "inflow %.9e\n", inflow(box, medium, values));
  for (int n = 0; n < probe; ++n) {
    const int z = probe > 1 ? n * (box.cells - 1) / (probe - 1) : box.cells / 2;
    const int middle = box.cells / 2;
    std::fprintf(out, "probe %2d: slice mean %.9f, middle %.9f\n", z, slice_mean(box, values, z),
                 values[static_cast<std::size_t>(box.index(middle, middle, z))]);
  }
}
