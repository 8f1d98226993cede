#!/usr/bin/env bash
# tidy.sh: clang-tidy 19 over every source and header of src/ but the tests, with the checks of .clang-tidy, all of them
# errors. A header that does not compile alone is found by it, too.
# HONE_TIDY_COMMITS=N: only those that the last N commits changed; all where git does not know so many.
set -euo pipefail
if ! command -v clang-tidy-19 >/dev/null; then
  echo "skipped: clang-tidy-19 is not installed (apt-get install clang-tidy-19)"
  exit 77
fi
cd "$(dirname "$0")/.."
# Flags of its own: what was built with g++'s precompiled headers is not for clang.
flags=(-x c++ -std=c++23 -march=x86-64-v4 -Isrc -D_GNU_SOURCE -DTOML_HEADER_ONLY=0 '-DHONE_VERSION="0"' -Wno-everything)
# libclang's header lies in a folder of its version.
for folder in /usr/lib/llvm-*/include; do
  if [[ -e $folder/clang-c/Index.h ]]; then
    flags+=(-isystem "$folder")
    break
  fi
done
sources() {
  local since=HEAD~${HONE_TIDY_COMMITS:-0}
  if [[ -n ${HONE_TIDY_COMMITS:-} ]] && git rev-parse --verify --quiet "$since" >/dev/null; then
    git diff --name-only -z --diff-filter=d "$since" -- 'src/*.cpp' 'src/*.h'
  else
    find src -name '*.cpp' -print0 -o -name '*.h' -print0
  fi | grep -zEv '/(tests|include)/' || true
}
sources |
  xargs -0 -r -n 6 -P "$(($(nproc) > 1 ? 2 : 1))" sh -c 'flags=$1; shift; exec clang-tidy-19 --quiet "$@" -- $flags' sh "${flags[*]}" \
    2> >(grep -v 'warnings\? generated\|Processing file' >&2)
echo "clang-tidy found nothing"
