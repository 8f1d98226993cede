#include <stdbool.h>
bool any_negative(int n, const double *x)
{
  bool found = false;
  for (int i = 0; i < n; i++)
    if (x[i] < 0)
      found = true;
  return found;
}
