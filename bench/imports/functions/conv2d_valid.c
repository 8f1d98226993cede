void conv2d_valid(int c, int f, int h, int w, const float *x, const float *k, float *y)
{
  for (int o = 0; o < f; o++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        float s = 0;
        for (int p = 0; p < c; p++)
          for (int r = 0; r < 3; r++)
            for (int t = 0; t < 3; t++)
              s += x[(p * (h + 2) + i + r) * (w + 2) + j + t] * k[((o * c + p) * 3 + r) * 3 + t];
        y[(o * h + i) * w + j] = s;
      }
}
