#include <stdlib.h>

/* Places and masses as arrays of their own, so that the sums of a star run over them in vectors; one division a pair. A
   star's own share is nothing to the acceleration, and is left out of the potential by its mass. */
__attribute__((optimize("O3", "fast-math"))) void accelerations(struct nbody_system *system)
{
  const int count = system->count;
  const double softening = system->softening * system->softening;
  double *memory = malloc((size_t)count * 4 * sizeof *memory);
  if (memory == NULL) {
    return;
  }
  double *restrict x = memory, *restrict y = x + count, *restrict z = y + count, *restrict m = z + count;
  for (int n = 0; n < count; ++n) {
    x[n] = system->stars[n].place[0];
    y[n] = system->stars[n].place[1];
    z[n] = system->stars[n].place[2];
    m[n] = system->stars[n].mass;
  }
  for (int i = 0; i < count; ++i) {
    const double xi = x[i], yi = y[i], zi = z[i], own = m[i];
    double ax = 0, ay = 0, az = 0, w = 0;
    m[i] = 0;
    for (int j = 0; j < count; ++j) {
      const double dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
      const double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + softening);
      const double pull = m[j] * inverse, force = pull * inverse * inverse;
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
      w -= pull;
    }
    m[i] = own;
    struct star *star = &system->stars[i];
    star->acceleration[0] = ax;
    star->acceleration[1] = ay;
    star->acceleration[2] = az;
    star->potential = w;
  }
  free(memory);
}
