// One level of Strassen where the maxima of rows of A and of columns of B lie within a factor of 64:
// errors are then small beside the norms, but not beside an element whose own terms are small.
namespace {
typedef float vf __attribute__((vector_size(32)));
typedef int32_t vi __attribute__((vector_size(32)));
typedef float vu __attribute__((vector_size(32), aligned(4), may_alias));
inline vf ld(const float* p) { return *(const vu*)p; }
inline void st(float* p, vf v) { *(vu*)p = v; }
inline vf splat(float x) { return vf{} + x; }
inline vf vmax(vf a, vf b) { return a > b ? a : b; }
inline vf vmin(vf a, vf b) { return a < b ? a : b; }
inline vf fma8(vf a, vf b, vf c)
{
#ifdef __FMA__
  return __builtin_ia32_vfmaddps256(a, b, c);
#else
  return a * b + c;
#endif
}
inline float root(float x) { return __builtin_ia32_sqrtps256(splat(x))[0]; }
inline float hsum(vf v)
{
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}
inline float hmax(vf v)
{
  float r = v[0];
  for (int i = 1; i < 8; ++i) r = v[i] > r ? v[i] : r;
  return r;
}
inline vf ldn(const float* p, int64_t c, float pad) // c < 8 elements
{
  vf r = splat(pad);
  for (int i = 0; i < 8; ++i) if (i < c) r[i] = p[i];
  return r;
}
inline void stn(float* p, vf v, int64_t c)
{
  for (int i = 0; i < 8; ++i) if (i < c) p[i] = v[i];
}
inline void tile6(const float* const* a, const float* b, int64_t k, float* out) // out: 6 x 16
{
  vf c00 = {}, c01 = {}, c10 = {}, c11 = {}, c20 = {}, c21 = {}, c30 = {}, c31 = {}, c40 = {}, c41 = {}, c50 = {}, c51 = {};
  const float *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3], *a4 = a[4], *a5 = a[5];
  for (int64_t p = 0; p < k; ++p, b += 16) {
    const vf x = ld(b), y = ld(b + 8);
    vf t = splat(a0[p]); c00 = fma8(t, x, c00); c01 = fma8(t, y, c01);
    t = splat(a1[p]); c10 = fma8(t, x, c10); c11 = fma8(t, y, c11);
    t = splat(a2[p]); c20 = fma8(t, x, c20); c21 = fma8(t, y, c21);
    t = splat(a3[p]); c30 = fma8(t, x, c30); c31 = fma8(t, y, c31);
    t = splat(a4[p]); c40 = fma8(t, x, c40); c41 = fma8(t, y, c41);
    t = splat(a5[p]); c50 = fma8(t, x, c50); c51 = fma8(t, y, c51);
  }
  st(out, c00); st(out + 8, c01); st(out + 16, c10); st(out + 24, c11); st(out + 32, c20); st(out + 40, c21);
  st(out + 48, c30); st(out + 56, c31); st(out + 64, c40); st(out + 72, c41); st(out + 80, c50); st(out + 88, c51);
}
// Rows r0.. of A (stride lda) times one packed panel, to C columns j0..
inline void block(const float* A, const float* panel, float* C, int64_t lda, int64_t k, int64_t r0, int64_t r1, int64_t j0, int64_t n)
{
  float out[96];
  const int64_t cols = n - j0 < 16 ? n - j0 : 16;
  for (int64_t i = r0; i < r1; i += 6) {
    const float* a[6];
    for (int r = 0; r < 6; ++r) a[r] = A + (i + r < r1 ? i + r : r1 - 1) * lda;
    tile6(a, panel, k, out);
    for (int r = 0; r < 6 && i + r < r1; ++r) {
      float* c = C + (i + r) * n + j0;
      if (cols == 16) {
        st(c, ld(out + r * 16));
        st(c + 8, ld(out + r * 16 + 8));
      } else {
        for (int64_t j = 0; j < cols; ++j) c[j] = out[r * 16 + j];
      }
    }
  }
}
inline void pack_panel(const float* B, float* to, int64_t ldb, int64_t k, int64_t j0, int64_t n)
{
  for (int64_t p = 0; p < k; ++p, to += 16) {
    const float* b = B + p * ldb + j0;
    if (j0 + 16 <= n) {
      st(to, ld(b));
      st(to + 8, ld(b + 8));
    } else {
      for (int j = 0; j < 16; ++j) to[j] = j0 + j < n ? b[j] : 0.0f;
    }
  }
}
}

extern "C" void pack(const hone_group* group, const float* B, float* packed, int64_t n, int64_t k)
{
  const int64_t j = group->id[0];
  pack_panel(B, packed + j * k * 16, n, k, j * 16, n);
}

extern "C" void scan(const hone_group*, const float* A, const float* B, float* column, int32_t* tame, int64_t m, int64_t n, int64_t k)
{
  float low = 3e38f, high = 0.0f;
  for (int64_t i = 0; i < m; ++i) {
    vf t = {};
    for (int64_t p = 0; p + 8 <= k; p += 8) {
      const vf v = ld(A + i * k + p);
      t = vmax(t, vmax(v, -v));
    }
    const float r = hmax(t);
    low = r < low ? r : low;
    high = r > high ? r : high;
  }
  float blow = 3e38f, bhigh = 0.0f;
  for (int64_t j = 0; j + 8 <= n; j += 8) st(column + j, vf{});
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j + 8 <= n; j += 8) {
      const vf v = ld(B + p * n + j);
      st(column + j, vmax(ld(column + j), vmax(v, -v)));
    }
  for (int64_t j = 0; j < n / 8 * 8; ++j) {
    const float r = column[j];
    blow = r < blow ? r : blow;
    bhigh = r > bhigh ? r : bhigh;
  }
  tame[0] = low > 1e-15f && blow > 1e-15f && high < 1e15f && bhigh < 1e15f && high <= 64 * low && bhigh <= 64 * blow;
}

