# Products of narrow operands: what the steps make passes the gate, one of each type in full, and what is easily done wrong is
# seen.
# shellcheck shell=bash

# KERNEL STEP...: leaves the product of these steps in `product`. The timed sizes, which are always checked, are odd.
make_product() {
  fresh_kernel "$1" "$1"
  sed -i 's/m = 512, n = 512, k = 512/m = 61, n = 95, k = 83/' "$1/kernel.toml"
  climbs "$1" "" "${@:2}"
}
make_product_in_full() { make_product "$@" && product_passes "$1"; }

# KERNEL WHAT SED-EXPRESSION: one mistake in the product.
mistake_is_seen() {
  rm -rf wrong
  cp -r product wrong
  sed -i -E "$3" wrong/device.cpp
  if cmp -s product/device.cpp wrong/device.cpp; then fail "$1: '$3' changed nothing"; fi
  expect_status 1 hone run wrong --kernel "$1" --no-timing --json
  [[ $(json "j['status']") != correct ]] || fail "$1, $2: not seen"
  echo "    $1, $2: $(json "j['status'] + ': ' + j['reason']")"
}

test_bytes() {
  make_product_in_full matmul-i8 dot-products
  mistake_is_seen matmul-i8 "operands the wrong way round" 's/hone_dot_fours\(([^,]*), ([^,]*), ([^,]*)\)/hone_dot_fours(\1, \3, \2)/'
  mistake_is_seen matmul-i8 "not shifted" 's/, 128\);/, 0);/'
  mistake_is_seen matmul-i8 "no correction" 's/= -128 \* /= 0 * /'
  mistake_is_seen matmul-i8 "the end of the sum left out" 's/if \(p_whole < p_end\)/if (0)/'
  mistake_is_seen matmul-i8 "one byte too many" 's/(hone_broadcast_part\(.*), p_end - p_whole\)/\1, 4)/'
  mistake_is_seen matmul-i8 "beyond the last column" 's/hone_min\(j_block \+ TILE_N, n\)/j_block + TILE_N/'
}

test_strips_packed_together() {
  make_product matmul-i8 dot-products pack-strips-together
  mistake_is_seen matmul-i8 "all strips read the first" 's/strips_of_B \+ place \* \(TILE_K \* VECTORS \* 16\)/strips_of_B/'
  mistake_is_seen matmul-i8 "only the first strip is packed" 's/(j_last = ).*;/\1j + 1;/'
  mistake_is_seen matmul-i8 "strips on top of each other" 's/(strip = .*) \* \(TILE_K.*;/\1 * 64;/'
}

test_corrected_by_columns() {
  make_product matmul-i8 dot-products correct-by-columns
  mistake_is_seen matmul-i8 "operands as they were" 's/(hone_dot_fours\(sum\[r\]\[c\], )([^,]*), ([^,]*)\)/\1\3, \2)/'
  mistake_is_seen matmul-i8 "not flipped" 's/hone_flip_signs//'
  mistake_is_seen matmul-i8 "the wrong sign" 's/ \* -128\)/ * 128)/'
  mistake_is_seen matmul-i8 "sums of one strip for all" 's/^( *)(sum_columns\(.*;)/\1if (j == j_block) \2/'
}

test_bf16() {
  make_product_in_full matmul-bf16 dot-products
  mistake_is_seen matmul-bf16 "summed in bf16" 's/(hone_store\(&C\[.*\], )(sum.*)\);/\1(f32v)((hone_u32v)\2 \& 0xffff0000u));/'
  mistake_is_seen matmul-bf16 "the end of the sum left out" 's/if \(p_whole < p_end\)/if (0)/'
  mistake_is_seen matmul-bf16 "the wrong member of a pair" 's/(&B\[p \* n \+ j\]), n \* 2,/\1, 0,/'
}

test_the_step_names_what_it_is_for() {
  specialised_kernel matmul matmul
  expect_status 4 hone apply matmul dot-products start --size m=64,n=64,k=64
  expect_err "not of f32 and f32"
  specialised_kernel matmul-i8 wide
  sed -i 's/"i32"/"i64"/' wide/kernel.toml
  expect_status 4 hone apply wide dot-products start --size m=64,n=64,k=64
  expect_err "C is i64"
}

# Integers of 16 and 32 bits, with and without a sign: plain loops on each backend, shipped, and misread.
test_integers_of_every_width() {
  mkdir words
  cat >words/kernel.toml <<'TOML'
[kernel]
name = "words"
[compute]
expr = """
Y[i,j] = X[i,j] * W[j] + Z[i,j] / 3
V[i,j] = select(Z[i,j] > 2000000000, Z[i,j] - 1, Z[i,j] + 1)
S[i] = sum(j, X[i,j] * X[i,j])
T[i] = max(j, W[j] - X[i,j])
F[i] = sum(j, f32(Z[i,j])) * 0.5
"""
[arguments]
X = { type = "i16", shape = ["m", "n"] }
W = { type = "u16", shape = ["n"] }
Z = { type = "u32", shape = ["m", "n"] }
Y = { type = "u32", shape = ["m", "n"], role = "output" }
V = { type = "u32", shape = ["m", "n"], role = "output" }
S = { type = "i32", shape = ["m"], role = "output" }
T = { type = "i16", shape = ["m"], role = "output" }
F = { type = "f32", shape = ["m"], role = "output" }
[sizes]
timed = [ { m = 19, n = 37 } ]
TOML
  expect_status 0 hone run --naive --kernel words --no-timing
  if opencl_is_here; then
    expect_status 0 hone run --naive --kernel words --no-timing --backend opencl
  fi
  expect_status 0 hone checkout words naive --out product
  mistake_is_seen words "u16 taken for i16" 's/\bW\[([a-z]+)\]/((const int16_t*)W)[\1]/'
  mistake_is_seen words "i16 taken for u16" 's/\bX\[([^]]+)\]/((const uint16_t*)X)[\1]/'
  mistake_is_seen words "u32 taken for i32" 's/\bZ\[([^]]+)\]/((const int32_t*)Z)[\1]/'
  expect_status 0 hone ship words --as c --checkpoint naive --out shipped
  cmake -S shipped -B shipped/build >"$WORK/.check" 2>&1 && cmake --build shipped/build >>"$WORK/.check" 2>&1 ||
    fail "$(tail -20 "$WORK/.check")"
  ctest --test-dir shipped/build --output-on-failure >"$WORK/.check" 2>&1 || fail "$(tail -20 "$WORK/.check")"
}
