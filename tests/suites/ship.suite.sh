# hone ship: candidates become folders that build with C and C++ compilers, check themselves without Hone, and notice a
# mistake.
# shellcheck shell=bash

FILES=$ROOT/tests/suites/files

# built FOLDER CC CXX: builds it as its README says, warnings of its own code being errors
built() {
  CC=$2 CXX=$3 cmake -S "$1" -B "$1/build-$2" -DCMAKE_C_FLAGS="-Wall -Werror" -DCMAKE_CXX_FLAGS="-Wall" \
    >"$WORK/.build" 2>&1 && cmake --build "$1/build-$2" >>"$WORK/.build" 2>&1 || fail "$2: $(tail -20 "$WORK/.build")"
}
# strict FOLDER: what a program takes along compiles without a warning in strict C and GNU C, or C++, and so does a header
# of C in C++
strict() {
  local compiler standard file flags="-O2 -march=native -Wall -Wextra -pedantic -Werror" found=0
  local standards="gnu11 c11" compilers="gcc clang"
  compgen -G "$1/*_groups.cpp" >/dev/null && standards=c++20 compilers="g++ clang++"
  for compiler in $compilers; do
    command -v "$compiler" >/dev/null || continue
    if grep -q _Float16 "$1"/*_groups.* && ! "$compiler" -x c -fsyntax-only - <<<'_Float16 x;' 2>"$WORK/.half"; then
      continue # clang before version 15
    fi
    for standard in $standards; do
      for file in "$1"/*.c "$1"/*_groups.cpp "$1"/*_example.cpp; do
        [[ -e $file ]] || continue
        found=1
        # shellcheck disable=SC2086
        "$compiler" -std=$standard $flags -I"$1" -c "$file" -o "$WORK/.object" 2>"$WORK/.strict" ||
          fail "$compiler -std=$standard $file: $(head -20 "$WORK/.strict")"
      done
    done
  done
  ((found)) || fail "no file of $1 was compiled"
  printf '#include "%s"\n' "$(basename "$1"/*.h)" >"$WORK/.header.cpp"
  g++ -std=c++11 -Wall -Wextra -pedantic -Werror -I"$1" -fsyntax-only "$WORK/.header.cpp" || fail "the header in C++"
}
checks() { ctest --test-dir "$1/build-$2" --output-on-failure >"$WORK/.check" 2>&1; }
right() {
  built "$1" "$2" "$3"
  checks "$1" "$2" || fail "$1 with $2: $(cat "$WORK/.check")"
}
# shipped ARGS: as c and as cpp, each right with g++'s compilers
shipped() {
  local as
  for as in c cpp; do
    expect_status 0 hone ship "$@" --as "$as" --out "home-$as"
    right "home-$as" gcc g++
    strict "home-$as"
  done
}
product() {
  mkdir "$1"
  sed 's/m = 1024, n = 1024, k = 1024/m = 96, n = 80, k = 72/' "$ROOT/kernels/matmul/kernel.toml" >"$1/kernel.toml"
  grep -q 'm = 96' "$1/kernel.toml" || fail "sizes"
}

test_a_product_in_plain_loops_goes_home_and_a_mistake_shows() {
  product p
  shipped p --checkpoint naive
  if grep -qi hone home-c/matmul{,_groups}.c home-cpp/matmul{,_groups}.cpp; then fail "it is not on its own"; fi
  grep -q 'void matmul(const float\* A, const float\* B, float\* C, int64_t m, int64_t k, int64_t n);' home-c/matmul.h ||
    fail "the signature"
  sed -i 's/sum += A/sum += 1.001f * A/' home-c/matmul_groups.c
  grep -q '1.001f' home-c/matmul_groups.c || fail "the mistake was not planted"
  built home-c gcc g++
  if checks home-c gcc; then fail "a mistake went through"; fi
  grep -q WRONG "$WORK/.check" || fail "$(cat "$WORK/.check")"
  sed -i 's/C\[i \* n + j\] = /C[i * n + j + (i == m_last \&\& j == n - 1)] = /; s/const int64_t i = /const int64_t m_last = group->count[0] - 1;\n  const int64_t i = /' home-cpp/matmul_groups.cpp
  built home-cpp gcc g++
  if checks home-cpp gcc; then fail "a write outside went through"; fi
  grep -q 'outside of its ends' "$WORK/.check" || fail "$(cat "$WORK/.check")"
}

test_all_naive_candidates_compile_strictly() {
  local kernel
  for kernel in "$ROOT"/kernels/*/; do
    expect_status 0 hone ship "$kernel" --checkpoint naive --as c --out "home-$(basename "$kernel")"
    strict "home-$(basename "$kernel")"
  done
}

