void add_to_diagonal(int n, float lambda, float *A)
{
  for (int i = 0; i < n; i++)
    A[i * n + i] += lambda;
}
