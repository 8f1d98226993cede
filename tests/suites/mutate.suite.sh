# Wrong candidates made out of right ones: the gate refuses them all, and none of the right ones.
# shellcheck shell=bash

refuses_all() {
  expect_status 0 hone mutate "$@" --seed 7 --json
  [[ $(json "j['survived'], j['score'], j['honest']['rejected'], j['stopped']") == "0 1.0 0 False" ]] ||
    fail "$(json "[m for m in j['mutants'] if m['fate'] == 'survived'], j['honest']")"
}

test_product() {
  refuses_all matmul --limit 1 --honest 1
  [[ $(json "len(j['subjects']), j['killed'] >= 10, j['honest']['runs']") == "2 True 2" ]] || fail "$(json "j['subjects']")"
  [[ $(json "all(m['check'] and m['reason'] for m in j['mutants'] if m['fate'] == 'killed')") == True ]] || fail "no reason"
}

test_softmax() { refuses_all softmax --limit 1 --honest 0; }

test_opencl() {
  opencl_is_here || return 0
  refuses_all rms-norm --backend opencl --limit 1 --honest 1 --operator missing-edge-mask --operator wrong-launch-size \
    --operator index-off-by-one
}

# On a device that puts barriers of its own around loops the results stay right; what is watched does not.
test_missing_barriers() {
  opencl_is_here || return 0
  command -v oclgrind >/dev/null || { echo "    skipped: oclgrind is not installed"; return 0; }
  specialised_kernel matmul matmul
  refuses_all matmul "$ROOT/src/mutation_testing/tests/tiled" --backend opencl --size m=24,n=20,k=28 --operator missing-barrier --limit 0 --honest 0
  [[ $(json "j['killed']") == 2 ]] || fail "$(json "j['mutants']")"
}

# A screen is not deep enough for everything; it must be said, with the change, and the status must say no.
test_a_survivor_is_shown_and_counts() {
  cat >slack.toml <<'TOML'
[kernel]
name = "slack"
[compute]
expr = "Y[i] = 2 * X[i] + max(X[i] - 8, 0)"
[arguments]
X = { type = "f32", shape = ["n"], domain = [0.0, 1.0] }
Y = { type = "f32", shape = ["n"], role = "output" }
[sizes]
timed = [ { n = 100 } ]
TOML
  expect_status 1 hone mutate slack.toml --operator wrong-constant --limit 0 --honest 0 --out survivors --seed 3
  expect_out "SURVIVED"
  expect_out "8 -> 9"
  expect_out "DOES NOT HOLD"
  for survivor in survivors/*; do
    expect_status 0 hone run "$survivor" --kernel slack.toml --no-timing
  done
}

test_a_candidate_of_ones_own() {
  expect_status 0 hone checkout matmul naive --out mine --state state
  expect_status 0 hone mutate matmul mine --operator wrong-initial-value --honest 0 --size m=33,n=17,k=20
  expect_out "1 of 1 wrong candidates refused"
  sed -i 's/+=/-=/' mine/device.cpp
  expect_status 4 hone mutate matmul mine --honest 0
  expect_err "is not right itself"
}

test_no_wrong_candidate_shows_nothing() {
  expect_status 1 hone mutate softmax --operator missing-barrier --honest 0
  expect_out "SHOWS NOTHING"
}

test_nothing_is_run_to_show_them() {
  expect_status 0 hone mutate layer-norm --dry-run --operator wrong-constant --limit 0 --seed 1
  expect_out "1e-05 -> 1.25e-05"
  expect_out "d -> d - 1"
}

test_mistakes_on_the_command_line() {
  expect_status 2 hone mutate matmul --operator wrong-constants
  expect_err "did you mean 'wrong-constant'?"
  expect_status 2 hone mutate matmul --depth glance
  expect_status 2 hone mutate matmul no-such-folder
  expect_err "is not a candidate folder"
  expect_status 2 hone mutate matmul --threads 2
  expect_status 0 hone checkout matmul naive --backend opencl --out theirs --state state
  expect_status 2 hone mutate matmul theirs --dry-run
  expect_err "is a candidate for opencl, not for cpu"
  expect_status 4 hone mutate nowhere
}
