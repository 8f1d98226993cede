# What a model may answer to the step reorder-loops of matmul, for suites.
# shellcheck shell=bash

# answer BODY-OF-THE-LOOPS: device.cpp for a matrix product, as a model would give it.
answer() {
  printf 'The sum moves outwards.\n\n```cpp device.cpp\n#include "hone.h"\n#include "macros.h"\n\n'
  printf 'extern "C" void matmul(const hone_group* group, const float* A, const float* B, float* C, int64_t k,\n'
  printf '    int64_t n)\n{\n  const int64_t row = group->id[0];\n  float* out = C + row * n;\n%s\n}\n```\n' "$1"
}
right() {
  answer '  for (int64_t column = 0; column < n; ++column) out[column] = 0;
  for (int64_t term = 0; term < k; ++term) {
    const float factor = A[row * k + term];
    for (int64_t column = 0; column < n; ++column) out[column] += factor * B[term * n + column];
  }'
}
# With the last term left out.
wrong() { right | sed 's/term < k/term < k - 1/'; }
