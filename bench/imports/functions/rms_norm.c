#include <math.h>
void rms_norm(int n, const float *x, const float *w, float *y)
{
  float ss = 0.0f;
  for (int j = 0; j < n; j++)
    ss += x[j] * x[j];
  ss = 1.0f / sqrtf(ss / n + 1e-5f);
  for (int j = 0; j < n; j++)
    y[j] = w[j] * (ss * x[j]);
}
