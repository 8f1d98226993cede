#include "random.h"

#include <math.h>

static uint64_t spread(uint64_t *seed)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

void random_begin(struct random_stream *stream, uint64_t seed)
{
  stream->state[0] = spread(&seed);
  stream->state[1] = spread(&seed);
}

/* xorshift128+ */
static uint64_t next(struct random_stream *stream)
{
  uint64_t a = stream->state[0];
  const uint64_t b = stream->state[1];
  stream->state[0] = b;
  a ^= a << 23;
  stream->state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
  return stream->state[1] + b;
}

double random_uniform(struct random_stream *stream)
{
  return (double)(next(stream) >> 11) * (1.0 / 9007199254740992.0);
}

double random_between(struct random_stream *stream, double low, double high)
{
  return low + (high - low) * random_uniform(stream);
}

double random_normal(struct random_stream *stream)
{
  const double radius = sqrt(-2 * log(1 - random_uniform(stream)));
  return radius * cos(6.283185307179586 * random_uniform(stream));
}

void random_direction(struct random_stream *stream, double length, double vector[3])
{
  const double z = random_between(stream, -1, 1);
  const double angle = random_between(stream, 0, 6.283185307179586);
  const double flat = sqrt(1 - z * z);
  vector[0] = length * flat * cos(angle);
  vector[1] = length * flat * sin(angle);
  vector[2] = length * z;
}
