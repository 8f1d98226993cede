# shellcheck shell=bash
# What a person sees of a climb: a view on a terminal, plain lines elsewhere.

SIZE=(--size m=40,n=64)
in_terminal() {
  expect_status 0 env TERM=xterm python3 "$ROOT/tests/suites/files/in_terminal.py" "$@"
}

# Would catch a view that scrolls, wraps, colours what must not be coloured, or leaves half of itself behind.
test_a_climb_is_one_view_of_fixed_height() {
  specialised_kernel softmax rows
  in_terminal --resize-to 60 -- "$HONE" optimize rows "${SIZE[@]}" --budget 10
  [[ $(json "j['status']") == 0 ]] || fail "$out"
  [[ $(json "j['redrawn'] > 5") == True ]] || fail "it was not redrawn: $out"
  [[ $(json "j['modes']") == "[]" ]] || fail "a mode of the terminal was changed: $out"
  [[ $(json "[l for l in j['wrapped'] if l.startswith(('[', 'now', 'best     ', 'tuning', 'machine', 'step'))]") == "[]" ]] \
    || fail "lines of the view were broken: $out"
  [[ $(json "[l for l in j['screen'] if l.startswith(('[#', '[.', 'now ', 'machine'))]") == "[]" ]] || fail "left behind: $out"
  [[ $(json "sum(l.startswith('step ') for l in j['screen'])") == 1 ]] || fail "one table is left: $out"
  [[ $(json "any('best checkpoint' in l for l in j['screen'])") == True ]] || fail "$out"

  # NO_COLOR, and both ways of asking for plain lines; nothing is measured again.
  export NO_COLOR=1
  in_terminal -- "$HONE" resume rows "${SIZE[@]}"
  [[ $(json "j['colours']") == False ]] || fail "$out"
  in_terminal -- "$HONE" resume rows "${SIZE[@]}" --plain
  [[ $(json "any('\x1b[1A' in l for l in j['screen']) or j['redrawn'] > 0") == False ]] || fail "$out"
  in_terminal -- env TERM=dumb "$HONE" resume rows "${SIZE[@]}"
  [[ $(json "j['redrawn']") == 0 && $(json "j['colours']") == False ]] || fail "$out"

  # Elsewhere: a session's points are one line.
  expect_status 0 hone resume rows "${SIZE[@]}"
  (($(grep -c tune-trial <<<"$err") <= 1)) || fail "$err"
  expect_err "the machine is "
  expect_status 0 hone resume rows "${SIZE[@]}" --quiet
  [[ -z $err ]] || fail "--quiet tells: $err"
  expect_out "best checkpoint"
  expect_status 0 hone resume rows "${SIZE[@]}" --json
  [[ $(json "sorted(j['load'])") == "['busy', 'lost_share', 'lost_share_at_begin', 'timed_s']" ]] || fail "$out"
}

# Would catch a view that stays on the screen after Ctrl-C or an error.
test_ctrl_c_leaves_a_clean_screen() {
  specialised_kernel softmax rows
  in_terminal --interrupt-at "judging" -- "$HONE" optimize rows "${SIZE[@]}" --budget 30
  [[ $(json "j['status']") == 130 ]] || fail "$out"
  [[ $(json "[l for l in j['screen'] if l.startswith(('[#', '[.', 'now ', 'machine'))]") == "[]" ]] || fail "left behind: $out"
  [[ $(json "sum('hone: stopping' in l for l in j['screen'])") == 1 ]] || fail "$out"
}
