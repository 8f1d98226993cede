// hone: --size ni=200,nj=225,nk=250,nl=275,nm=300
// G = (A B) (C D)
void mm3(int ni, int nj, int nk, int nl, int nm, double A[ni][nk], double B[nk][nj], double C[nj][nm],
         double D[nm][nl], double G[ni][nl])
{
  double E[ni][nj], F[nj][nl];
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      E[i][j] = 0.0;
      for (int k = 0; k < nk; k++)
        E[i][j] += A[i][k] * B[k][j];
    }
  for (int j = 0; j < nj; j++)
    for (int l = 0; l < nl; l++) {
      F[j][l] = 0.0;
      for (int m = 0; m < nm; m++)
        F[j][l] += C[j][m] * D[m][l];
    }
  for (int i = 0; i < ni; i++)
    for (int l = 0; l < nl; l++) {
      G[i][l] = 0.0;
      for (int j = 0; j < nj; j++)
        G[i][l] += E[i][j] * F[j][l];
    }
}
