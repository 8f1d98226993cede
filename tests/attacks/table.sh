#!/usr/bin/env bash
# The tables of docs/integrity.md, made of `rows` and of what the folders here expect.
#   tests/attacks/table.sh          prints them
#   tests/attacks/table.sh --write  puts them into docs/integrity.md, between its two marks
#   tests/attacks/table.sh --check  names rows without an answer, tests that are not there, folders that answer no row, and
#                                   says whether docs/integrity.md is behind; status 1 where there is anything to say
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
page=$root/docs/integrity.md
begin='<!-- tests/attacks/table.sh writes from here -->'
end='<!-- to here -->'

# name, rows, status, what it tries; one line per folder
folders() {
  local expect name rows status what
  for expect in "$here"/*/expect; do
    name=$(basename "$(dirname "$expect")")
    rows=$(sed -n 's/^rows=//p' "$expect")
    status=$(sed -n 's/^status=//p' "$expect")
    what=$(sed -n 's/^# *//p' "$expect" | tr '\n' ' ')
    printf '%s|%s|%s|%s\n' "$name" "${rows:-none}" "$status" "${what% }"
  done
}

# how the folders of one row end, each way once, and their names: `correctness, rejected` and links
ends_of() {
  awk -F'|' -v row="$1" '{ n = split($2, r, ","); for (i = 1; i <= n; ++i) if (r[i] == row) print $3 }' <<<"$all" \
    | tr ',' '\n' | awk '!seen[$0]++' | paste -sd, | sed 's/,/, /g'
}
# shellcheck disable=SC2016 # the backticks are Markdown's
candidates_of() {
  awk -F'|' -v row="$1" '{ n = split($2, r, ","); for (i = 1; i <= n; ++i) if (r[i] == row) print "`" $1 "`" }' <<<"$all" \
    | paste -sd, | sed 's/,/, /g'
}

field() { tr '|' '\n' <<<"$1" | sed -n "s/^$2=//p"; }

print_tables() {
  local line row what tests reason ends candidates
  all=$(folders)
  echo '| row | what it tries | how it ends | candidates | tests |'
  echo '|---|---|---|---|---|'
  while IFS= read -r line; do
    row=$(cut -d'|' -f1 <<<"$line") what=$(cut -d'|' -f2 <<<"$line")
    tests=$(field "$line" test) reason=$(field "$line" reason)
    ends=$(ends_of "$row") candidates=$(candidates_of "$row")
    # shellcheck disable=SC2016
    [[ -z $tests ]] || tests=$(tr ',' '\n' <<<"$tests" | sed 's/.*/`&`/' | paste -sd, | sed 's/,/, /g')
    [[ -n $candidates$tests && -z $ends ]] && ends='found, or gains nothing'
    [[ -z $candidates$tests ]] && ends='cannot be written'
    [[ -n $reason ]] && ends="$ends; $reason"
    printf '| %s | %s | %s | %s | %s |\n' "$row" "$what" "$ends" "$candidates" "$tests"
  done <"$here/rows"
  printf '\nTricks that are not in that list:\n\n| trick | what it tries | how it ends |\n|---|---|---|\n'
  awk -F'|' '$2 == "own" { print "| `" $1 "` | " $4 " | " $3 " |" }' <<<"$all"
}

# Whether a test of this name stands in the sources.
exists() {
  local name=$1
  if [[ $name == suite_*/* ]]; then
    grep -q "^${name#*/}()" "$root/tests/suites/$(cut -d/ -f1 <<<"${name#suite_}").suite.sh"
  else
    grep -rqE "TEST(_F|_P)?\(${name%%.*}, ${name#*.}\)" --include='*_test.cpp' --include='property_*.cpp' "$root/src" "$root/tests"
  fi
}

# How many candidates must end in which way; of several allowed statuses the first one counts. For docs/results/attacks.md.
counts_page=$root/docs/results/attacks.md
print_counts() {
  all=$(folders)
  echo '| | number |'
  echo '|---|---|'
  printf '| published tricks | %s |\n' "$(wc -l <"$here/rows")"
  printf '| candidates | %s |\n' "$(wc -l <<<"$all")"
  printf '| of these, beyond the published tricks | %s |\n' "$(awk -F'|' '$2 == "own"' <<<"$all" | wc -l)"
  printf '| of these, in OpenCL C | %s |\n' "$(find "$here" -path '*/candidate/device.cl' | wc -l)"
  awk -F'|' '{ sub(/,.*/, "", $3); ++n[$3] } END { for (s in n) print "| must end as `" s "` | " n[s] " |" }' <<<"$all" | sort
}

check() {
  local bad=0 line row test name rows known
  say() { echo "$1"; bad=1; }
  all=$(folders)
  known=$(cut -d'|' -f1 "$here/rows")
  [[ $(sort <<<"$known" | uniq -d) == '' ]] || say 'rows: a row stands there twice'
  while IFS= read -r line; do
    row=$(cut -d'|' -f1 <<<"$line")
    if [[ -z $(candidates_of "$row") && -z $(field "$line" test) && -z $(field "$line" reason) ]]; then
      say "rows: $row has no folder, no test and no reason"
    fi
    for test in $(field "$line" test | tr ',' ' '); do
      exists "$test" || say "rows: $row names the test $test, which is not there"
    done
  done <"$here/rows"
  while IFS='|' read -r name rows _; do
    for row in ${rows//,/ }; do
      [[ $row == own ]] || grep -qx "$row" <<<"$known" || say "$name/expect: rows=$rows, and rows does not know $row"
    done
  done <<<"$all"
  diff <(print_tables) <(sed -n "\|^$begin\$|,\|^$end\$|p" "$page" | sed '1d;$d') >/dev/null \
    || say 'docs/integrity.md is behind: run tests/attacks/table.sh --write'
  diff <(print_counts) <(sed -n "\|^$begin\$|,\|^$end\$|p" "$counts_page" | sed '1d;$d') >/dev/null \
    || say 'docs/results/attacks.md is behind: run tests/attacks/table.sh --write'
  return $bad
}

case ${1:-} in
  '') print_tables ;;
  --check) check ;;
  --write)
    text=$(print_tables)
    { sed "\|^$begin\$|q" "$page"; echo "$text"; sed -n "\|^$end\$|,\$p" "$page"; } >"$page.new"
    mv "$page.new" "$page"
    text=$(print_counts)
    { sed "\|^$begin\$|q" "$counts_page"; echo "$text"; sed -n "\|^$end\$|,\$p" "$counts_page"; } >"$page.new"
    mv "$page.new" "$counts_page"
    ;;
  *) echo "table.sh: unknown option '$1'; see the first lines of the file" >&2; exit 2 ;;
esac
