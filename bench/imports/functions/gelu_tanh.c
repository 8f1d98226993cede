#include <math.h>
static const float k = 0.7978845608f;
void gelu_tanh(int n, const float *x, float *y)
{
  for (int i = 0; i < n; i++) {
    float v = x[i];
    y[i] = 0.5f * v * (1.0f + tanhf(k * (v + 0.044715f * v * v * v)));
  }
}
