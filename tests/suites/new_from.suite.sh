# hone new --from: functions as users write them become kernels whose first candidate is the function itself; what is not
# understood ends in questions by name.
# shellcheck shell=bash

FILES=$ROOT/tests/suites/files

test_a_blas_product_becomes_a_kernel() {
  expect_status 0 hone new --from "$FILES/gemm.c" --function dgemm --size m=96,n=80,k=112 --json
  [[ $(json "j['status']") == correct ]] || fail "$(json "j['reason']")"
  [[ $(json "any('lda is k' in note for note in j['notes'])") == True ]] || fail "the leading dimension is not told"
  expect_status 0 hone check dgemm
  expect_out "C[i, j] = alpha * sum(p < k, A[i, p] * B[p, j]) + beta * C[i, j]"
  expect_out "inout"
  grep -q 'sum += A\[i \* lda + p\]' dgemm/start/cpu/device.cpp || fail "the first candidate is not the user's code"
}

test_a_stencil_becomes_a_kernel() { # main calls it, and is no kernel
  expect_status 0 hone new --from "$FILES/stencil.c" --size m=64,n=48
  expect_out "correct: your function computes what kernel.toml says"
  expect_out "select(1 <= i && i < m - 1"
  if grep -q 'printf' sweep/start/cpu/device.cpp; then fail "main went along"; fi
}

test_a_softmax_becomes_a_kernel_and_a_climb_begins_from_it() {
  expect_status 0 hone new --from "$FILES/softmax.cpp" --size rows=32,cols=64 --name rows
  expect_out "top[r < rows] = max(c < cols, x[r, c])"
  specialise rows
  expect_status 0 hone optimize rows --budget 10 --no-baselines --json
  [[ $(json "j['start']['status']") == correct ]] || fail "start"
  expect_status 0 hone checkout rows start --out begun
  cmp begun/device.cpp rows/start/cpu/device.cpp || fail "the climb did not begin from the user's code"
}

test_a_wrong_understanding_would_show() {
  expect_status 0 hone new --from "$FILES/softmax.cpp" --size rows=32,cols=64
  sed -i 's/total += out\[c\]/total += 2 * out[c]/' softmax/start/cpu/device.cpp
  specialise softmax
  expect_status 1 hone run softmax/start/cpu --kernel softmax --no-timing --json
  [[ $(json "j['status']") == correctness ]] || fail "$(json "j['status']")"
}

test_a_loop_that_depends_on_data_is_asked_about() {
  expect_status 2 hone new --from "$FILES/newton.c"
  expect_err "newton.c:9:9: how often this loop runs does not follow"
  expect_err "no kernel was written: one question"
  [[ ! -e roots ]] || fail "a folder was made"
}

test_writes_to_places_from_data_are_asked_about() {
  expect_status 2 hone new --from "$FILES/histogram.c"
  expect_err "the extent of 'total' is not known: it is subscripted with bin[i]"
  expect_status 0 hone new --from "$FILES/histogram.c" --shape total=bins --name histogram
  expect_out "your function computes what kernel.toml says"
}

test_all_that_is_missing_is_listed() {
  expect_status 2 hone new --from "$FILES/lookup.c" --json
  [[ $(json "len(j['questions'])") == 2 ]] || fail "questions"
  expect_err "calls 'activation', which is not in this file"
  expect_err "the extent of 'table' is not known: it is subscripted with index[i]"
  expect_err "--shape table="
}

test_wrong_options_are_usage_errors() {
  expect_status 2 hone new
  expect_err "--from"
  expect_status 2 hone new --expr "Y[i] = X[i]" --from "$FILES/gemm.c"
  expect_status 2 hone new --from "$FILES/gemm.c" --function sgemm
  expect_err "did you mean 'dgemm'"
  expect_status 2 hone new --from "$FILES/gemm.c" --shape A
  expect_err "write shapes as"
  expect_status 4 hone new --from nowhere.c
  expect_err "nowhere.c"
  mkdir dgemm && touch dgemm/kernel.toml
  expect_status 2 hone new --from "$FILES/gemm.c"
  expect_err "exists already"
}
