// hone: --size nr=75,nq=70,np=80
// Each row of A times the matrix C4, in place.
void doitgen(int nr, int nq, int np, double A[nr][nq][np], double C4[np][np])
{
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      double row[np];
      for (int p = 0; p < np; p++) {
        row[p] = 0.0;
        for (int s = 0; s < np; s++)
          row[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < np; p++)
        A[r][q][p] = row[p];
    }
}
