#!/usr/bin/env bash
# kill_detectors.sh [--count N] [--seed S] [--only NAME]... [FOLDER]: does a test of the default set fail when a detector is gone?
# Takes N detectors (10) of tests/long/detectors.patches at random, out of a clone of this repository in FOLDER (a temporary one;
# a FOLDER that is kept saves most of the first build), one after the other; each time it builds the programs that the named
# tests need and runs these. First they must pass with all detectors in place. About two minutes each on two cores.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
count=10 seed=$RANDOM only=() folder=''
while (($# > 0)); do
  case $1 in
    --count) count=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --only) only+=("$2"); shift 2 ;;
    -*) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;;
    *) folder=$1; shift ;;
  esac
done
if [[ -z $folder ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
[[ -e $folder/.git ]] || git clone -q "$root" "$folder"
cd "$folder"
git fetch -q "$root" HEAD
git checkout -q -f FETCH_HEAD
patches=$(sed '/^#/d; /^$/d; s/ *| */|/; s/ | /|/; s/ | /|/' "$here/detectors.patches")

build() { cmake --build build/ci --target judge_attacks test_gate test_backend >build/ci/build.log 2>&1 || { tail -20 build/ci/build.log; return 1; }; }
# Tests of the default set; what fails only now and then counts as failing.
passes() { ctest --test-dir build/ci --label-exclude '^rest$' --parallel 2 --no-tests=error --tests-regex "$1" >build/ci/test.log 2>&1; }

mkdir -p build/ci
cmake --preset ci >build/ci/configure.log 2>&1 || { cat build/ci/configure.log; exit 3; }
build || exit 3

chosen=$patches
if ((${#only[@]} > 0)); then
  chosen=$(for name in "${only[@]}"; do grep "^$name|" <<<"$patches"; done)
else
  chosen=$(shuf -n "$count" --random-source=<(openssl enc -aes-256-ctr -pass "pass:$seed" -nosalt </dev/zero 2>/dev/null) <<<"$patches")
fi
echo "seed $seed, commit $(git rev-parse --short HEAD)"
bad=0
declare -A sound # tests that pass with all detectors in place
while IFS='|' read -r name file tests change <&3; do
  mapfile -t sources < <(find src -name "$file")
  say() { printf '%-30s %s\n' "$name" "$1"; }
  ((${#sources[@]} > 0)) || { say "NO FILE $file"; bad=1; continue; }
  if [[ -z ${sound[$tests]:-} ]] && ! passes "${tests//;/|}"; then
    say "FAILS ALREADY: $(grep -E '\(Failed\)|\(Timeout\)' build/ci/test.log | sed 's/.* - //' | paste -sd' ')"
    bad=1
    continue
  fi
  sound[$tests]=yes
  sed -i -E "$change" "${sources[@]}"
  if (($(git diff --name-only | wc -l) != 1)); then
    say "THE PATCH MUST CHANGE ONE FILE; it changes: $(git diff --name-only | paste -sd' ')"
    bad=1
  elif ! build; then
    say "DOES NOT BUILD with the patch"
    bad=1
  elif passes "${tests//;/|}"; then
    say "SURVIVES: ${tests//;/|}"
    bad=1
  else
    say "noticed by $(grep -E '\((Failed|Timeout|SEGFAULT|Subprocess aborted)\)' build/ci/test.log | sed -E 's/^[^-]*- ([^ ]*).*/\1/' | paste -sd' ')"
  fi
  git checkout -q -- src
done 3<<<"$chosen"
build
exit $bad
