#!/usr/bin/env bash
# Runs one suite, or some functions of it: run_suite.sh NAME.suite.sh PATH_OF_HONE [FUNCTION...]
# A suite is a list of functions named test_*; each runs in a fresh folder. What is measured of the machine, compiled and
# proved is kept for all of a suite, or for others too in HONE_SUITE_CACHE, unless a test asks for a cache of its own. Words
# for them:
#   hone ARGS          the binary under test
#   fresh_kernel NAME FOLDER   copies a shipped kernel without its workflows
#   specialised_kernel NAME FOLDER   the same for its timed sizes only: for tests of what is not the gate, which takes a second then
#   specialise FOLDER   makes that of the kernel in it
#   expect_status N CMD...   runs CMD, keeps stdout in $out and stderr in $err, demands the exit status
#   expect_out TEXT / expect_err TEXT   demands that the last output holds TEXT
#   opencl_is_here   or says why not: a test that needs it ends well then
#   passed_in_full     demands that the whole validation said correct, on hidden sizes too; after `hone apply --json`
#   apply_to_last KERNEL STEP OPTIONS...   carries a step out on checkpoint $from, and leaves its product there
#   climbs KERNEL OPTIONS-THAT-MAKE-SIZES-SMALL STEP...   carries steps out in turn, quickly validated
#   climbs_and_passes KERNEL OPTIONS STEP...   and the last product passes in full
#   product_passes KERNEL OPTIONS...   what lies in the folder product passes in full, on hidden sizes too
#   own_cache      from here on nothing is known of the machine or compiled
#   $ONCE          a folder for what several tests of the suite begin with
#   json EXPRESSION    evaluates a Python expression over the last stdout, parsed as JSON and named j
#   fail MESSAGE       ends the test
set -uo pipefail
suite=$1
export HONE
HONE=$(realpath "$2") || exit 2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
export HONE_SHARE=$root ROOT=$root

hone() { "$HONE" "$@"; }
fresh_kernel() { cp -r "$ROOT/kernels/$1" "$2" && rm -rf "$2/.hone"; } # whatever was optimised there before
specialised_kernel() { fresh_kernel "$1" "$2" && specialise "$2"; }
specialise() { # its candidates need not be right on other sizes, which is quickly validated
  sed -i 's/^also *=.*/also = "timed"/' "$1/kernel.toml"
  grep -q '^also = "timed"' "$1/kernel.toml" || fail "$1 says nothing of other sizes"
}
fail() { echo "    FAILED: $*" >&2; exit 1; }
expect_status() {
  local expected=$1 status
  shift
  "$@" >"$WORK/.out" 2>"$WORK/.err"
  status=$?
  out=$(<"$WORK/.out") err=$(<"$WORK/.err")
  ((status == expected)) || fail "exit status $status instead of $expected: $*"$'\n'"$(verdict)"$'\n'"$out"$'\n'"$err"
}
# Before a long output that may be cut off.
verdict() { json "'    ' + j['status'] + ': ' + j['reason']" 2>/dev/null || true; }
own_cache() { export XDG_CACHE_HOME=$WORK/cache; }
is_here() {
  hone device --backend "$1" >/dev/null 2>"$WORK/.err" && return 0
  echo "    skipped: $(head -1 "$WORK/.err")"
  return 1
}
opencl_is_here() { is_here opencl; }
cuda_is_here() { is_here cuda; }
passed_in_full() {
  [[ $(json "j['record']['verdict']['status']") == correct ]] || fail "$out"
  [[ $(json "any('hidden size' in c['name'] for c in j['record']['verdict']['checks'])") == True ]] || fail "no hidden sizes: $out"
}
apply_to_last() {
  expect_status 0 hone apply "$1" "$2" "$from" "${@:3}" --json
  from=$(json "j['checkpoint']")
}
climbs() {
  local kernel=$1 sizes=$2 step
  shift 2
  from=start
  rm -rf climbed product
  cp -r "$kernel" climbed && rm -rf climbed/.hone
  specialise climbed
  for step in "$@"; do
    # shellcheck disable=SC2086
    apply_to_last climbed "$step" $sizes
  done
  # shellcheck disable=SC2086
  expect_status 0 hone checkout climbed "$from" $sizes --out product
}
climbs_and_passes() {
  climbs "$@"
  # shellcheck disable=SC2086
  product_passes "$1" $2
}
product_passes() {
  expect_status 0 hone run product --kernel "$@" --no-timing --json
  [[ $(json "any('hidden size' in c['name'] for c in j['checks'])") == True ]] || fail "no hidden sizes: $out"
}
expect_out() { [[ $out == *"$1"* ]] || fail "stdout does not hold '$1':"$'\n'"$out"; }
expect_err() { [[ $err == *"$1"* ]] || fail "stderr does not hold '$1':"$'\n'"$err"; }
json() { python3 -c "import json,sys; j=json.load(open('$WORK/.out')); print($1)"; }

# shellcheck disable=SC1090
source "$suite"
passed=0 failed=0
SUITE=$(mktemp -d)
trap 'rm -rf "$SUITE" || true' EXIT
export ONCE=$SUITE/once
mkdir "$ONCE" "$SUITE/bin"
# Debian's own Python starts in a fifth of the time that shims of version managers take.
[[ ! -x /usr/bin/python3 ]] || ln -s /usr/bin/python3 "$SUITE/bin/python3"
export PATH=$SUITE/bin:$PATH
(($# > 0)) || mapfile -t functions < <(declare -F | awk '$3 ~ /^test_/ {print $3}')
(($# == 0)) || functions=("$@")
for name in "${functions[@]}"; do
  WORK=$(mktemp -d) begin=$SECONDS
  export WORK XDG_CACHE_HOME=${HONE_SUITE_CACHE:-$SUITE/cache} XDG_CONFIG_HOME=$WORK/config XDG_DATA_HOME=$WORK/data
  if (cd "$WORK" && set -e && "$name"); then
    passed=$((passed + 1))
    echo "  ok      $name ($((SECONDS - begin)) s)"
  else
    failed=$((failed + 1))
    echo "  FAILED  $name ($((SECONDS - begin)) s)"
  fi
  rm -rf "$WORK"
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
