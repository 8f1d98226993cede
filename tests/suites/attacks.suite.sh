# What `hone run` answers to hostile candidates, as users meet it: exit status, text and JSON, one for each status, and no secret
# in any of them. judge_attacks holds all attacks against what they expect; here is only the way out.
# shellcheck shell=bash

SMALL=(--size "m=96,n=80,k=112")

# attack NAME STATUS REASON OPTIONS...: refused, in the text and in the JSON, and words of the reason stand in both.
attack() {
  local name=$1 status=$2 reason=$3
  shift 3
  expect_status 1 hone run "$ROOT/tests/attacks/$name/candidate" "$@"
  expect_out "$status (tier B): "
  expect_out "$reason"
  expect_nothing_leaked
  expect_status 1 hone run "$ROOT/tests/attacks/$name/candidate" "$@" --json
  [[ $(json "j['status']") == "$status" ]] || fail "$out"
  [[ $(json "j['reason']") == *"$reason"* ]] || fail "$out"
  [[ $(json "(j['time_s']['cold'], j['time_s']['hot'])") == "(None, None)" ]] || fail "it has times: $out"
  expect_nothing_leaked
}
expect_nothing_leaked() { [[ $out$err != *root:* ]] || fail "a secret leaked: $out$err"; }

test_an_honest_one_is_correct() {
  expect_status 0 hone run "$ROOT/tests/attacks/honest/candidate" --kernel matmul "${SMALL[@]}" --json
  [[ $(json "j['status']") == correct ]] || fail "$out"
  [[ $(json "j['time_s']['cold']['median'] > 0") == True ]] || fail "$out"
}
test_what_a_plan_asks_for_in_vain() { attack huge-scratch constraints "the scratch buffer 'huge'" --kernel matmul; }
test_what_does_not_compile_shows_no_secret() {
  attack includes-a-secret compile "g++ reported errors" --kernel matmul
  attack embeds-a-secret compile "g++ reported errors" --kernel matmul
}
test_what_ends_its_process() {
  attack abort runtime "killed by SIGILL" --kernel matmul "${SMALL[@]}"
  attack early-exit runtime "exited with status 0" --kernel matmul "${SMALL[@]}"
}
test_what_never_returns() { # ends after five seconds: once is enough
  expect_status 1 hone run "$ROOT/tests/attacks/infinite-loop/candidate" --kernel matmul "${SMALL[@]}" --json
  [[ $(json "j['status']") == timeout && $(json "j['reason']") == *"no answer after"* ]] || fail "$out"
}
test_what_is_wrong() {
  attack one-element-off correctness "expected" --kernel matmul "${SMALL[@]}"
  attack zeros correctness "expected" --kernel matmul "${SMALL[@]}" --no-timing
}
test_what_is_forbidden() {
  attack prints-passed-and-exits rejected "blocked system call write" --kernel matmul "${SMALL[@]}"
  attack writes-to-an-input rejected "writing to input" --kernel matmul "${SMALL[@]}"
}
test_a_kernel_without_meaning_is_refused() {
  expect_status 2 hone run "$ROOT/tests/attacks/output-without-inputs/candidate" --kernel \
    "$ROOT/tests/attacks/output-without-inputs/kernel" --no-timing
  expect_err "does not depend on the inputs"
}

test_every_known_trick_has_an_answer() {
  expect_status 0 "$ROOT/tests/attacks/table.sh" --check
}
