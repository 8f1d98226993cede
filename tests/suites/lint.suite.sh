# hone lint: a kernel's check is proved before it judges anyone; kernels whose check proves nothing are refused, by every
# command that judges.
# shellcheck shell=bash

# kernel FOLDER EXPRESSION ARGUMENTS: a kernel with sizes m and n.
kernel() {
  mkdir "$1"
  printf '[kernel]\nname = "%s"\n[compute]\nexpr = "%s"\n[arguments]\n%s\n[sizes]\ntimed = [ { m = 40, n = 48 } ]\n' \
    "$1" "$2" "$3" >"$1/kernel.toml"
}

X='X = { type = "f32", shape = ["m", "n"] }'
Y='Y = { type = "f32", shape = ["m", "n"] }'
V='Y = { type = "f32", shape = ["m"] }'

# The naive candidates of all shipped kernels go through `hone run` in another suite, and so through this.
test_shipped_kernels_are_sound() {
  local name
  for name in matmul-i8 softmax cross-entropy argmax embedding; do
    expect_status 0 hone lint "$name" --json
    [[ $(json "j['passed'] and j['refusals'] == [] and len(j['sizes']) >= 4") == True ]] || fail "$name"
    [[ $(json "all(r['noticed'] > 0 for r in j['solutions'] if r['outcome'] == 'proven')") == True ]] || fail "$name"
    [[ $(json "all(r['reason'] for r in j['solutions'] if r['outcome'] == 'not applicable')") == True ]] || fail "$name"
    [[ $(json "all(r['noticed'] == 0 and r['calls'] > 50 for r in j['honest'] if r['outcome'] == 'proven')") == True ]] ||
      fail "$name: honest implementations"
  done
  expect_status 0 hone lint softmax
  expect_out "zeros"
  expect_out "sums from the last term to the first"
  expect_out "sound: the check of 'softmax' tells right from wrong"
}

test_a_constant_output_is_refused() {
  kernel constant "top[i] = max(j, X[i,j]); w[i,j] = exp(X[i,j] - top[i]); s[i] = sum(j, w[i,j]); Y[i] = sum(j, w[i,j] / s[i]) / n" "$X
$V"
  expect_status 1 hone lint constant
  expect_out "PASSES"
  expect_out "IGNORED"
  expect_out "refused: 'Y' with another call's output passes in all"
  expect_out "a constant"
  expect_status 1 hone lint constant --json
  [[ $(json "not j['passed'] and len(j['refusals']) >= 2") == True ]] || fail "refusals"
}

test_an_ignored_input_is_named() {
  kernel ignores "Y[i,j] = 2 * X[i,j] + 0 * Z[j]" "$X
Z = { type = \"f32\", shape = [\"n\"] }
$Y"
  expect_status 1 hone lint ignores --json
  [[ $(json "[r['input'] for r in j['inputs'] if r['outcome'] == 'refused']") == "['Z']" ]] || fail "inputs"
  [[ $(json "len(j['refusals']) == 1 and \"'Z'\" in j['refusals'][0]") == True ]] || fail "refusals"
}

test_a_refused_kernel_judges_nobody() {
  kernel identity "Y[i,j] = X[i,j] * 1.0" "$X
$Y"
  expect_status 1 hone lint identity
  expect_out "copy of X"
  local round
  for round in 1 2; do # a refusal is not remembered as a pass
    expect_status 2 hone run --naive --kernel identity --no-timing --json
    [[ $(json "'copy of X' in j['error']['message'] and j['error']['file'].endswith('identity/kernel.toml')") == True ]] ||
      fail "round $round: $out"
  done
  expect_err "hone lint identity"
  expect_status 2 hone apply identity reorder-loops
  expect_status 2 hone optimize identity --budget 5 --no-baselines
}

test_a_pass_is_remembered() {
  kernel sound "Y[i,j] = 3 * X[i,j]" "$X
$Y"
  own_cache
  expect_status 0 hone run --naive --kernel sound --no-timing --json
  [[ $(json "j['status']") == correct ]] || fail "$(json "j['reason']")"
  local kept
  kept=$(ls "$XDG_CACHE_HOME/hone/lint")
  [[ $(wc -w <<<"$kept") == 1 ]] || fail "kept: $kept"
  sed -i 's/3 \* X/5 * X/' sound/kernel.toml
  expect_status 0 hone run --naive --kernel sound --no-timing --json
  [[ $(find "$XDG_CACHE_HOME/hone/lint" -type f | wc -l) == 2 ]] || fail "another kernel was taken for the same"
}

# The border of its output keeps what was there before: to leave that unwritten is no mistake.
test_functions_in_c_are_not_refused_for_what_they_leave_alone() {
  expect_status 0 hone new --from "$ROOT/tests/suites/files/stencil.c" --function sweep --size m=64,n=48
  expect_status 0 hone lint sweep --json
  [[ $(json "[r['outcome'] for r in j['solutions'] if r['solution'] == 'last row not written']") == "['not applicable']" ]] ||
    fail "the border"
}

test_wrong_arguments() {
  expect_status 2 hone lint
  expect_status 4 hone lint ./nowhere
  expect_err "nowhere"
  kernel broken "Y[i,j] = sun(X[i,j])" "$X
$Y"
  expect_status 2 hone lint broken
  expect_err "broken/kernel.toml"
}

test_ctrl_c_ends_it() {
  # With caches of its own, so that there is a reference to compile first. Python waits until the program listens.
  expect_status 130 env XDG_CACHE_HOME="$WORK/empty" python3 - "$HONE" "$ROOT/kernels/softmax" <<'END'
import re, signal, subprocess, sys, time
child = subprocess.Popen([sys.argv[1], "lint", sys.argv[2]])
def listens():
    blocked = re.search(r"SigBlk:\s*(\w+)", open(f"/proc/{child.pid}/status").read())
    return blocked and int(blocked.group(1), 16) & 1 << (signal.SIGINT - 1)
while child.poll() is None and not listens():
    time.sleep(0.001)
child.send_signal(signal.SIGINT)
sys.exit(child.wait())
END
  expect_err "stopping"
  [[ ! -e $WORK/empty/hone/lint ]] || fail "a proof that was cut short is remembered"
  XDG_CACHE_HOME=$WORK/empty expect_status 0 hone lint softmax
}
