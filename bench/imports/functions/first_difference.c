#include <assert.h>
void first_difference(int n, const double *x, double *y)
{
  assert(n > 1);
  for (int i = 0; i + 1 < n; i++)
    y[i] = x[i + 1] - x[i];
}
