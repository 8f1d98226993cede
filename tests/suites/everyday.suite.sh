# shellcheck shell=bash
# Everyday tools: quick runs, rankings, plans, cleaning, hints.

SIZE=(--size m=40,n=64)

# Would catch a quick run that judges in full, calls a wrong candidate right, or leaves the way to repeat it out.
test_a_quick_run_says_right_or_wrong_and_how_to_see_it_again() {
  specialised_kernel softmax rows
  expect_status 0 hone run --naive --kernel rows "${SIZE[@]}" --quick
  expect_out "correct; there is no best checkpoint"
  expect_status 0 hone apply rows fuse-statements "${SIZE[@]}"
  expect_status 0 hone run --naive --kernel rows "${SIZE[@]}" --quick
  expect_out "the best checkpoint ("
  expect_status 0 hone run --naive --kernel rows "${SIZE[@]}" --quick --json
  [[ $(json "len(j['quick']['against'])") == 40 ]] || fail "$out"
  [[ $(json "any('not tried' in c['detail'] for c in j['checks'] if c['name'] == 'hidden sizes')") == True ]] || fail "it was checked in full: $out"

  expect_status 0 hone checkout rows naive --out wrong
  sed -i 's/= expf(/= 0.5f + expf(/' wrong/device.cpp
  mkdir 'my state'
  for quick in "" --quick; do
    # shellcheck disable=SC2086
    expect_status 1 hone run wrong --kernel rows "${SIZE[@]}" --state 'my state' $quick
    again=$(sed -n 's/^again: //p' <<<"$out")
    [[ $again == *"run wrong --kernel rows --seed 0x"*"--state 'my state'"* ]] || fail "no command: $out"
    reason=$(head -1 <<<"$out")
    expect_status 1 bash -c "$again"
    [[ $(head -1 <<<"$out") == "$reason" ]] || fail "it was not repeated: $reason"$'\n'"$out"
  done
}

# Would catch a ranking in the wrong order, or a winner that was never checked.
test_several_candidates_are_ranked() {
  specialised_kernel softmax rows
  expect_status 0 hone apply rows fuse-statements "${SIZE[@]}" --json
  fused=$(json "j['checkpoint']")
  expect_status 0 hone apply rows vectorize-rows "$fused" "${SIZE[@]}" --json
  fast=$(json "j['checkpoint']")
  expect_status 0 hone compare start "$fused" "$fast" --kernel rows "${SIZE[@]}"
  expect_out "is the fastest"
  expect_status 0 hone compare start "$fused" "$fast" --kernel rows "${SIZE[@]}" --json
  [[ $(json "j['ranking'][0]['name']") == "$fast" ]] || fail "$out"
  [[ $(json "j['winner']['name']") == "$fast" ]] || fail "$out"
  [[ $(json "[r['speed'] for r in j['ranking']] == sorted((r['speed'] for r in j['ranking']), reverse=True)") == True ]] || fail "$out"

  hone checkout rows naive --out wrong >/dev/null
  sed -i 's/= expf(/= 0.5f + expf(/' wrong/device.cpp
  expect_status 0 hone compare start ./wrong "$fused" --kernel rows "${SIZE[@]}" --json
  [[ $(json "[r['name'] for r in j['ranking'] if r['name'] == './wrong']") == "[]" ]] || fail "a wrong one is ranked: $out"
  [[ $(json "len(j['refused'])") == 1 ]] || fail "$out"
}

