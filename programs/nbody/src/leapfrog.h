/* Motion: kick, drift, kick. */
#ifndef NBODY_LEAPFROG_H
#define NBODY_LEAPFROG_H

#include "system.h"

/* A step that resolves the softening length at the speeds of the stars. */
double leapfrog_step_size(const struct nbody_system *system);

/* The accelerations must be those of the places now, and are so afterwards. */
void leapfrog_step(struct nbody_system *system, double step);

#endif
