#!/usr/bin/env bash
# fuzz.sh [MINUTES=15] [TARGET...]: libFuzzer on everything that reads what others wrote (tests/fuzz), with AddressSanitizer and
# UndefinedBehaviorSanitizer. Prints a line for each target, as a row of docs/results/robustness.md; inputs that end a target stay in
# build/fuzz/found. Exits with 1 if there were some.
set -euo pipefail
minutes=${1:-15}
shift || true
if ! command -v clang++-19 >/dev/null; then
  echo "clang++-19 is not installed (apt-get install clang-19 libclang-rt-19-dev)" >&2
  exit 77
fi
cd "$(dirname "$0")/../.."
root=$PWD
cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19 -DHONE_FUZZ=ON \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-Wno-everything >/dev/null
targets=("$@")
if ((${#targets[@]} == 0)); then
  for source in tests/fuzz/*_target.cpp; do
    name=$(basename "$source" _target.cpp)
    [[ $name == fuzz ]] || targets+=("${name//_/-}")
  done
fi
cmake --build build/fuzz --target fuzz_targets "${targets[@]/#/fuzz-}" >build/fuzz/build.log ||
  { tail -30 build/fuzz/build.log >&2; exit 1; }
build/fuzz/bin/fuzz_targets --write build/fuzz/seeds
mkdir -p build/fuzz/found
cd build/fuzz/found
bad=0
echo "| target | inputs tried | branches seen | inputs kept | ended by |"
echo "|---|---|---|---|---|"
for target in "${targets[@]}"; do
  rm -rf "../corpus/$target"
  mkdir -p "../corpus/$target"
  ended=nothing
  "$root/build/fuzz/bin/fuzz-$target" -max_total_time=$((minutes * 60)) -max_len=20000 -timeout=20 -rss_limit_mb=3000 \
    -print_final_stats=1 -artifact_prefix="$target-" "../corpus/$target" "../seeds/$target" >"$target.log" 2>&1 ||
    { ended=$(sed -n 's/^SUMMARY: //p; s/^FAILED: //p' "$target.log" | head -1) bad=1; }
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$target.log")
  branches=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$target.log" | tail -1)
  echo "| $target | ${tried:-?} | ${branches:-?} | $(find "../corpus/$target" -type f | wc -l) | ${ended} |"
done
exit $bad
