# What kernel.toml says about inputs and sizes holds in every call, and in what is shipped.
# shellcheck shell=bash

sparse_product() {
  mkdir "$1"
  cat >"$1/kernel.toml" <<'TOML'
[kernel]
name = "spmv"
[compute]
expr = "y[i < m] = sum(ptr[i] <= j < ptr[i + 1], val[j] * x[col[j]])"
[arguments]
ptr = { type = "i32", shape = ["m + 1"], domain = [0, "q"], order = "rising" }
col = { type = "i32", shape = ["q"], domain = [0, "n - 1"] }
val = { type = "f64", shape = ["q"] }
x = { type = "f64", shape = ["n"] }
y = { type = "f64", shape = ["m"], role = "output" }
[sizes]
timed = [ { m = 300, n = 200, q = 4000 } ]
TOML
}

# It goes through all positions once and moves on to the next row where one ends: right only if the pointers begin at 0,
# never fall and end at q, in calls on changed inputs too.
test_a_walk_along_rising_row_pointers_is_right() {
  sparse_product spmv
  mkdir walk
  printf '[[launch]]\nkernel = "walk"\ngrid = [1]\nargs = ["ptr", "col", "val", "x", "y", "m", "q"]\n' >walk/launch.toml
  : >walk/macros.h
  cat >walk/device.cpp <<'CODE'
#include "hone.h"
extern "C" void walk(const hone_group*, const int32_t* ptr, const int32_t* col, const double* val, const double* x,
                     double* y, int64_t m, int64_t q)
{
  int64_t row = 0;
  double sum = 0;
  for (int64_t j = 0; j < q; ++j) {
    for (; j == ptr[row + 1]; sum = 0) {
      y[row++] = sum;
    }
    sum += val[j] * x[col[j]];
  }
  for (; row < m; sum = 0) {
    y[row++] = sum;
  }
}
CODE
  expect_status 0 hone run walk --kernel spmv --no-timing --json
  [[ $(json "all(c['passed'] for c in j['checks'])") == True ]] || fail "$out"
  expect_status 0 hone ship spmv --checkpoint walk --as c --out home
  grep -q 'never falls along a row, from 0 to q' home/spmv.h || fail "the header does not tell: $(<home/spmv.h)"
  cmake -S home -B home/build >/dev/null && cmake --build home/build >"$WORK/.build" 2>&1 || fail "$(<"$WORK/.build")"
  ctest --test-dir home/build --output-on-failure >"$WORK/.check" 2>&1 || fail "$(<"$WORK/.check")"
  home/build/spmv_example || fail "the example"
}

block_of_rows() {
  mkdir "$1"
  cat >"$1/kernel.toml" <<'TOML'
[kernel]
name = "scale-block"
[compute]
expr = "A[i,j] = select(j < n, s * A[i,j], A[i,j])"
[arguments]
s = { type = "f64" }
A = { type = "f64", shape = ["m", "lda"], role = "inout" }
[sizes]
timed = [ { m = 24, n = 20, lda = 25 } ]
where = [ "n <= lda" ]
TOML
}

test_sizes_that_violate_a_condition_are_not_drawn_and_not_taken() {
  block_of_rows block
  expect_status 0 hone run --naive --kernel block --no-timing --json
  python3 - "$WORK/.out" <<'CODE' || fail "sizes with n > lda: $out"
import json, re, sys
names = [check["name"] for check in json.load(open(sys.argv[1]))["checks"]]
sizes = [match for name in names for match in re.findall(r"lda=(\d+) m=\d+ n=(\d+)", name)]
assert len(sizes) > 20, sizes
assert all(int(n) <= int(lda) for lda, n in sizes), sizes
CODE
  expect_status 2 hone run --naive --kernel block --size lda=19
  expect_err "--size: 'n <= lda' does not hold for lda=19 m=24 n=20"
  sed -i 's/lda = 25/lda = 19/' block/kernel.toml
  expect_status 1 hone check block
  expect_out "block/kernel.toml:9:11: 'n <= lda' does not hold"
}

# Order and types of the user's own parameters, a number that the kernel does not take, a scalar by pointer and a result.
test_the_shipped_function_has_the_recorded_signature() {
  mkdir dot
  cat >dot/kernel.toml <<'TOML'
[kernel]
name = "scaled-dot"
[compute]
expr = "total = alpha * sum(i, x[i] * y[i])"
[arguments]
x = { type = "f64", shape = ["n"] }
y = { type = "f64", shape = ["n"] }
alpha = { type = "f64" }
total = { type = "f64", role = "output" }
[sizes]
timed = [ { n = 1000 } ]
[signature]
parameters = [
  { name = "n", type = "int" },
  { name = "alpha", type = "const double *" },
  { name = "y", type = "const double *restrict" },
  { name = "incy", type = "int", equals = "1" },
  { name = "EOF", type = "int", unused = true },
  { name = "x", type = "double *" },
]
returns = "double"
result = "total"
TOML
  expect_status 0 hone ship dot --checkpoint naive --as c --out home
  grep -q 'double scaled_dot(int n, const double\* alpha, const double\* y, int incy, int EOF_, double\* x);' home/scaled_dot.h ||
    fail "$(grep scaled_dot home/scaled_dot.h)"
  cmake -S home -B home/build >/dev/null && cmake --build home/build >"$WORK/.build" 2>&1 || fail "$(<"$WORK/.build")"
  ctest --test-dir home/build --output-on-failure >"$WORK/.check" 2>&1 || fail "$(<"$WORK/.check")"
  cat >use.c <<'CODE'
#include <stdio.h>
#include "scaled_dot.h"
int main(int count, char** words)
{
  double x[3] = {1, 2, 3}, y[3] = {4, 5, 6}, two = 2;
  (void)words;
  if (count > 1) scaled_dot(3, &two, y, 2, 0, x);
  return scaled_dot(3, &two, y, 1, 0, x) == 64 && scaled_dot(0, &two, y, 1, 0, x) == 0 ? 0 : 1;
}
CODE
  gcc -std=gnu11 -Wall -Wextra -Werror -Ihome use.c home/build/libscaled_dot.a -lm -o use || fail "use"
  expect_status 0 ./use
  expect_status 134 ./use other-increment
  expect_err "it was not made for these sizes"
}

