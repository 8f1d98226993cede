// hone: --size steps=20,nx=500,ny=600 --domain ex=-1,1 --domain ey=-1,1 --domain hz=-1,1 --domain source=-1,1 --tolerance 1e-7,1e-7
// Electric and magnetic field on a staggered grid in two dimensions; `source` drives one edge.
void fdtd_2d(int steps, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny], double source[steps])
{
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < ny; j++)
      ey[0][j] = source[t];
    for (int i = 1; i < nx; i++)
      for (int j = 0; j < ny; j++)
        ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny; j++)
        ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < nx - 1; i++)
      for (int j = 0; j < ny - 1; j++)
        hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
