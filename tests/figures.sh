#!/usr/bin/env bash
# figures.sh: docs/figures.sh finds what it is there for. Each case is a small tree with one fault; the words must come up.
set -euo pipefail
tool=$(cd "$(dirname "$0")/.." && pwd)/docs/figures.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/src" "$folder/docs/results"
echo 'constexpr int k_protocol_version = 5;' >"$folder/src/verdict.h"
bad=0

results() { printf '%s\n' "$@" >"$folder/docs/results/a.md"; }
readme() { printf '%s\n' "$@" >"$folder/README.md"; }
says() { # NAME STATUS WORDS
  local got status=0
  got=$(HONE_ROOT=$folder "$tool" --check 2>&1) || status=$?
  if ((status != $2)) || [[ $got != *"$3"* ]]; then
    echo "$1: status $status, expected $2 and '$3'; got: $got"
    bad=1
  fi
}

results '<!-- figure all: 3,008 -->' '<!-- figure mean = run 1 | all -->' '' '3008 comparisons.' '' \
  '| | all |' '|---|---|' '| run 1 | 1.052 (1.0 - 1.1) |'
readme '<!--figure all-->3,008<!--/figure--> and <!--figure mean-->1.052<!--/figure-->, by version <!--figure protocol-version-->5<!--/figure-->.'
says 'all agree' 0 ''
readme '<!--figure mean-->1.051<!--/figure-->'
says 'another value' 1 'README.md:1: figure mean is 1.051 here and 1.052'
HONE_ROOT=$folder "$tool" --write >/dev/null
grep -q -- '-->1.052<!--' "$folder/README.md" || { echo '--write leaves the old value'; bad=1; }
readme '<!--figure speed-->2<!--/figure-->'
says 'not declared' 1 'figure speed is declared in no page'
readme '<!--figure mean-->1.052'
says 'no end' 1 'does not end on its line'
readme 'It is 1.052 times as fast.'
says 'no marks' 1 "1.052 is a measurement without a figure's marks"
readme 'Nothing.'
results '<!-- figure all: 3,008 -->' '' '13008 and 3008.5 comparisons.'
says 'not shown' 1 'docs/results/a.md:1: figure all: the page does not show 3,008'
results '<!-- figure mean = run 2 | all -->' '' '| | all |' '|---|---|' '| run 1 | 1.052 |'
says 'no such row' 1 'no table below has a number in row "run 2"'
results '<!-- figure all: 1 -->' '<!-- figure all: 1 -->' '' '1'
says 'declared twice' 1 'is declared in docs/results/a.md:1 too'
results '<!--figure all: 1 -->' '<!-- figure all 1 -->' '' '1'
says 'another form' 1 'not of the form'
exit $bad
