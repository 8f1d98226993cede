/* Stars: masses, places and speeds, in units where the constant of gravity is 1. */
#ifndef NBODY_SYSTEM_H
#define NBODY_SYSTEM_H

struct star {
  double mass;
  double place[3];
  double speed[3];
  double acceleration[3];
  double potential; /* per unit of mass */
};

struct nbody_system {
  int count;
  double time;
  double softening;
  struct star *stars;
};

/* Ends the program where there is no memory. */
struct nbody_system *system_create(int count, double softening);
void system_destroy(struct nbody_system *system);

/* Moves the centre of mass to the origin and makes it rest there. */
void system_centre(struct nbody_system *system);
double system_mass(const struct nbody_system *system);

#endif
