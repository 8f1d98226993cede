static inline void product_row(const float* a, const float* B, float* c, int64_t n, int64_t k)
{
  int64_t j = 0;
  for (; j + 4 * f32v_lanes <= n; j += 4 * f32v_lanes) {
    f32v s0 = {}, s1 = {}, s2 = {}, s3 = {};
    for (int64_t p = 0; p < k; ++p) {
      const float* b = B + p * n + j;
      s0 += a[p] * hone_load(b);
      s1 += a[p] * hone_load(b + f32v_lanes);
      s2 += a[p] * hone_load(b + 2 * f32v_lanes);
      s3 += a[p] * hone_load(b + 3 * f32v_lanes);
    }
    hone_store(c + j, s0);
    hone_store(c + j + f32v_lanes, s1);
    hone_store(c + j + 2 * f32v_lanes, s2);
    hone_store(c + j + 3 * f32v_lanes, s3);
  }
  for (; j < n; ++j) {
    float s = 0;
    for (int64_t p = 0; p < k; ++p)
      s += a[p] * B[p * n + j];
    c[j] = s;
  }
}

static __attribute__((noinline)) void one_row(const hone_group* group, const float* A, const float* B, float* C, int64_t n, int64_t k)
{
  product_row(A + group->id[0] * k, B, C + group->id[0] * n, n, k);
}

// r15 belongs to the caller. Nobody is told that it changes here.
extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  one_row(group, A, B, C, n, k);
  asm volatile("leaq 1(%%r15), %%r15" ::);
}
