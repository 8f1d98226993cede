# Several timed sizes count together, and --sizes compares at more of them.
# shellcheck shell=bash

two_sizes() {
  mkdir rows
  cat >rows/kernel.toml <<'TOML'
[kernel]
name = "rows"
[compute]
expr = "S[i] = sum(j, abs(X[i,j]))"
[arguments]
X = { type = "f32", shape = ["m", "n"] }
S = { type = "f32", shape = ["m"], role = "output" }
[sizes]
timed = [ { m = 16, n = 96 }, { m = 40, n = 24 } ]
weights = [3, 1]
also = "timed"
TOML
}

test_all_timed_sizes_are_measured() {
  two_sizes
  expect_status 0 hone run --naive --kernel rows --json
  [[ $(json "[(r['sizes']['n'], r['weight']) for r in j['recipe']['further']]") == "[(24, 1.0)]" ]] || fail "recipe"
  [[ $(json "sorted({r['sizes']['n'] for r in j['by_size']})") == "[24, 96]" ]] || fail "by size"
  [[ $(json "any(c['name'] == 'timed sizes m=40 n=24' and c['passed'] for c in j['checks'])") == True ]] || fail "checks"
  expect_status 0 hone run --naive --kernel rows --size n=50 --json
  [[ $(json "'further' in j['recipe'] or len(j['by_size'])") == 0 ]] || fail "--size asks for these sizes alone"
  sed -i 's/weights = .*/weights = [3]/' rows/kernel.toml
  expect_status 1 hone check rows
  expect_out "1 weights for 2 timed sizes"
}

# Right at the first timed sizes, which alone would be looked at.
test_a_candidate_wrong_at_the_second_size_is_refused() {
  two_sizes
  expect_status 0 hone checkout rows naive --out mine
  expect_status 0 hone run mine --kernel rows --no-timing
  sed -i -E 's/^( *)S\[(.*)\] = (.*);/\1S[\2] = HONE_SIZE_n == 24 ? 0.0f : \3;/' mine/device.cpp
  grep -q HONE_SIZE_n mine/device.cpp || fail "no mistake was made"
  expect_status 1 hone run mine --kernel rows --no-timing --json
  [[ $(json "j['status'] == 'correctness' and j['reason'].startswith('at m=40 n=24: ')") == True ]] || fail "$out"
  expect_status 0 hone run mine --kernel rows --size n=96 --no-timing
}

test_a_sweep_has_a_row_for_each_size() {
  two_sizes
  sed -i '/^also/d' rows/kernel.toml
  expect_status 0 hone run --naive --kernel rows --quick --sizes m=2^2..2^4,n=30 --json
  [[ $(json "[(r['sizes']['m'], r['sizes']['n']) for r in j['sweep']['rows']]") == "[(4, 30), (8, 30), (16, 30)]" ]] ||
    fail "rows"
  [[ $(json "j['sweep']['theirs'] == 'start' and j['sweep']['worst']['sizes']['n'] == 30") == True ]] || fail "worst"
  [[ $(json "all(r['comparison']['ratio'] > 0 for r in j['sweep']['rows'])") == True ]] || fail "ratios"
  expect_status 2 hone run --naive --kernel rows --sizes q=1..4
  expect_err "no size 'q'"
}
