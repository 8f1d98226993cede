void jacobi2d_step(int h, int w, const double *in, double *out)
{
  for (int i = 1; i < h - 1; i++)
    for (int j = 1; j < w - 1; j++)
      out[i * w + j] = 0.2 * (in[i * w + j] + in[(i - 1) * w + j] + in[(i + 1) * w + j] + in[i * w + j - 1]
                              + in[i * w + j + 1]);
}