test_a_product_with_tiles_and_vectors_goes_home() {
  fresh_kernel matmul-bias-relu p
  sed -i 's/^timed *=.*/timed = [ { m = 96, n = 80, k = 72 } ]/' p/kernel.toml
  climbs p "" reorder-loops refactor-into-macros cache-tiling pack-panels register-tiling vectorize mask-edges
  shipped p --checkpoint product
  expect_status 0 hone ship climbed --checkpoint "$from" --as c --out recorded
  grep -q 'GFLOP/s' recorded/README.md || fail "the record's figure is not told"
  built recorded gcc g++
  expect_status 0 recorded/build-gcc/matmul_bias_relu_example
  expect_out "record"
  command -v clang >/dev/null || { echo "    skipped: clang is not installed"; return 0; }
  right home-c clang clang++
  right home-cpp clang clang++
}

# All functions of vectors, reductions of every kind, conditions, positions, a row that waits and streamed stores.
rows_of() {
  mkdir "$2"
  sed "s/TYPE/$1/; s/TYPE/$1/" >"$2/kernel.toml" <<'END'
[kernel]
name = "many"
[compute]
expr = """
top[i] = max(j, X[i,j])
low[i] = min(j, X[i,j])
weight[i,j] = exp(X[i,j] - top[i])
total[i] = sum(j, weight[i,j])
scaled[i] = prod(j, 1 + X[i,j] / 64)
Y[i,j] = weight[i,j] / total[i] + select(X[i,j] > low[i] && !(X[i,j] < 0), log(X[i,j] + 2), erf(X[i,j])) + tanh(X[i,j]) * scaled[i] + sqrt(abs(X[i,j])) + log1p(abs(X[i,j])) + sign(X[i,j]) + max(X[i,j], low[i] * X[i,j])
P[i] = argmax(j, X[i,j])
Q[i] = argmin(j, X[i,j])
"""
[arguments]
X = { type = "TYPE", shape = ["m", "n"] }
Y = { type = "TYPE", shape = ["m", "n"], role = "output" }
P = { type = "i64", shape = ["m"], role = "output" }
Q = { type = "i64", shape = ["m"], role = "output" }
[sizes]
timed = [ { m = 19, n = 83 } ]
also = "any"
END
}

test_rows_with_vectors_go_home() {
  local type
  for type in f32 f64; do
    rows_of "$type" "$type"
    climbs "$type" "" fuse-statements vectorize-rows stream-stores tile-rows
    rm -rf home-c home-cpp
    shipped "$type" --checkpoint product
    if grep -q 'hone' home-c/many.c home-c/many_groups.c; then fail "Hone's names are left"; fi
    grep -q 'many_erf' home-c/many_groups.c || fail "the vector functions do not come along"
    grep -q 'sfence' home-c/many.c || fail "nothing fences behind the streamed stores"
    if command -v clang >/dev/null; then
      right home-c clang clang++
      right home-cpp clang clang++
    fi
  done
}

test_several_launches_with_scratch_go_home() {
  fresh_kernel softmax s
  sed -i 's/m = 1024, n = 1024/m = 60, n = 70/' s/kernel.toml
  shipped s --checkpoint naive
  grep -q 'weight' home-c/softmax.c || fail "no scratch"
  cat >use.c <<'END'
#include "softmax.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  float x[6] = {0, 1, 2, 3, 3, 3}, y[6];
  softmax(x, y, 2, 3);
  const size_t bytes = softmax_work_bytes(2, 3);
  void* work = aligned_alloc(64, bytes);
  if (softmax_with(x, y, 2, 3, work) != SOFTMAX_OK || softmax_with(x, y, 2, 3, work) != SOFTMAX_OK) return 1;
  if (softmax_with(x, y, 2, 3, NULL) != SOFTMAX_MISALIGNED || softmax_with(x, y, -1, 3, work) != SOFTMAX_BAD_SIZES) return 2;
  y[0] = 7;
  softmax(x, y, 0, 3);
  softmax(x, y, 3, 0);
  if (softmax_with(x, y, 0, 3, NULL) != SOFTMAX_OK || softmax_work_bytes(3, 0) != 0 || y[0] != 7) return 4;
  softmax(x, y, 2, 3);
  if (softmax_work_bytes(-1, 3) != SIZE_MAX) return 3;
  printf("%.3f %.3f\n", y[2], y[5]);
  free(work);
  return 0;
}
END
  gcc -std=c11 -Wall -Werror -Ihome-c use.c home-c/build-gcc/libsoftmax.a -lm -o use || fail "it cannot be called from C"
  expect_status 0 ./use
  expect_out "0.665 0.333"
}

