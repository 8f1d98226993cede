# What helps at the keyboard: completion scripts, the manual page, opening a report.
# shellcheck shell=bash

# The words that bash would offer after this line ("" last: after a space).
offered() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _hone
  printf '%s\n' "${COMPREPLY[@]}"
}

expect_offered() {
  local wanted=$1 words
  shift
  words=$(offered "$@")
  # Not through a pipe: grep ends at the first hit, and who still writes then fails.
  grep -qx -- "$wanted" <<<"$words" || fail "'$*' does not offer '$wanted': ${words//$'\n'/ }"
}

test_bash_completes_commands_options_and_values() {
  hone completion bash >completion.sh
  # shellcheck disable=SC1091
  source ./completion.sh
  expect_offered optimize hone opt
  expect_offered --version hone --
  expect_offered --regime hone optimize --re
  expect_offered cold hone optimize --regime ""
  expect_offered opencl hone optimize kernel --backend = o
  expect_offered markdown hone report kernel --format m
  expect_offered matmul hone check matm
  expect_offered bash hone completion ""
  expect_offered check hone transforms ""
  expect_offered cache-tiling hone apply "$ROOT/kernels/matmul" cache
  [[ $(offered hone complete-n) == "" ]] || fail "a hidden command is offered"
  [[ $(offered hone tune x --points "") == "" ]] || fail "something is offered where nobody can know"
}

test_bash_completes_names_out_of_the_workflow() {
  specialised_kernel matmul kernel
  expect_status 0 hone apply kernel reorder-loops start --size m=96,n=96,k=96 --json
  local checkpoint
  checkpoint=$(json "j['checkpoint']")
  expect_status 0 hone branch kernel wide start
  hone completion bash >completion.sh
  # shellcheck disable=SC1091
  source ./completion.sh
  expect_offered kernel hone show ker
  expect_offered best hone show kernel ""
  expect_offered "${checkpoint:0:10}" hone show kernel "${checkpoint:0:5}"
  expect_offered wide hone diff kernel start ""
  expect_offered wide hone optimize kernel --branch ""
  expect_offered "${checkpoint:0:10}" hone compare --kernel kernel "${checkpoint:0:5}"
  mv kernel/.hone state
  expect_offered wide hone show kernel --state state w
  [[ $(offered hone show nowhere "") == "" ]] || fail "a kernel that is not there has checkpoints"
}

test_zsh_script_is_sound() {
  expect_status 0 hone completion zsh
  expect_out "#compdef hone"
  if ! command -v zsh >/dev/null; then
    echo "    no zsh here: its syntax was not checked"
    return
  fi
  hone completion zsh >_hone
  expect_status 0 zsh -n _hone
}

# Would catch a command that fish does not offer, and help texts that end a quotation.
test_fish_script_is_sound() {
  expect_status 0 hone completion fish
  expect_out "-n __fish_use_subcommand -a optimize"
  expect_out "-n '__fish_seen_subcommand_from optimize' -l regime -r -a 'cold hot'"
  expect_out "(__hone_names checkpoint)"
  if ! command -v fish >/dev/null; then
    echo "    no fish here: its syntax was not checked"
    return
  fi
  hone completion fish >hone.fish
  expect_status 0 fish --no-execute hone.fish
}

test_an_unknown_shell_is_refused() {
  expect_status 2 hone completion tcsh
  expect_err "bash"
  expect_status 2 hone completion zhs
  expect_err "did you mean 'zsh'?"
}

test_manual_page_holds_every_command() {
  expect_status 0 hone man
  for word in optimize replay branch 'EXIT STATUS' HONE_BACKEND; do
    expect_out "$word"
  done
  [[ $out != *complete\\-names* ]] || fail "a hidden command is in the manual page"
  if ! command -v groff >/dev/null; then
    echo "    no groff here: the page was not set"
    return
  fi
  hone man >hone.1
  expect_status 0 groff -man -Tutf8 -ww -rLL=100n hone.1
  [[ $err == "" ]] || fail "groff complains: $err"
}

test_open_writes_the_report_and_shows_it() {
  specialised_kernel matmul "a kernel"
  expect_status 4 hone open "a kernel"
  expect_err "hone optimize"
  expect_status 0 hone apply "a kernel" reorder-loops start --size m=96,n=96,k=96
  unset BROWSER DISPLAY WAYLAND_DISPLAY
  expect_status 0 hone open "a kernel" --json
  [[ $(json "j['opened']") == False && $(json "j['written']") == True && -s $(json "j['report']") ]] || fail "no report"
  expect_status 0 hone open "a kernel"
  expect_out "there is no display"

  printf '#!/bin/sh\necho "$1" >%s/address\n' "$WORK" >browser
  chmod +x browser
  BROWSER=nowhere:$WORK/browser expect_status 0 hone open "a kernel" --json
  [[ $(json "j['opened']") == True && $(json "j['written']") == False ]] || fail "not opened"
  [[ $(<address) == file://*/a%20kernel/*/report.html ]] || fail "address: $(<address)"
  BROWSER=false expect_status 0 hone open "a kernel"
  expect_out "could not open it"
}
