void average_pool(int c, int h, int w, const float *x, float *y)
{
  int oh = h / 2, ow = w / 2;
  for (int k = 0; k < c; k++)
    for (int i = 0; i < oh; i++)
      for (int j = 0; j < ow; j++) {
        float s = 0;
        int count = 0;
        for (int r = 0; r < 3; r++)
          for (int q = 0; q < 3; q++) {
            int yy = 2 * i + r - 1, xx = 2 * j + q - 1;
            if (yy < 0 || yy >= h || xx < 0 || xx >= w)
              continue;
            s += x[(k * h + yy) * w + xx];
            count++;
          }
        y[(k * oh + i) * ow + j] = s / count;
      }
}
