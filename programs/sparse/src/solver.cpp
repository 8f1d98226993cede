#include "solver.h"

#include <cmath>

Solution solve(const LinearSystem& system, const Preconditioner& preconditioner, double tolerance, int most_iterations)
{
  const SparseMatrix& matrix = system.matrix;
  const std::size_t size = system.right_side.size();
  Solution solution;
  solution.values.assign(size, 0);
  Vector residual = system.right_side; // the first guess is zero
  Vector correction(size, 0), direction(size, 0), image(size, 0);
  preconditioner.apply(residual, correction);
  direction = correction;
  double energy = dot(residual, correction);
  solution.first_residual = norm(residual);
  solution.last_residual = solution.first_residual;
  while (solution.iterations < most_iterations) {
    if (solution.last_residual <= tolerance * solution.first_residual) {
      solution.converged = true;
      break;
    }
    multiply(matrix, direction, image);
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) {
      break; // not positive definite, or at the end of what doubles can tell
    }
    const double length = energy / curvature;
    add_scaled(solution.values, length, direction);
    add_scaled(residual, -length, image);
    preconditioner.apply(residual, correction);
    const double next_energy = dot(residual, correction);
    const double ratio = next_energy / energy;
    energy = next_energy;
    for (std::size_t n = 0; n < size; ++n) {
      direction[n] = correction[n] + ratio * direction[n];
    }
    solution.last_residual = norm(residual);
    ++solution.iterations;
    if (solution.iterations % 10 == 0) {
      solution.history.push_back(solution.last_residual / solution.first_residual);
    }
  }
  multiply(matrix, solution.values, image);
  for (std::size_t n = 0; n < size; ++n) {
    image[n] = system.right_side[n] - image[n];
  }
  solution.true_residual = norm(image);
  return solution;
}
