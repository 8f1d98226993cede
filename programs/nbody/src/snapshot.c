#include "snapshot.h"

#include <stdio.h>

int snapshot_write(const char *path, const struct nbody_system *system)
{
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    return 0;
  }
  int good = 1;
  for (int n = 0; n < system->count && good; ++n) {
    const struct star *star = &system->stars[n];
    good = fwrite(star->place, sizeof star->place, 1, file) == 1 && fwrite(star->speed, sizeof star->speed, 1, file) == 1;
  }
  return fclose(file) == 0 && good;
}
