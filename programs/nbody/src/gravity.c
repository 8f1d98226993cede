#include "gravity.h"

#include <math.h>

void accelerations(struct nbody_system *system)
{
  for (int i = 0; i < system->count; ++i) {
    struct star *here = &system->stars[i];
    here->potential = 0;
    for (int d = 0; d < 3; ++d) {
      here->acceleration[d] = 0;
    }
    for (int j = 0; j < system->count; ++j) {
      const struct star *there = &system->stars[j];
      if (i == j) {
        continue;
      }
      double square = system->softening * system->softening;
      for (int d = 0; d < 3; ++d) {
        const double difference = there->place[d] - here->place[d];
        square += difference * difference;
      }
      const double distance = sqrt(square);
      for (int d = 0; d < 3; ++d) {
        here->acceleration[d] += there->mass * (there->place[d] - here->place[d]) / (distance * distance * distance);
      }
      here->potential -= there->mass / distance;
    }
  }
}