# Two callers at a time, scratch of their own, and a child after fork(): the results of one thread, bit for bit.
test_a_shipped_function_runs_on_several_threads() {
  fresh_kernel softmax s
  sed -i 's/m = 1024, n = 1024/m = 60, n = 70/' s/kernel.toml
  expect_status 0 hone ship s --checkpoint naive --as c --out home
  grep -q 'DSOFTMAX_THREADS=N' home/softmax.h || fail "the header does not name the switch"
  cat >use.c <<'END'
#include "softmax.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { m = 301, n = 70 };
static float x[m * n], expected[m * n];
static int is_right(void)
{
  static __thread float y[m * n];
  void* work = aligned_alloc(64, softmax_work_bytes(m, n));
  int good = 1;
  for (int i = 0; i < 50; ++i) {
    memset(y, 255, sizeof y);
    good = softmax_with(x, y, m, n, work) == SOFTMAX_OK && memcmp(y, expected, sizeof y) == 0 && good;
  }
  free(work);
  return good;
}
static void* other(void* unused) { return is_right() ? unused : NULL; }
int main(int count, char** arguments)
{
  for (int i = 0; i < m * n; ++i) x[i] = (float)(i * 7919 % 1000) / 100;
  FILE* file = fopen(arguments[1], count > 2 ? "wb" : "rb");
  if (count > 2) {
    softmax(x, expected, m, n);
    return fwrite(expected, 1, sizeof expected, file) == sizeof expected && fclose(file) == 0 ? 0 : 1;
  }
  if (fread(expected, 1, sizeof expected, file) != sizeof expected) return 2;
  pthread_t thread;
  void* good = NULL;
  pthread_create(&thread, NULL, other, x);
  const int here = is_right();
  pthread_join(thread, &good);
  int status = 0;
  const pid_t child = fork();
  if (child == 0) _exit(is_right() ? 0 : 1);
  waitpid(child, &status, 0);
  return here && good != NULL && status == 0 ? 0 : 3;
}
END
  gcc -O2 -march=native -Wall -Werror -Ihome use.c home/softmax.c home/softmax_groups.c -lm -pthread -o one || fail "one thread"
  gcc -O2 -march=native -Wall -Werror -DSOFTMAX_THREADS=3 -Ihome use.c home/softmax.c home/softmax_groups.c -lm -pthread -o three || fail "three"
  if grep -q softmax_spread <<<"$(nm one)"; then fail "threads nobody asked for"; fi
  grep -q softmax_spread <<<"$(nm three)" || fail "no threads"
  ./one expected write || fail "the expected results"
  local i
  for i in 1 2 3; do
    ./three expected || fail "exit status $?"
  done
}

test_the_users_own_code_comes_back() {
  expect_status 0 hone new --from "$FILES/gemm.c" --function dgemm --size m=24,n=20,k=28
  shipped dgemm --checkpoint dgemm/start/cpu
  grep -q 'double alpha' home-c/dgemm.h || fail "scalars come by value"
  grep -q 'inout' home-c/dgemm.h || fail "C is read and written"
}

test_truths_and_small_integers_go_home() {
  mkdir mask
  cat >mask/kernel.toml <<'END'
[kernel]
name = "mask.count"
[compute]
expr = """
keep[i,j] = M[i,j] && X[i,j] > 0
N[i] = sum(j, select(keep[i,j], 1, 0))
K[i,j] = keep[i,j]
"""
[arguments]
M = { type = "bool", shape = ["m", "n"] }
X = { type = "i8", shape = ["m", "n"] }
N = { type = "i32", shape = ["m"], role = "output" }
K = { type = "bool", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 64, n = 100 } ]
also = "any"
END
  shipped mask --checkpoint naive
}

