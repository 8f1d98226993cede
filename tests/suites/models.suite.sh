# Steps that a language model carries out: answers that are right, wrong, cut off or missing; what is paid for, and what is
# kept of it. The model is a script, a server that answers from a file, or a person with a file.
# shellcheck shell=bash

SIZE=(--size "m=48,n=40,k=56")
KEY=sk-nobody-may-ever-see-this-key

# shellcheck source=/dev/null
source "$ROOT/tests/suites/files/models/answers.sh"

# script ANSWER...: each a file beside the script, or "refuses", or "cut_off FILE".
script() {
  printf '[[rule]]\nholds = ["reorder-loops"]\n'
  local words
  for words in "$@"; do
    printf '[[rule.answer]]\n'
    case $words in
    refuses) printf 'refuses = "I would rather not"\n' ;;
    cut_off*) printf 'finish = "cut_off"\nfile = "%s"\n' "${words#cut_off }" ;;
    *) printf 'file = "%s"\n' "$words" ;;
    esac
  done
}
apply() { hone apply matmul reorder-loops start "${SIZE[@]}" "$@"; }

start_server() { # ANSWER-FILE [STATUS...]
  python3 "$ROOT/tests/suites/files/models/model_server.py" port "$@" >questions 2>server.err &
  server=$!
  trap 'kill $server 2>/dev/null || true' EXIT
  local i
  for ((i = 0; i < 100; i++)); do
    [[ -s port ]] && break
    sleep 0.1
  done
  HONE_MODEL_URL=http://127.0.0.1:$(<port)/v1
  export HONE_MODEL_URL OPENAI_API_KEY=$KEY
}
questions() { wc -l <questions; }
expect_no_key() {
  local found
  found=$(grep -rlaF "$KEY" "$WORK" --exclude-dir=proc || true)
  [[ -z $found ]] || fail "the key stands in $found"
  [[ $out$err != *"$KEY"* ]] || fail "the key was printed"
}

test_a_right_answer_becomes_a_checkpoint() {
  fresh_kernel matmul matmul
  right >right.md
  script right.md >script.toml
  expect_status 0 apply --model scripted:script.toml --json
  [[ $(json "j['record']['engine']") == model ]] || fail "engine: $out"
  [[ $(json "len(j['checkpoint'])") -gt 20 ]] || fail "no checkpoint"
  expect_status 0 hone checkout matmul "$(json "j['checkpoint']")" --out mine "${SIZE[@]}"
  grep -q 'const float factor' mine/device.cpp || fail "another text"
  [[ ! -e mine/schedule.toml ]] || fail "a schedule that is not the text's"
}

# The plan changes with the code: rows two at a time.
in_pairs() {
  answer '  for (int64_t row = 2 * group->id[0]; row < hone_min(2 * group->id[0] + 2, m); ++row) {
    float* to = C + row * n;
    for (int64_t column = 0; column < n; ++column) to[column] = 0;
    for (int64_t term = 0; term < k; ++term) {
      for (int64_t column = 0; column < n; ++column) to[column] += A[row * k + term] * B[term * n + column];
    }
  }' | sed '/const int64_t row = /d; /float\* out = /d; s/int64_t k,$/int64_t m, int64_t k,/'
  printf '\n```toml launch.toml\n[[launch]]\nkernel = "matmul"\ngrid = ["ceil_div(m, 2)"]\n'
  printf 'args = ["A", "B", "C", "m", "k", "n"]\n```\n'
}

