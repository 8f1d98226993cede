#!/usr/bin/env bash
# tidy.sh BUILD_FOLDER: clang-tidy 19 over every source of src/, with the checks of .clang-tidy, all of them errors.
set -euo pipefail
build=$1
if ! command -v clang-tidy-19 >/dev/null; then
  echo "skipped: clang-tidy-19 is not installed (apt-get install clang-tidy-19)"
  exit 77
fi
cd "$(dirname "$0")/.."
find src -name '*.cpp' -not -path '*/include/*' -print0 |
  xargs -0 -n 4 -P "$(nproc)" clang-tidy-19 -p "$build" --quiet 2> >(grep -v 'warnings generated\|Processing file' >&2)
echo "clang-tidy found nothing"
