#!/usr/bin/env bash
# check.sh PATH_OF_HONE: each performance tool on three kernels and three backends, twice, with nothing kept from the first
# time. A report stays within its bound and says the same again, but for what it marks as measured. Prints a table.
set -uo pipefail
hone=$(realpath "$1") || exit 2
cd "$(dirname "$0")" || exit 2
HONE_SHARE=$(realpath ../..)
export HONE_SHARE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tokens=500
failed=0
echo "| kernel | backend | tool | tokens of the text (bound $tokens) | JSON, second time |"
echo "|---|---|---|--:|---|"
for kernel in "matmul --size m=32 --size n=48 --size k=40" "softmax --size m=16 --size n=64" "matvec --size m=40 --size k=72"; do
  read -r name sizes <<<"$kernel"
  cp -r "$HONE_SHARE/kernels/$name" "$work/"
  rm -rf "$work/$name/.hone"
  for backend in cpu opencl cuda; do
    if ! XDG_CACHE_HOME=$work/first "$hone" device --backend "$backend" >/dev/null 2>"$work/why"; then
      echo "| $name | $backend | | | skipped: $(head -1 "$work/why") |"
      continue
    fi
    # shellcheck disable=SC2086
    command=("$hone" profile "$work/$name" naive --against naive $sizes --backend "$backend" --with scaling.points=2 --with scaling.threads=1)
    XDG_CACHE_HOME=$work/first "${command[@]}" --json >"$work/first.json" 2>"$work/err" || { cat "$work/err"; failed=1; }
    XDG_CACHE_HOME=$work/second "${command[@]}" --json >"$work/second.json" 2>"$work/err" || { cat "$work/err"; failed=1; }
    XDG_CACHE_HOME=$work/first "${command[@]}" --tokens $tokens >"$work/text" 2>"$work/err" || { cat "$work/err"; failed=1; }
    python3 - "$work" "$name" "$backend" $tokens <<'PYTHON' || failed=1
import json, re, sys

work, kernel, backend, tokens = sys.argv[1:4] + [int(sys.argv[4])]
BYTES_PER_TOKEN = 3  # as tools/report.cpp estimates


def without_measured(report):
    for pointer in report.pop("measured", []):
        words = pointer.split("/")[1:]
        if words[0] == "tables":
            table, column = report["tables"][int(words[1])], int(words[3])
            for row in table["rows"]:
                row[column] = None
        elif words[0] == "values":
            report["values"][int(words[1])]["value"] = None
        else:
            report["diagnosis"][int(words[1])] = None
    return report


first, second = (json.load(open(f"{work}/{name}.json"))["reports"] for name in ("first", "second"))
text = open(f"{work}/text").read()
texts = {}
for part in re.split(r"\n(?=[a-z-]+: naive of )", text):
    texts[part.split(":")[0]] = part
wrong = len(first) != len(second)
for one, other in zip(first, second):
    tool = one["tool"]
    if "error" in one:
        print(f"| {kernel} | {backend} | {tool} | | {one['error']['message']} |")
        wrong = wrong or "shows no compiled code" not in one["error"]["message"]
        continue
    measured = len(one["measured"])
    same = without_measured(one) == without_measured(other)
    size = (len(texts.get(tool, "").encode()) + BYTES_PER_TOKEN - 1) // BYTES_PER_TOKEN
    within = 0 < size <= tokens + 1
    said = ("equal" if measured == 0 else f"equal but for {measured} measured") if same else "ANOTHER ONE"
    print(f"| {kernel} | {backend} | {tool} | {size}{'' if within else ' TOO MANY'} | {said} |")
    wrong = wrong or not same or not within
sys.exit(wrong)
PYTHON
  done
done
exit $failed
