void bias_relu(int rows, int n, const float *bias, int relu, float *x)
{
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i++) {
      float v = x[r * n + i] + bias[i];
      x[r * n + i] = relu && v < 0 ? 0 : v;
    }
}
