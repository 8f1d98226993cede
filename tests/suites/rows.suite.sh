# Kernels that go row by row or element by element: every step fits what came before, and the last product passes the gate
# in full, on hidden sizes, but for one that is like another.
# shellcheck shell=bash

# Each in full: where a kernel's check cannot be proved at its timed size alone, or not in seconds.
every_step_passes() {
  local kernel=$1 sizes=$2 from=start step
  shift 2
  fresh_kernel "$kernel" "$kernel"
  for step in "$@"; do
    # shellcheck disable=SC2086
    apply_to_last "$kernel" "$step" $sizes
    passed_in_full
  done
}

# In f32, in full, and the same steps in f64.
rows_pass_in_both() {
  fresh_kernel "$1" "$1"
  climbs_and_passes "$@"
  sed -i 's/"f32"/"f64"/g' "$1/kernel.toml"
  climbs "$@"
}

test_softmax() { climbs_and_passes "$ROOT/kernels/softmax" "--size m=64,n=96" fuse-statements vectorize-rows stream-stores tile-rows; }
test_softmax_in_both() { rows_pass_in_both softmax "--size m=64,n=96" fuse-statements vectorize-rows stream-stores tile-rows; }
test_layer_norm() { climbs_and_passes "$ROOT/kernels/layer-norm" "--size n=64,d=96" fuse-statements vectorize-rows stream-stores tile-rows; }
test_rms_norm() { climbs "$ROOT/kernels/rms-norm" "--size n=64,d=96" vectorize-rows fuse-statements tile-rows; }
test_cross_entropy() { climbs_and_passes "$ROOT/kernels/cross-entropy" "--size n=64,v=96" fuse-statements vectorize-rows tile-rows; }
test_argmax() { climbs_and_passes "$ROOT/kernels/argmax" "--size m=64,n=96" vectorize-rows tile-rows; }
test_gelu() { rows_pass_in_both gelu "--size n=4096" vectorize-rows tile-rows stream-stores; }
test_cumulative_sum() { every_step_passes cumulative-sum "--size m=16,n=96" running-sums tile-rows; }
test_frobenius_norm() { every_step_passes frobenius-norm "--size m=64,n=96" vectorize-rows; }

# Rows of many thousand factors leave the range of f32: nothing is known of them, and nothing held against anyone.
test_overflow_far_beyond_the_timed_sizes_is_no_fault() {
  mkdir kernel
  cat >kernel/kernel.toml <<'END'
[kernel]
name = "reciprocal-product"
[compute]
expr = "Y[i] = 1 / prod(j, 1 + X[i,j] / 16)"
[arguments]
X = { type = "f32", shape = ["m", "n"] }
Y = { type = "f32", shape = ["m"], role = "output" }
[sizes]
timed = [ { m = 300, n = 20 } ]
END
  expect_status 0 hone run --naive --kernel kernel --no-timing
  expect_status 4 hone run --naive --kernel kernel --no-timing --size n=80000
  expect_err "say nothing about"
}

test_what_does_not_fit_is_refused_with_the_reason() {
  specialised_kernel gelu gelu
  expect_status 4 hone apply gelu fuse-statements start --size n=4096
  expect_err "one statement only"
  specialised_kernel matmul matmul
  expect_status 4 hone apply matmul vectorize-rows start --size m=64,n=64,k=64
  expect_err "vectorize-rows is for a row reduction"
}

# The gate sees what is easily done wrong in vectors of columns: lanes beyond the end of a row count (0 - mean)^2 each.
test_forgotten_lanes_are_seen() {
  fresh_kernel layer-norm kernel
  climbs kernel "--size n=64,d=96" vectorize-rows
  mv product wrong
  cp wrong/device.cpp before
  sed -i -E 's/\+= hone_keep\((.*), d - [a-z]+, 0\);/+= \1;/' wrong/device.cpp
  if cmp -s before wrong/device.cpp; then fail "nothing was changed"; fi
  expect_status 1 hone run wrong --kernel kernel --no-timing --json
  [[ $(json "j['status']") == correctness ]] || fail "$(json "j['status'], j['reason']")"
}
