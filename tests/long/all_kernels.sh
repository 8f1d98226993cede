#!/usr/bin/env bash
# all_kernels.sh HONE [SEEDS [BACKEND...]]: the naive candidate of every shipped kernel on every backend that is here passes the gate in
# full, on the hidden sizes and values of SEEDS seeds (default 20). Prints a line per kernel and backend; ends with 1 when an
# honest candidate was refused.
set -uo pipefail
hone=${1:?usage: all_kernels.sh HONE [SEEDS [BACKEND...]]}
seeds=${2:-20}
backends=("${@:3}")
if ((${#backends[@]} == 0)); then backends=(cpu opencl); fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bad=0
for backend in "${backends[@]}"; do
  if ! "$hone" device --backend "$backend" >/dev/null 2>&1; then
    echo "$backend: not here"
    continue
  fi
  for folder in "$root"/kernels/*/; do
    passed=0
    for ((seed = 1; seed <= seeds; seed++)); do
      out=$("$hone" run --naive --kernel "$folder" --backend "$backend" --no-timing --seed "$seed" --json 2>&1)
      if [[ $(python3 -c 'import json, sys; print(json.load(sys.stdin)["status"])' <<<"$out" 2>/dev/null) == correct ]]; then
        passed=$((passed + 1))
      else
        bad=$((bad + 1))
        echo "REFUSED: $(basename "$folder") on $backend, seed $seed: $out"
      fi
    done
    echo "$backend $(basename "$folder"): $passed of $seeds"
  done
done
exit $((bad > 0))
