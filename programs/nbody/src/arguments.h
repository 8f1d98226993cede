/* The command line. */
#ifndef NBODY_ARGUMENTS_H
#define NBODY_ARGUMENTS_H

#include <stdint.h>

struct arguments {
  int count;
  int steps;
  double step;      /* in time; 0: chosen by the softening and the speeds */
  double softening;
  uint64_t seed;
  const char *model;
  int every;            /* steps between two lines of diagnostics; 0: begin and end only */
  const char *snapshot; /* file for the last places and speeds; NULL: none */
  int radii;            /* whether radii that hold parts of the mass are printed */
};

/* Ends the program with status 2 where something is wrong. */
struct arguments parse_arguments(int count, char **words);

#endif
