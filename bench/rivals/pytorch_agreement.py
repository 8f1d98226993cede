#!/usr/bin/env python3
"""Compares Hone's reference with PyTorch in float64, for every task of tests/coverage that stands there in full.

Both see the same inputs. Hone's side is bench/rivals/reference_values.cpp. Prints, and with --write keeps, a table of

  scaled      the largest |ours - torch| / max(1, |torch|),
  of bound    the largest |ours - torch| / the bound that the reference allows a candidate at that element,
  allowed     the largest such bound / max(1, |torch|),
  float32     the largest |ours - torch in float32| / the bound: an honest implementation, which must stay below 1.

Exit status 1 when a scaled error is above --limit, float32 leaves its bound, or a task could not be compared.
"""

import argparse
import inspect
import platform
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import numpy as np
import torch

import coverage_tasks as coverage
import torch_level1
import torch_level2
import torch_level3

OPERATORS = {1: torch_level1.TASKS, 2: torch_level2.TASKS, 3: torch_level3.TASKS}
COLUMNS = ("scaled", "of bound", "allowed", "float32")


def ours(tool, task, inputs, folder):
    (folder / "kernel.toml").write_text(coverage.kernel_toml(task))
    for name, values in inputs.items():
        values.tofile(folder / f"{name}.bin")
    done = subprocess.run([tool, folder / "kernel.toml", folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{task['name']}: {done.stderr.strip()}")
    outputs = [name for name, argument in task["arguments"].items() if not coverage.is_read(argument)]
    read = lambda name, kind: np.fromfile(folder / f"{name}.{kind}.bin", dtype="<f8")
    return [read(name, "out") for name in outputs], [read(name, "bound") for name in outputs]


def theirs(function, task, inputs, dtype):
    known = dict(task["sizes"])
    for name, values in inputs.items():
        tensor = torch.from_numpy(np.array(values))
        known[name] = tensor.to(dtype) if tensor.is_floating_point() else tensor
    result = function(**{name: known[name] for name in inspect.signature(function).parameters if name in known})
    results = result if isinstance(result, tuple) else (result,)
    return [one.double().numpy().ravel() for one in results]


def part_of_bound(value, bound, other):
    """|value - other| / bound per element; equal infinities agree, NaN stays NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(value == other, 0.0, np.abs(value - other))
        return error, np.where(error == 0, 0.0, error / bound)


def compare(value, bound, wide, narrow):
    """The four numbers of a row, for one output: ours and its bound, torch's in float64 and in float32."""
    if value.size != wide.size:
        raise RuntimeError(f"{value.size} elements here, {wide.size} from torch")
    scale = np.maximum(1.0, np.abs(wide))
    error, part = part_of_bound(value, bound, wide)
    _, narrow_part = part_of_bound(value, bound, narrow)
    return [float(np.max(numbers)) for numbers in (error / scale, part, bound / scale, narrow_part)]


def run_task(tool, level, task, draws):
    function = OPERATORS[level][task["name"]]
    worst = np.zeros(4)
    for seed in range(draws):
        generator = np.random.default_rng([level, int(task["name"].split("_")[0]), seed])
        inputs = {
            name: coverage.draw(argument, task["sizes"], generator)
            for name, argument in task["arguments"].items()
            if coverage.is_read(argument)
        }
        with tempfile.TemporaryDirectory() as folder:
            values, bounds = ours(tool, task, inputs, Path(folder))
        torch_values = [theirs(function, task, inputs, dtype) for dtype in (torch.float64, torch.float32)]
        for output in zip(values, bounds, *torch_values, strict=True):
            worst = np.maximum(worst, compare(*output))
    return worst


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def head(arguments, rows, failures):
    commit = subprocess.run(
        ["git", "-C", coverage.ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    worst = np.max([numbers for _, _, numbers in rows], axis=0)
    return [
        "# Agreement with PyTorch",
        "",
        f"Date: {date.today()}. Commit: {commit}. Machine: {processor()}; torch {torch.__version__} on the CPU, "
        f"numpy {np.__version__}.",
        "Command: `python3 bench/rivals/pytorch_agreement.py --write docs/results/pytorch.md` "
        "(how to: `bench/rivals/README.md`).",
        "",
        f"<!-- figure agreement-kernels: {len(rows)} -->",
        f"<!-- figure agreement-off: {failures} -->",
        "",
        "Hone's fp64 reference of an expression beside PyTorch's operators in float64, on the same random inputs, for every task",
        f"of `tests/coverage` that is written out in full; {arguments.draws} draws each.",
        "",
        "| column | the largest, over all elements |",
        "|---|---|",
        "| scaled | abs(ours - torch) / max(1, abs(torch)) |",
        "| of bound | abs(ours - torch) / the error that the reference allows an f32 candidate at that element |",
        "| allowed | that allowed error / max(1, abs(torch)) |",
        "| float32 | abs(ours - torch in float32) / the allowed error: a right implementation stays below 1 |",
        "",
        f"{len(rows)} kernels compared, {failures} too far off (scaled above {arguments.limit:g}, or float32 above 1). "
        f"Largest scaled error {worst[0]:.1e}, largest float32 {worst[3]:.2f}.",
        "",
        f"| level | task | {' | '.join(COLUMNS)} |",
        f"|---|---|{'---|' * len(COLUMNS)}",
    ]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=coverage.ROOT / "build" / "ci" / "bin" / "reference_values")
    parser.add_argument("--draws", type=int, default=3, help="sets of random inputs per task")
    parser.add_argument("--limit", type=float, default=1e-10, help="largest scaled error that passes")
    parser.add_argument("--only", nargs="*", help="tasks by name")
    parser.add_argument("--write", type=Path, help="keep the table in this file")
    arguments = parser.parse_args()
    if not Path(arguments.tool).exists():
        parser.error(f"there is no {arguments.tool}: build reference_values (README.md) or name it with --tool")
    known = {task["name"] for level in coverage.LEVELS for task in coverage.tasks_of(level)}
    for name in set(arguments.only or []) - known:
        parser.error(f"tests/coverage has no task {name}")
    return arguments


def chosen(arguments):
    for level in coverage.LEVELS:
        for task in filter(coverage.is_full, coverage.tasks_of(level)):
            if not arguments.only or task["name"] in arguments.only:
                yield level, task


def main():
    arguments = options()
    rows, failures, broken = [], 0, 0
    for level, task in chosen(arguments):
        name = task["name"]
        try:
            numbers = run_task(arguments.tool, level, task, arguments.draws)
        except (RuntimeError, KeyError, TypeError) as problem:
            broken += 1
            print(f"{level} {name}: not compared: {problem}", file=sys.stderr)
            continue
        good = numbers[0] <= arguments.limit and numbers[3] <= 1  # false for NaN
        failures += not good
        rows.append((level, name, numbers))
        words = ", ".join(f"{column} {x:.1e}" for column, x in zip(COLUMNS, numbers))
        print(f"{level} {name}: {words}{'' if good else '  TOO FAR'}", flush=True)
    print(f"{len(rows)} compared, {failures} too far, {broken} not compared")
    if arguments.write and rows:
        lines = head(arguments, rows, failures)
        for level, name, numbers in rows:
            lines.append(f"| {level} | {name} | {' | '.join(f'{x:.1e}' for x in numbers)} |")
        arguments.write.write_text("\n".join(lines) + "\n")
    return 1 if failures or broken or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
