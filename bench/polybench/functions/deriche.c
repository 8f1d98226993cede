// hone: --size w=1024,h=540 --domain alpha=0.2,1 --domain in=-1,1 --tolerance 1e-7,1e-7
// Deriche's recursive smoothing filter: forwards and backwards along the rows, then along the columns.
#include <math.h>

void deriche(int w, int h, double alpha, double in[w][h], double out[w][h], double ahead[w][h],
             double behind[w][h])
{
  double e1 = exp(-alpha), e2 = exp(-2.0 * alpha);
  double k = (1.0 - e1) * (1.0 - e1) / (1.0 + 2.0 * alpha * e1 - e2);
  double a1 = k, a2 = k * e1 * (alpha - 1.0), a3 = k * e1 * (alpha + 1.0), a4 = -k * e2;
  double b1 = 2.0 * e1, b2 = -e2;
  for (int i = 0; i < w; i++) {
    double x1 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int j = 0; j < h; j++) {
      ahead[i][j] = a1 * in[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
      x1 = in[i][j];
      y2 = y1;
      y1 = ahead[i][j];
    }
  }
  for (int i = 0; i < w; i++) {
    double x1 = 0.0, x2 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int j = h - 1; j >= 0; j--) {
      behind[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
      x2 = x1;
      x1 = in[i][j];
      y2 = y1;
      y1 = behind[i][j];
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      out[i][j] = ahead[i][j] + behind[i][j];
  for (int j = 0; j < h; j++) {
    double x1 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int i = 0; i < w; i++) {
      ahead[i][j] = a1 * out[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
      x1 = out[i][j];
      y2 = y1;
      y1 = ahead[i][j];
    }
  }
  for (int j = 0; j < h; j++) {
    double x1 = 0.0, x2 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int i = w - 1; i >= 0; i--) {
      behind[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
      x2 = x1;
      x1 = out[i][j];
      y2 = y1;
      y1 = behind[i][j];
    }
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < h; j++)
      out[i][j] = ahead[i][j] + behind[i][j];
}
