#include <math.h>
float asum(int n, const float *x)
{
  float s = 0;
  for (int i = 0; i < n; i++)
    s += fabsf(x[i]);
  return s;
}
