#include <math.h>
#include <stdbool.h>
void masked_softmax(int rows, int n, const float *x, const bool *keep, float *y)
{
  for (int r = 0; r < rows; r++) {
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
      if (keep[r * n + i])
        top = fmaxf(top, x[r * n + i]);
    for (int i = 0; i < n; i++) {
      float e = keep[r * n + i] ? expf(x[r * n + i] - top) : 0.0f;
      y[r * n + i] = e;
      sum += e;
    }
    for (int i = 0; i < n; i++)
      y[r * n + i] = sum > 0 ? y[r * n + i] / sum : 0.0f;
  }
}