# Would catch a wrong candidate that is kept, a right one that is lost or no step can follow, and a step's name that is taken.
test_what_somebody_wrote_is_judged_and_kept() {
  specialised_kernel softmax rows
  hone checkout rows naive --out wrong >/dev/null
  sed -i 's/= expf(/= 0.5f + expf(/' wrong/device.cpp
  expect_status 1 hone keep wrong --kernel rows "${SIZE[@]}"
  expect_out "correctness"
  expect_status 0 hone log rows --json
  ! grep -q '"hand"' <<<"$out" || [[ $(json "any(s['checkpoint'] for s in j['steps'] if s['transformation'] == 'edit')") == False ]] || fail "a wrong one was kept: $out"

  hone checkout rows naive --out mine >/dev/null
  sed -i 's/float sum = 0.0f/float sum = -0.0f/' mine/device.cpp
  expect_status 0 hone keep mine --kernel rows --onto start --step "Begin at minus zero" "${SIZE[@]}" --json
  [[ $(json "(j['step'], j['record']['engine'])") == "('begin-at-minus-zero', 'hand')" ]] || fail "$out"
  passed_in_full
  kept=$(json "j['checkpoint']")
  expect_status 0 hone log rows
  expect_out "begin-at-minus-zero"
  expect_status 0 hone checkout rows "$kept" --out again
  diff mine/device.cpp again/device.cpp || fail "the checkpoint is not what was written"
  expect_status 0 hone apply rows fuse-statements "$kept" "${SIZE[@]}"

  expect_status 2 hone keep mine --kernel rows --step "fuse statements" "${SIZE[@]}"
  expect_err "step of the catalogue"
  expect_status 2 hone keep mine/nowhere --kernel rows "${SIZE[@]}"
  expect_err "no launch.toml"
}

# Would catch a plan that measures, or that leaves the steps out.
test_a_dry_run_prints_the_plan_and_does_nothing() {
  fresh_kernel matmul product
  expect_status 0 hone optimize product --dry-run --budget 50 --size m=64,n=64,k=64
  expect_out "cache-tiling"
  expect_out "50 s"
  expect_out "k=64 m=64 n=64"
  [[ ! -e product/.hone ]] || fail "a dry run made a workflow"
  expect_status 0 hone optimize product --dry-run --policy greedy --json
  [[ $(json "j['in_order']") == False ]] || fail "$out"
  [[ $(json "'pack-panels' in [s['name'] for s in j['steps']]") == True ]] || fail "$out"
}

# Would catch a removal without --yes, and one of more than was said.
test_clean_says_what_goes_and_removes_it_when_told_to() {
  own_cache
  specialised_kernel softmax rows
  expect_status 0 hone apply rows fuse-statements "${SIZE[@]}"
  expect_status 0 hone clean rows
  expect_out "gone for good"
  expect_out "nothing was removed: "
  [[ -d rows/.hone ]] || fail "removed without --yes"
  expect_status 0 hone clean rows --yes --json
  [[ $(json "[i['removed'] for i in j['items']]") == "[True]" ]] || fail "$out"
  [[ -z $(ls rows/.hone) && -f rows/kernel.toml && -d $XDG_CACHE_HOME/hone ]] || fail "not what was said: $(ls -R rows/.hone)"
  expect_status 0 hone clean --json
  [[ $(json "any(i['path'].endswith('cache/hone') and i['bytes'] > 0 and not i['removed'] for i in j['items'])") == True ]] || fail "$out"
}

# Would catch hints that suggest what was refused, or that list nothing.
test_hints_name_a_way_out() {
  expect_status 2 hone transforms shwo cache-tiling
  expect_err "did you mean 'show'?"
  expect_status 2 hone new --expr "y[i] = x[i]" --name copies --size i=0
  expect_err "must be 1 or more"
  mkdir extra swapped
  cat >extra/kernel.toml <<'END'
[kernel]
name = "rowsum"
[compute]
expr = "S[i] = sum(j, X[i,j])"
[arguments]
X = { type = "f32", shape = ["i", "j"] }
S = { type = "f32", shape = ["i"], role = "output" }
[sizes]
timed = [ { i = 8, j = 8, w = 2 } ]
END
  expect_status 1 hone check extra
  [[ $out$err != *"did you mean"* ]] || fail "$out$err"
  expect_out "remove it, or use it"
  sed 's/^S = .*/S = { type = "f32", shape = ["i"], role = "output" }/; s/, w = 2//; s/X\[i,j\]/X[i,j] * X[j,i]/' extra/kernel.toml >swapped/kernel.toml
  expect_status 1 hone check swapped
  [[ $out$err != *"i < i"* && $out$err != *"j < j"* ]] || fail "$out$err"
}
