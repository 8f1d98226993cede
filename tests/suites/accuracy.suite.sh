# Classes of accuracy: what a class is for passes in it and not by the default, and a wrong candidate passes in none.
# shellcheck shell=bash

# FOLDER EXPRESSION OUTPUT SIZES [ACCURACY-LINE...]: a kernel of an m x n input X, or of a product.
kernel() {
  local inputs='X = { type = "f32", shape = ["m", "n"] }'
  [[ $2 != *A\[* ]] || inputs=$'A = { type = "f32", shape = ["m", "k"] }\nB = { type = "f32", shape = ["k", "n"] }'
  rm -rf "$1"
  mkdir "$1"
  {
    printf '[kernel]\nname = "%s"\n[compute]\nexpr = "%s"\n[arguments]\n%s\n%s\n' "$1" "$2" "$inputs" "$3"
    printf '[sizes]\ntimed = [ { %s } ]\n[accuracy]\naccumulate = "f32"\n' "$4"
    printf '%s\n' "${@:5}"
  } >"$1/kernel.toml"
}

# FILE KERNEL ARGUMENTS-OF-THE-LAUNCH: a candidate folder `mine`.
candidate() {
  rm -rf mine
  mkdir mine
  cp "$ROOT/tests/suites/files/accuracy/$1.cpp" mine/device.cpp
  printf '[[launch]]\nkernel = "%s"\ngrid = [%s]\nargs = [%s]\n' "$2" "$3" "$4" >mine/launch.toml
}

passes() {
  expect_status 0 hone run mine --kernel "$1" --no-timing
  [[ -z ${2-} ]] || expect_out "accuracy $2"
}
fails() {
  expect_status 1 hone run mine --kernel "$1" --no-timing --json
  [[ $(json "j['status']") == correctness ]] || fail "$1: $(json "j['status'] + ': ' + j['reason']")"
}
# SED-EXPRESSION: a mistake in the candidate.
mistake() {
  cp mine/device.cpp right.cpp
  sed -i -E "$1" mine/device.cpp
  if cmp -s mine/device.cpp right.cpp; then fail "'$1' changed nothing"; fi
}

C='C = { type = "f32", shape = ["m", "n"], role = "output" }'
S='S = { type = "f32", shape = ["m"], role = "output" }'
Y='Y = { type = "f32", shape = ["m", "n"], role = "output" }'
PRODUCT='C[m,n] = sum(k, A[m,k] * B[k,n])'

test_strassen_is_normwise() {
  local size='m = 65, n = 66, k = 67'
  kernel plain "$PRODUCT" "$C" "$size"
  kernel normwise "$PRODUCT" "$C" "$size" 'class = "normwise"'
  candidate strassen product 1 '"A", "B", "C", "S", "T", "P", "m", "n", "k"'
  printf '[[scratch]]\nname = "%s"\ntype = "f32"\nsize = "%s"\n' S 'm * k' T 'k * n' P 'm * n' >>mine/launch.toml
  passes normwise normwise
  fails plain
  mistake 's/inside \? 2 \* hk : 0; q < k;/inside ? 2 * hk : 0; q < k - inside;/'
  fails normwise
}

test_a_compensated_sum_leaves_overflow_out() {
  local size='m = 9, n = 700'
  kernel plain "S[i] = sum(j, X[i,j])" "$S" "$size"
  kernel unchecked "S[i] = sum(j, X[i,j])" "$S" "$size" 'overflow = "unchecked"'
  candidate kahan sums '"m"' '"X", "S", "n"'
  passes unchecked "elementwise, overflow unchecked"
  fails plain
  mistake 's/j < n;/j < n - (n > 8);/'
  fails unchecked
}

test_a_tolerance_is_what_a_benchmark_says() {
  local size='m = 9, n = 700'
  kernel plain "Y[i,j] = X[i,j] * X[i,j]" "$Y" "$size"
  kernel loose "Y[i,j] = X[i,j] * X[i,j]" "$Y" "$size" 'relative = 1e-2' 'absolute = 1e-5'
  candidate coarse squares '"m"' '"X", "Y", "n"'
  passes loose "elementwise, within 1e-05 + 0.01 of the value"
  fails plain
  mistake 's/= X\[at\] \* X\[at\]/= 1.02f * X[at] * X[at]/'
  fails loose
}

test_infinities_may_be_undefined() {
  local size='m = 9, n = 700'
  kernel plain "Y[i,j] = exp(X[i,j])" "$Y" "$size"
  kernel undefined "Y[i,j] = exp(X[i,j])" "$Y" "$size" 'nan = "undefined"'
  candidate clamped exponentials '"m"' '"X", "Y", "n"'
  passes undefined "elementwise, NaN undefined"
  fails plain
  mistake 's/y < 3/X[at] < 60.0f \&\& y < 3/'
  fails undefined
}

# Zeros are within 0.01 of each of 5000 shares that sum to 1; on a few columns they are not, which hides that.
test_a_tolerance_that_zeros_pass_is_refused() {
  kernel wide "s[i] = sum(j, exp(X[i,j])); Y[i,j] = exp(X[i,j]) / s[i]" "$Y" 'm = 9, n = 5000' 'absolute = 0.02'
  expect_status 1 hone lint wide
  expect_out "zeros, on plain values at timed sizes"
  expect_out "the tolerance covers the results"
  kernel fine "s[i] = sum(j, exp(X[i,j])); Y[i,j] = exp(X[i,j]) / s[i]" "$Y" 'm = 9, n = 5000' 'absolute = 1e-6'
  expect_status 0 hone lint fine
  kernel whole "Y[i,j] = X[i,j]" "$Y" 'm = 9, n = 50' 'relative = 1.0'
  expect_status 1 hone check whole
  expect_out "zeros pass"
}

test_the_class_is_named_everywhere() {
  kernel loose "Y[i,j] = X[i,j] * X[i,j]" "$Y" 'm = 20, n = 30' 'relative = 1e-4' 'overflow = "unchecked"'
  specialise_loose
  expect_status 0 hone check loose
  expect_out "accuracy: elementwise, within 0 + 0.0001 of the value, overflow unchecked"
  expect_status 0 hone optimize loose --budget 8 --no-baselines
  expect_out "accuracy: elementwise, within 0 + 0.0001 of the value, overflow unchecked"
  expect_status 0 hone verify loose start
  expect_out "correct (elementwise, within 0 + 0.0001 of the value, overflow unchecked)"
  expect_status 0 hone report loose --format markdown
  grep -rq "| accuracy | elementwise, within 0 + 0.0001 of the value, overflow unchecked |" loose/.hone "$WORK/.out" ||
    fail "the report does not say so"
  expect_status 0 hone ship loose --as c --out shipped
  grep -q "// Held against the expression above: elementwise, within 0 + 0.0001 of the value, overflow unchecked." \
    shipped/*.h || fail "the header does not say so"
}

# The check of shipped code holds it against the same bounds as the gate.
test_shipped_code_is_checked_by_its_class() {
  kernel normwise "$PRODUCT" "$C" 'm = 65, n = 66, k = 67' 'class = "normwise"'
  candidate strassen product 1 '"A", "B", "C", "S", "T", "P", "m", "n", "k"'
  printf '[[scratch]]\nname = "%s"\ntype = "f32"\nsize = "%s"\n' S 'm * k' T 'k * n' P 'm * n' >>mine/launch.toml
  shipped_check_passes normwise
  kernel loose "Y[i,j] = X[i,j] * X[i,j]" "$Y" 'm = 9, n = 700' 'relative = 1e-2'
  candidate coarse squares '"m"' '"X", "Y", "n"'
  shipped_check_passes loose
  sed -i 's/= X\[at\] \* X\[at\]/= 1.02f * X[at] * X[at]/' mine/device.cpp
  expect_status 0 hone ship loose --as cpp --checkpoint ./mine --out wrong
  built_and_checked wrong && fail "a wrong function passes its check"
  return 0
}
shipped_check_passes() {
  rm -rf shipped
  expect_status 0 hone ship "$1" --as cpp --checkpoint ./mine --out shipped
  built_and_checked shipped || fail "$1: $(tail -20 "$WORK/.check")"
}
built_and_checked() {
  cmake -S "$1" -B "$1/build" >"$WORK/.check" 2>&1 && cmake --build "$1/build" >>"$WORK/.check" 2>&1 ||
    fail "$(tail -20 "$WORK/.check")"
  ctest --test-dir "$1/build" --output-on-failure >"$WORK/.check" 2>&1
}
specialise_loose() { sed -i 's/^timed = .*/&\nalso = "timed"/' loose/kernel.toml; }
