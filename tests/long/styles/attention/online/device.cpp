// Scores are never stored: a running maximum, sums and outputs scaled down whenever it grows.
#include "hone.h"

#include <math.h>

extern "C" void attention(const hone_group* group, const float* Q, const float* K, const float* V, float* O, int64_t s,
                          int64_t d, int64_t t)
{
  const int64_t head = group->id[2];
  const float* q = Q + (head * s + group->id[0]) * d;
  float* o = O + (head * s + group->id[0]) * d;
  const float scale = 1 / sqrtf((float)d);
  float top = -INFINITY;
  float total = 0;
  for (int64_t c = 0; c < d; ++c) {
    o[c] = 0;
  }
  for (int64_t j = 0; j < t; ++j) {
    const float* k = K + (head * t + j) * d;
    const float* v = V + (head * t + j) * d;
    float score = 0;
    for (int64_t c = 0; c < d; ++c) {
      score = fmaf(q[c], k[c], score);
    }
    score *= scale;
    if (score > top) {
      const float shrink = expf(top - score);
      total *= shrink;
      for (int64_t c = 0; c < d; ++c) {
        o[c] *= shrink;
      }
      top = score;
    }
    const float weight = expf(score - top);
    total += weight;
    for (int64_t c = 0; c < d; ++c) {
      o[c] = fmaf(weight, v[c], o[c]);
    }
  }
  for (int64_t c = 0; c < d; ++c) {
    o[c] *= 1 / total;
  }
}
