#!/usr/bin/env bash
# styles.sh HONE [SEEDS]: right candidates by hand whose rounding, or order of work, is not that of plain loops (styles/KERNEL/NAME)
# pass the gate in full, on the hidden sizes and values of SEEDS seeds (default 5). Prints a line for each; ends with 1 when one was refused.
set -uo pipefail
hone=${1:?usage: styles.sh HONE [SEEDS]}
seeds=${2:-5}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bad=0
for folder in "$root"/tests/long/styles/*/*/; do
  kernel=$(basename "$(dirname "$folder")")
  passed=0
  for ((seed = 1; seed <= seeds; seed++)); do
    out=$("$hone" run "$folder" --kernel "$root/kernels/$kernel" --no-timing --seed "$seed" --json 2>&1)
    if [[ $(python3 -c 'import json, sys; print(json.load(sys.stdin)["status"])' <<<"$out" 2>/dev/null) == correct ]]; then
      passed=$((passed + 1))
    else
      bad=$((bad + 1))
      echo "REFUSED: $kernel, $(basename "$folder"), seed $seed: $out"
    fi
  done
  echo "$kernel, $(basename "$folder"): $passed of $seeds"
done
exit $((bad > 0))
