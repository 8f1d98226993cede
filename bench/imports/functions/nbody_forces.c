#include <math.h>
void nbody_forces(int n, const float *x, const float *y, const float *m, float *fx, float *fy)
{
  for (int i = 0; i < n; i++) {
    float sx = 0, sy = 0;
    for (int j = 0; j < n; j++) {
      float dx = x[j] - x[i], dy = y[j] - y[i];
      float r2 = dx * dx + dy * dy + 0.01f;
      float inv = m[j] / (r2 * sqrtf(r2));
      sx += dx * inv;
      sy += dy * inv;
    }
    fx[i] = sx;
    fy[i] = sy;
  }
}
