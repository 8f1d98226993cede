# What can be done with a workflow after a climb: names for checkpoints, going on from them.
# shellcheck shell=bash

small=(--size m=96,n=96,k=96)

# A workflow of three checkpoints: the start, reorder-loops on it, refactor-into-macros on that.
three_checkpoints() {
  fresh_kernel matmul kernel
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
  fresh_kernel matmul kernel
  expect_status 4 hone branch kernel wide
  expect_err "hone optimize"
  expect_status 2 hone branch kernel --delete
}