test_halves_go_home() {
  mkdir halves
  cat >halves/kernel.toml <<'END'
[kernel]
name = "halves"
[compute]
expr = "Y[i,j] = X[i,j] * s + B[j]"
[arguments]
X = { type = "f16", shape = ["m", "n"] }
B = { type = "bf16", shape = ["n"] }
s = { type = "f32", role = "scalar" }
Y = { type = "f16", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 32, n = 96 } ]
also = "any"
END
  shipped halves --checkpoint naive
  grep -q 'const uint16_t\* X, const uint16_t\* B, float s, uint16_t\* Y' home-c/halves.h || fail "$(cat home-c/halves.h)"
}

test_weights_laid_out_ahead_go_home() {
  mkdir dense mine
  cat >dense/kernel.toml <<'END'
[kernel]
name = "dense"
[compute]
expr = "Y[i,j] = sum(k, X[i,k] * W[j,k])"
[arguments]
X = { type = "f32", shape = ["m", "k"] }
W = { type = "f32", shape = ["n", "k"], role = "weight" }
Y = { type = "f32", shape = ["m", "n"], role = "output" }
[sizes]
timed = [ { m = 40, n = 48, k = 56 } ]
also = "any"
END
  cat >mine/device.cpp <<'END'
#include "hone.h"
extern "C" void turn(const hone_group* group, const float* W, float* turned, int64_t n, int64_t k)
{
  const int64_t j = group->id[0];
  for (int64_t p = 0; p < k; ++p) turned[p * n + j] = W[j * k + p];
}
extern "C" void product(const hone_group* group, const float* X, const float* turned, float* Y, int64_t n, int64_t k)
{
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) Y[i * n + j] = 0;
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < n; ++j) Y[i * n + j] += X[i * k + p] * turned[p * n + j];
}
END
  cat >mine/launch.toml <<'END'
[[scratch]]
name = "turned"
size = "n * k"
prepared = true
[[prepare]]
kernel = "turn"
grid = ["n"]
args = ["W", "turned", "n", "k"]
[[launch]]
kernel = "product"
grid = ["m"]
args = ["X", "turned", "Y", "n", "k"]
END
  : >mine/macros.h
  expect_status 0 hone run mine --kernel dense --no-timing
  shipped dense --checkpoint mine
  expect_status 0 home-c/build-gcc/dense_example
  cat >use.c <<'END'
#include "dense.h"
#include <stdlib.h>
int main(void)
{
  float x[2] = {1, 2}, w[4] = {1, 2, 3, 4}, y[2];
  void* prepared = aligned_alloc(64, (dense_prepared_bytes(1, 2, 2) + 63) / 64 * 64);
  if (dense_prepare(w, 1, 2, 2, prepared) != DENSE_OK) return 1;
  w[0] = w[1] = w[2] = w[3] = 0;
  if (dense_with(x, w, y, 1, 2, 2, prepared, NULL) != DENSE_OK) return 2;
  return y[0] == 5 && y[1] == 11 ? 0 : 3;
}
END
  gcc -std=c11 -Wall -Werror -Ihome-c use.c home-c/build-gcc/libdense.a -lm -o use || fail "use"
  expect_status 0 ./use
}

