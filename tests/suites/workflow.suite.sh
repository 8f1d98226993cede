# A whole climb on a small product, and everything that can be asked of it afterwards.
# shellcheck shell=bash

small=(--size m=192,n=192,k=192)

climb() {
  specialised_kernel matmul kernel
  rm -rf kernel/.hone
  expect_status 0 hone optimize kernel "${small[@]}" --budget 20 --json
}

test_climb_reports_what_it_promises() {
  climb
  for key in kernel backend device threads sizes regime recipe start best speedup baselines steps band spent workflow; do
    [[ $(json "'$key' in j") == True ]] || fail "no '$key'"
  done
  [[ $(json "j['start']['status'] == 'correct' and j['best']['status'] == 'correct'") == True ]] || fail "status"
  [[ $(json "len(j['steps']) >= 4") == True ]] || fail "too few steps"
  [[ $(json "all(s['status'] and s['transformation'] for s in j['steps'])") == True ]] || fail "steps"
  [[ $(json "j['speedup']['ratio'] > 2 and j['speedup']['verdict'] == 'FAST'") == True ]] || fail "no climb"
  [[ -s $(json "j['report']") ]] || fail "no report"
  local best
  best=$(json "j['best']['checkpoint']")

  expect_status 0 hone log kernel
  expect_out "start"
  expect_status 0 hone show kernel best
  expect_out "$best"
  expect_status 0 hone diff kernel start best
  expect_out "+"
  expect_status 0 hone checkout kernel best --out mine
  [[ -s mine/device.cpp && -s mine/launch.toml ]] || fail "checkout"
  expect_status 0 hone run mine --kernel kernel "${small[@]}" --no-timing
  # A folder that has a checkpoint's name does not hide it.
  expect_status 0 hone checkout kernel start --out best
  expect_status 0 hone ship kernel --as c --out home
  grep -q "From checkpoint ${best:0:10}" home/README.md || fail "ship: $(<home/README.md)"
  expect_status 0 hone compare best start --kernel kernel "${small[@]}" --json
  [[ $(json "j['comparisons'][0]['verdict']") == FAST ]] || fail "compare"
  # Whether a speed-up of a few percent shows again is the machine's business; that it is right is not.
  hone verify kernel best --json >"$WORK/.out" || true
  [[ $(json "all(c['now']['status'] == 'correct' for c in j['checkpoints'])") == True ]] || fail "verify: $(<"$WORK/.out")"
  expect_status 0 hone report kernel --format csv
  expect_out ","
  expect_status 0 git -C "$(dirname "$(find kernel/.hone -name repo.git | head -1)")/repo.git" fsck
  expect_status 0 hone resume kernel "${small[@]}" --budget 5 --json
  [[ $(json "j['best']['checkpoint']") != "" ]] || fail "resume"
}

test_apply_and_tune_by_hand() {
  specialised_kernel matmul kernel
  expect_status 0 hone apply kernel reorder-loops start "${small[@]}" --json
  local reordered
  reordered=$(json "j['checkpoint']")
  expect_status 0 hone apply kernel cache-tiling "${reordered:0:12}" "${small[@]}" --json
  local tiled
  tiled=$(json "j['checkpoint']")
  expect_status 0 hone tune kernel "$tiled" --points 3 "${small[@]}" --json
  [[ $(json "j['from'] == '$tiled'") == True ]] || fail "tune"
  # What was measured, as a file that other tuners read; without points it is written from the journal alone.
  expect_status 0 hone tune kernel "$tiled" --points 0 --export-cache space.json "${small[@]}"
  expect_out "3 points to space.json"
  cp space.json .out
  [[ $(json "len(j['cache']), sorted(j['tune_params_keys']) == sorted(j['tune_params'])") == "3 True" ]] || fail "cache"
  [[ $(json "all(e['time'] > 0 for e in j['cache'].values() if '__error__' not in e)") == True ]] || fail "times"
  expect_status 4 hone tune kernel "$tiled" --points 0 --export-cache nowhere/space.json "${small[@]}"
  expect_err "nowhere"
  expect_status 4 hone apply kernel reorder-loops "$reordered" "${small[@]}"
  expect_err "reorder-loops"
}

test_compare_explains_how_a_verdict_came_about() {
  specialised_kernel matmul kernel
  expect_status 0 hone apply kernel reorder-loops start "${small[@]}" --json
  local reordered
  reordered=$(json "j['checkpoint']")
  expect_status 0 hone compare "$reordered" start --kernel kernel "${small[@]}" --explain
  for word in "first calls" rule round "pair 1" "pair 2" interval thresholds used disturbance machine placement "A/A band" decision; do
    expect_out "  $word"
  done
  expect_out "$reordered against a copy of itself"
  expect_status 0 hone compare "$reordered" start --kernel kernel "${small[@]}" --explain --json
  [[ $(json "[sorted(c['explanation']['band']) for c in j['comparisons']]") == \
    "[['ci95', 'pair_ratios', 'ratio', 'verdict'], ['ci95', 'pair_ratios', 'ratio', 'verdict']]" ]] || fail "band: $out"
  [[ $(json "all(len(c['explanation']['pairs']) == len(c['pair_ratios']) for c in j['comparisons'])") == True ]] || fail "pairs"
  [[ $(json "all(c['verdict'] in c['explanation']['decision'] for c in j['comparisons'])") == True ]] || fail "decision"
  # The clock is counted before every pair (further ones may have looked at another placement of the code) and at the end.
  [[ $(json "all(len(c['explanation']['machine']['clocks_ghz']) > len(c['pair_ratios']) for c in j['comparisons'])") == True ]] ||
    fail "clocks: $out"
  # The record has it, too, and without --explain nothing else is measured.
  expect_status 0 hone log kernel --all --json
  [[ $(json "all('explanation' in c for s in j['steps'] for c in s['record']['verdict']['comparisons'])") == True ]] || fail "log"
  expect_status 0 hone compare "$reordered" start --kernel kernel "${small[@]}"
  [[ $out != *"decision"* ]] || fail "explained without being asked: $out"
  expect_status 2 hone compare "$reordered" start --kernel kernel --explian
}

test_nothing_to_resume_says_how_to_start() {
  specialised_kernel matmul kernel
  expect_status 4 hone resume kernel
  expect_err "hone optimize"
}

test_killed_climbs_resume_without_loss() {
  bash "$ROOT/tests/long/kill_and_resume.sh" "$HONE" "$ROOT" 3 || fail "see above"
}
