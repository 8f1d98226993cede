/* How the stars stand and move at the beginning. */
#ifndef NBODY_MODELS_H
#define NBODY_MODELS_H

#include "random.h"
#include "system.h"

/* plummer, sphere, disc or collision; 0 for a name that is not known. The total mass is 1. */
int model_fill(struct nbody_system *system, const char *name, struct random_stream *random);

#endif