test_a_sentence_is_a_step() {
  specialised_kernel matmul matmul
  in_pairs >pairs.md
  script pairs.md | sed 's/reorder-loops/Take rows two at a time/' >script.toml
  expect_status 0 hone apply matmul "Take rows two at a time." start "${SIZE[@]}" --model scripted:script.toml --json
  [[ $(json "j['transformation']") == take-rows-two-at-a-time ]] || fail "name: $out"
  local id
  id=$(json "j['checkpoint']")
  expect_status 0 hone checkout matmul "$id" --out mine "${SIZE[@]}"
  grep -q 'ceil_div(m, 2)' mine/launch.toml || fail "the plan stayed as it was"
  expect_status 2 hone apply matmul "Take rows two at a time" start "${SIZE[@]}"
  expect_err "the built-in engine carries out the steps of the catalogue only"
  expect_err "--model"
  expect_status 0 hone transforms new "Take rows two at a time." --kernel matmul --from start --to "$id" --json
  [[ $(json "j['file']") == matmul/transformations/take-rows-two-at-a-time.md ]] || fail "file: $out"
  expect_status 1 hone transforms check matmul/transformations/take-rows-two-at-a-time.md
  expect_out "the draft's own words still stand here: [What goes wrong in practice"
  sed -i -E 's/\[(Say|What|what|Code) [^]]*\]/Words./' matmul/transformations/take-rows-two-at-a-time.md
  expect_status 0 hone transforms check matmul/transformations/take-rows-two-at-a-time.md
  grep -q '^+grid = \["ceil_div(m, 2)"\]' matmul/transformations/take-rows-two-at-a-time.md || fail "no difference in it"
  expect_status 2 hone transforms new "Take rows two at a time" --kernel matmul
  expect_err "is a step of the catalogue already"
  expect_status 2 hone transforms new "Take two" --from start
  expect_err "belong together"
  expect_status 2 hone transforms new
  expect_err "needs a sentence"
  expect_status 0 hone transforms new "Use a table"
  expect_status 1 hone transforms check use-a-table.md
  expect_status 2 hone apply matmul "!! ..." start "${SIZE[@]}" --model scripted:script.toml
  expect_err "says nothing that could be done"
}

test_wrong_answers_are_mended() {
  specialised_kernel matmul matmul
  right >right.md
  wrong >wrong.md
  right | sed 's/factor =/factor ==/' >broken.md
  echo 'I would interchange the loops.' >prose.md
  printf '<<<<<<< SEARCH\n  const int64_t nowhere = 0;\n=======\n>>>>>>> REPLACE\n' >edit.md
  script broken.md prose.md edit.md wrong.md right.md >script.toml
  expect_status 0 apply --model scripted:script.toml --repairs 4
  expect_err "compile: compile:"
  expect_err "did not apply: the answer holds neither device.cpp"
  expect_err "did not apply: edit 1 does not apply"
  expect_err "wrong result: correctness:"
  expect_err "reorder-loops / move-the-sum-outwards: passed"
  expect_out "checkpoint"
}

test_what_cannot_be_mended_is_given_up_with_the_reason() {
  specialised_kernel matmul matmul
  wrong >wrong.md
  script wrong.md >script.toml
  expect_status 4 apply --model scripted:script.toml --repairs 1 --samples 2
  expect_err "2 attempts failed"
  expect_err "pass 'move-the-sum-outwards' failed after 1 repairs: correctness"
  right | head -n 9 >half.md
  script "cut_off half.md" refuses >script.toml
  expect_status 4 apply --model scripted:script.toml
  expect_err "cut off"
  expect_err "I would rather not"
}

# The same step on OpenCL.
in_pairs_on_opencl() {
  printf '```c device.cl\n#include "macros.h"\n\n'
  printf '__kernel void matmul(__global const float* A, __global const float* B, __global float* C, long m, long k, long n)\n{\n'
  printf '  const long column = get_global_id(0), first = 2 * get_group_id(1);\n'
  printf '  for (long row = first; row < min(first + 2, m) && column < n; ++row) {\n    float sum = 0;\n'
  printf '    for (long term = 0; term < k; ++term) {\n      sum += A[row * k + term] * B[term * n + column];\n    }\n'
  printf '    C[row * n + column] = sum;\n  }\n}\n```\n\n```toml launch.toml\n[[launch]]\nkernel = "matmul"\n'
  printf 'grid = ["ceil_div(n, 8)", "ceil_div(m, 2)"]\nblock = [8]\nargs = ["A", "B", "C", "m", "k", "n"]\n```\n'
}

