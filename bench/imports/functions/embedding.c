// hone: --shape table=v,d
void embedding(int n, int d, int v, const int *token, const float *table, const float *position, float *y)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++)
      y[i * d + j] = table[token[i] * d + j] + position[i * d + j];
}
