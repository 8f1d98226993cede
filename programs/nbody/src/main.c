/* Stars under their own gravity: direct sums, leapfrog in time. */
#include "arguments.h"
#include "diagnostics.h"
#include "gravity.h"
#include "leapfrog.h"
#include "models.h"
#include "random.h"
#include "snapshot.h"
#include "system.h"

#include <stdio.h>
#include <time.h>

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **words)
{
  const struct arguments all = parse_arguments(count, words);
  struct nbody_system *system = system_create(all.count, all.softening);
  struct random_stream random;
  random_begin(&random, all.seed);
  if (!model_fill(system, all.model, &random)) {
    fprintf(stderr, "nbody: there is no model '%s'\n", all.model);
    system_destroy(system);
    return 2;
  }
  const double step = all.step > 0 ? all.step : leapfrog_step_size(system);
  printf("%s of %d stars, step %.9f, softening %.9f\n", all.model, all.count, step, all.softening);
  const double begin = seconds_now();
  accelerations(system);
  const double first_energy = diagnostics_of(system).total;
  diagnostics_print(stdout, system, first_energy);
  for (int n = 1; n <= all.steps; ++n) {
    leapfrog_step(system, step);
    if (all.every > 0 && n % all.every == 0 && n < all.steps) {
      diagnostics_print(stdout, system, first_energy);
    }
  }
  if (all.steps > 0) {
    diagnostics_print(stdout, system, first_energy);
  }
  if (all.radii) {
    diagnostics_print_radii(stdout, system);
  }
  printf("wall clock %.3f s\n", seconds_now() - begin);
  int status = 0;
  if (all.snapshot != NULL && !snapshot_write(all.snapshot, system)) {
    fprintf(stderr, "nbody: cannot write %s\n", all.snapshot);
    status = 1;
  }
  system_destroy(system);
  return status;
}
