/* Gravity between all pairs of stars. */
#ifndef NBODY_GRAVITY_H
#define NBODY_GRAVITY_H

#include "system.h"

/* Writes every star's acceleration and potential. */
void accelerations(struct nbody_system *system);

#endif
