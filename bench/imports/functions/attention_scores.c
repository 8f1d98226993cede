#include <math.h>
void attention_scores(int t, int c, int heads, const float *q, const float *k, float *scores)
{
  int size = c / heads;
  float scale = 1.0f / sqrtf((float)size);
  for (int h = 0; h < heads; h++)
    for (int i = 0; i < t; i++)
      for (int j = 0; j < t; j++) {
        float s = 0;
        for (int d = 0; d < size; d++)
          s += q[i * c + h * size + d] * k[j * c + h * size + d];
        scores[(h * t + i) * t + j] = s * scale;
      }
}
