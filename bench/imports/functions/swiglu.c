#include <math.h>
void swiglu(int n, const float *gate, const float *up, float *y)
{
  for (int i = 0; i < n; i++) {
    float g = gate[i];
    y[i] = g / (1.0f + expf(-g)) * up[i];
  }
}
