# Programs of bench/ that drive the binary.

write_functions() {
  mkdir functions
  cat >functions/scaled.c <<'C'
// hone: --size n=256
void scaled(int n, double a, const double x[n], double y[n])
{
  for (int i = 0; i < n; i++)
    y[i] = a * x[i];
}
C
  cat >functions/roots.c <<'C'
void roots(int n, double x[n])
{
  for (int i = 0; i < n; i++) {
    double guess = 1.0;
    while (guess * guess > x[i] + 0.001)
      guess = 0.5 * (guess + x[i] / guess);
    x[i] = guess;
  }
}
C
}

# A page without the reason, rows that are lost when a run is stopped, or plain loops that are compared with nothing.
test_polybench_judges_functions_and_goes_on_where_it_stopped() {
  write_functions
  local run=(python3 "$ROOT/bench/polybench/run.py" --hone "$HONE" --functions functions --no-climb --json rows.json)
  expect_status 0 "${run[@]}" --only roots
  expect_out "not understood: how often this loop runs does not follow"
  expect_status 0 "${run[@]}" --page page.md
  expect_out "plain loops: correct, agrees at 7 sizes"
  expect_out "1 of 2 understood, 1 of these right"
  [[ $(grep -c "(stored)" <<<"$out") == 1 ]] || fail "what was judged is not judged again: $out"
  grep -q '^| `scaled` .*| correct | agrees at 7 sizes |' page.md || fail "$(<page.md)"
  grep -q '^| `roots` .*how often this loop runs' page.md || fail "$(<page.md)"
}

# The two functions differ by one term: the comparison must say so.
test_polybench_finds_plain_loops_that_disagree() {
  write_functions
  expect_status 0 hone new --from functions/scaled.c --size n=256
  sed -i 's/a \* x\[i\]/a * x[i] + (i == 2)/' functions/scaled.c
  expect_status 0 python3 - <<E2
import pathlib, sys, tomllib
sys.path[:0] = ["$ROOT/bench/polybench", "$ROOT/bench/imports"]
from agreement import agreement
kernel = tomllib.loads(pathlib.Path("scaled/kernel.toml").read_text())
print(agreement("$HONE", pathlib.Path("scaled"), kernel, pathlib.Path("functions/scaled.c"), pathlib.Path(".").resolve()))
E2
  expect_out "y differs by 1"
}
