# hone mcp driven by plain lines of JSON: what an agent does from the first look to the shipped folder, and how the server ends.
# shellcheck shell=bash

# A server on two pipes; $server is its process. Options go to `hone mcp`.
serve() {
  mkfifo to from
  "$HONE" mcp "$@" <to >from 2>server.err &
  server=$!
  exec 8>to 9<from
}
# ask METHOD PARAMS: sends a request in the handshake's protocol and keeps the answer for json().
number=0
ask() {
  number=$((number + 1))
  printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' "$number" "$1" "$2" >&8
  answer "$number"
}
# answer ID: the answer to a request; what else the server tells before it is left in told.
answer() {
  local line
  while IFS= read -r -t 60 -u 9 line; do
    if [[ $line == *"\"id\":$1,"* ]]; then
      printf '%s' "$line" >"$WORK/.out"
      return 0
    fi
    printf '%s\n' "$line" >>told
  done
  fail "no answer to request $1: $(<server.err)"
}
# call TOOL ARGUMENTS: what the tool returns is j['result']['structuredContent'], s in said().
call() { ask tools/call "{\"name\":\"$1\",\"arguments\":$2}"; }
# finished TOOL ARGUMENTS: the same, and waits for the job's end.
finished() {
  call "$@"
  while [[ $(said "s.get('state')") == running || $(said "s.get('state')") == queued ]]; do
    call job "{\"job\":\"$(said "s['job']")\"}"
  done
}
said() { json "(lambda s: $1)(j['result']['structuredContent'])"; }
# demand EXPRESSION: of s, has to be true.
demand() { [[ $(said "$1") == True ]] || fail "not so: $1"$'\n'"$(<"$WORK/.out")"; }
begin() {
  ask initialize '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"suite","version":"1"}}'
  [[ $(json "j['result']['protocolVersion']") == 2025-11-25 ]] || fail "$(<"$WORK/.out")"
  printf '{"jsonrpc":"2.0","method":"notifications/initialized"}\n' >&8
}
# below PID: the processes that it has started, and those that these have.
below() {
  local child
  for child in $(pgrep -P "$1"); do
    echo "$child"
    below "$child"
  done
}
# ends PID...: the server and these processes are gone soon.
ends() {
  local i pid left
  for ((i = 0; i < 200; i++)); do
    left=
    for pid in "$server" "$@"; do
      [[ $(ps -o stat= -p "$pid") == [!Z]* ]] && left+=" $pid"
    done
    [[ -n $left ]] || return 0
    sleep 0.05
  done
  fail "still there:"$'\n'"$(ps -o pid,ppid,stat,args -p "${left# }")"
}

test_a_candidate_from_the_first_look_to_the_shipped_folder() {
  specialised_kernel softmax mine
  local size='"sizes":{"m":16,"n":32}'
  serve
  begin
  call list_kernels '{"matching":"mine"}'
  demand "[k['kernel'] for k in s['kernels']] == ['mine']"
  call read_kernel '{"kernel":"mine"}'
  demand "'device.cpp' in s['naive'] and s['history']['best'] is None and any(p['applies'] for p in s['planned_steps'])"
  call write_candidate '{"kernel":"mine","name":"wrong","edits":[{"file":"device.cpp","old":"float sum = 0.0f","new":"float sum = 1.0f"}]}'
  demand "s['candidate'] == 'scratch/wrong' and s['valid']"
  finished run_candidate "{\"kernel\":\"mine\",\"candidate\":\"scratch/wrong\",\"depth\":\"check\",$size}"
  demand "s['state'] == 'done' and s['result']['status'] == 'correctness'"
  demand "s['result']['mismatch']['argument'] == 'Y' and len(s['result']['mismatch']['index']) == 2"
  demand "abs(s['result']['mismatch']['got'] - s['result']['mismatch']['expected']) > s['result']['mismatch']['tolerance']"
  call write_candidate '{"kernel":"mine","name":"wrong","edits":[{"file":"device.cpp","old":"float sum = 1.0f","new":"float sum = 0.0f"}]}'
  finished run_candidate "{\"kernel\":\"mine\",\"candidate\":\"scratch/wrong\",$size}"
  demand "s['result']['status'] == 'correct'"
  finished run_candidate "{\"kernel\":\"mine\",\"candidate\":\"scratch/wrong\",\"depth\":\"keep\",\"step\":\"As it was\",$size}"
  demand "s['result']['status'] == 'correct' and len(s['result']['checkpoint']) == 40"
  call read_candidate '{"kernel":"mine","candidate":"'"$(said "s['result']['checkpoint']")"'"}'
  demand "'device.cpp' in s['files']"
  call run_candidate '{"kernel":"mine","candidate":"naive","depth":"keep"}'
  [[ $(json "j['result']['isError'] and 'write_candidate' in j['result']['content'][0]['text']") == True ]] || fail "$(<"$WORK/.out")"
  call write_candidate '{"kernel":"mine","name":"broken","files":{"device.cpp":"nonsense"}}'
  finished run_candidate "{\"kernel\":\"mine\",\"candidate\":\"scratch/broken\",\"depth\":\"check\",$size}"
  demand "s['result']['status'] == 'compile' and 'device.cpp' in s['result']['log']"
  finished profile_candidate "{\"kernel\":\"mine\",\"candidate\":\"scratch/wrong\",\"tools\":[\"instructions\"],$size}"
  demand "s['state'] == 'done' and s['result']['reports'][0]['tool'] == 'instructions'"
  finished ship "{\"kernel\":\"mine\",\"candidate\":\"scratch/wrong\",$size}"
  [[ -f $(said "s['result']['folder']")/README.md ]] || fail "$(<"$WORK/.out")"
  # The kernel's own files are as they were.
  specialised_kernel softmax same
  diff -r -x .hone same mine || fail "the kernel was changed"
  call ship '{"kernel":"mine","candidate":"scratch/wrong","folder":"elsewhere"}'
  [[ $(json "j['result']['isError'] and '--allow-writes' in j['result']['content'][0]['text']") == True ]] || fail "$(<"$WORK/.out")"
  ask resources/read '{"uri":"hone://kernel/mine/candidate/scratch%2Fwrong"}'
  [[ $(json "len(j['result']['contents'])") == 3 ]] || fail "$(<"$WORK/.out")"
  exec 8>&-
  ends
  wait "$server" || fail "exit status $?"
}

test_stateless_requests_need_no_handshake() {
  fresh_kernel matmul mine
  local meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'
  serve --root mine
  ask server/discover "{$meta}}"
  [[ $(json "j['result']['supportedVersions'][0]") == 2026-07-28 ]] || fail "$(<"$WORK/.out")"
  ask tools/call "{$meta,\"progressToken\":\"p\"},\"name\":\"run_candidate\",\"arguments\":{\"kernel\":\".\",\"candidate\":\"naive\",\"depth\":\"check\"}}"
  demand "s['state'] != 'done' or s['result']['status'] == 'correct'"
  grep -q '"progressToken":"p"' told || fail "no progress: $(<told)"
  ask tools/call "{$meta},\"name\":\"read_kernel\",\"arguments\":{\"kernel\":\"../mine/../..\"}}"
  [[ $(json "j['result']['isError']") == True ]] || fail "$(<"$WORK/.out")"
  # Lines that are no messages are answered, and the next one is read.
  printf 'nonsense\n\n\0\xff\n{"jsonrpc":"2.0"}\n' >&8
  ask tools/list "{$meta}}"
  [[ $(json "len(j['result']['tools'])") == 12 ]] || fail "$(<"$WORK/.out")"
  exec 8>&-
  ends
}

# begin_climb: a server whose job is at work; $started are its processes.
begin_climb() {
  specialised_kernel matmul mine
  serve --state "$WORK/state"
  begin
  call optimize '{"kernel":"mine","budget":60,"sizes":{"m":256,"n":256,"k":256}}'
  demand "s['state'] in ('queued', 'running') and 'job' in s['next']"
  mapfile -t started < <(below "$server")
  while ((${#started[@]} == 0)); do
    call job '{"job":"j1","wait_s":0}'
    demand "s['state'] in ('queued', 'running')"
    mapfile -t started < <(below "$server")
  done
}

test_jobs_stop_when_asked_and_with_the_server() {
  begin_climb
  call run_candidate '{"kernel":"mine","candidate":"naive","depth":"check","wait_s":0}'
  demand "s['state'] == 'queued' and 'one job at a time' in s['note']"
  call job "{\"job\":\"$(said "s['job']")\",\"cancel\":true}"
  demand "s['state'] == 'cancelled'"
  mapfile -t started < <(below "$server")
  kill -TERM "$server"
  ends "${started[@]}"
}

test_a_killed_client_leaves_nothing_behind() {
  begin_climb
  exec 8>&- 9<&- # what the kernel does for a client that is killed
  ends "${started[@]}"
}
