void pairwise_distances(int n, int m, int d, const float *X, const float *Y, float *D)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float s = 0;
      for (int k = 0; k < d; k++) {
        float t = X[i * d + k] - Y[j * d + k];
        s += t * t;
      }
      D[i * m + j] = s;
    }
}
