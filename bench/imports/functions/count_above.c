int count_above(int n, const float *x, float limit)
{
  int count = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > limit)
      count++;
  return count;
}
