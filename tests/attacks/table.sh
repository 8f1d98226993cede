#!/usr/bin/env bash
# The tables of docs/integrity.md, made of `rows` and of what the folders here expect.
#   tests/attacks/table.sh          prints them
#   tests/attacks/table.sh --write  puts them into docs/integrity.md, and counts into docs/results/attacks.md, between two marks
#   tests/attacks/table.sh --detectors  prints what refuses candidates, each with its attacks and the unit tests that show it
#   tests/attacks/table.sh --check  names rows without an answer, tests that are not there, folders that answer no row, and
#                                   says whether one of the pages is behind; status 1 where there is anything to say
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
page=$root/docs/integrity.md
counts_page=$root/docs/results/attacks.md
begin='<!-- tests/attacks/table.sh writes from here -->'
end='<!-- to here -->'

# name, rows, status, what it tries; one line per folder
folders() {
  awk '
    function tell() { if (name != "") print name "|" (rows == "" ? "none" : rows) "|" status "|" what }
    FNR == 1 { tell(); rows = status = what = ""; name = FILENAME; sub(/\/expect$/, "", name); sub(/.*\//, "", name) }
    /^#/ { sub(/^# */, ""); what = what (what == "" ? "" : " ") $0 }
    /^rows=/ { rows = substr($0, 6) }
    /^status=/ { status = substr($0, 8) }
    END { tell() }' "$here"/*/expect
}

print_tables() {
  awk -F'|' '
    function add(list, word) { return list (list == "" ? "" : ", ") word }
    NR == FNR { # the folders
      link = "`" $1 "`"
      n = split($2, rows, ",")
      for (i = 1; i <= n; ++i) {
        links[rows[i]] = add(links[rows[i]], link)
        m = split($3, words, ",")
        for (k = 1; k <= m; ++k) {
          if (!((rows[i], words[k]) in seen)) ends[rows[i]] = add(ends[rows[i]], words[k])
          seen[rows[i], words[k]] = 1
        }
      }
      if ($2 == "own") own = own "| " link " | " $4 " | " $3 " |\n"
      next
    }
    FNR == 1 { print "| row | what it tries | how it ends | candidates | tests |\n|---|---|---|---|---|" }
    {
      proof = ""
      end = ends[$1]
      reason = ""
      for (i = 3; i <= NF; ++i) {
        if ($i ~ /^test=/) {
          n = split(substr($i, 6), tests, ",")
          for (k = 1; k <= n; ++k) proof = add(proof, "`" tests[k] "`")
        }
        if ($i ~ /^reason=/) reason = substr($i, 8)
      }
      if (links[$1] proof != "" && end == "") end = "found, or gains nothing"
      if (links[$1] proof == "") end = "cannot be written"
      if (reason != "") end = end "; " reason
      printf "| %s | %s | %s | %s | %s |\n", $1, $2, end, links[$1], proof
    }
    END { printf "\nTricks that are not in that list:\n\n| trick | what it tries | how it ends |\n|---|---|---|\n%s", own }
  ' <(folders) "$here/rows"
}

# How many candidates must end in which way; of several allowed statuses the first one counts.
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
    { printf "| %s | %s | %s | %s | %s |\n", $1, $6, attacks[$1, "default"], attacks[$1, "rest"], $5 }' <(detected) <(known_detectors)
}

# The names of all tests in the sources: Suite.name, and suite_NAME/test_name.
all_tests() {
  grep -rhE '^TEST(_F|_P)?\(' --include='*_test.cpp' --include='property_*.cpp' "$root/src" "$root/tests" \
    | sed -E 's/^TEST(_F|_P)?\(([A-Za-z0-9_]+), *([A-Za-z0-9_]+).*/\2.\3/'
  grep -E '^test_[a-z0-9_]+\(\)' "$root"/tests/suites/*.suite.sh | sed -E 's|.*/([a-z_]+)\.suite\.sh:(test_[a-z0-9_]+).*|suite_\1/\2|'
}

# Complaints, one a line: rows without an answer, tests that are not there, attacks of no row, detectors that nothing shows.
complaints() {
  awk -F'|' '
    kind == "tests" { is_test[$1] = 1; split($1, parts, "."); is_test[parts[1] ".*"] = 1; next }
    kind == "folders" { n = split($2, rows, ","); for (i = 1; i <= n; ++i) named[rows[i]] = named[rows[i]] " " $1; next }
    kind == "detected" { if ($3 == "default") shown[$1] = 1; next }
    kind == "detectors" {
      if (!($1 in shown) && $5 == "") print "detectors: no attack of the default set and no unit test shows \"" $1 "\""
      n = split($5, tests, /, */)
      for (i = 1; i <= n; ++i) if (!(tests[i] in is_test)) print "detectors: " $1 " names the test " tests[i] ", which is not there"
      next
    }
    {
      if ($1 in known) print "rows: " $1 " stands there twice"
      known[$1] = 1
      answered = $1 in named
      for (i = 3; i <= NF; ++i) {
        if ($i ~ /^reason=./) answered = 1
        if ($i !~ /^test=./) continue
        answered = 1
        n = split(substr($i, 6), tests, ",")
        for (k = 1; k <= n; ++k) if (!(tests[k] in is_test)) print "rows: " $1 " names the test " tests[k] ", which is not there"
      }
      if (!answered) print "rows: " $1 " has no folder, no test and no reason"
    }
    END { for (row in named) if (row != "own" && !(row in known)) print "expect: rows=" row ", which rows does not know:" named[row] }
  ' kind=tests <(all_tests) kind=folders <(folders) kind=detected <(detected) kind=detectors <(known_detectors) \
    kind=rows "$here/rows"
  diff <(print_tables) <(sed -n "\|^$begin\$|,\|^$end\$|p" "$page" | sed '1d;$d') >/dev/null \
    || echo 'docs/integrity.md is behind: run tests/attacks/table.sh --write'
  diff <(print_counts) <(sed -n "\|^$begin\$|,\|^$end\$|p" "$counts_page" | sed '1d;$d') >/dev/null \
    || echo 'docs/results/attacks.md is behind: run tests/attacks/table.sh --write'
}

check() {
  local all
  all=$(complaints)
  [[ -z $all ]] || { echo "$all"; return 1; }
}

case ${1:-} in
  '') print_tables ;;
  --check) check ;;
  --detectors) print_detectors ;;
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
