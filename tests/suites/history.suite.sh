# What can be done with a workflow after a climb: names for checkpoints, going on from them, carrying a path out again.
# shellcheck shell=bash

small=(--size m=96,n=96,k=96)

# A workflow of three checkpoints: the start, reorder-loops on it, refactor-into-macros on that.
three_checkpoints() {
  specialised_kernel matmul kernel
  expect_status 0 hone apply kernel reorder-loops start "${small[@]}" --json
  start=$(json "j['parent']") reordered=$(json "j['checkpoint']")
  expect_status 0 hone apply kernel refactor-into-macros "$reordered" "${small[@]}" --json
  refactored=$(json "j['checkpoint']")
}

test_branches_name_checkpoints_and_move_with_a_climb() {
  three_checkpoints
  expect_status 0 hone branch kernel
  expect_out "no branches"
  expect_status 0 hone branch kernel plain "$reordered"
  expect_status 0 hone branch kernel --json
  [[ $(json "[(b['branch'], b['checkpoint']) for b in j['branches']]") == "[('plain', '$reordered')]" ]] || fail "list"
  expect_status 0 hone log kernel
  expect_out "${reordered:0:10} (plain)"
  expect_status 0 hone show kernel plain
  expect_out "$reordered"

  expect_status 2 hone branch kernel plain start
  expect_err "--force"
  expect_status 0 hone branch kernel plain start --force
  expect_status 0 hone show kernel plain --json
  [[ $(json "j['checkpoint']") == "$start" ]] || fail "moved"

  printf '[[step]]\napply = "reorder-loops"\n[[step]]\napply = "cache-tiling"\npays = "later"\n' >steps.toml
  expect_status 2 hone optimize kernel "${small[@]}" --branch plian --no-baselines
  expect_err "did you mean 'plain'"
  expect_status 2 hone optimize kernel "${small[@]}" --branch plain --from start --no-baselines
  expect_err "exists already"
  expect_status 0 hone optimize kernel "${small[@]}" --branch tiles --from "$refactored" --steps steps.toml \
    --no-baselines --json
  [[ $(json "j['branch']") == tiles ]] || fail "branch"
  local best
  best=$(json "j['best']['checkpoint']")
  expect_status 0 hone show kernel tiles --json
  [[ $(json "j['checkpoint']") == "$best" ]] || fail "the branch did not move along"
  expect_status 0 git -C "$(dirname "$(find kernel/.hone -name repo.git)")/repo.git" rev-parse tiles
  expect_out "$best"

  expect_status 0 hone branch kernel plain --delete
  expect_status 4 hone show kernel plain
  expect_status 4 hone branch kernel plain --delete
  expect_err "the branches are: tiles"
  expect_status 4 hone branch kernel best "$reordered"
  expect_err "stands for something else"
}

test_branches_need_a_workflow() {
  specialised_kernel matmul kernel
  expect_status 4 hone branch kernel wide
  expect_err "hone optimize"
  expect_status 2 hone branch kernel --delete
}

test_replay_judges_a_recorded_path_again() {
  three_checkpoints
  expect_status 0 hone log kernel --all --json
  local jobs
  jobs=$(json "len(j['steps'])")
  expect_status 0 hone replay kernel "$refactored" --dry-run --json
  [[ $(json "[s['transformation'] for s in j['steps']]") == "['start', 'reorder-loops', 'refactor-into-macros']" ]] ||
    fail "path"
  [[ $(json "all(s['now']['status'] == 'correct' and s['checkpoint'] == '' for s in j['steps'])") == True ]] || fail "verdicts"
  [[ $(json "j['steps'][1]['now']['comparisons'][0]['ratio'] > 0 and not j['kept']") == True ]] || fail "ratios"
  expect_status 0 hone log kernel --all --json
  [[ $(json "len(j['steps'])") == "$jobs" ]] || fail "a dry run wrote to the journal"
}

test_replay_takes_over_what_another_machine_found() {
  three_checkpoints
  mv kernel/.hone elsewhere
  specialised_kernel matmul second
  expect_status 0 hone replay second "${refactored:0:12}" --from elsewhere
  expect_out "reorder-loops"
  expect_out "product of the steps"
  expect_status 0 hone log second --json
  [[ $(json "len(j['steps'])") == 3 && $(json "j['steps'][1]['record']['engine']") == recorded ]] || fail "not kept"
  [[ $(json "j['best']") != "" ]] || fail "no best"
  expect_status 0 hone replay second "$refactored" --from "$(dirname "$(find elsewhere -name key.json)")" --dry-run
  expect_status 2 hone replay second --from "$WORK"
  expect_err "usually KERNEL/.hone"
  expect_status 4 hone replay second nothing --from elsewhere
  expect_err "hone log"
  rm -rf second/.hone
  expect_status 4 hone replay second
  expect_err "hone optimize"
}

test_resume_goes_on_as_the_climb_was_begun() {
  specialised_kernel matmul kernel
  printf '[[step]]\napply = "reorder-loops"\n' >steps.toml
  expect_status 0 hone optimize kernel "${small[@]}" --steps steps.toml --strategy exhaustive --no-baselines --json
  HONE_REGIME=hot expect_status 0 hone resume kernel --json
  expect_err "--steps $WORK/steps.toml"
  expect_err "--strategy exhaustive"
  [[ $(json "j['sizes'] == {'m': 96, 'n': 96, 'k': 96} and j['regime'] == 'cold'") == True ]] ||
    fail "another climb was resumed: $out"
  [[ $(json "{b['name'] for b in j['baselines']} & {'openblas', 'onednn', 'blis'}") == "set()" ]] || fail "libraries"
  [[ $(json "{s['transformation'] for s in j['steps']} <= {'start', 'reorder-loops', 'final'}") == True ]] || fail "steps"

  printf '[[step]]\napply = "refactor-into-macros"\n' >other.toml
  expect_status 0 hone optimize kernel "${small[@]}" --branch plain --from start --steps other.toml --no-baselines
  expect_status 0 hone resume kernel --json
  [[ $(json "j['branch']") == plain ]] || fail "the branch is forgotten"
  rm other.toml
  expect_status 4 hone resume kernel
  expect_err "other.toml"
  expect_status 0 hone resume kernel --steps steps.toml
}
