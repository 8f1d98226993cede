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
