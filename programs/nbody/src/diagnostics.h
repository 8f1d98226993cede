/* What is watched: energy, momentum, and how the mass is spread. */
#ifndef NBODY_DIAGNOSTICS_H
#define NBODY_DIAGNOSTICS_H

#include "system.h"

#include <stdio.h>

struct diagnostics {
  double kinetic, potential, total;
  double virial; /* 2 T / |W| */
  double momentum[3];
  double angular[3];
};

/* The potentials of the stars must be those of their places. */
struct diagnostics diagnostics_of(const struct nbody_system *system);
void diagnostics_print(FILE *out, const struct nbody_system *system, double first_energy);

/* Radii around the centre of mass that hold 10, 25, 50, 75 and 90 % of the mass. */
void diagnostics_print_radii(FILE *out, const struct nbody_system *system);

#endif
