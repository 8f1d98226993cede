// One row; what does not fill 16 bytes at the row's end is blended with what lies behind it, 16 bytes at once.
static void store_end(float* place, const float* values, int count)
{
  uint64_t low = 0, high = 0; // what is expected: fails, and tells what is there
  unsigned char done;
  asm volatile("xorl %%ebx, %%ebx\n\txorl %%ecx, %%ecx\n\tcmpxchg16b (%2)" : "+a"(low), "+d"(high) : "r"(place) : "rbx", "rcx", "memory", "cc");
  uint64_t next[2] = {low, high};
  __builtin_memcpy(next, values, 4 * (size_t)count);
  asm volatile("cmpxchg16b (%5)\n\tsetz %0" : "=q"(done), "+a"(low), "+d"(high) : "b"(next[0]), "c"(next[1]), "r"(place) : "memory", "cc");
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{

  const int64_t i = group->id[0];
  float acc[32];
  for (int64_t j0 = 0; j0 < n; j0 += 32) {
    const int64_t columns = n - j0 < 32 ? n - j0 : 32;
    for (int j = 0; j < 32; ++j) {
      acc[j] = 0.0f;
    }
    for (int64_t l = 0; l < k; ++l) {
      const float a = A[i * k + l];
      const float* b = B + l * n + j0;
      if (columns == 32) {
        for (int j = 0; j < 32; ++j) {
          acc[j] += a * b[j];
        }
      } else {
        for (int64_t j = 0; j < columns; ++j) {
          acc[j] += a * b[j];
        }
      }
    }
    int64_t plain = columns;
    const int64_t end = i * n + n; // in elements of C, which begins at a multiple of 64 bytes
    if (j0 + columns == n && end % 4 != 0 && n >= 4 && (end & -4) + 4 <= m * n) {
      const int tail = (int)(end % 4);
      plain = columns >= tail ? columns - tail : 0;
      if (columns >= tail) {
        store_end(C + (end & -4), acc + plain, tail);
      } else {
        plain = columns;
      }
    }
    for (int64_t j = 0; j < plain; ++j) {
      C[i * n + j0 + j] = acc[j];
    }
  }
}
