#!/usr/bin/env bash
# entries.sh FOLDER: whether every unit test of the programs test_* in FOLDER stands in an entry of ctest. CMake reads their names
# from the sources, by lines that begin with TEST(Suite, Name): what is written otherwise would never be run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
comm -13 <(grep -rhE '^TEST(_F|_P)?\(' --include='*.cpp' "$root/src" "$root/tests" \
  | sed -nE 's/^TEST(_F|_P)?\(([A-Za-z0-9_]+), *([A-Za-z0-9_]+)\).*/\2.\3/p' | sort -u) \
  <(for program in "$1"/test_*; do "$program" --gtest_list_tests; done \
    | awk '/^[^ ]+\.( |$)/ { suite = $1; sub(/.*\//, "", suite); next } /^  / { sub(/\/.*/, "", $1); print suite $1 }' | sort -u) \
  | { ! grep .; } || { echo "these tests stand in no entry: write TEST(Suite, Name) in one line"; exit 1; }
