double dot_pointers(long n, const double *x, const double *y)
{
  double s = 0;
  while (n--)
    s += *x++ * *y++;
  return s;
}
