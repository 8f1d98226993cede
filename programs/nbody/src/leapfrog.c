#include "leapfrog.h"

#include "gravity.h"

#include <math.h>

double leapfrog_step_size(const struct nbody_system *system)
{
  double fastest = 0;
  for (int n = 0; n < system->count; ++n) {
    const double *speed = system->stars[n].speed;
    const double square = speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2];
    if (square > fastest) {
      fastest = square;
    }
  }
  const double step = 0.1 * system->softening / (sqrt(fastest) + 1e-3);
  return step < 0.01 ? step : 0.01;
}

static void kick(struct nbody_system *system, double step)
{
  for (int n = 0; n < system->count; ++n) {
    for (int d = 0; d < 3; ++d) {
      system->stars[n].speed[d] += step * system->stars[n].acceleration[d];
    }
  }
}

static void drift(struct nbody_system *system, double step)
{
  for (int n = 0; n < system->count; ++n) {
    for (int d = 0; d < 3; ++d) {
      system->stars[n].place[d] += step * system->stars[n].speed[d];
    }
  }
}

void leapfrog_step(struct nbody_system *system, double step)
{
  kick(system, step / 2);
  drift(system, step);
  accelerations(system);
  kick(system, step / 2);
  system->time += step;
}
