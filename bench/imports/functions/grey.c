void grey(int n, const unsigned char *rgb, unsigned char *y)
{
  for (int i = 0; i < n; i++)
    y[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}
