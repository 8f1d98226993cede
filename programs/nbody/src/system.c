#include "system.h"

#include <stdio.h>
#include <stdlib.h>

struct nbody_system *system_create(int count, double softening)
{
  struct nbody_system *system = malloc(sizeof *system);
  struct star *stars = calloc((size_t)count, sizeof *stars);
  if (system == NULL || stars == NULL) {
    fprintf(stderr, "nbody: no memory for %d stars\n", count);
    exit(1);
  }
  system->count = count;
  system->time = 0;
  system->softening = softening;
  system->stars = stars;
  return system;
}

void system_destroy(struct nbody_system *system)
{
  if (system != NULL) {
    free(system->stars);
    free(system);
  }
}

double system_mass(const struct nbody_system *system)
{
  double mass = 0;
  for (int n = 0; n < system->count; ++n) {
    mass += system->stars[n].mass;
  }
  return mass;
}

void system_centre(struct nbody_system *system)
{
  double place[3] = {0, 0, 0}, speed[3] = {0, 0, 0};
  const double mass = system_mass(system);
  for (int n = 0; n < system->count; ++n) {
    for (int d = 0; d < 3; ++d) {
      place[d] += system->stars[n].mass * system->stars[n].place[d] / mass;
      speed[d] += system->stars[n].mass * system->stars[n].speed[d] / mass;
    }
  }
  for (int n = 0; n < system->count; ++n) {
    for (int d = 0; d < 3; ++d) {
      system->stars[n].place[d] -= place[d];
      system->stars[n].speed[d] -= speed[d];
    }
  }
}
