// One level of Strassen's algorithm on the even part; what is odd follows in plain loops.
static void combine(const float* x, const float* y, float factor, int64_t ld, int64_t rows, int64_t columns, float* out)
{
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out[i * columns + j] = x[i * ld + j] + (factor == 0.0f ? 0.0f : factor * y[i * ld + j]);
    }
  }
}

static void add_product(const float* s, const float* t, int64_t rows, int64_t depth, int64_t columns, float* product,
                        float* first, float first_sign, float* second, float second_sign, int64_t ld)
{
  for (int64_t i = 0; i < rows; ++i) {
    float* row = product + i * columns;
    for (int64_t j = 0; j < columns; ++j) {
      row[j] = 0.0f;
    }
    for (int64_t k = 0; k < depth; ++k) {
      const float a = s[i * depth + k];
      for (int64_t j = 0; j < columns; ++j) {
        row[j] += a * t[k * columns + j];
      }
    }
    for (int64_t j = 0; j < columns; ++j) {
      first[i * ld + j] += first_sign * row[j];
      if (second != first) {
        second[i * ld + j] += second_sign * row[j];
      }
    }
  }
}

extern "C" void product(const hone_group*, const float* A, const float* B, float* C, float* S, float* T, float* P,
                        int64_t m, int64_t n, int64_t k)
{
  const int64_t hm = m / 2, hn = n / 2, hk = k / 2;
  for (int64_t i = 0; i < m * n; ++i) {
    C[i] = 0.0f;
  }
  const float *a11 = A, *a12 = A + hk, *a21 = A + hm * k, *a22 = A + hm * k + hk;
  const float *b11 = B, *b12 = B + hn, *b21 = B + hk * n, *b22 = B + hk * n + hn;
  float *c11 = C, *c12 = C + hn, *c21 = C + hm * n, *c22 = C + hm * n + hn;
  struct Step {
    const float *x, *y;
    float xy;
    const float *u, *v;
    float uv;
    float* first;
    float first_sign;
    float* second;
    float second_sign;
  };
  const Step steps[7] = {{a11, a22, 1, b11, b22, 1, c11, 1, c22, 1},  {a21, a22, 1, b11, b11, 0, c21, 1, c22, -1},
                         {a11, a11, 0, b12, b22, -1, c12, 1, c22, 1}, {a22, a22, 0, b21, b11, -1, c11, 1, c21, 1},
                         {a11, a12, 1, b22, b22, 0, c11, -1, c12, 1}, {a21, a11, -1, b11, b12, 1, c22, 1, c22, 1},
                         {a12, a22, -1, b21, b22, 1, c11, 1, c11, 1}};
  for (const Step& step : steps) {
    combine(step.x, step.y, step.xy, k, hm, hk, S);
    combine(step.u, step.v, step.uv, n, hk, hn, T);
    add_product(S, T, hm, hk, hn, P, step.first, step.first_sign, step.second, step.second_sign, n);
  }
  for (int64_t i = 0; i < m; ++i) { // the last term, the last row and the last column
    for (int64_t j = 0; j < n; ++j) {
      const bool inside = i < 2 * hm && j < 2 * hn;
      for (int64_t q = inside ? 2 * hk : 0; q < k; ++q) {
        C[i * n + j] += A[i * k + q] * B[q * n + j];
      }
    }
  }
}
