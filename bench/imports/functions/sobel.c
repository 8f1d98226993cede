#include <math.h>
void sobel(int h, int w, const unsigned char *x, float *y)
{
  static const int gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  static const int gy[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
  for (int i = 1; i < h - 1; i++)
    for (int j = 1; j < w - 1; j++) {
      int a = 0, b = 0;
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
          int v = x[(i + r - 1) * w + j + s - 1];
          a += gx[r][s] * v;
          b += gy[r][s] * v;
        }
      y[i * w + j] = sqrtf((float)(a * a + b * b));
    }
}