# mistake BACKEND WHAT SAID ANSWER...: the last answer is right; what was wrong with those before it is said, and mended.
mistake() {
  local backend=$1 what=$2 said=$3
  shift 3
  script "$@" | sed 's/reorder-loops/Take rows two at a time/' >script.toml
  rm -rf matmul/.hone
  expect_status 0 hone apply matmul "Take rows two at a time" start "${SIZE[@]}" --backend "$backend" --samples 2 \
    --model scripted:script.toml --json
  expect_err "$said"
  echo "    $backend, $what: $(grep -F "$said" "$WORK/.err" | head -1 | cut -c 1-150)"
}

seeded_mistakes() {
  local backend=$1 first=$2
  specialised_kernel matmul matmul
  sed "s/sum += A/sum += += A/; s/\] += A/] += += A/" right.md >compile.md
  sed 's/term < k/term < k - 1/' right.md >wrong.md
  sed "s/$first/for (volatile int wait = 1; wait;) {}\n  &/" right.md >hang.md
  sed "s/$first/((GLOBAL float*)A)[0] = 0;\n  &/; s/GLOBAL/$([[ $backend == cpu ]] || echo __global)/" right.md >cheat.md
  sed 's/^\[\[launch\]\]/[tuning]\nPAIRS = { values = [1, 2] }\nconstraints = ["PAIRS > 2"]\n\n&/' right.md >constraint.md
  echo 'I would take two rows at a time.' >prose.md
  printf '```cpp launch.toml\n<<<<<<< SEARCH\ngrid = ["nowhere"]\n=======\n>>>>>>> REPLACE\n```\n' >edit.md
  head -n 9 right.md >half.md
  (printf 'Here it is.\n\n'; cat right.md; printf '\nThat is all.\n') >talks.md
  mistake "$backend" "does not compile" "compile: compile:" compile.md right.md
  mistake "$backend" "wrong result" "wrong result: correctness:" wrong.md right.md
  mistake "$backend" "hangs" "timeout" hang.md right.md
  mistake "$backend" "writes into an input" "rejected: rejected: " cheat.md right.md
  mistake "$backend" "constraints that nothing fulfils" "constraints: constraints:" constraint.md right.md
  mistake "$backend" "refuses" "I would rather not" refuses right.md
  mistake "$backend" "cut off" "cut off" "cut_off half.md" right.md
  mistake "$backend" "no code" "did not apply" prose.md right.md
  mistake "$backend" "an edit of lines that are not there" "did not apply: edit 1" edit.md right.md
  mistake "$backend" "prose around the code" "passed" talks.md
}

test_seeded_mistakes_are_mended() {
  in_pairs >right.md
  seeded_mistakes cpu 'for (int64_t row = 2'
}

test_seeded_mistakes_are_mended_on_opencl() {
  opencl_is_here || return 0
  in_pairs_on_opencl >right.md
  seeded_mistakes opencl 'const long column'
}

test_a_climb_uses_what_a_model_writes() {
  specialised_kernel matmul matmul
  right >right.md
  script right.md >script.toml
  printf '[[step]]\napply = "reorder-loops"\n' >steps.toml
  expect_status 0 hone optimize matmul "${SIZE[@]}" --steps steps.toml --no-baselines --budget 20 \
    --model scripted:script.toml --json
  expect_err "reorder-loops, pass 1 of 1: asking, about "
  expect_status 0 hone log matmul --json
  [[ $(json "any(s['record']['transformation'] == 'reorder-loops' for s in j['steps'])") == True ]] || fail "$out"
}

