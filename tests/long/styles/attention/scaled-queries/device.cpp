// Queries are scaled before the product, weights divided before the second one.
#include "hone.h"

#include <math.h>

extern "C" void attention(const hone_group* group, const float* Q, const float* K, const float* V, float* O, float* P,
                          int64_t s, int64_t d, int64_t t)
{
  const int64_t head = group->id[2];
  const float* q = Q + (head * s + group->id[0]) * d;
  float* o = O + (head * s + group->id[0]) * d;
  float* p = P + (head * s + group->id[0]) * t;
  const float scale = 1 / sqrtf((float)d);
  float top = -INFINITY;
  for (int64_t j = 0; j < t; ++j) {
    float score = 0;
    for (int64_t c = 0; c < d; ++c) {
      score = fmaf(q[c] * scale, K[(head * t + j) * d + c], score);
    }
    p[j] = score;
    top = fmaxf(top, score);
  }
  float total = 0;
  for (int64_t j = 0; j < t; ++j) {
    p[j] = expf(p[j] - top);
    total += p[j];
  }
  for (int64_t c = 0; c < d; ++c) {
    o[c] = 0;
  }
  for (int64_t j = 0; j < t; ++j) {
    for (int64_t c = 0; c < d; ++c) {
      o[c] += p[j] / total * V[(head * t + j) * d + c];
    }
  }
}
