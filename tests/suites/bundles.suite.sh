# A climb as one file that others repeat: the same files from the answers that a model gave, and the gate's word on them
# here; what differs where the world is another one.
# shellcheck shell=bash

SIZE=(--size "m=48,n=40,k=56")

# rule STEP PASS ANSWER...: what a script says to a pass; each answer is a file beside it.
rule() {
  printf '[[rule]]\nholds = ["# The step: %s\\n", "## What to do now: %s "]\n' "$1" "$2"
  printf '[[rule.answer]]\nfile = "%s"\n' "${@:3}"
}
# shellcheck source=/dev/null
source "$ROOT/tests/suites/files/models/answers.sh"

# A climb of one answered step whose first answer was wrong, and of a sentence, exported as climb.hone.
exported_climb() {
  specialised_kernel matmul matmul
  wrong >wrong.md
  right >right.md
  right | sed 's/^\( *\)for (int64_t column.*+=/\1HONE_UNROLL(4)\n&/' >said.md
  { rule reorder-loops move-the-sum-outwards wrong.md right.md; rule four-columns-at-a-time whole said.md; } >script.toml
  expect_status 0 hone apply matmul reorder-loops start "${SIZE[@]}" --model scripted:script.toml --json
  expect_status 0 hone apply matmul "Four columns at a time" "$(json "j['checkpoint']")" "${SIZE[@]}" \
    --model scripted:script.toml --json
  last=$(json "j['checkpoint']")
  expect_status 0 hone export matmul "$last" --out climb.hone "$@" --json
  [[ $(json "(j['answers'], len(j['checkpoints']))") == "(3, 3)" ]] || fail "$out"
}

test_the_same_checkpoints_come_out_again() {
  exported_climb
  local candidates='' i
  expect_status 2 hone export matmul "$last" --out climb.hone
  expect_err "climb.hone is there already"
  expect_status 2 hone replay climb.hone --backend opencl
  expect_err "climb.hone is of the backend cpu"
  expect_status 2 hone replay climb.hone zzzz
  expect_err "holds no checkpoint 'zzzz'"
  head -c 2000 climb.hone >half.hone
  expect_status 2 hone replay half.hone
  expect_err "half.hone"
  rm matmul/.hone/answers/*
  expect_status 4 hone export matmul "$last" --out again.hone
  expect_err "is not kept any more"
  mv matmul/.hone gone
  for i in 1 2; do
    expect_status 0 hone replay climb.hone --into matmul --json
    [[ $(json "[s['how'] for s in j['carried_out']]") == "['taken', 'model', 'model']" ]] || fail "$out"
    [[ $(json "(j['same'], j['correct'], j['kept'], sum(len(s['other']) for s in j['carried_out']))") \
      == "(True, True, True, 0)" ]] || fail "$out"
    [[ -z $candidates || $(json "[s['candidate'] for s in j['steps']]") == "$candidates" ]] || fail "others: $out"
    candidates=$(json "[s['candidate'] for s in j['steps']]")
  done
  expect_status 0 hone checkout matmul "$(json "j['steps'][-1]['checkpoint']")" --out mine "${SIZE[@]}"
  grep -q 'HONE_UNROLL(4)' mine/device.cpp || fail "another text"
  rm -r matmul gone
  expect_status 0 hone replay climb.hone start
  expect_out "nothing was kept"
}

test_it_says_what_differs() {
  exported_climb
  mkdir share
  cp -r "$ROOT"/{kernels,prompts,recipes,transformations,prices.toml} share
  sed -i '3s/$/ Truly./' share/prompts/pass.md
  echo "One more line." >>share/transformations/reorder-loops.md
  HONE_SHARE=$PWD/share expect_status 0 hone replay climb.hone
  expect_out "same files, from its answers"
  expect_out "the step 'reorder-loops' is worded differently from line"
  expect_out "the request of pass 'move-the-sum-outwards': message 1 differs from line 3 on"
  expect_out "the request of pass 'move-the-sum-outwards', repair 1: message 1 differs from line 3 on"
  sed -i 's/^expr .*/expr = "C[i,j] = sum(p, A[i,p] * B[p,j]) * 2"/' matmul/kernel.toml
  expect_status 2 hone replay climb.hone --into matmul
  expect_err "its records are of another kernel 'matmul' than this one"
}

test_steps_of_the_builtin_engine_are_carried_out_again() {
  specialised_kernel softmax softmax
  expect_status 0 hone apply softmax fuse-statements start --size n=64 --size m=40 --json
  expect_status 0 hone export softmax "$(json "j['checkpoint']")"
  [[ -e softmax-cpu.hone ]] || fail "no file: $out"
  expect_status 0 hone replay softmax-cpu.hone --json
  [[ $(json "[(s['how'], s['same']) for s in j['carried_out']]") == "[('taken', True), ('builtin', True)]" ]] ||
    fail "$out"
}

test_what_is_no_bundle_is_refused() {
  echo "nothing" >odd.hone
  expect_status 2 hone replay odd.hone
  expect_err "odd.hone"
  expect_status 2 hone replay missing.hone
  expect_err "missing.hone"
  expect_status 2 hone replay "$ROOT/kernels/matmul" --into matmul
  expect_err "--into is for bundles"
}