test_a_server_is_asked_once_and_never_learns_whose_key_it_was() {
  specialised_kernel matmul matmul
  right >right.md
  start_server right.md 429 500
  expect_status 0 apply --model openai/small-model
  expect_err "waiting"
  expect_out "checkpoint"
  expect_no_key
  (($(questions) == 3)) || fail "$(questions) questions"
  expect_status 0 apply --model openai/small-model # the answer is kept
  (($(questions) == 3)) || fail "asked again"
  expect_status 0 hone doctor --model openai/small-model
  expect_out "answered in"
  expect_status 3 hone doctor --model openai/another
  expect_out "does not serve it, but small-model"
  expect_no_key
}

test_a_key_that_is_refused_is_an_error_that_says_so() {
  specialised_kernel matmul matmul
  right >right.md
  start_server right.md 401
  expect_status 4 apply --model openai/small-model
  expect_err "the key from OPENAI_API_KEY is not accepted"
  expect_no_key
  unset OPENAI_API_KEY
  HONE_MODEL_URL=https://models.example.org/v1 expect_status 4 apply --model openai/small-model
  expect_err "set OPENAI_API_KEY"
}

test_a_budget_ends_asking_and_a_larger_one_goes_on() {
  specialised_kernel matmul matmul
  wrong >answer.md
  start_server answer.md
  expect_status 4 apply --model openai/small-model --max-tokens 2000
  expect_err "the budget of 2000 tokens is spent (1 answers, 2000 + 300 tokens, cost not known)"
  (($(questions) == 1)) || fail "$(questions) questions"
  right >answer.md
  expect_status 0 apply --model openai/small-model --max-tokens 10000
  (($(questions) == 2)) || fail "what was paid for was asked for again"
}

# In an object after a schema, as whole files and as edits; what does not fit is mended like anything else.
test_answers_may_be_objects() {
  specialised_kernel matmul matmul
  right >right.md
  local code
  in_object() { python3 -c 'import json, sys; print(json.dumps({"remarks": "", "files": json.loads(sys.argv[1])}))' "$1"; }
  code=$(sed -n '/^```/,/^```/p' right.md | sed '/^```/d') # the block's lines
  in_object "$(code=$code python3 -c 'import json, os
print(json.dumps([{"name": "device.cpp", "text": os.environ["code"], "edits": []}]))')" >answer.json
  start_server answer.json
  expect_status 0 apply --model openai/small-model --answers object --json
  [[ $(<questions) == "small-model 2 device.cpp launch.toml macros.h" ]] || fail "$(<questions)"
  local id
  id=$(json "j['checkpoint']")
  expect_status 0 hone checkout matmul "$id" --out mine "${SIZE[@]}"
  grep -q 'const float factor' mine/device.cpp || fail "another text"
  expect_status 0 hone export matmul "$id" --out object.hone
  expect_status 0 hone replay object.hone --json
  [[ $(json "(j['carried_out'][1]['how'], j['same'])") == "('model', True)" ]] || fail "$(json "j['carried_out']")"
  rm -rf matmul && specialised_kernel matmul matmul # which knows no answer
  in_object '[{"name": "device.cpp", "text": "", "edits": [{"search": "nowhere", "replace": ""}]}]' >answer.json
  expect_status 4 apply --model openai/small-model --answers object --repairs 1
  expect_err "edit 1 does not apply"
  expect_status 2 apply --model openai/small-model --answers prose
  expect_err "say blocks or object"
}