# Its assembly uses registers that it does not mention, so that whoever inlines it loses what lies there, as may be where
# all of a program is optimised as one.
test_what_assembly_leaves_unsaid_stays_behind_a_call() {
  mkdir unsaid
  printf '[[launch]]\nkernel = "rows"\ngrid = ["m"]\nblock = [1]\nargs = ["A", "x", "y", "k"]\n' >unsaid/launch.toml
  printf '#pragma once\n' >unsaid/macros.h
  cat >unsaid/device.cpp <<'END'
#include "hone.h"

extern "C" void rows(const hone_group* group, const float* A, const float* x, float* y, int64_t k)
{
  const float* row = A + group->id[0] * k;
  float sum = 0;
  for (int64_t j = 0; j < k; ++j) {
    float product;
    asm volatile("movss %1, %%xmm2\n\tmulss %2, %%xmm2\n\tmovss %%xmm2, %%xmm3\n\tmovss %%xmm2, %%xmm4\n\t"
                 "movss %%xmm2, %%xmm5\n\tmovss %%xmm2, %%xmm6\n\tmovss %%xmm2, %0"
                 : "=m"(product) : "m"(row[j]), "m"(x[j]) : "memory");
    sum += product;
  }
  y[group->id[0]] = sum;
}
END
  expect_status 0 hone ship "$ROOT/kernels/matvec" --checkpoint unsaid --as cpp --out home
  cat >caller.cpp <<'END'
#include "matvec.cpp"

alignas(64) static float A[256], x[64], y[4];

__attribute__((noinline)) static float carried(float a, float b, float c, float d, float e, float f)
{
  float total = 0;
  for (int i = 0; i < 3; ++i) {
    matvec(A, x, y, 4, 64);
    total += a * b + c * d + e * f;
    a += b;
    c += d;
    e += f;
  }
  return total;
}

int main()
{
  std::fill(A, A + 256, 3.0F);
  std::fill(x, x + 64, 5.0F);
  return carried(1, 2, 3, 4, 5, 6) == 300 ? 0 : 1;
}
END
  g++ -std=c++20 -O3 -flto=auto -march=native -include algorithm -Ihome caller.cpp home/matvec_groups.cpp -o caller || fail "it does not compile"
  ./caller || fail "what the caller carried is not there any more"
}

# It gives the library's free() another name, and has locks left out: in its own file that is nobody else's concern.
test_what_a_candidate_declares_reaches_its_own_code_only() {
  fresh_kernel softmax s
  sed -i 's/m = 1024, n = 1024/m = 60, n = 70/' s/kernel.toml
  expect_status 0 hone checkout s naive --out mine
  {
    printf '#include "hone.h"\n#pragma redefine_extname free abs\n#pragma redefine_extname pthread_mutex_lock pthread_mutex_trylock\n'
    printf 'asm(".macro lock\\n.endm");\n#pragma pack(1)\n#define fprintf wrong\n'
    cat mine/device.cpp
  } >device.cpp
  mv device.cpp mine/device.cpp
  local as object
  for as in c cpp; do
    expect_status 0 hone ship s --checkpoint mine --as "$as" --out "home-$as"
    right "home-$as" gcc g++
    object=$(find "home-$as" -path '*_on_two*' -name "softmax.$as.o" | head -1)
    [[ $(nm -u "$object" | grep -cE ' (free|fprintf|pthread_mutex_lock)$') == 3 ]] || fail "$(nm -u "$object")"
    [[ $(objdump -d --no-show-raw-insn "$object") == *"lock x"* ]] || fail "locks are left out"
  done
}

test_one_that_was_made_for_its_sizes_says_so() {
  product p
  sed -i 's/also  = "any"/also = "timed"/' p/kernel.toml
  shipped p --checkpoint naive
  grep -q 'Made for k=72 m=96 n=80 alone' home-c/matmul.h || fail "$(cat home-c/matmul.h)"
  printf '#include "matmul.h"\nint main(void) { float x[4] = {0}; return matmul_with(x, x, x, 2, 2, 2, 0) == MATMUL_BAD_SIZES ? 0 : 1; }\n' >use.c
  gcc -Ihome-c use.c home-c/build-gcc/libmatmul.a -lm -o use || fail "use"
  expect_status 0 ./use
}

test_what_is_no_c_is_refused_by_name() {
  product p
  expect_status 0 hone checkout p naive --out mine
  sed -i 's/const int64_t i = /const auto i = /' mine/device.cpp
  expect_status 2 hone ship p --checkpoint mine --as c
  expect_err "the candidate is no C: 'auto'"
  expect_err "--as cpp"
  [[ ! -e matmul-c ]] || fail "a folder was made"
  expect_status 0 hone ship p --checkpoint mine --as cpp --json
  [[ $(json "j['function'] + ' ' + j['folder']") == "matmul matmul-cpp" ]] || fail "json"
  right matmul-cpp gcc g++
}

test_wrong_options_are_usage_errors() {
  product p
  expect_status 2 hone ship p --as rust
  expect_err "there are: c, cpp"
  expect_status 2 hone ship p --backend opencl
  expect_err "only those of --backend cpu"
  mkdir full && touch full/x
  expect_status 2 hone ship p --checkpoint naive --out full
  expect_err "is not empty"
  expect_status 4 hone ship p
  expect_err "hone optimize p"
}
