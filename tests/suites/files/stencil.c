#include <stdio.h>
#include <stdlib.h>
#define IDX(i, j) ((i) * n + (j))

/* One sweep of a 5-point stencil; the border stays as it is. */
void sweep(int m, int n, const float *restrict in, float *restrict out)
{
    int i, j;
    for (i = 1; i < m - 1; i++)
        for (j = 1; j < n - 1; j++)
            out[IDX(i, j)] = 0.2f * (in[IDX(i, j)] + in[IDX(i - 1, j)] + in[IDX(i + 1, j)]
                                     + in[IDX(i, j - 1)] + in[IDX(i, j + 1)]);
}

int main(void)
{
    int m = 8, n = 8;
    float *a = calloc(m * n, sizeof *a), *b = calloc(m * n, sizeof *b);
    sweep(m, n, a, b);
    printf("%g\n", b[9]);
    return 0;
}
