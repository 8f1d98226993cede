/* Mixes channels by a matrix, several times over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void mix(int n, const float *weights, const float *in, float *out)
{
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) {
        sum += weights[i * n + k] * in[k * n + j];
      }
      out[i * n + j] = sum;
    }
  }
}

static float *made(int n, unsigned long long seed)
{
  float *values = malloc(sizeof(float) * (size_t)n * (size_t)n);
  for (int i = 0; values != NULL && i < n * n; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    values[i] = (float)((double)(seed >> 40) / 16777216.0);
  }
  return values;
}

int main(int count, char **words)
{
  if (count < 4) {
    return 2;
  }
  const int n = atoi(words[1]), times = atoi(words[2]);
  const unsigned long long seed = strtoull(words[3], NULL, 10);
  float *weights = made(n, seed), *a = made(n, seed + 1), *b = made(n, seed + 2);
  if (weights == NULL || a == NULL || b == NULL) {
    return 1;
  }
  for (int i = 0; i < n * n; ++i) {
    weights[i] /= (float)n;
  }
  for (int t = 0; t < times; ++t) {
    mix(n, weights, a, b);
    float *other = a;
    a = b;
    b = other;
  }
  double sum = 0;
  for (int i = 0; i < n * n; ++i) {
    sum += fabs(a[i]);
  }
  printf("mean %.7f\n", sum / ((double)n * n));
  for (int i = 0; i < n; i += 1 + n / 8) {
    printf("row %d %.7f %.7f\n", i, (double)a[i * n], (double)a[i * n + n - 1]);
  }
  free(weights);
  free(a);
  free(b);
  return 0;
}