test_a_study_tells_how_often_a_step_is_right() {
  specialised_kernel matmul matmul
  wrong >wrong.md
  right >right.md
  script wrong.md right.md >script.toml # the second attempt's first answer is the first one's repair
  study() { hone study success matmul --step reorder-loops "${SIZE[@]}" --model scripted:script.toml "$@"; }
  expect_status 0 study --runs 3 --repairs 0 --no-timing --json
  local step="j['steps'][0]"
  [[ $(json "($step['n'], $step['first_try'], $step['right'], $step['faults'])") == "(3, 2, 2, {'wrong result': 1})" ]] ||
    fail "$out"
  expect_status 0 study --runs 2 --repairs 1 --csv study.csv --html study.html --json
  [[ $(json "($step['n'], $step['first_try'], $step['right'])") == "(2, 1, 2)" ]] || fail "$out"
  (($(wc -l <study.csv) == 3)) || fail "$(<study.csv)"
  grep -q '>2 of 2</text>' study.html || fail "no chart"
  rm script.toml wrong.md right.md
  script none.md >script.toml
  touch none.md
  expect_status 0 study --runs 2 --repairs 1 --json # all of it is known
  [[ $(json "($step['n'], $step['first_try'], $step['right'])") == "(2, 1, 2)" ]] || fail "$out"
  expect_status 2 hone study success matmul --step reorder-loops
  expect_err "add --model"
  expect_status 2 study --step cache-tilling
  expect_err "did you mean 'cache-tiling'?"
}

test_studies_of_climbs_and_of_tuning() {
  fresh_kernel softmax softmax
  expect_status 0 hone study climb softmax --runs 2 --budget 15 --size n=64 --size m=40 --policy beam --csv climbs.csv --html climbs.html
  expect_out "beam"
  (($(wc -l <climbs.csv) == 3)) || fail "$(<climbs.csv)"
  (($(grep -o 'p-over" cx' climbs.html | wc -l) == 2)) || fail "not two runs in the chart"
  specialised_kernel matmul matmul
  expect_status 0 hone apply matmul register-tiling start "${SIZE[@]}" --json
  local id
  id=$(json "j['checkpoint']")
  expect_status 4 hone study tuning matmul start "${SIZE[@]}"
  expect_err "has no tuning parameters"
  expect_status 0 hone study tuning matmul "$id" --runs 1 --budgets 3,6 "${SIZE[@]}" --json
  [[ $(json "[r['group'] for r in j['runs']]") == "['3 s', '6 s']" ]] || fail "$out"
}

test_a_killed_run_does_not_pay_twice() {
  specialised_kernel matmul matmul
  wrong >answer.md
  start_server answer.md
  expect_status 4 apply --model openai/small-model --repairs 0
  (($(questions) == 1)) || fail "$(questions) questions"
  right >answer.md
  hone apply matmul reorder-loops start "${SIZE[@]}" --model openai/small-model &
  local climb=$!
  while (($(find matmul/.hone/answers -name '*.zst' | wc -l) < 2)); do sleep 0.05; done
  kill -9 $climb
  wait $climb 2>/dev/null
  expect_status 0 apply --model openai/small-model
  (($(questions) == 2)) || fail "$(questions) questions"
}

test_a_person_answers_with_a_file() {
  specialised_kernel matmul matmul
  (
    while ! compgen -G 'mail/*.request.md' >/dev/null; do sleep 0.1; done
    name=$(basename mail/*.request.md .request.md)
    right >"mail/$name.answer.md"
  ) &
  expect_status 0 apply --model manual:mail
  expect_err "waiting for mail/"
  expect_out "checkpoint"
  grep -q 'Interchange the loops' mail/*.request.md || fail "the instruction is missing"
}

test_kept_answers_are_a_run_without_a_model() {
  specialised_kernel matmul matmul
  right >right.md
  start_server right.md
  expect_status 0 apply --model openai/small-model --json
  local checkpoint
  checkpoint=$(json "j['record']['candidate']")
  kill $server
  cp -r matmul/.hone/answers answers
  specialised_kernel matmul other
  expect_status 0 hone apply other reorder-loops start "${SIZE[@]}" --model recorded:answers --json
  [[ $(json "j['record']['candidate']") == "$checkpoint" ]] || fail "another candidate"
  expect_status 4 hone apply other reorder-loops start --size m=64,n=64,k=64 --model recorded:answers
  expect_err "differs from line"
}
