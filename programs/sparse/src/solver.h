// Conjugate gradients.
#ifndef SPARSE_SOLVER_H
#define SPARSE_SOLVER_H

#include "assembly.h"
#include "preconditioner.h"

#include <vector>

struct Solution {
  Vector values;
  int iterations = 0;
  bool converged = false;
  double first_residual = 0, last_residual = 0;
  double true_residual = 0;     // computed anew at the end
  std::vector<double> history;  // of residuals, every tenth iteration
};

Solution solve(const LinearSystem& system, const Preconditioner& preconditioner, double tolerance, int most_iterations);

#endif
