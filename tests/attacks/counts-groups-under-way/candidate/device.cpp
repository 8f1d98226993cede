#include <math.h>

// log(sum(exp(row))) less the score of the label.
static float row_loss(const float* x, int64_t v, int64_t label)
{
  float top = x[0];
  for (int64_t j = 1; j < v; ++j) {
    top = x[j] > top ? x[j] : top;
  }
  double total = 0;
  for (int64_t j = 0; j < v; ++j) {
    total += expf(x[j] - top);
  }
  return (float)(log(total) + (double)top - (double)x[label]);
}

// state[0] counts the groups that are under way; each adds to the slot of its rank among them.
extern "C" void rows(const hone_group* group, const float* X, const int64_t* label, int32_t* state, int64_t n, int64_t v)
{
  const int64_t i = group->id[0];
  const float value = row_loss(X + i * v, v, label[i]);
  const int rank = __atomic_fetch_add(&state[0], 1, __ATOMIC_SEQ_CST);
  int32_t* slot = &state[1 + (rank < 16 ? rank : 16)];
  if (rank < 16) {
    const int32_t old = __atomic_fetch_add(slot, 0, __ATOMIC_SEQ_CST);
    const float sum = __builtin_bit_cast(float, old) + value;
    __atomic_exchange_n(slot, __builtin_bit_cast(int32_t, sum), __ATOMIC_SEQ_CST);
  } else {
    int32_t old = __atomic_fetch_add(slot, 0, __ATOMIC_SEQ_CST);
    int32_t sum;
    do {
      sum = __builtin_bit_cast(int32_t, __builtin_bit_cast(float, old) + value);
    } while (!__atomic_compare_exchange_n(slot, &old, sum, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  }
  __atomic_fetch_sub(&state[0], 1, __ATOMIC_SEQ_CST);
}

extern "C" void mean(const hone_group* group, const int32_t* state, float* loss, int64_t n)
{
  double sum = 0;
  for (int s = 1; s <= 17; ++s) {
    sum += __builtin_bit_cast(float, state[s]);
  }
  *loss = (float)(sum / (double)n);
}
