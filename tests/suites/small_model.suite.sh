# Steps asked of a real small model behind a real server (tests/small_model/install.sh). What it writes is wrong nearly
# always: that has to end as an honest failure, streamed, repaired, within its budget, and never paid for twice.
# shellcheck shell=bash

SMALL=${HONE_SMALL_MODEL:-$ROOT/build/small_model}
SIZE=(--size "m=48,n=40,k=56")

served() {
  if [[ ! -x $SMALL/bin/python || ! -e $SMALL/model.gguf ]]; then
    echo "    skipped: no small model in $SMALL; tests/small_model/install.sh brings one"
    return 1
  fi
  local port i
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  "$SMALL/bin/python" -m llama_cpp.server --model "$SMALL/model.gguf" --model_alias small --host 127.0.0.1 \
    --port "$port" --n_ctx 16384 >"$WORK/server.log" 2>&1 &
  server=$!
  trap 'kill $server 2>/dev/null || true' EXIT
  export HONE_MODEL_URL=http://127.0.0.1:$port/v1 OPENAI_API_KEY=none
  for ((i = 0; i < 600; i++)); do
    hone doctor --model openai/small >"$WORK/.out" 2>"$WORK/.err" && return 0
    kill -0 $server 2>/dev/null || break
    sleep 0.2
  done
  fail "the server does not answer: $(tail -3 "$WORK/server.log") $(<"$WORK/.err")"
}
questions() { grep -c 'POST /v1/chat/completions' "$WORK/server.log"; }
answers() { find matmul/.hone/answers -name '*.zst' 2>/dev/null | wc -l; }

test_what_it_writes_passes_or_ends_as_an_honest_failure() {
  served || return 0
  expect_status 0 hone doctor --model openai/small
  expect_out "answered in"
  expect_status 3 hone doctor --model openai/large
  expect_out "does not serve it, but small"
  fresh_kernel matmul matmul
  local status=0
  hone apply matmul reorder-loops start "${SIZE[@]}" --model openai/small --repairs 1 --json >"$WORK/.out" 2>"$WORK/.err" ||
    status=$?
  out=$(<"$WORK/.out") err=$(<"$WORK/.err")
  expect_err "asking, about "
  if ((status == 0)); then
    [[ $(json "j['status']") == correct ]] || fail "kept without being right: $out"
  else
    ((status == 4)) || fail "exit status $status: $err"
    expect_err "pass 'move-the-sum-outwards' failed after 1 repairs"
    (($(answers) == 2)) || fail "$(answers) answers"
    expect_status 0 hone log matmul --json
    [[ $(json "any(s['record']['transformation'] == 'reorder-loops' and s['record']['status'] == 'correct' for s in j['steps'])") == False ]] ||
      fail "$out"
  fi
}

test_a_budget_ends_it_and_a_larger_one_goes_on() {
  served || return 0
  fresh_kernel matmul matmul
  local before status=0
  before=$(questions)
  expect_status 4 hone apply matmul reorder-loops start "${SIZE[@]}" --model openai/small --repairs 1 --max-tokens 1000
  expect_err "the budget of 1000 tokens is spent (1 answers"
  (($(questions) == before + 1)) || fail "$(questions) questions"
  hone apply matmul reorder-loops start "${SIZE[@]}" --model openai/small --repairs 1 --max-tokens 1000000 2>"$WORK/.err" || status=$?
  ((status == 0 || status == 4)) || fail "exit status $status: $(<"$WORK/.err")"
  (($(questions) == before + $(answers))) || fail "asked again: $(questions) questions, $(answers) answers"
}

test_a_study_counts_what_it_gets_right_and_needs_no_model_again() {
  served || return 0
  fresh_kernel matmul matmul
  study() { hone study success matmul --step reorder-loops --runs 2 "${SIZE[@]}" --model openai/small --repairs 0 --no-timing --json; }
  expect_status 0 study
  local first
  [[ $(json "j['steps'][0]['n']") == 2 ]] || fail "$out"
  first=$(json "j['steps'][0]['faults']")
  kill $server
  expect_status 0 study
  [[ $(json "j['steps'][0]['faults']") == "$first" ]] || fail "$out"
}
