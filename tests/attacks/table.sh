#!/usr/bin/env bash
# The tables of docs/integrity.md, made of `rows` and of what the folders here expect.
#   tests/attacks/table.sh          prints them
#   tests/attacks/table.sh --write  puts them into docs/integrity.md, between its two marks
#   tests/attacks/table.sh --detectors  prints what refuses candidates, each with its attacks and the unit tests that show it
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
links_of() { awk -F'|' -v row="$1" '{ n = split($2, r, ","); for (i = 1; i <= n; ++i) if (r[i] == row) print "[" $1 "](../tests/attacks/" $1 ")" }' <<<"$all" | paste -sd, | sed 's/,/, /g'; }

field() { tr '|' '\n' <<<"$1" | sed -n "s/^$2=//p"; }

print_tables() {
  local line row what tests reason ends proof
  all=$(folders)
  echo '| row | what it tries | how it ends | proved by |'
  echo '|---|---|---|---|'
  while IFS= read -r line; do
    row=$(cut -d'|' -f1 <<<"$line") what=$(cut -d'|' -f2 <<<"$line")
    tests=$(field "$line" test) reason=$(field "$line" reason)
    ends=$(ends_of "$row") proof=$(links_of "$row")
    if [[ -n $tests ]]; then
      # shellcheck disable=SC2016
      tests=$(tr ',' '\n' <<<"$tests" | sed 's/.*/`&`/' | paste -sd, | sed 's/,/, /g')
      proof="${proof:+$proof, }$tests"
    fi
    [[ -n $proof && -z $ends ]] && ends='found, or gains nothing'
    [[ -z $proof ]] && ends='cannot be written'
    [[ -n $reason ]] && ends="$ends; $reason"
    printf '| %s | %s | %s | %s |\n' "$row" "$what" "$ends" "$proof"
  done <"$here/rows"
  printf '\nTricks that are not in that list:\n\n| trick | what it tries | how it ends |\n|---|---|---|\n'
  awk -F'|' '$2 == "own" { print "| [" $1 "](../tests/attacks/" $1 ") | " $4 " | " $3 " |" }' <<<"$all"
}

# detector, attack, its set (default or all); one line per folder and detector
detected() {
  awk -F= '
    function tell(  i, n, all) {
      n = split(detectors, all, ",")
      for (i = 1; i <= n; ++i) print all[i] "|" name "|" set
    }
    FNR == 1 { tell(); detectors = ""; set = "default"; name = FILENAME; sub(/\/expect$/, "", name); sub(/.*\//, "", name) }
    $1 == "detector" { detectors = $2; gsub(/"/, "", detectors) }
    $1 == "set" { set = $2 }
    END { tell() }' "$here"/*/expect
}

# The file `detectors` without its remarks and the blanks around its fields.
known_detectors() { sed '/^#/d; /^$/d; s/ *| */|/g' "$here/detectors"; }

print_detectors() {
  echo '| detector | what it is | attacks of the default set | other attacks | unit tests |'
  echo '|---|---|---|---|---|'
  awk -F'|' '
    NR == FNR { attacks[$1, $3] = attacks[$1, $3] (attacks[$1, $3] == "" ? "" : ", ") $2; next }
    { printf "| %s | %s | %s | %s | %s |\n", $1, $6, attacks[$1, "default"], attacks[$1, "all"], $5 }' <(detected) <(known_detectors)
}

# Whether a test of this name stands in the sources.
exists() {
  local name=$1
  if [[ $name == suite_*/* ]]; then
    grep -q "^${name#*/}()" "$root/tests/suites/$(cut -d/ -f1 <<<"${name#suite_}").suite.sh"
  elif [[ $name == *.\* ]]; then
    grep -rqE "TEST(_F|_P)?\(${name%%.*}, " --include='*_test.cpp' "$root/src" "$root/tests"
  else
    grep -rqE "TEST(_F|_P)?\(${name%%.*}, ${name#*.}\)" --include='*_test.cpp' --include='property_*.cpp' "$root/src" "$root/tests"
  fi
}

check() {
  local bad=0 line row test name rows known
  say() { echo "$1"; bad=1; }
  all=$(folders)
  known=$(cut -d'|' -f1 "$here/rows")
  [[ $(sort <<<"$known" | uniq -d) == '' ]] || say 'rows: a row stands there twice'
  while IFS= read -r line; do
    row=$(cut -d'|' -f1 <<<"$line")
    if [[ -z $(links_of "$row") && -z $(field "$line" test) && -z $(field "$line" reason) ]]; then
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
  while IFS='|' read -r name tests; do
    [[ -n $tests || $'\n'$(detected) == *$'\n'"$name|"*'|default'* ]] \
      || say "detectors: no attack of the default set and no unit test shows '$name'"
    for test in ${tests//,/ }; do
      exists "$test" || say "detectors: $name names the test $test, which is not there"
    done
  done < <(known_detectors | cut -d'|' -f1,5)
  diff <(print_tables) <(sed -n "\|^$begin\$|,\|^$end\$|p" "$page" | sed '1d;$d') >/dev/null \
    || say 'docs/integrity.md is behind: run tests/attacks/table.sh --write'
  return $bad
}

case ${1:-} in
  '') print_tables ;;
  --check) check ;;
  --detectors) print_detectors ;;
  --write)
    text=$(print_tables)
    { sed "\|^$begin\$|q" "$page"; echo "$text"; sed -n "\|^$end\$|,\$p" "$page"; } >"$page.new"
    mv "$page.new" "$page"
    ;;
  *) echo "table.sh: unknown option '$1'; see the first lines of the file" >&2; exit 2 ;;
esac
