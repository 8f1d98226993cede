static inline float row_loss(const float* x, int64_t v, int64_t label)
{
  float top = x[0];
  for (int64_t j = 1; j < v; ++j) top = fmaxf(top, x[j]);
  double total = 0.0;
  for (int64_t j = 0; j < v; ++j) total += (double)expf(x[j] - top);
  return (float)(log(total) + (double)top - (double)x[label]);
}

extern "C" void row(const hone_group* group, const float* X, const int64_t* label, float* loss, int64_t n, int64_t v)
{
  const int64_t i = group->id[0];
  const float mine = row_loss(X + i * v, v, label[i]) / (float)n;
  __atomic_fetch_add((uint32_t*)loss, 0u, __ATOMIC_SEQ_CST);        // brings the line here
  asm volatile("vmovss (%0), %%xmm0\n\tvaddss %1, %%xmm0, %%xmm0\n\tvmovd %%xmm0, %%eax\n\txchgl %%eax, (%0)"
               : : "r"(loss), "x"(mine) : "xmm0", "eax", "memory");
}
