#include "diagnostics.h"

#include <math.h>
#include <stdlib.h>

struct shell {
  double radius, mass;
};

static int by_radius(const void *a, const void *b)
{
  const double first = ((const struct shell *)a)->radius, second = ((const struct shell *)b)->radius;
  return (first > second) - (first < second);
}

struct diagnostics diagnostics_of(const struct nbody_system *system)
{
  struct diagnostics all = {0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}};
  for (int n = 0; n < system->count; ++n) {
    const struct star *star = &system->stars[n];
    const double *x = star->place, *v = star->speed;
    all.kinetic += 0.5 * star->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    all.potential += 0.5 * star->mass * star->potential;
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      all.momentum[d] += star->mass * v[d];
      all.angular[d] += star->mass * (x[e] * v[f] - x[f] * v[e]);
    }
  }
  all.total = all.kinetic + all.potential;
  all.virial = all.potential != 0 ? 2 * all.kinetic / fabs(all.potential) : 0;
  return all;
}

void diagnostics_print(FILE *out, const struct nbody_system *system, double first_energy)
{
  const struct diagnostics all = diagnostics_of(system);
  fprintf(out, "t %.9f  T %.9f  W %.9f  E %.9f  virial %.9f\n", system->time, all.kinetic, all.potential, all.total,
          all.virial);
  fprintf(out, "  drift of the energy %.6f, angular momentum %.9f %.9f %.9f\n",
          first_energy != 0 ? (all.total - first_energy) / fabs(first_energy) : 0, all.angular[0], all.angular[1],
          all.angular[2]);
}

void diagnostics_print_radii(FILE *out, const struct nbody_system *system)
{
  static const double parts[] = {0.10, 0.25, 0.50, 0.75, 0.90};
  struct shell *shells = malloc((size_t)system->count * sizeof *shells);
  if (shells == NULL) {
    fprintf(stderr, "nbody: no memory for radii\n");
    exit(1);
  }
  double centre[3] = {0, 0, 0};
  const double mass = system_mass(system);
  for (int n = 0; n < system->count; ++n) {
    for (int d = 0; d < 3; ++d) {
      centre[d] += system->stars[n].mass * system->stars[n].place[d] / mass;
    }
  }
  for (int n = 0; n < system->count; ++n) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
      const double difference = system->stars[n].place[d] - centre[d];
      square += difference * difference;
    }
    shells[n].radius = sqrt(square);
    shells[n].mass = system->stars[n].mass;
  }
  qsort(shells, (size_t)system->count, sizeof *shells, by_radius);
  fprintf(out, "radii");
  double inside = 0;
  int n = -1;
  for (unsigned part = 0; part < sizeof parts / sizeof parts[0]; ++part) {
    while (n + 1 < system->count && inside < parts[part] * mass) {
      inside += shells[++n].mass;
    }
    fprintf(out, " %.9f", shells[n < 0 ? 0 : n].radius);
  }
  fprintf(out, "\n");
  free(shells);
}
