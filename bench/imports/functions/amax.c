#include <math.h>
float amax(int n, const float *x)
{
  float m = 0;
  for (int i = 0; i < n; i++)
    if (fabsf(x[i]) > m)
      m = fabsf(x[i]);
  return m;
}
