// A long polynomial of eight elements at a time.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, float* Y, int64_t n)
{
  for (int64_t i = 0; i < n; ++i) {
    const float x = X[i];
    Y[i] = ((((((((((((((((((((((((((((((((0.5f * x + 0.25f) * x + 0.26f) * x + 0.27f) * x + 0.28f) * x + 0.29f) * x + 0.30f) * x + 0.31f) * x + 0.32f) * x + 0.33f) * x + 0.34f) * x + 0.35f) * x + 0.36f) * x + 0.37f) * x + 0.38f) * x + 0.39f) * x + 0.40f) * x + 0.41f) * x + 0.42f) * x + 0.43f) * x + 0.44f) * x + 0.45f) * x + 0.46f) * x + 0.47f) * x + 0.48f) * x + 0.49f) * x + 0.50f) * x + 0.51f) * x + 0.52f) * x + 0.53f) * x + 0.54f) * x + 0.55f) * x + 0.56f);
  }
}
