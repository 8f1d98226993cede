// hone: --size ni=200,nj=225,nk=275,nl=300
// D = alpha A B C + beta D
void mm2(int ni, int nj, int nk, int nl, double alpha, double beta, double A[ni][nk], double B[nk][nj],
         double C[nj][nl], double D[ni][nl])
{
  double product[ni][nj];
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      product[i][j] = 0.0;
      for (int k = 0; k < nk; k++)
        product[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (int i = 0; i < ni; i++)
    for (int l = 0; l < nl; l++) {
      D[i][l] *= beta;
      for (int j = 0; j < nj; j++)
        D[i][l] += product[i][j] * C[j][l];
    }
}
