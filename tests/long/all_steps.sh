#!/usr/bin/env bash
# all_steps.sh HONE [SEEDS [KERNEL...]]: what the built-in engine's steps make of every shipped kernel (or of those named), one step on top of
# the other in the order of the step lists for its class, passes the gate in full after each step, on the hidden sizes and values of
# SEEDS seeds (default 3). Prints a line per kernel and step; ends with 1 when a product was refused.
set -uo pipefail
hone=$(realpath "${1:?usage: all_steps.sh HONE [SEEDS [KERNEL...]]}")
seeds=${2:-3}
kernels=("${@:3}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ((${#kernels[@]} == 0)); then mapfile -t kernels < <(cd "$root/kernels" && printf '%s\n' */ | tr -d /); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
bad=0
json() { python3 -c "import json, sys; j = json.load(open('out')); print($1)" 2>/dev/null; }

# Small sizes: the gate draws its own.
sizes_of() {
  python3 - "$1/kernel.toml" <<'PY'
import sys, tomllib
sizes = tomllib.load(open(sys.argv[1], "rb"))["sizes"]["timed"][0]
print(",".join(f"{name}={min(size, 48)}" for name, size in sizes.items()))
PY
}

for kernel in "${kernels[@]}"; do
  cp -r "$root/kernels/$kernel" "$kernel" && rm -rf "$kernel/.hone"
  size=$(sizes_of "$kernel")
  "$hone" check "$kernel" --json >out
  class=$(json "j['class']")
  at=start
  taken=()
  mapfile -t steps < <(cat "$root/recipes/$class".toml "$root/recipes/$class"-[!o]*.toml 2>/dev/null | sed -n 's/^apply *= *"\(.*\)".*/\1/p')
  for step in "${steps[@]}"; do
    [[ " ${taken[*]} " != *" $step "* ]] || continue
    "$hone" apply "$kernel" "$step" "$at" --size "$size" --json >out 2>err
    status=$?
    if ((status != 0)); then
      if ((status == 1)); then
        bad=$((bad + 1))
        echo "REFUSED: $kernel, $step: $(json "j['record']['verdict']['reason']")"
      fi
      continue # else: it does not fit
    fi
    taken+=("$step")
    at=$(json "j['checkpoint']")
    rm -rf product
    "$hone" checkout "$kernel" "$at" --out product >/dev/null || exit 2
    passed=0
    for ((seed = 1; seed <= seeds; seed++)); do
      "$hone" run product --kernel "$kernel" --size "$size" --no-timing --seed "$seed" --json >out 2>err
      if [[ $(json "j['status']") == correct ]]; then
        passed=$((passed + 1))
      else
        bad=$((bad + 1))
        echo "REFUSED: $kernel after ${taken[*]}, seed $seed: $(json "j['reason']")"
      fi
    done
    echo "$kernel, $step: $passed of $seeds"
  done
  rm -rf "${work:?}/$kernel"
done
exit $((bad > 0))
