/* Places and speeds in a file: six doubles a star, in the order of the stars. */
#ifndef NBODY_SNAPSHOT_H
#define NBODY_SNAPSHOT_H

#include "system.h"

/* 0 where the file cannot be written. */
int snapshot_write(const char *path, const struct nbody_system *system);

#endif