# Tuned code was never tried without terms: what is due is that of an empty sum, and nothing is read or written elsewhere.
test_a_size_of_0_returns_without_work_or_with_empty_sums() {
  mkdir dense
  sed 's/m = 1024, n = 1024, k = 1024/m = 40, n = 48, k = 56/' "$ROOT/kernels/matmul-bias-relu/kernel.toml" >dense/kernel.toml
  expect_status 0 hone checkout dense naive --out tuned
  sed -i 's/^  const int64_t i = group->id\[0\];/  if (k == 0) return;\n&/' tuned/device.cpp
  grep -q 'if (k == 0) return;' tuned/device.cpp || fail "$(<tuned/device.cpp)"
  expect_status 0 hone ship dense --checkpoint tuned --size m=40,n=48,k=56 --as c --out home
  grep -q 'matmul_bias_relu_run_plain' home/matmul_bias_relu_groups.c || fail "no plain loops"
  cat >use.c <<'CODE'
#include "matmul_bias_relu.h"
#include <stdlib.h>
int main(void)
{
  float *nothing = malloc(0), *bias = malloc(2 * sizeof *bias), *c = malloc(4 * sizeof *c);
  bias[0] = -1;
  bias[1] = 3;
  for (int i = 0; i < 4; ++i) c[i] = 9;
  matmul_bias_relu(nothing, nothing, bias, c, 0, 5, 2);
  matmul_bias_relu(nothing, nothing, nothing, c, 2, 5, 0);
  if (c[0] != 9 || c[3] != 9) return 1;
  matmul_bias_relu(nothing, nothing, bias, c, 2, 0, 2);
  if (c[0] != 0 || c[1] != 3 || c[2] != 0 || c[3] != 3) return 2;
  if (matmul_bias_relu_work_bytes(2, 0, 2) != 0 || matmul_bias_relu_work_bytes(2, -1, 2) != SIZE_MAX) return 3;
  free(nothing), free(bias), free(c);
  return 0;
}
CODE
  gcc -std=gnu11 -O1 -g -march=native -fsanitize=address,undefined -Ihome use.c home/matmul_bias_relu.c \
    home/matmul_bias_relu_groups.c -lm -o use || fail "use"
  expect_status 0 ./use
}

# The block ends with the memory: a read or a write of the gap behind its last row is seen.
test_plain_loops_leave_the_gaps_between_rows_untouched() {
  block_of_rows block
  expect_status 0 hone ship block --checkpoint naive --as c --out home
  cat >use.c <<'CODE'
#include "scale_block.h"
#include <stdlib.h>
int main(void)
{
  enum { m = 4, n = 3, lda = 8, left = 5 };
  double* all = malloc(m * lda * sizeof *all);
  for (int i = 0; i < m * lda; ++i) all[i] = i;
  scale_block(2.0, all + left, m, lda, n); /* the lower right corner */
  for (int i = 0; i < m * lda; ++i) {
    if (all[i] != (i % lda < left ? 1 : 2) * i) return 1;
  }
  free(all);
  return 0;
}
CODE
  gcc -std=gnu11 -O1 -g -fsanitize=address,undefined -Ihome use.c home/scale_block.c home/scale_block_groups.c -lm -o use ||
    fail "use"
  expect_status 0 ./use
  gcc -std=gnu11 -O3 -march=native -fsanitize=address -Ihome use.c home/scale_block.c home/scale_block_groups.c -lm -o use ||
    fail "use"
  expect_status 0 ./use
}

# A runner that launches the groups one by one would store -1.
test_a_launch_in_clusters_runs_in_clusters() {
  hone device --backend cuda >/dev/null 2>"$WORK/.err" || { echo "    skipped: $(head -1 "$WORK/.err")"; return 0; }
  mkdir twice pairs
  cat >twice/kernel.toml <<'TOML'
[kernel]
name = "twice"
[compute]
expr = "Y[i] = 2 * X[i]"
[arguments]
X = { type = "f32", shape = ["n"] }
Y = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [ { n = 100 } ]
also = "timed"
TOML
  printf '[[launch]]\nkernel = "twice"\ngrid = ["ceil_div(n, 64) * 2"]\nblock = [32]\ncluster = [2]\nargs = ["X", "Y", "n"]\n' \
    >pairs/launch.toml
  : >pairs/macros.h
  cat >pairs/device.cu <<'CODE'
extern "C" __global__ void twice(const float* __restrict__ X, float* __restrict__ Y, long long n)
{
  unsigned groups;
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(groups));
  const long long i = blockIdx.x * 32 + threadIdx.x;
  if (i < n) Y[i] = groups == 2 ? 2 * X[i] : -1.0f;
}
CODE
  expect_status 0 hone run pairs --kernel twice --backend cuda --no-timing --json
  sed -i 's/^cluster.*/cluster = [3]/' pairs/launch.toml
  expect_status 1 hone run pairs --kernel twice --backend cuda --no-timing
  expect_out "no multiple of the cluster's 3"
}
