#include <stdbool.h>
void select_by_mask(int n, const bool *mask, const float *a, const float *b, float *y)
{
  for (int i = 0; i < n; i++)
    y[i] = mask[i] ? a[i] : b[i];
}