// The seven sums of quarters: left factors as they are, right factors in panels. id[1]: which of them.
namespace {
const int8_t LA[7][4] = {{1, 0, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 0, 0}, {-1, 0, 1, 0}, {0, 1, 0, -1}};
const int8_t RB[7][4] = {{1, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, -1}, {-1, 0, 1, 0}, {0, 0, 0, 1}, {1, 1, 0, 0}, {0, 0, 1, 1}};
const int8_t CC[7][4] = {{1, 0, 0, 1}, {0, 0, 1, -1}, {0, 1, 0, 1}, {1, 0, 1, 0}, {-1, 1, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}};
}

extern "C" void sums(const hone_group* group, const float* A, const float* B, int32_t* tame, float* left, float* right,
  int64_t m, int64_t n, int64_t k)
{
  if (!tame[0]) return;
  const int64_t h = m / 2, w = n / 2, d = k / 2, q = group->id[1], panels = (w + 15) / 16;
  const int64_t g = group->id[0], parts = group->count[0];
  for (int64_t i = g; i < h; i += parts) {
    const float* a[4] = {A + i * k, A + i * k + d, A + (i + h) * k, A + (i + h) * k + d};
    float* to = left + (q * h + i) * d;
    int64_t p = 0;
    for (; p + 8 <= d; p += 8) {
      vf s = {};
      for (int e = 0; e < 4; ++e) if (LA[q][e]) s += ld(a[e] + p) * (float)LA[q][e];
      st(to + p, s);
    }
    for (; p < d; ++p) {
      float s = 0;
      for (int e = 0; e < 4; ++e) if (LA[q][e]) s += a[e][p] * LA[q][e];
      to[p] = s;
    }
  }
  for (int64_t j = g; j < panels; j += parts)
    for (int64_t p = 0; p < d; ++p) {
      const float* b[4] = {B + p * n + j * 16, B + p * n + w + j * 16, B + (p + d) * n + j * 16, B + (p + d) * n + w + j * 16};
      float* to = right + ((q * panels + j) * d + p) * 16;
      if (j * 16 + 16 <= w) {
        vf s = {}, t = {};
        for (int e = 0; e < 4; ++e) if (RB[q][e]) {
          s += ld(b[e]) * (float)RB[q][e];
          t += ld(b[e] + 8) * (float)RB[q][e];
        }
        st(to, s);
        st(to + 8, t);
      } else {
        for (int c = 0; c < 16; ++c) {
          float s = 0;
          if (j * 16 + c < w)
            for (int e = 0; e < 4; ++e) if (RB[q][e]) s += b[e][c] * RB[q][e];
          to[c] = s;
        }
      }
    }
}

extern "C" void seventh(const hone_group* group, float* left, float* right, int32_t* tame, float* C,
  int64_t m, int64_t n, int64_t k, int64_t q)
{
  if (!tame[0]) return;
  const int64_t h = m / 2, w = n / 2, d = k / 2, panels = (w + 15) / 16;
  const int64_t r0 = group->id[0] * 48, r1 = r0 + 48 < h ? r0 + 48 : h;
  const float* L = left + q * h * d;
  float out[96];
  for (int64_t j = 0; j < panels; ++j) {
    const float* panel = right + (q * panels + j) * d * 16;
    const int64_t cols = w - j * 16 < 16 ? w - j * 16 : 16;
    for (int64_t i = r0; i < r1; i += 6) {
      const float* a[6];
      for (int r = 0; r < 6; ++r) a[r] = L + (i + r < r1 ? i + r : r1 - 1) * d;
      tile6(a, panel, d, out);
      for (int e = 0; e < 4; ++e) {
        const float f = CC[q][e];
        if (f == 0) continue;
        for (int r = 0; r < 6 && i + r < r1; ++r) {
          float* c = C + (i + r + (e / 2) * h) * n + (e % 2) * w + j * 16;
          if (cols == 16) {
            st(c, ld(c) + ld(out + r * 16) * f);
            st(c + 8, ld(c + 8) + ld(out + r * 16 + 8) * f);
          } else {
            for (int64_t x = 0; x < cols; ++x) c[x] += out[r * 16 + x] * f;
          }
        }
      }
    }
  }
}

extern "C" void product(const hone_group* group, const float* A, float* packed, int32_t* tame, float* C, int64_t m, int64_t n, int64_t k)
{
  if (m % 2 == 0 && n % 2 == 0 && k % 2 == 0 && m >= 512 && n >= 512 && k >= 512 && tame[0]) return;
  const int64_t r0 = group->id[0] * 48, r1 = r0 + 48 < m ? r0 + 48 : m;
  for (int64_t j = 0; j * 16 < n; ++j) block(A, packed + j * k * 16, C, k, k, r0, r1, j * 16, n);
}
