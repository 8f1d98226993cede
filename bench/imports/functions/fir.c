void fir(int n, int taps, const float *x, const float *h, float *y)
{
  for (int i = 0; i < n; i++) {
    float acc = 0;
    for (int k = 0; k < taps; k++)
      acc += h[k] * x[i + taps - 1 - k];
    y[i] = acc;
  }
}
