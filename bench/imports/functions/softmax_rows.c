#include <math.h>
void softmax_rows(int rows, int n, const float *x, float *y)
{
  for (int r = 0; r < rows; r++) {
    const float *in = x + r * n;
    float *out = y + r * n;
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
      top = fmaxf(top, in[i]);
    for (int i = 0; i < n; i++) {
      out[i] = expf(in[i] - top);
      sum += out[i];
    }
    for (int i = 0; i < n; i++)
      out[i] /= sum;
  }
}
