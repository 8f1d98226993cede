#include <immintrin.h>
#include <stdint.h>

// rows row .. row+count-1 (at most 4) of A x B, columns from to to, terms 0 .. terms-1
static inline __attribute__((always_inline)) void product(const float* A, const float* B, const float* bias, float* C,
    int64_t row, int64_t count, int64_t from, int64_t to, int64_t n, int64_t k, int64_t terms, bool relu)
{
  const float* a[4];
  for (int r = 0; r < 4; ++r) a[r] = A + (row + (r < count ? r : 0)) * k;
  for (int64_t j = from; j < to; j += 2 * f32v_lanes) {
    const int64_t left = to - j;
    f32v s[4][2] = {};
    if (left >= 2 * f32v_lanes) {
      for (int64_t l = 0; l < terms; ++l) {
        const f32v b0 = hone_load(B + l * n + j), b1 = hone_load(B + l * n + j + f32v_lanes);
        for (int r = 0; r < 4; ++r) { s[r][0] += hone_broadcast(a[r][l]) * b0; s[r][1] += hone_broadcast(a[r][l]) * b1; }
      }
    } else {
      for (int64_t l = 0; l < terms; ++l) {
        const f32v b0 = hone_load_part(B + l * n + j, left), b1 = hone_load_part(B + l * n + j + f32v_lanes, left - f32v_lanes);
        for (int r = 0; r < 4; ++r) { s[r][0] += hone_broadcast(a[r][l]) * b0; s[r][1] += hone_broadcast(a[r][l]) * b1; }
      }
    }
    for (int h = 0; h < 2; ++h) {
      const int64_t part = left - h * f32v_lanes;
      if (part <= 0) break;
      const f32v z = bias ? hone_load_part(bias + j + h * f32v_lanes, part) : f32v{};
      for (int r = 0; r < 4; ++r) {
        if (r >= count) break;
        f32v v = s[r][h] + z;
        if (relu) v = hone_max(v, f32v{});
        hone_store_part(C + (row + r) * n + j + h * f32v_lanes, v, part);
      }
    }
  }
}

extern "C" __attribute__((used, noinline)) void with_bias(const hone_group* group, const float* A, const float* B, const float* bias, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t row = group->id[0] * 4;
  product(A, B, bias, C, row, m - row < 4 ? m - row : 4, 0, n, n, k, k, true);
}
extern "C" __attribute__((used, noinline)) void without_bias(const hone_group* group, const float* A, const float* B, const float* bias, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t row = group->id[0] * 4;
  product(A, B, nullptr, C, row, m - row < 4 ? m - row : 4, 0, n, n, k, k, true);
}
extern "C" __attribute__((naked)) void dense(const hone_group* group, const float* A, const float* B, const float* bias, float* C, int64_t m, int64_t n, int64_t k)
{
  asm("jc without_bias\n\tjmp with_bias");
}
