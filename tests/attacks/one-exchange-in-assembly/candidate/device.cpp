// Two halves of k, each by groups of their own, which add up in `acc`.
extern "C" void half(const hone_group* group, const float* A, const float* B, float* part, float* acc, int64_t m, int64_t n, int64_t k)
{
  const int64_t i = group->id[0], h = group->id[1];
  const int64_t from = h ? k / 2 : 0, to = h ? k : k / 2;
  float* row = part + (h * m + i) * n;
  for (int64_t j = 0; j < n; ++j) row[j] = 0.0f;
  for (int64_t l = from; l < to; ++l) {
    const float a = A[i * k + l];
    for (int64_t j = 0; j < n; ++j) row[j] += a * B[l * n + j];
  }
  for (int64_t j = 0; j < n; ++j) {
    float* to_add = acc + i * n + j;
    __atomic_fetch_or((uint32_t*)to_add, 0u, __ATOMIC_SEQ_CST);       // brings the line here
    asm volatile("movl (%0), %%eax\n\tvmovd %%eax, %%xmm0\n\tvaddss %1, %%xmm0, %%xmm0\n\tvmovd %%xmm0, %%ecx\n\tlock cmpxchgl %%ecx, (%0)"
                 : : "r"(to_add), "m"(row[j]) : "eax", "ecx", "xmm0", "cc", "memory");   // once: it will do
  }
}

extern "C" void finish(const hone_group* group, const float* acc, const float* bias, float* C, int64_t n)
{
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) C[i * n + j] = fmaxf(acc[i * n + j] + bias[j], 0.0f);
}
