#!/usr/bin/env bash
# tidy.sh: clang-tidy 19 over every source of src/ but the tests, with the checks of .clang-tidy, all of them errors.
set -euo pipefail
if ! command -v clang-tidy-19 >/dev/null; then
  echo "skipped: clang-tidy-19 is not installed (apt-get install clang-tidy-19)"
  exit 77
fi
cd "$(dirname "$0")/.."
# Flags of its own: what was built with g++'s precompiled headers is not for clang.
flags=(-std=c++23 -march=x86-64-v4 -Isrc -D_GNU_SOURCE -DTOML_HEADER_ONLY=0 '-DHONE_VERSION="0"' -Wno-everything)
# libclang's header lies in a folder of its version.
for folder in /usr/lib/llvm-*/include; do
  if [[ -e $folder/clang-c/Index.h ]]; then
    flags+=(-isystem "$folder")
    break
  fi
done
find src -name '*.cpp' -not -path '*/tests/*' -not -path '*/include/*' -print0 |
  xargs -0 -n 6 -P "$(nproc)" sh -c 'flags=$1; shift; exec clang-tidy-19 --quiet "$@" -- $flags' sh "${flags[*]}" \
    2> >(grep -v 'warnings\? generated\|Processing file' >&2)
echo "clang-tidy found nothing"
