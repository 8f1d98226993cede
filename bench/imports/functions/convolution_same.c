#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void convolution_same(int n, int k, const float *x, const float *w, float *y)
{
  for (int i = 0; i < n; i++) {
    float s = 0;
    int low = MAX(0, i - k / 2), high = MIN(n, i - k / 2 + k);
    for (int j = low; j < high; j++)
      s += x[j] * w[j - i + k / 2];
    y[i] = s;
  }
}
