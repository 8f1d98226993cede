// Groups lay out panels of B for one another; the flag of a panel is raised before it is written. One by one and in any
// order all is right; on two threads a panel may be read half written.
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

extern "C" void product(const hone_group* group, const float* A, const float* B, int32_t* flags, float* packed, float* own, float* C,
  int64_t m, int64_t n, int64_t k)
{
  const int64_t g = group->id[0], groups = group->count[0], panels = (n + 15) / 16;
  const int64_t r0 = g * 48, r1 = r0 + 48 < m ? r0 + 48 : m;
  float* mine = own + g * k * 16;
  for (int64_t step = 0; step < panels; ++step) {
    const int64_t j = (g + step) % panels; // everyone begins with a panel of his own
    const float* panel = packed + j * k * 16;
    if (__atomic_load_n(flags + j, __ATOMIC_RELAXED) != 0x600d) {
      if (j % groups == g) {
        __atomic_store_n(flags + j, 0x600d, __ATOMIC_RELAXED);
        pack_panel(B, packed + j * k * 16, n, k, j * 16, n);
      } else {
        pack_panel(B, mine, n, k, j * 16, n);
        panel = mine;
      }
    }
    block(A, panel, C, k, k, r0, r1, j * 16, n);
  }
}
