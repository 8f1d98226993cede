# Every shipped kernel is right: its naive candidate passes the gate in full, on hidden sizes.
# shellcheck shell=bash

naive_passes() {
  expect_status 0 hone run --naive --kernel "$ROOT/kernels/$1" --backend "$2" --no-timing --json
  [[ $(json "j['status']") == correct ]] || fail "$1 on $2: $(json "j['reason']")"
  [[ $(json "any('hidden size' in c['name'] for c in j['checks'])") == True ]] || fail "no hidden sizes for $1"
  [[ $(json "all(c['passed'] for c in j['checks'])") == True ]] || fail "a check of $1 failed"
}

test_naive_candidates_of_all_kernels_on_the_cpu() {
  local folder count=0
  for folder in "$ROOT"/kernels/*/; do
    naive_passes "$(basename "$folder")" cpu
    count=$((count + 1))
  done
  ((count >= 8)) || fail "only $count kernels"
}

test_naive_candidates_on_opencl() {
  if ! hone device --backend opencl >/dev/null 2>"$WORK/.err"; then
    echo "    skipped: $(head -1 "$WORK/.err")"
    return 0
  fi
  naive_passes matmul opencl
  naive_passes softmax opencl
}
