#include <math.h>
void cross_entropy(int n, int c, const float *logits, const int *label, float *loss)
{
  for (int i = 0; i < n; i++) {
    float top = logits[i * c];
    for (int j = 1; j < c; j++)
      if (logits[i * c + j] > top)
        top = logits[i * c + j];
    float s = 0;
    for (int j = 0; j < c; j++)
      s += expf(logits[i * c + j] - top);
    loss[i] = top + logf(s) - logits[i * c + label[i]];
  }
}
