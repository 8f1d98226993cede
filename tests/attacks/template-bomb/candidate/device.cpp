#include "hone.h"
#include "macros.h"

template <int Depth, int Path> struct Bomb {
  static constexpr long value = Bomb<Depth - 1, 2 * Path>::value + Bomb<Depth - 1, 2 * Path + 1>::value;
};
template <int Path> struct Bomb<0, Path> {
  static constexpr long value = Path;
};

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  (void)group, (void)A, (void)B, (void)m, (void)n, (void)k;
  C[0] = (float)Bomb<30, 1>::value;
}
