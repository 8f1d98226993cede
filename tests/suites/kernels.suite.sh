# Shipped kernels are right: their naive candidates pass the gate, some in full, on hidden sizes; planted mistakes are seen.
# shellcheck shell=bash

# Timed sizes of KERNEL that naive code does in milliseconds; `tests/long/all_kernels.sh` tries those that users time.
small_sizes() {
  python3 - "$ROOT/kernels/$1/kernel.toml" <<'END'
import sys, tomllib
sizes = tomllib.load(open(sys.argv[1], "rb"))["sizes"]["timed"][0]
most = {1: 100000, 2: 300, 3: 100}.get(len(sizes), 24)
print(",".join(f"{symbol}={min(size, most)}" for symbol, size in sizes.items()))
END
}

naive_passes() {
  expect_status 0 hone run --naive --kernel "$ROOT/kernels/$1" --backend "$2" --size "$(small_sizes "$1")" --no-timing --json
  [[ $(json "j['status']") == correct ]] || fail "$1 on $2: $(json "j['reason']")"
  [[ $(json "any('hidden size' in c['name'] for c in j['checks'])") == True ]] || fail "no hidden sizes for $1"
  [[ $(json "all(c['passed'] for c in j['checks'])") == True ]] || fail "a check of $1 failed"
}

naive_passes_where_it_is_timed() {
  specialised_kernel "$1" "$1"
  expect_status 0 hone run --naive --kernel "$1" --backend "$2" --size "$(small_sizes "$1")" --no-timing --json
  [[ $(json "j['status']") == correct ]] || fail "$1 on $2: $(json "j['reason']")"
}

# Those of which no other suite proves a product in full, one of a kind: all of them, on both backends, take half an hour
# (`tests/long/all_kernels.sh`).
in_full=(attention conv2d-bias-relu embedding matmul-batched)
test_naive_candidates_in_full() {
  local kernel
  for kernel in "${in_full[@]}"; do
    naive_passes "$kernel" cpu
  done
}

# All others; a few of them, one of a kind, in a test of their own. Two are left to the suite `rows`: their check cannot be proved at
# timed sizes alone.
some=(argmax conv2d-transposed gelu layer-norm matmul-i8)
test_naive_candidates_of_some_kernels() {
  local kernel
  for kernel in "${some[@]}"; do
    naive_passes_where_it_is_timed "$kernel" cpu
  done
}
naive_candidates() {
  local folder kernel count=0
  for folder in "$ROOT"/kernels/$1/; do
    kernel=$(basename "$folder")
    [[ " ${in_full[*]} ${some[*]} cumulative-sum frobenius-norm " != *" $kernel "* ]] || continue
    naive_passes_where_it_is_timed "$kernel" cpu
    count=$((count + 1))
  done
  ((count >= $2)) || fail "only $count kernels"
}
test_naive_candidates_from_a_to_l() { naive_candidates '[a-l]*' 5; }
test_naive_candidates_from_m_to_z() { naive_candidates '[m-z]*' 11; }

test_naive_candidates_on_opencl() {
  local kernel
  opencl_is_here || return 0
  for kernel in argmax embedding matmul-i8; do
    naive_passes_where_it_is_timed "$kernel" opencl
  done
}
test_other_naive_candidates_on_opencl() { # one in full
  local kernel
  opencl_is_here || return 0
  naive_passes softmax opencl
  for kernel in cross-entropy matmul; do
    naive_passes_where_it_is_timed "$kernel" opencl
  done
}

# As if the driver's memory were out of Hone's reach: everything is copied there and back, and checked there. The record says
# what became of each validator.
test_opencl_with_memory_of_its_own() {
  opencl_is_here || return 0
  export HONE_OPENCL_MEMORY=copy
  naive_passes softmax opencl
  echo "$out" | grep -q 'digests on the device' || fail "inputs were not looked at on the device"
  [[ $(json "len(j['validators'])") -ge 9 ]] || fail "validators are missing: $(json "j['validators']")"
  [[ $(json "[v['name'] for v in j['validators'] if v['outcome'] in ('not reached', 'not asked', 'failed')]") == "[]" ]] ||
    fail "validators that were not run: $(json "j['validators']")"
  json "'\n'.join('    ' + v['name'] + ': ' + v['outcome'] for v in j['validators'])"
  mistake_is_seen softmax opencl "not divided" 's/ \/ total\[i\]//'
  mistake_is_seen matmul opencl "first term left out" 's/(int64_t|long) p = 0/\1 p = 1/'
}

