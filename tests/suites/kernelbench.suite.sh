# bench/kernelbench: tasks, climbs, measurement beside an opponent, records, means. PyTorch is not needed.

write_table() { # two tasks of level 1, small
  printf 'level\ttask\tclass\tcodes\toriginal\tscaled\tflops\tbytes\tremark\n' >table.tsv
  printf '1\t1_Square_matrix_multiplication_\tsound\t-\tn=4096\tn=16\t137438953472\t201326592\t-\n' >>table.tsv
  printf '1\t19_ReLU\tvacuous\tidentity@1e-4\tm=4096 n=393216\tm=4 n=64\t-\t12884901888\t-\n' >>table.tsv
}

# Tasks that are lost when the run is killed or done twice, one that is left out because it failed, an opponent that sees other inputs,
# or one whose failure takes ours along.
test_tasks_leave_records_and_a_killed_run_goes_on() {
  write_table
  local run=(python3 "$ROOT/bench/kernelbench/run.py" --hone "$HONE" --table table.tsv --out out --level 1 --budget 2 --pairs 3
             --opponents "$ROOT/tests/suites/files/plain_opponents.py")
  "${run[@]}" >first.log 2>&1 &
  local begun=$!
  while kill -0 $begun 2>/dev/null && [[ ! -e out/work/level1/19_ReLU ]]; do sleep 0.1; done
  kill -KILL $begun 2>/dev/null
  wait $begun
  [[ ! -e out/records/level1/19_ReLU.json ]] || fail "the second task was through before the run was killed: $(<first.log)"
  expect_status 0 "${run[@]}"
  expect_out "level 1 1_Square_matrix_multiplication_: done before (valid)"
  expect_out "level 1 19_ReLU (scaled, check vacuous): valid"
  expect_out "broken failed: RuntimeError: this one is broken"
  expect_status 0 cat out/records/level1/19_ReLU.json
  [[ $(json "j['status'], j['kind'], j['against'], j['measured']['agreement']['right'], j['measured']['opponents']['plain']['pairs'] >= 3") == \
     "valid own plain True True" ]] || fail "$out"
  expect_status 2 "${run[@]}" --budget 5
  expect_err "was made with other settings"
  expect_status 0 python3 "$ROOT/bench/kernelbench/report.py" out --write page.md
  grep -q '^| vacuous checks, in no other row | 1 | 1 (100%) |' page.md || fail "$(<page.md)"
}

# A result that differs from PyTorch's and counts as valid, or a failure that leaves no record.
test_a_task_that_fails_leaves_its_reason() {
  write_table
  local run=(python3 "$ROOT/bench/kernelbench/run.py" --hone "$HONE" --table table.tsv --level 1 --tasks 19 --budget 2 --pairs 3
             --opponents "$ROOT/tests/suites/files/plain_opponents.py")
  KERNELBENCH_DISAGREE=1 expect_status 0 "${run[@]}" --out wrong
  expect_out "invalid: differs from PyTorch: 100.00% of the elements"
  sed -i 's/m=4 n=64/m=0 n=64/' table.tsv
  expect_status 0 "${run[@]}" --out failed
  expect_status 0 cat failed/records/level1/19_ReLU.json
  [[ $(json "j['status'], j['stage'], j['reason'] != ''") == "failed climb True" ]] || fail "$out"
}

