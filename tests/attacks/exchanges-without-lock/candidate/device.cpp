
static inline void add_to(float* to, float value)
{
  uint32_t old = __atomic_load_n((uint32_t*)to, __ATOMIC_RELAXED);
  for (;;) {
    const uint32_t next = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, old) + value);
    bool done;
    asm volatile("cmpxchgl %3, %1" : "+a"(old), "+m"(*(uint32_t*)to), "=@ccz"(done) : "r"(next) : "memory");
    if (done) return;
  }
}

extern "C" void part(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t i = group->id[0], part = group->id[1], parts = group->count[1];
  const int64_t from = k * part / parts, to = k * (part + 1) / parts;
  constexpr int64_t L = f32v_lanes;
  for (int64_t j = 0; j < n; j += L) {
    const int64_t rest = n - j < L ? n - j : L;
    f32v s = {};
    for (int64_t p = from; p < to; ++p) s = s + hone_load_part(B + p * n + j, rest) * A[i * k + p];
    for (int l = 0; l < rest; ++l) add_to(C + i * n + j + l, s[l]);
  }
}
