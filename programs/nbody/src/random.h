/* Random numbers that are the same everywhere for a seed. */
#ifndef NBODY_RANDOM_H
#define NBODY_RANDOM_H

#include <stdint.h>

struct random_stream {
  uint64_t state[2];
};

void random_begin(struct random_stream *stream, uint64_t seed);
double random_uniform(struct random_stream *stream); /* in [0, 1) */
double random_between(struct random_stream *stream, double low, double high);
double random_normal(struct random_stream *stream);
void random_direction(struct random_stream *stream, double length, double vector[3]);

#endif
