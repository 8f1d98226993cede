# hone program: one region of a whole program replaced; honest replacements are judged, cheating ones are found out.
# shellcheck shell=bash

PROGRAMS=$ROOT/tests/suites/files/programs

small() { cp -r "$PROGRAMS/cumulate" cumulate; }

# Judged without timing: its status, and a word of the reason.
ends_as() {
  local status=$1 reason=$2
  shift 2
  expect_status 1 hone program run "$@" --no-timing --json
  [[ $(json "j['status']") == "$status" ]] || fail "$* ended as $(json "j['status']"): $(json "j['reason']")"
  [[ $(json "j['reason']") == *"$reason"* ]] || fail "$*: $(json "j['reason']")"
  [[ $(json "j['accepted']") == False ]] || fail "$* was accepted"
}

# The better region does a nine-thousandth of the additions: whatever else the machine does, each pair shows it.
test_a_region_is_checked_judged_and_taken_along() {
  small
  expect_status 0 hone program check cumulate --json
  [[ $(json "(j['tier'], j['sound'], j['repeats'], j['entries'])") == "('C', True, True, 1.0)" ]] || fail "$out"
  [[ $(json "j['without_region']") == correctness:* ]] || fail "leaving the region out is not noticed: $out"
  expect_status 0 hone program run cumulate --region cumulate/better.c --json
  [[ $(json "(j['tier'], j['status'], j['verdict'], j['best'])") == "('C', 'correct', 'FAST', True)" ]] || fail "$out"
  [[ $(json "(len(j['pairs']), len(j['compared']))") == "(9, 6)" ]] || fail "$out"
  [[ $(json "j['whole']['ratio'] > 1 and j['within']['ratio'] > j['whole']['ratio']") == True ]] || fail "$out"
  expect_status 0 hone program show cumulate --text
  [[ $out == "$(sed '1s/^ *//' cumulate/better.c)" ]] || fail "$out"
  expect_status 0 hone program show cumulate --patch
  patch -s -p1 -d cumulate < "$WORK/.out" || fail "the patch does not apply: $out"
  grep -q 'for (long j' cumulate/src/main.c && fail "the patch changed nothing"
  expect_status 4 hone program show cumulate --patch # of these sources nothing was judged
}

test_regions_that_cheat_are_found_out() {
  small
  ends_as correctness "line" cumulate --region cumulate/wrong.c
  ends_as correctness "a fresh input" cumulate --region cumulate/prints.c
  ends_as correctness "a fresh input" cumulate --region cumulate/skips.c
  ends_as rejected "'exit'" cumulate --region cumulate/exits.c
  ends_as rejected "'fopen'" cumulate --region cumulate/reads.c
  ends_as rejected "outside the region" cumulate --region cumulate/escapes.c
  echo 'this is no C;' > broken.c
  ends_as compile "does not build" cumulate --region broken.c
  [[ $(json "'error' in j['log'] and '/tmp' not in j['log']") == True ]] || fail "$out"
  echo 'for (;;) { }' > hangs.c
  sed -i 's/^run = .*/&\nlimit = 1/' cumulate/program.toml
  ends_as timeout "took more than" cumulate --region hangs.c
  expect_status 0 hone program show cumulate --json
  [[ $(json "(len(j['records']), j['best'])") == "(8, None)" ]] || fail "$out"
}

# The jail: a program that looks beyond its folders finds nothing, and cannot change what it was built from.
test_programs_are_locked_in() {
  small
  cat > probe.c <<'EOF'
  FILE *file = fopen("/etc/passwd", "r");
  printf("%d", file != NULL);
  file = fopen("written", "w");
  printf("%d", file != NULL);
  file = fopen(words[0], "r+");
  printf("%d\n", file != NULL);
EOF
  sed -i '/region begin/,/region end/{/region/!d}' cumulate/src/main.c
  sed -i '/region begin/r probe.c' cumulate/src/main.c
  printf '  printf("010\\n");\n' > region.c
  expect_status 0 hone program run cumulate --region region.c --no-timing
}

