#include <math.h>

/* Square roots by iteration until nothing changes any more. */
void roots(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double guess = x[i];
        double before = 0;
        while (fabs(guess - before) > 1e-12) {
            before = guess;
            guess = 0.5 * (guess + x[i] / guess);
        }
        y[i] = guess;
    }
}
