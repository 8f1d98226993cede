#!/usr/bin/env bash
# check.sh PATH_OF_HONE [KIND...]: kernels that were built to have one bottleneck each, and the first diagnosis of each.
# A folder KIND holds a kernel and a candidate; its name is the kind that `explain` must name first. Nothing is timed.
set -uo pipefail
hone=$(realpath "$1") || exit 2
shift
cd "$(dirname "$0")" || exit 2
HONE_SHARE=$(realpath ../..)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_SHARE XDG_CACHE_HOME=$work/cache
(($# > 0)) || set -- */
failed=0
for folder in "$@"; do
  kind=${folder%/}
  expected=${kind//-/ }
  expected=${expected/tlb/TLB}
  options=()
  [[ ! -f $kind/candidate/device.cu ]] || options=(--backend cuda)
  [[ $kind != false-sharing ]] || options=(--threads 2)
  cp -r "$kind" "$work/"
  if ! "$hone" profile "$work/$kind" "$work/$kind/candidate" "${options[@]}" --tool explain --json >"$work/out" 2>"$work/err"; then
    if grep -q "is not installed\|need a CPU each" "$work/out" "$work/err"; then
      echo "skipped $kind: $(grep -h "is not installed\|need a CPU each" "$work/out" "$work/err" | head -1)"
      continue
    fi
    echo "FAILED  $kind: $(head -c 600 "$work/err" "$work/out")"
    failed=1
    continue
  fi
  first=$(python3 -c "import json; print(json.load(open('$work/out'))['reports'][0]['diagnosis'][0])")
  if [[ $first == "$expected: "* ]]; then
    echo "ok      $first"
  else
    echo "FAILED  $kind is called $first"
    python3 -c "
import json
for row in json.load(open('$work/out'))['reports'][0]['tables'][0]['rows']: print('         ', row[:2])" 2>/dev/null
    failed=1
  fi
done
exit $failed
