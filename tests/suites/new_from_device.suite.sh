# hone new --from: __global__ functions with their launches become kernels whose first candidate on the device is the user's
# own kernel; the emulated device executes it.
# shellcheck shell=bash

FILES=$ROOT/tests/suites/files

test_a_kernel_of_threads_becomes_a_kernel() {
  cuda_is_here || return 0
  expect_status 0 hone new --from "$FILES/saxpy.cu" --size n=3000 --json
  [[ $(json "j['status']") == correct ]] || fail "$(json "j['reason']")"
  grep -q '^expr = "y\[i\] = a \* x\[i\] + y\[i\]"' saxpy/kernel.toml || fail "another meaning"
  grep -q 'y\[i\] = a \* x\[i\] + y\[i\]; // theirs' saxpy/start/cuda/device.cu || fail "the candidate is not the user's code"
  grep -q 'grid = \["(n + 255) / 256"\]' saxpy/start/cuda/launch.toml || fail "another launch"
  specialise saxpy
  # One thread too many at the end of the array; one block too few.
  sed -i 's/i < n/i <= n/' saxpy/start/cuda/device.cu
  expect_status 1 hone run saxpy/start/cuda --kernel saxpy --backend cuda --no-timing
  expect_out "out of bounds"
  sed -i 's/i <= n/i < n/' saxpy/start/cuda/device.cu
  sed -i 's/(n + 255)/n/' saxpy/start/cuda/launch.toml
  expect_status 1 hone run saxpy/start/cuda --kernel saxpy --backend cuda --no-timing --json
  [[ $(json "j['status']") == correctness ]] || fail "$(json "j['status']")"
}

test_threads_that_work_together_are_asked_about() {
  expect_status 2 hone new --from "$FILES/row_sum.cu"
  expect_err "row_sum.cu:16:3: 'row_sum' uses shared memory"
  expect_err "--reference"
  [[ ! -e row_sum ]] || fail "a folder was made"
}

test_a_reference_says_what_threads_compute_together() {
  cuda_is_here || return 0
  expect_status 0 hone new --from "$FILES/row_sum.cu" --reference row_sum_on_host --size rows=40,cols=300
  expect_out "correct: your function computes what kernel.toml says"
  grep -q '^expr = "y\[r\] = sum(c < cols, x\[r, c\])"' row_sum/kernel.toml || fail "another meaning"
  grep -q 'shared = "16"' row_sum/start/cuda/launch.toml || fail "the shared memory of the launch is lost"
}

test_functions_of_the_toolkit_compute_what_they_do_in_c() {
  cuda_is_here || return 0
  expect_status 0 hone new --from "$FILES/functions.cu" --domain x=-4,4 --domain h=-4,4 --size n=3000
  hone device --backend hip >/dev/null 2>&1 || return 0
  cp "$FILES/functions.cu" functions.hip
  expect_status 0 hone new --from functions.hip --domain x=-4,4 --domain h=-4,4 --size n=3000 --out hip --json
  [[ $(json "j['start']") == hip/start/hip ]] || fail "$(json "j['start']")"
}