# A mean that leaves out failures, counts vacuous tasks, mixes own kernels with library calls, or is another mean than it says.
test_means_are_those_computed_by_hand() {
  expect_status 0 python3 - "$ROOT" <<'PY'
import json, pathlib, sys
sys.path[:0] = [sys.argv[1] + "/bench/kernelbench"]
from means import bootstrap_interval, fast, geometric_mean
assert geometric_mean([4, 0.5, 0.5]) == 1, geometric_mean([4, 0.5, 0.5])
assert bootstrap_interval([3.0] * 5) == (geometric_mean([3.0]),) * 2 or abs(bootstrap_interval([3.0] * 5)[1] - 3) < 1e-12
low, high = bootstrap_interval([1.0, 2.0, 4.0, 8.0])
assert 1 <= low < geometric_mean([1.0, 2.0, 4.0, 8.0]) < high <= 8, (low, high)
assert fast([2.0, 1.0, 0.5, None], 1) == 0.25 and fast([2.0, 1.0, 0.5, None], 0) == 0.75

def record(number, ratio, **more):
    one = {"ratio": ratio, "ci95": [ratio, ratio], "pairs": 3, "hone_s": 1.0, "opponent_s": ratio} if ratio else None
    out = {"level": 1, "task": f"{number}_Task", "class": "sound", "status": "valid", "reason": "", "kind": "own", "sizes": {"n": 2},
           "sizes_are": "scaled", "original": {"n": 4}, "settings": {"budget": 1, "threads": 1, "regime": "hot", "sizes": "auto"},
           "facts": {"date": "2026-12-01 10:00", "commit": "c", "machine": "m", "cpus": 2, "compiler": "12"},
           "climb": {"steps": ["start"], "ceiling_fraction": 0.5, "bound_by": "DRAM", "stopped": False, "tried": [{"transformation": "vectorize", "status": "correct", "ratio": 0.97}], "lost_share": 0},
           "measured": {"hone_s": 1.0, "opponents": {"eager": one or {"error": "none"}}}, "ratio": ratio}
    return out | more

records = [record(1, 4.0), record(2, 0.5), record(3, None, status="failed", stage="ship", reason="no C"), record(4, 100.0, **{"class": "vacuous"}),
           record(5, 9.0, kind="library"), record(6, 0.5, status="invalid", reason="wrong")]
folder = pathlib.Path("out/records/level1")
folder.mkdir(parents=True)
for one in records:
    (folder / (one["task"] + ".json")).write_text(json.dumps(one))
PY
  expect_status 0 python3 "$ROOT/bench/kernelbench/report.py" out --json summary.json --write page.md
  expect_status 0 cat summary.json
  # Own: 4, 0.5, failed, invalid. Over all (4 * 0.5 * 1 * 1)^(1/4), over valid (4 * 0.5)^(1/2).
  local own="j['eager']['level 1']"
  [[ $(json "$own['tasks'], $own['valid'], round($own['over_all'], 4), round($own['over_valid'], 4), $own['fast']['1'], $own['fast']['0']") == \
     "4 2 1.1892 1.4142 0.25 0.5" ]] || fail "$out"
  [[ $(json "j['eager']['level 1, library-assisted']['over_valid']") == 9.0* ]] || fail "$out"
  [[ $(json "j['eager']['vacuous checks, in no other row']['tasks']") == 1 ]] || fail "$out"
  grep -q '^| 1 | 3_Task | - | failed at ship: no C |' page.md || fail "$(<page.md)"
  grep -q '^| 1 | 2_Task | 0.50 | no step was kept; left: vectorize (0.97); 50% of the roof of DRAM |' page.md || fail "$(<page.md)"
}

# A task of levels 1 and 2 without sizes, a class that its codes do not bear out, or sizes at which a tensor has no elements.
test_the_table_has_every_task_with_sizes_that_fit_its_statement() {
  expect_status 0 python3 - "$ROOT" <<'PY'
import sys
sys.path[:0] = [sys.argv[1] + "/bench/kernelbench"]
from tasks import CLASSES, coverage, read_tasks
tasks = read_tasks()
stated = {(level, one["name"]) for level in coverage.LEVELS for one in coverage.tasks_of(level) if coverage.is_full(one)}
assert {(task.level, task.name) for task in tasks} == stated and len(tasks) == len(stated) >= 225, len(tasks)
for task in tasks:
    assert task.check in CLASSES, task.name
    at_tight = any(code.endswith("@1e-4") and not code.startswith("noparam") for code in task.codes.split(";"))
    assert (task.check == "vacuous") == at_tight, (task.name, task.check, task.codes)
    for sizes in (task.original, task.scaled):
        assert set(sizes) == set(task.statement["sizes"]), (task.name, sizes)
        for name, argument in task.arguments.items():
            assert min(coverage.shape_of(argument, sizes), default=1) > 0, (task.name, name, sizes)
    assert task.bytes_at(task.scaled) <= 256 << 20, task.name
PY
}

# A shipped function that calls a library and counts as our own kernel.
test_library_calls_are_told_from_own_kernels() {
  expect_status 0 python3 - "$ROOT" <<'PY'
import pathlib, sys
sys.path[:0] = [sys.argv[1] + "/bench/kernelbench"]
from run import kind_of
own = '#include "k.h"\n#include <stdint.h>\n#include <immintrin.h>\n#include <math.h>\n'
for number, (source, build, kind) in enumerate([
    (own, "target_compile_options(k PRIVATE -funroll-loops)\n", "own"),
    (own + "#include <cblas.h>\n", "target_link_libraries(k PRIVATE m)\n", "library"),
    (own, "target_link_libraries(k PRIVATE -lopenblas)\n", "library"),
]):
    folder = pathlib.Path(str(number))
    folder.mkdir()
    (folder / "k.c").write_text(source)
    (folder / "CMakeLists.txt").write_text(build)
    assert kind_of(folder)[0] == kind, (number, kind_of(folder))
PY
}
