void interleave(int n, const float *left, const float *right, float *out)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    out[k++] = 0.5f * left[i];
    out[k++] = 0.5f * right[i];
  }
}
