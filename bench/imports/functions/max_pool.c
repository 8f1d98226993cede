#include <float.h>
void max_pool(int c, int h, int w, const float *x, float *y)
{
  for (int k = 0; k < c; k++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        float m = -FLT_MAX;
        for (int r = 0; r < 2; r++)
          for (int s = 0; s < 2; s++) {
            float v = x[(k * 2 * h + 2 * i + r) * 2 * w + 2 * j + s];
            if (v > m)
              m = v;
          }
        y[(k * h + i) * w + j] = m;
      }
}
