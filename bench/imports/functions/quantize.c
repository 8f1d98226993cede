#include <math.h>
#include <stdint.h>
void quantize(int n, const float *x, float scale, int8_t *q)
{
  for (int i = 0; i < n; i++) {
    float v = floorf(x[i] * scale + 0.5f);
    q[i] = (int8_t)fminf(fmaxf(v, -128.0f), 127.0f);
  }
}
