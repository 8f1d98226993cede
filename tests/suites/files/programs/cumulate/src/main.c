/* Prints each tenth of the sums of the first numbers of a sequence. */
#include <stdio.h>
#include <stdlib.h>

static void fill(double *numbers, long n, unsigned long long seed)
{
  for (long i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    numbers[i] = (double)(seed >> 11) * (1.0 / 9007199254740992.0);
  }
}

int main(int count, char **words)
{
  const long n = count > 1 ? atol(words[1]) : 0;
  double *numbers = malloc(sizeof(double) * (size_t)(n + 1));
  if (n < 1 || count < 3 || numbers == NULL) {
    return 2;
  }
  fill(numbers, n, strtoull(words[2], NULL, 10));
  const long every = n < 10 ? 1 : n / 10;
  /* hone: region begin */
  for (long i = 0; i < n; ++i) {
    double sum = 0;
    for (long j = 0; j <= i; ++j) {
      sum += numbers[j];
    }
    if (i % every == 0) {
      printf("%ld %.12f\n", i, sum);
    }
  }
  /* hone: region end */
  free(numbers);
  return 0;
}
