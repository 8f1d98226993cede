static float score(const float* q, const float* k, int64_t d)
{
  float sum = 0;
  for (int64_t c = 0; c < d; ++c) {
    sum += q[c] * k[c];
  }
  return sum / sqrtf((float)d);
}

extern "C" void attend(const hone_group* group, const float* Q, const float* K, const float* V, float* O, int64_t s,
                       int64_t t, int64_t d)
{
  const int64_t i = group->id[0], b = group->id[1];
  const float* q = Q + (b * s + i) * d;
  float* o = O + (b * s + i) * d;
  float top = -HUGE_VALF;
  for (int64_t j = 0; j < t; ++j) {
    const float x = score(q, K + (b * t + j) * d, d);
    top = x > top ? x : top;
  }
  for (int64_t c = 0; c < d; ++c) {
    o[c] = 0;
  }
  float total = 0;
  for (int64_t j = 0; j < t; ++j) {
    const float weight = expf(score(q, K + (b * t + j) * d, d) - top);
    if (weight < 1e-33f) {
      continue;
    }
    total += weight;
    for (int64_t c = 0; c < d; ++c) {
      o[c] += weight * V[(b * t + j) * d + c];
    }
  }
  for (int64_t c = 0; c < d; ++c) {
    o[c] /= total;
  }
}