# One mistake made in the naive candidate: KERNEL BACKEND WHAT SED-EXPRESSION. The gate must see it. On OpenCL, where it takes
# three times as long, of some kernels only: of all in tests/long/all_mistakes.sh.
mistake_is_seen() {
  local kernel=$1 backend=$2 what=$3 change=$4 source
  [[ $backend == cpu || -n ${HONE_ALL_KERNELS:-} || $kernel == @(argmax|conv2d|layer-norm|matmul|matmul-i8|softmax) ]] || return 0
  rm -rf wrong
  expect_status 0 hone checkout "$ROOT/kernels/$kernel" naive --backend "$backend" --out wrong
  source=$(echo wrong/device.*)
  cp "$source" before
  sed -i -E "$change" "$source"
  if cmp -s before "$source"; then fail "$kernel: '$change' changed nothing"; fi
  expect_status 1 hone run wrong --kernel "$ROOT/kernels/$kernel" --backend "$backend" --size "$(small_sizes "$kernel")" \
    --no-timing --json
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
  for kernel in attention-scores matmul matmul-batched matmul-bias-relu matmul-f64; do
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

# One planted mistake for each kernel that is no plain product: BACKEND.
mistakes_of_other_kernels_are_seen() {
  local backend=$1
  mistake_is_seen argmax "$backend" "the last of equal values" 's/value > largest \|\|/value >= largest ||/'
  mistake_is_seen attention "$backend" "not scaled" 's/ \* (1.0f \/ sqrtf?\(\(float\)d\))//; s/1.0f \/ sqrtf?\(\(float\)d\)/1.0f/'
  mistake_is_seen conv2d "$backend" "the border counts, shifted" 's/\* y \+ r - 1 < h/* y + r < h/'
  mistake_is_seen avg-pool "$backend" "the sum in place of the mean" 's/ \/ 4.0f//'
  mistake_is_seen conv2d-bias-relu "$backend" "no bias" 's/B\[o\] \+ //; s/ \+ B\[o\]//'
  mistake_is_seen conv2d-depthwise "$backend" "the filter mirrored" 's/r\) \* 3 \+ s\]/r) * 3 + 2 - s]/'
  mistake_is_seen conv2d-transposed "$backend" "odd rows take part" 's/\(y \+ 1 - r\) % 2 == 0/true/; s/true \&\&/1 \&\&/'
  mistake_is_seen cross-entropy "$backend" "the maximum forgotten" 's/ \+ top\[i\] -/ -/'
  mistake_is_seen cumulative-sum "$backend" "exclusive" 's/k < j \+ 1;/k < j;/'
  mistake_is_seen embedding "$backend" "the row before" 's/table\[I\[i\]/table[(I[i] > 0 ? I[i] - 1 : 0)/'
  mistake_is_seen frobenius-norm "$backend" "one row left out" 's/i < m;/i < (m > 1 ? m - 1 : m);/; s/(long|int64_t) i = 0; i < m/\1 i = 0; i < m - 1/'
  mistake_is_seen gelu "$backend" "the tanh form" 's/erff?\((.*) \* 0.70710677f\)/tanh(0.7978846f * (\1 + 0.044715f * \1 * \1 * \1))/'
  mistake_is_seen layer-norm "$backend" "no epsilon" 's/ \+ 1e-05f//'
  mistake_is_seen matmul-i8 "$backend" "summed in 16 bits" 's/(int64_t|long) sum = 0/short sum = 0/'
  mistake_is_seen matvec "$backend" "last term left out of long rows" 's/p < k;/p < (k > 64 ? k - 1 : k);/'
  mistake_is_seen max-pool "$backend" "the border counts as 0" 's/largest = -INFINITY;/largest = 0.0f;/'
  mistake_is_seen rms-norm "$backend" "no scale" 's/ \* gamma\[j\]//'
}

test_mistakes_in_other_kernels_are_seen() {
  mistakes_of_other_kernels_are_seen cpu
}

test_mistakes_are_seen_on_opencl() {
  opencl_is_here || return 0
  mistakes_of_contractions_are_seen matmul opencl
  mistakes_of_other_kernels_are_seen opencl
  mistake_is_seen softmax opencl "overflows for large values" 's/ - top\[i\]\)/)/'
  mistake_is_seen softmax opencl "not divided" 's/ \/ total\[i\]//'
}