test_mistakes_are_told_with_their_place() {
  small
  expect_status 2 hone program run cumulate
  expect_err "give --region FILE"
  sed -i 's/^relative/relativ/' cumulate/program.toml
  expect_status 2 hone program check cumulate
  expect_err "program.toml:14:1: [verify] has no 'relativ'"
  expect_err "did you mean 'relative'?"
  sed -i 's/^relativ/relative/; s/main.c"\]/other.c"]/' cumulate/program.toml
  expect_status 2 hone program check cumulate
  expect_err "the original does not build"
  expect_status 2 hone program check nowhere
  expect_err "holds program.toml"
  sed -i 's/other.c"]/main.c"]/' cumulate/program.toml
  expect_status 2 hone program optimize cumulate
  expect_err "takes a region that is a function in plain C"
}

test_a_model_is_told_what_is_wrong_and_mends_it() {
  small
  printf '[[rule]]\nholds = ["cumulate", "printf"]\n[[rule.answer]]\nfile = "first.md"\n[[rule.answer]]\nfile = "second.md"\n' \
    > script.toml
  { echo 'Running sums.'; echo '```c'; cat cumulate/wrong.c; echo '```'; } > first.md
  { echo 'In the right order.'; echo '```c'; cat cumulate/better.c; echo '```'; } > second.md
  expect_status 0 hone program optimize cumulate --model scripted:script.toml --repairs 1 --json
  [[ $(json "[a['record']['status'] for a in j['answers']]") == "['correctness', 'correct']" ]] || fail "$out"
  [[ $(json "(j['best']['record']['tier'], j['best']['record']['accepted'])") == "('C', True)" ]] || fail "$out"
}

# The region as a kernel, climbed, shipped and put back; whether it is faster is the machine's business.
test_the_built_in_engine_works_on_a_function_in_c() {
  cp -r "$PROGRAMS/mix" mix
  "$HONE" program optimize mix --size n=96 --budget 15 --json >"$WORK/.out" 2>"$WORK/.err"
  out=$(<"$WORK/.out") err=$(<"$WORK/.err")
  [[ $(json "j['answers'][0]['record']['status']") == correct ]] || fail "$out $err"
  [[ $(json "any('built-in engine' in f for f in j['answers'][0]['record']['flags'])") == True ]] || fail "$out"
  [[ $(json "'mix_groups' in j['answers'][0]['text']") == True ]] || fail "$out"
  sed -i 's/sum += weights/if (weights[i] > out[k]) sum += weights/' mix/src/main.c # which depends on an output before it is written
  sed -i 's/k < n; ++k/out[k] < 9 * n; ++k/' mix/src/main.c
  expect_status 2 hone program optimize mix
  expect_err "judge a region of your own"
}

# A whole program: sound, a better region judged with times, and three that cheat; `wrong`: how one ends that computes
# something else.
judge_program_in_full() {
  local name=$1 suffix=$2 wrong=$3
  cp -r "$ROOT/programs/$name" "$name" && rm -rf "$name/.hone"
  expect_status 0 hone program check "$name" --json
  [[ $(json "j['sound']") == True ]] || fail "$out"
  expect_status 0 hone program run "$name" --region "$name/regions/better.$suffix" --json
  [[ $(json "(j['status'], len(j['pairs']), j['whole']['ratio'] > 0, j['within']['ratio'] > 0)") == "('correct', 9, True, True)" ]] \
    || fail "$out"
  ends_as "$wrong" "" "$name" --region "$PROGRAMS/$name-wrong.$suffix"
  ends_as rejected "is not for a region that computes" "$name" --region "$PROGRAMS/$name-prints.$suffix"
  ends_as "$wrong" "" "$name" --region "$PROGRAMS/$name-skips.$suffix"
}

test_heat_in_full() { judge_program_in_full heat cpp correctness; }
test_nbody_in_full() { judge_program_in_full nbody c correctness; }
test_sparse_in_full() { judge_program_in_full sparse cpp runtime; } # it does not converge, and says so
