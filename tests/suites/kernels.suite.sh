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

# One mistake made in the naive candidate: KERNEL BACKEND WHAT SED-EXPRESSION. The gate must see it.
mistake_is_seen() {
  local kernel=$1 backend=$2 what=$3 change=$4 source
  rm -rf wrong
  expect_status 0 hone checkout "$ROOT/kernels/$kernel" naive --backend "$backend" --out wrong
  source=$(echo wrong/device.*)
  cp "$source" before
  sed -i -E "$change" "$source"
  if cmp -s before "$source"; then fail "$kernel: '$change' changed nothing"; fi
  expect_status 1 hone run wrong --kernel "$ROOT/kernels/$kernel" --backend "$backend" --no-timing --json
  [[ $(json "j['status']") == correctness ]] || fail "$kernel on $backend, $what: $(json "j['status'], j['reason']")"
  echo "    $kernel, $what: $(json "j['reason']")"
}

mistakes_of_contractions_are_seen() {
  local kernel=$1 backend=$2
  mistake_is_seen "$kernel" "$backend" "first term left out" 's/(int64_t|long) p = 0/\1 p = 1/'
  mistake_is_seen "$kernel" "$backend" "one element off by a thousandth" 's/= (sum.*|fmaxf\(.*);/= (i == 1 \&\& j == 2 ? 1.001f : 1.0f) * (\1);/'
  mistake_is_seen "$kernel" "$backend" "last terms left out of long sums" 's/p < (k|d);/p < (\1 > 64 ? \1 - 1 : \1);/'
}

test_mistakes_in_contractions_are_seen() {
  local kernel
  for kernel in attention-scores matmul matmul-batched matmul-bias-relu matmul-f64 matmul-ta matmul-tb; do
    mistakes_of_contractions_are_seen "$kernel" cpu
    mistake_is_seen "$kernel" cpu "last column left out" 's/j < (n|t);/j < \1 - 1;/'
    mistake_is_seen "$kernel" cpu "sum too narrow" 's/float sum/_Float16 sum/; s/double sum/float sum/'
  done
  mistake_is_seen attention-scores cpu "not scaled" 's/ \* 0.125f//'
  mistake_is_seen attention-scores cpu "always the first batch" 's/group->id\[2\]/0 * group->id[2]/'
  mistake_is_seen matmul-batched cpu "factors of different batches" 's/\(batch \* k \+ p\)/((batch > 0 ? batch - 1 : 0) * k + p)/'
  mistake_is_seen matmul-bias-relu cpu "no bias" 's/ \+ bias\[j\]//'
  mistake_is_seen matmul-bias-relu cpu "no ReLU" 's/fmaxf\((.*), 0.0f\)/\1/'
}

test_mistakes_in_softmax_are_seen() {
  mistake_is_seen softmax cpu "overflows for large values" 's/ - top\[i\]\)/)/'
  mistake_is_seen softmax cpu "the maximum taken for 0" 's/largest = -INFINITY;/largest = 0;/; s/fmaxf\(largest/fmaxf(0/'
  mistake_is_seen softmax cpu "not divided" 's/ \/ total\[i\]//'
  mistake_is_seen softmax cpu "last weight left out of the total" 's/j < n; \+\+j\) \{(.*)/j < n; ++j) {\1/; /float sum/,/total/ s/j < n/j < n - 1/'
  mistake_is_seen softmax cpu "coarse exponential" 's/expf\((.*)\);/((float)(_Float16)expf(\1));/'
}

test_mistakes_are_seen_on_opencl() {
  if ! hone device --backend opencl >/dev/null 2>"$WORK/.err"; then
    echo "    skipped: $(head -1 "$WORK/.err")"
    return 0
  fi
  mistakes_of_contractions_are_seen matmul opencl
  mistake_is_seen softmax opencl "overflows for large values" 's/ - top\[i\]\)/)/'
  mistake_is_seen softmax opencl "not divided" 's/ \/ total\[i\]//'
}
