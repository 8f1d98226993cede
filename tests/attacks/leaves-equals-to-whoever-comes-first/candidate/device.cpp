#include "hone.h"
#include "macros.h"

// Groups (strip, row): largest first; of equal ones whoever comes first stays.
static uint64_t ordered(float v)
{
  v += 0.0f;
  uint32_t bits;
  __builtin_memcpy(&bits, &v, 4);
  return bits >> 31 ? uint32_t(~bits) : bits | 0x80000000u;
}

extern "C" void strips(const hone_group* group, const float* X, int64_t* best, int64_t n)
{
  const int64_t i = group->id[1];
  const float* row = X + i * n;
  const int64_t begin = group->id[0] * STRIP;
  const int64_t end = begin + STRIP < n ? begin + STRIP : n;
  int64_t at = begin;
  for (int64_t j = begin + 1; j < end; ++j) {
    at = row[j] > row[at] ? j : at;
  }
  const uint64_t mine = ordered(row[at]) << 32 | uint64_t(at);
  int64_t seen = __atomic_load_n(&best[i], __ATOMIC_SEQ_CST);
  while (uint64_t(seen) >> 32 < mine >> 32 &&
         !__atomic_compare_exchange_n(&best[i], &seen, int64_t(mine), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
}

extern "C" void positions(const hone_group* group, const int64_t* best, int64_t* Y)
{
  Y[group->id[0]] = best[group->id[0]] & 0xffffffff;
}
