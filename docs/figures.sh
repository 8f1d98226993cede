#!/usr/bin/env bash
# Figures in prose come from the results pages.
#   docs/figures.sh          prints every figure: name, value, where it is declared
#   docs/figures.sh --check  names every place that disagrees; status 1 where there is one
#   docs/figures.sh --write  puts the declared values into the pages that use them
#
# A page docs/results/*.md declares a figure in a comment, above the table or sentence that holds it:
#   <!-- figure kills: 200 -->                      the page's text must hold the number 200
#   <!-- figure gemm-geomean = run 1 | all -->      read from the next table with a row `run 1` and a column `all`;
#                                                   `a + b` names a row by its first two cells
# protocol-version is read from the source. Any *.md uses a figure between two marks, on one line:
#   <!--figure gemm-geomean-->1.052<!--/figure-->
# Commas between digits do not count. README.md may show no measurement (12.34, 3,008) outside the marks.
set -euo pipefail
root=${HONE_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
cd "$root"

common='
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function plain(s) { while (match(s, /[0-9],[0-9][0-9][0-9]/)) s = substr(s, 1, RSTART) substr(s, RSTART + 2); return s }
function first_number(s) { return match(s, /-?[0-9][0-9,]*(\.[0-9]+)?/) ? substr(s, RSTART, RLENGTH) : "" }
'

# name, value, place of each declaration; an empty value says why in a fourth field
declared() {
  local version
  version=$(grep -rhoE 'k_protocol_version = [0-9]+' src --include='*.h' | head -1 | grep -oE '[0-9]+$')
  printf 'protocol-version\t%s\tsrc (k_protocol_version)\t\n' "$version"
  awk "$common"'
    # One page at a time: `lines` holds it, `text` is what a reader sees.
    function holds(value,   rest, at, before, after) {
      value = plain(value); rest = plain(text)
      while ((at = index(rest, value)) > 0) {
        before = at > 1 ? substr(rest, at - 1, 1) : ""; after = substr(rest, at + length(value))
        if (before !~ /[0-9.]/ && after !~ /^([0-9]|\.[0-9])/) return 1
        rest = substr(rest, at + 1)
      }
      return 0
    }
    function cell_of(from, row, column,   i, j, n, cells, wide, key, head, at) {
      at = 0
      for (i = from; i <= count; ++i) {
        if (lines[i] !~ /^\|/) { at = 0; continue }
        n = split(lines[i], cells, "|")
        if (lines[i - 1] !~ /^\|/) { # the head of a table
          for (j = 2; j < n; ++j) if (trim(cells[j]) == column) at = j
          continue
        }
        key = trim(cells[2]); wide = split(row, head, " [+] ")
        for (j = 2; j <= wide; ++j) key = key " + " trim(cells[j + 1])
        if (at && key == row) return cells[at]
      }
      return ""
    }
    function finish(   i, body, name, rest, parts, value, why) {
      for (i = 1; i <= count; ++i) {
        if (lines[i] !~ /^<!-- figure [^ ]+( =|:) .* -->$/) {
          if (lines[i] ~ /<!-- *figure /) print "?\t\t" page ":" i "\tnot of the form <!-- figure NAME: VALUE --> alone on its line"
          continue
        }
        body = lines[i]; sub(/^<!-- figure /, "", body); sub(/ -->$/, "", body)
        name = body; sub(/( =|:) .*/, "", name)
        rest = substr(body, length(name) + 1); why = ""
        if (rest ~ /^:/) {
          value = trim(substr(rest, 2))
          if (!holds(value)) why = "the page does not show " value
        } else {
          split(trim(substr(rest, 3)), parts, " [|] ")
          value = first_number(cell_of(i + 1, trim(parts[1]), trim(parts[2])))
          if (value == "") why = "no table below has a number in row \"" trim(parts[1]) "\", column \"" trim(parts[2]) "\""
        }
        print name "\t" value "\t" page ":" i "\t" why
      }
    }
    FNR == 1 { if (NR > 1) finish(); page = FILENAME; count = 0; text = "" }
    { lines[++count] = $0; line = $0; gsub(/<!--[^>]*-->/, "", line); text = text "\n" line }
    END { finish() }
  ' docs/results/*.md
}

pages() {
  find . \( -path ./build -o -path ./.git -o -name .hone \) -prune -o -name '*.md' -print | sed 's|^\./||' | sort
}

check() {
  declared | awk -F'\t' '
    $4 != "" { print $3 ": figure " $1 ": " $4; bad = 1 }
    seen[$1] != "" && $1 != "?" { print $3 ": figure " $1 " is declared in " seen[$1] " too"; bad = 1 }
    { seen[$1] = $3 }
    END { exit bad }' || return 1
  local files
  mapfile -t files < <(pages)
  awk "$common"'
    BEGIN { while ((getline line < "/dev/fd/3") > 0) { split(line, f, "\t"); value[f[1]] = f[2]; where[f[1]] = f[3] } }
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced }
    fenced { next }
    {
      rest = $0; outside = ""
      while (match(rest, /<!--figure [a-z0-9-]+-->/)) {
        outside = outside substr(rest, 1, RSTART - 1)
        name = substr(rest, RSTART + 11, RLENGTH - 14); rest = substr(rest, RSTART + RLENGTH)
        end = index(rest, "<!--/figure-->")
        place = FILENAME ":" FNR ": figure " name
        if (!end) { print place " does not end on its line"; bad = 1; break }
        shown = substr(rest, 1, end - 1); rest = substr(rest, end + 14)
        if (!(name in value)) { print place " is declared in no page of docs/results"; bad = 1 }
        else if (plain(shown) != plain(value[name])) {
          print place " is " shown " here and " value[name] " in " where[name] "; docs/figures.sh --write mends it"; bad = 1
        }
      }
      outside = outside rest
      gsub(/`[^`]*`/, "", outside)
      if (FILENAME == "README.md" && match(outside, /[0-9]+\.[0-9][0-9]+|[0-9],[0-9][0-9][0-9]/)) {
        print FILENAME ":" FNR ": " substr(outside, RSTART, RLENGTH) " is a measurement without a figure'\''s marks"; bad = 1
      }
    }
    END { exit bad }' "${files[@]}" 3< <(declared)
}

write() {
  local page
  pages | while IFS= read -r page; do
    grep -q '<!--figure ' "$page" || continue
    awk '
      BEGIN { while ((getline line < "/dev/fd/3") > 0) { split(line, f, "\t"); value[f[1]] = f[2] } }
      /^ *```/ { fenced = !fenced }
      fenced { print; next }
      {
        rest = $0; done = ""
        while (match(rest, /<!--figure [a-z0-9-]+-->/)) {
          name = substr(rest, RSTART + 11, RLENGTH - 14)
          done = done substr(rest, 1, RSTART + RLENGTH - 1); rest = substr(rest, RSTART + RLENGTH)
          end = index(rest, "<!--/figure-->")
          if (!end) break
          done = done (name in value ? value[name] : substr(rest, 1, end - 1)) "<!--/figure-->"
          rest = substr(rest, end + 14)
        }
        print done rest
      }' 3< <(declared) "$page" >"$page.new"
    if cmp -s "$page" "$page.new"; then rm "$page.new"; else cat "$page.new" >"$page"; rm "$page.new"; echo "$page: written"; fi
  done
}

case ${1:-} in
  '') declared | cut -f1-3 | column -t -s "$(printf '\t')" ;;
  --check) check ;;
  --write) write && check ;;
  *) echo "figures.sh: unknown option '$1'; see the first lines of the file" >&2; exit 2 ;;
esac
