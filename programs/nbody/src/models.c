#include "models.h"

#include <math.h>
#include <string.h>

/* A Plummer sphere in equilibrium: Aarseth, Henon and Wielen's recipe. */
static void plummer(struct star *stars, int count, double mass, struct random_stream *random)
{
  const double scale = 3 * 3.141592653589793 / 16; /* so that the energy is -1/4 for a mass of 1 */
  for (int n = 0; n < count; ++n) {
    struct star *star = &stars[n];
    star->mass = mass / count;
    double radius;
    do {
      radius = 1 / sqrt(pow(random_between(random, 1e-6, 1), -2.0 / 3) - 1);
    } while (radius > 10);
    random_direction(random, scale * radius, star->place);
    double part, chance;
    do {
      part = random_uniform(random);
      chance = random_between(random, 0, 0.1);
    } while (chance > part * part * pow(1 - part * part, 3.5));
    const double escape = sqrt(2.0) * pow(1 + radius * radius, -0.25);
    random_direction(random, part * escape * sqrt(mass / scale), star->speed);
  }
}

/* A uniform sphere at rest but for some warmth: it collapses. */
static void sphere(struct star *stars, int count, double mass, struct random_stream *random)
{
  for (int n = 0; n < count; ++n) {
    struct star *star = &stars[n];
    star->mass = mass / count * random_between(random, 0.5, 1.5);
    random_direction(random, cbrt(random_uniform(random)), star->place);
    for (int d = 0; d < 3; ++d) {
      star->speed[d] = 0.1 * random_normal(random);
    }
  }
}

/* A thin disc around a heavy star, on circles. */
static void disc(struct star *stars, int count, double mass, struct random_stream *random)
{
  const double centre = 0.8 * mass;
  memset(&stars[0], 0, sizeof stars[0]);
  stars[0].mass = centre;
  for (int n = 1; n < count; ++n) {
    struct star *star = &stars[n];
    const double radius = sqrt(random_between(random, 0.04, 1));
    const double angle = random_between(random, 0, 6.283185307179586);
    const double speed = sqrt(centre / radius);
    star->mass = (mass - centre) / (count - 1);
    star->place[0] = radius * cos(angle);
    star->place[1] = radius * sin(angle);
    star->place[2] = 0.02 * random_normal(random);
    star->speed[0] = -speed * sin(angle);
    star->speed[1] = speed * cos(angle);
    star->speed[2] = 0;
  }
}

static void shift(struct star *stars, int count, const double place[3], const double speed[3])
{
  for (int n = 0; n < count; ++n) {
    for (int d = 0; d < 3; ++d) {
      stars[n].place[d] += place[d];
      stars[n].speed[d] += speed[d];
    }
  }
}

/* Two Plummer spheres that meet. */
static void collision(struct star *stars, int count, double mass, struct random_stream *random)
{
  const int first = count / 2;
  const double aside = random_between(random, 0, 0.5);
  const double here[3] = {-1.2, -aside, 0}, there[3] = {1.2, aside, 0};
  const double right[3] = {0.4, 0, 0.05}, left[3] = {-0.4, 0, -0.05};
  plummer(stars, first, mass / 2, random);
  plummer(stars + first, count - first, mass / 2, random);
  shift(stars, first, here, right);
  shift(stars + first, count - first, there, left);
}

int model_fill(struct nbody_system *system, const char *name, struct random_stream *random)
{
  static const struct {
    const char *name;
    void (*fill)(struct star *, int, double, struct random_stream *);
  } models[] = {{"plummer", plummer}, {"sphere", sphere}, {"disc", disc}, {"collision", collision}};
  for (unsigned n = 0; n < sizeof models / sizeof models[0]; ++n) {
    if (strcmp(models[n].name, name) == 0) {
      models[n].fill(system->stars, system->count, 1.0, random);
      system_centre(system);
      return 1;
    }
  }
  return 0;
}
