// Stationary diffusion in a layered box: assembles a sparse matrix and solves it by conjugate gradients.
#include "assembly.h"
#include "medium.h"
#include "options.h"
#include "preconditioner.h"
#include "report.h"
#include "solver.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace {

int run(const Options& options)
{
  using Clock = std::chrono::steady_clock;
  Box box;
  box.cells = options.cells;
  const auto begin = Clock::now();
  const Medium medium = make_medium(box, options);
  const LinearSystem system = assemble(box, medium);
  const auto assembled = Clock::now();
  if (!options.quiet) {
    print_problem(stdout, box, medium, system.matrix);
  }
  const auto preconditioner = make_preconditioner(system.matrix, options);
  const Solution solution = solve(system, *preconditioner, options.tolerance, options.most_iterations);
  const auto solved = Clock::now();
  print_solution(stdout, box, medium, solution, options.probe);
  const std::chrono::duration<double> first = assembled - begin, second = solved - assembled;
  std::printf("assembly %.3f seconds, solution %.3f seconds\n", first.count(), second.count());
  return solution.converged ? 0 : 3;
}

} // namespace

int main(int count, char** words)
{
  try {
    return run(parse_options(count, words));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "sparse: %s\n%s", error.what(), usage_text());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sparse: %s\n", error.what());
    return 1;
  }
}
