#!/usr/bin/env bash
# times.sh TIMES.xml: the slowest entries of a run of ctest (--output-junit), the slowest first, each beside its budget, and those
# that took more than that. A busy machine makes all of them slower: it is no failure.
# times.sh TIMES.xml --budgets: lines for budgets.txt, half as much again as in this run, which should have had two cores of its own.
set -euo pipefail
xml=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
usual=10 # seconds, for those that budgets.txt does not name
times=$(sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.]*\)".*/\1 \2/p' "$xml" | awk -v usual="$usual" '
  NR == FNR { if ($1 !~ /^#/ && NF >= 2) budget[$1] = $2; next }
  { printf "%s %.1f %d\n", $1, $2, $1 in budget ? budget[$1] : usual }' budgets.txt - | sort -k2,2nr)
if [[ ${2:-} == --budgets ]]; then
  awk -v usual="$usual" '1.5 * $2 > usual { printf "%s %d\n", $1, 5 * int(1.5 * $2 / 5 + 1) }' <<<"$times"
  exit
fi
read -r count seconds < <(awk '{ sum += $2 } END { printf "%d %.0f\n", NR, sum }' <<<"$times")
printf '\n%d tests took %d s, one after the other; the slowest, with their budgets (load average: %s):\n' "$count" "$seconds" \
  "$(cut -d' ' -f1-3 /proc/loadavg)"
awk 'NR <= 15 { printf "  %7.1f s of %3d  %s\n", $2, $3, $1 }' <<<"$times"
awk '$2 > $3 { printf "over budget: %s took %.1f s; tests/budgets.txt allows %d\n", $1, $2, $3 }' <<<"$times"
