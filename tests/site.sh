#!/usr/bin/env bash
# site.sh: the documentation builds as a site without warnings (a link to a missing page is one), its links to headings
# lead somewhere, and its pages fetch nothing from elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v mkdocs >/dev/null; then
  echo "skipped: mkdocs is not installed (apt-get install mkdocs mkdocs-material)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! mkdocs build --strict --site-dir "$folder/site" >"$folder/log" 2>&1; then
  if grep -q "Unrecognised theme name: 'material'" "$folder/log"; then
    echo "skipped: the site's theme is not installed (apt-get install mkdocs-material)"
    exit 77
  fi
  grep -E "WARNING|ERROR|Aborted" "$folder/log" || cat "$folder/log"
  exit 1
fi
# Every link to a heading has one.
bad=0
while IFS=: read -r page link; do
  target=$(realpath -m "$(dirname "$page")/${link%%#*}")
  [[ $link == '#'* ]] && target=$page
  if ! grep -qE "id=\"?${link#*#}[\" >]" "$target"; then
    echo "${page#"$folder/site/"}: no heading for the link $link"
    bad=1
  fi
done < <(grep -roE --include='*.html' 'href="[^":]*#[^"]+"' "$folder/site" | sed 's/href="//; s/"$//' | sort -u)
((bad == 0)) || exit 1
if grep -rnoE --include='*.html' '<(link|script|img|iframe)[^>]*(href|src)="?(https?:)?//[^" >]+' "$folder/site"; then
  echo 'these pages fetch something from elsewhere'
  exit 1
fi
