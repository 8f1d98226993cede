# The policy agent: a scripted model that profiles, applies, edits and finishes, in both forms of calls.
# shellcheck shell=bash

SIZE=(--size "m=48,n=40,k=56")

script() { # FILE, with rules on stdin
  cat >"$1"
}

native_script() {
  script native.toml <<'END'
[[rule]]
holds = ["# The kernel"]
[[rule.answer]]
text = "First I look."
calls = [{name = "profile", arguments = '{"tool": "instructions"}'}, {name = "read", arguments = '{"topic": "steps"}'}]
[[rule.answer]]
calls = [{name = "apply", arguments = '{"step": "reorder-loops"}'}]
[[rule.answer]]
calls = [{name = "edit", arguments = '{"file": "device.cpp", "search": "    const float a = A[i * k + p];", "text": "    const float a = A[i * k + p] + 1;"}'}, {name = "run"}]
[[rule.answer]]
calls = [{name = "read", arguments = '{"topic": "history"}'}, {name = "compare", arguments = '{"candidate": "current", "with": "start"}'}]
[[rule.answer]]
calls = [{name = "finish", arguments = '{"remarks": "enough"}'}]
END
}

turns() { # prints role and text of each turn of the one episode
  cat mm/.hone/episodes/*.jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    turn = json.loads(line).get("turn")
    if turn: print(turn["role"], turn["text"], turn.get("calls", ""))'
}

# Would find: an action that is not carried out, a wrong candidate that is kept, a result that does not reach the model,
# an episode that cannot be read afterwards.
test_a_model_works_with_tools_and_the_gate_judges() {
  fresh_kernel matmul mm
  native_script
  expect_status 0 hone optimize mm "${SIZE[@]}" --policy agent --model scripted:native.toml --budget 25 --no-baselines --json
  [[ $(json "j['note']") == *"the agent ended (the model finished): 8 actions (0 not carried out)"* ]] || fail "$out"
  [[ $(json "[s['transformation'] + ' by ' + s['engine'] for s in j['steps']]") == *"'reorder-loops by builtin', 'edit by agent', 'compare by "* ]] || fail "$out"
  local said
  said=$(turns)
  [[ $said == *"hot loop"* || $said == *"instructions"* ]] || fail "$said"
  [[ $said == *"- reorder-loops: "* ]] || fail "no steps: $said"
  [[ $said == *"correctness: "* && $said == *"It was dropped"* ]] || fail "the wrong draft: $said"
  [[ $said == *"edit on "*": correctness"* ]] || fail "no history: $said"
  expect_status 0 hone episodes mm --out all.jsonl --format hf --json
  [[ $(json "(len(j['episodes']), j['episodes'][0]['end'], j['episodes'][0]['calls'])") == "(1, 'finished', 8)" ]] || fail "$out"
  python3 -c '
import json
line = json.loads(open("all.jsonl").readline())
assert len(line["mask"]) == len(line["messages"]) and sum(line["mask"]) == 5, line["mask"]
assert line["messages"][2]["tool_calls"][0]["function"]["arguments"]["tool"] == "instructions"
assert line["reward"] >= 0' || fail "the training data"
  expect_status 2 hone episodes mm --out all.jsonl --format other
}

# Would find: a placebo that tells about the kernel at hand, tools that are offered although they are switched off.
test_tools_can_be_taken_away() {
  fresh_kernel matmul mm
  native_script
  expect_status 0 hone optimize mm "${SIZE[@]}" --policy agent --model scripted:native.toml --budget 20 --no-baselines \
    --agent-tools none --max-calls 1
  expect_out "the limit of 1 calls is reached"
  [[ $(turns) == *"there is no action 'profile'"* ]] || fail "$(turns)"
  expect_status 2 hone optimize mm "${SIZE[@]}" --policy agent --model scripted:native.toml --agent-tools explian
  expect_err "explain"
  expect_status 2 hone optimize mm "${SIZE[@]}" --policy agent
  expect_err "needs a model"
}

# Would find: an episode that begins anew after it was interrupted, or whose results change under the model's eyes.
test_an_interrupted_episode_goes_on() {
  fresh_kernel matmul mm
  mkdir mail
  "$HONE" optimize mm "${SIZE[@]}" --policy agent --model manual:mail --call-form text --budget 60 --no-baselines >/dev/null 2>&1 &
  local pid=$! i # "$HONE", not hone: a function runs in a shell of its own, and that one would be killed
  answer() { # TEXT: to the newest request without an answer
    for ((i = 0; i < 300; i++)); do
      for request in mail/*.request.md; do
        [[ -e $request && ! -e ${request%.request.md}.answer.md ]] || continue
        printf '%s\n' "$1" >"${request%.request.md}.answer.md"
        return 0
      done
      sleep 0.1
    done
    fail "no request"
  }
  answer '<tool_call>{"name": "apply", "arguments": {"step": "reorder-loops"}}</tool_call>'
  for ((i = 0; i < 300; i++)); do
    (($(cat mail/*.request.md | grep -c "x the speed of") > 0)) && break
    sleep 0.1
  done
  kill -9 $pid
  wait $pid 2>/dev/null || true
  "$HONE" resume mm "${SIZE[@]}" >"$WORK/.out" 2>"$WORK/.err" &
  pid=$!
  answer '<tool_call>{"name": "finish"}</tool_call>'
  wait $pid || fail "$(<"$WORK/.err")"
  (($(ls mail/*.request.md | wc -l) == 2)) || fail "asked again: $(ls mail)"
  expect_status 0 hone episodes mm --json
  [[ $(json "(len(j['episodes']), j['episodes'][0]['end'], j['episodes'][0]['calls'])") == "(1, 'finished', 2)" ]] || fail "$out"
}
