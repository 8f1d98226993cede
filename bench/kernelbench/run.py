#!/usr/bin/env python3
"""KernelBench with Hone's built-in engine: climbs each task, then times the best candidate beside PyTorch, in pairs.

  bench/kernelbench/run.py --level 1 --tasks 1-10 --budget 60 --python /tmp/rivals/bin/python --out results/kernelbench
  bench/kernelbench/report.py results/kernelbench

Each task leaves one record, OUT/records/levelL/TASK.json, written at once when the task is through; a task that failed has one,
too, with its reason. Started again with the same settings, the command goes on: tasks with a record are skipped, a task that was
interrupted begins anew. How to read the numbers: docs/kernelbench.md.
"""

import argparse
import json
import os
import platform
import re
import shutil
import signal
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from commands import last_line, reason_in, run
from tasks import HERE, ROOT, TABLE, numbers_in, read_tasks

sys.path.insert(0, str(ROOT / "bench" / "imports"))

from shipped_calls import commit_of, processor  # noqa: E402

VERSION = 1  # of the records
# What a shipped function may include and link with and still count as our own.
OWN_HEADERS = re.compile(
    r'#include (<(std\w+|math|string|limits|float|immintrin|sched|pthread|unistd|time|errno|alloca)\.h>|".*")'
)
OWN_LIBRARIES = {"-lm", "-lpthread", "-lrt"}
REFUSED = "is refused, its check"  # what Hone says of a kernel whose check would pass wrong candidates
OPPONENTS_LIMIT = 900  # seconds: torch.compile searches


class Failed(Exception):
    """A task that came to nothing, at a stage, for a reason."""

    def __init__(self, stage, reason):
        super().__init__(reason)
        self.stage = stage
        self.reason = reason


# --- the steps of one task ---


def json_in(text):
    """The object that a command printed, or None."""
    begin = text.find("{\n")
    try:
        return json.loads(text[begin : text.rfind("}") + 1]) if begin >= 0 else None
    except json.JSONDecodeError:
        return None


def median_of(side):
    return (side.get("time_s") or {}).get("median")


def last_level_cache():
    try:
        text = Path("/sys/devices/system/cpu/cpu0/cache/index3/size").read_text().strip()
        return int(text.rstrip("K")) << 10
    except (OSError, ValueError):
        return 32 << 20


def regime_of(arguments, task, sizes):
    """auto: data that the cache cannot hold start in memory in each call, so that is what a climb should judge by."""
    if arguments.regime != "auto":
        return arguments.regime
    return "hot" if task.bytes_at(sizes) <= last_level_cache() else "cold"


def climb(arguments, kernel, regime):
    command = [arguments.hone, "optimize", kernel, "--no-baselines", "--json", "--quiet", "--budget", arguments.budget]
    command += ["--backend", arguments.backend, "--threads", arguments.threads, "--regime", regime]
    begin = time.monotonic()
    status, out, errors = run(command, 5 * arguments.budget + 600, cwd=kernel.parent)
    said = json_in(out)
    if status is None:
        raise Failed("climb", f"`hone optimize` {errors}")
    if not said or not said.get("best"):
        raise Failed("climb", reason_in(errors) or last_line(out) or f"`hone optimize` ended with status {status}")
    best, start, tried = said["best"], said["start"], said["steps"]
    kept = [step["transformation"] for step in tried if step.get("checkpoint")]
    return {
        "regime": regime,
        "seconds": round(time.monotonic() - begin, 1),
        "checkpoint": best["checkpoint"],
        "status": best["status"],
        "steps": kept,
        "point": best.get("point"),
        "tried": [{key: step.get(key) for key in ("transformation", "status", "ratio", "reason")} for step in tried],
        "start_s": median_of(start),
        "best_s": median_of(best),
        "gflops": best.get("gflops"),
        "gbytes_per_s": best.get("gbytes_per_s"),
        "bound_by": best.get("bound_by"),
        "ceiling_fraction": best.get("ceiling_fraction"),
        "speedup": (said.get("speedup") or {}).get("ratio"),
        "stopped": said.get("stopped"),
        "note": said.get("note"),
        "lost_share": (said.get("load") or {}).get("lost_share"),
    }


def climbed(arguments, task, sizes, regime, work):
    """The kernel's folder, the sizes it is right for, and what the climb came to.

    Where sums are long, the bounds at the timed sizes may be wider than what one input changes, and Hone refuses a check that would
    not notice it. Small sizes show it: the kernel is then stated for all sizes.
    """
    for also in ("timed", "any"):
        kernel = work / f"kernel-{also}"
        kernel.mkdir(parents=True)
        (kernel / "kernel.toml").write_text(task.kernel_toml(sizes, also))
        try:
            return kernel, also, climb(arguments, kernel, regime)
        except Failed as problem:
            if REFUSED not in problem.reason or also == "any":
                raise
    raise AssertionError("unreachable")


def ship(arguments, kernel, regime, shipped):
    command = [arguments.hone, "ship", kernel, "--as", "c", "--out", shipped, "--backend", arguments.backend, "--json"]
    status, out, errors = run([*command, "--threads", arguments.threads, "--regime", regime], 300)
    said = json_in(out)
    if status != 0 or not said:
        raise Failed("ship", reason_in(errors) or last_line(out))
    return said["function"]


def kind_of(shipped):
    """Whether the function is all our own, or calls a library; by what it includes and links with."""
    for source in sorted(shipped.glob("*.[ch]")):
        text = source.read_text()
        foreign = [line for line in re.findall(r"^#include .*$", text, re.MULTILINE) if not OWN_HEADERS.match(line)]
        if foreign:
            return "library", foreign[0]
    build = (shipped / "CMakeLists.txt").read_text()
    linked = [word for word in re.findall(r"(?<![\w-])-l\w+", build) if word not in OWN_LIBRARIES]
    return ("library", linked[0]) if linked else ("own", "")


def measured(arguments, task, sizes, shipped, function):
    command = [
        arguments.python,
        HERE / "measure.py",
        "--level",
        task.level,
        "--task",
        task.name,
        "--table",
        arguments.table,
    ]
    command += [
        "--sizes",
        json.dumps(sizes),
        "--shipped",
        shipped,
        "--function",
        function,
        "--threads",
        arguments.threads,
    ]
    command += ["--pairs", arguments.pairs, "--seed", arguments.seed]
    if arguments.opponents:
        command += ["--opponents", arguments.opponents]
    threads = {
        "OMP_NUM_THREADS": str(arguments.threads),
        "TORCHINDUCTOR_CACHE_DIR": str(arguments.out / "inductor"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",  # no processes of its own beside the timed calls
    }
    status, out, errors = run(command, OPPONENTS_LIMIT, env={**os.environ, **threads}, cwd=HERE)
    results = [line.removeprefix("RESULT ") for line in out.splitlines() if line.startswith("RESULT ")]
    if status != 0 or not results:
        how = f"signal {-status}" if status is not None and status < 0 else f"status {status}"
        raise Failed(
            "measure",
            f"{how}: {last_line(errors) or last_line(out)}" if status is not None else f"the measurement {errors}",
        )
    return json.loads(results[-1])


# --- records ---


def verdict_of(record):
    """valid: right for the gate and, where PyTorch was there, for PyTorch; the opponent that counts is the faster one."""
    times = record["measured"]
    ratios = {name: one for name, one in times["opponents"].items() if "ratio" in one}
    if record["climb"]["status"] != "correct":
        return {"status": "invalid", "reason": f"the gate says {record['climb']['status']}"}
    agreement = times.get("agreement")
    if agreement and not agreement["right"]:
        mine = agreement["hone"]
        return {
            "status": "invalid",
            "reason": f"differs from PyTorch: {mine['beyond']:.2%} of the elements, by {mine['error']:.1e}",
        }
    if times["opponents"] and not ratios:
        why = "; ".join(f"{name}: {one['error']}" for name, one in times["opponents"].items())
        return {"status": "failed", "stage": "opponents", "reason": why}
    out = {"status": "valid", "reason": ""}
    if ratios:
        against = min(ratios, key=lambda name: ratios[name]["ratio"])
        out |= {"against": against, "ratio": ratios[against]["ratio"], "ci95": ratios[against]["ci95"]}
    return out


def written(path, record):
    """At once or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    with open(partial, "w") as file:
        file.write(json.dumps(record, indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def settings_of(arguments):
    names = ("backend", "threads", "budget", "regime", "sizes", "pairs", "seed")
    opponents = arguments.opponents.name if arguments.opponents else None
    return {name: getattr(arguments, name) for name in names} | {"opponents": opponents}


def facts_of(arguments):
    status, out, _ = run([arguments.hone, "--version", "--json"], 60)
    version = json_in(out) or {}
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M"),
        "commit": commit_of(ROOT),
        "hone": version.get("version", f"status {status}"),
        "machine": processor(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "compiler": run(["gcc", "-dumpfullversion"], 60)[1].strip(),
    }


def record_of(arguments, task, work):
    sizes, choice = task.sizes_of(arguments.sizes)
    record = {
        "version": VERSION,
        "level": task.level,
        "task": task.name,
        "class": task.check,
        "codes": task.codes,
        "sizes": sizes,
        "sizes_are": choice,
        "original": task.original,
        "settings": settings_of(arguments),
        "facts": facts_of(arguments),
    }
    begin = time.monotonic()
    try:
        regime = regime_of(arguments, task, sizes)
        kernel, record["also"], record["climb"] = climbed(arguments, task, sizes, regime, work)
        function = ship(arguments, kernel, regime, work / "shipped")
        record["kind"], record["foreign"] = kind_of(work / "shipped")
        record["measured"] = measured(arguments, task, sizes, work / "shipped", function)
        record |= verdict_of(record)
    except Failed as problem:
        record |= {"status": "failed", "stage": problem.stage, "reason": problem.reason}
    record["seconds"] = round(time.monotonic() - begin, 1)
    return record


def told(record):
    head = (
        f"level {record['level']} {record['task']} ({record['sizes_are']}, check {record['class']}): {record['status']}"
    )
    if record["status"] != "valid":
        return f"{head}: {record['reason']}"
    ratios = [
        (
            f"{name} {one['ratio']:.2f} [{one['ci95'][0]:.2f}, {one['ci95'][1]:.2f}]"
            if "ratio" in one
            else f"{name} failed: {one['error']}"
        )
        for name, one in record["measured"]["opponents"].items()
    ]
    return (
        f"{head}, {record['measured']['hone_s'] * 1e3:.3g} ms; "
        + (", ".join(ratios) or "no opponents")
        + f"; {record['seconds']:.0f} s"
    )


# --- the command ---


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--level", type=int, choices=(1, 2, 3), action="append", help="may be given more than once; default: all"
    )
    parser.add_argument("--tasks", help="numbers within each level, such as 1-10,23; default: all that are stated")
    parser.add_argument("--budget", type=int, default=60, help="seconds of each climb")
    parser.add_argument(
        "--backend", default="cpu", help="cpu; no other backend ships a function that PyTorch's process could call"
    )
    parser.add_argument("--threads", type=int, default=1, help="of the climb, of the shipped function, and of PyTorch")
    parser.add_argument(
        "--regime",
        default="auto",
        choices=("auto", "hot", "cold"),
        help="of the climb; auto: hot where the tensors fit the cache",
    )
    parser.add_argument(
        "--sizes", default="auto", choices=("auto", "scaled", "original"), help="auto: original where that fits"
    )
    parser.add_argument("--pairs", type=int, default=21, help="per opponent; fewer where calls are long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="records, climbs, compiled code")
    parser.add_argument("--hone", type=Path, default=ROOT / "build" / "release" / "bin" / "hone")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has torch; default: this one")
    parser.add_argument(
        "--opponents", type=Path, default=HERE / "pytorch.py", help="a module with Opponents; default: PyTorch"
    )
    parser.add_argument("--no-opponents", dest="opponents", action="store_const", const=None, help="times ours alone")
    parser.add_argument("--table", type=Path, default=TABLE, help="names and sizes; default: tasks.tsv")
    parser.add_argument("--again", action="store_true", help="failed and invalid tasks, too")
    parser.add_argument("--keep", action="store_true", help="keep climbs and shipped code of each task")
    arguments = parser.parse_args()
    if not arguments.hone.exists():
        parser.error(f"there is no {arguments.hone}: build hone, or name it with --hone")
    if arguments.backend != "cpu":
        parser.error(
            f"backend {arguments.backend}: only what the backend cpu makes is shipped as a function and timed beside PyTorch"
        )
    try:
        arguments.numbers = numbers_in(arguments.tasks) if arguments.tasks else None
    except ValueError:
        parser.error(f"--tasks {arguments.tasks}: write numbers and ranges with commas between them, such as 1-10,23")
    if arguments.opponents:
        arguments.opponents = arguments.opponents.resolve()
        if not arguments.opponents.exists():
            parser.error(f"there is no {arguments.opponents}")
    for name in ("out", "hone", "table"):
        setattr(arguments, name, getattr(arguments, name).resolve())
    return parser, arguments


def chosen(arguments):
    levels = arguments.level or [1, 2, 3]
    return [
        task
        for task in read_tasks(arguments.table)
        if task.level in levels and (arguments.numbers is None or task.number in arguments.numbers)
    ]


def stored(path):
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return None


def interrupted(number, frame):
    raise KeyboardInterrupt


def main():
    parser, arguments = options()
    tasks = chosen(arguments)
    if not tasks:
        parser.error("no task of these levels and numbers is stated; tasks.tsv lists all")
    signal.signal(signal.SIGTERM, interrupted)
    settings, failed = settings_of(arguments), 0
    for task in tasks:
        path = arguments.out / "records" / f"level{task.level}" / f"{task.name}.json"
        old = stored(path)
        if old and old["settings"] != settings:
            parser.error(f"{path} was made with other settings ({old['settings']}): give the same, or another --out")
        if old and not (arguments.again and old["status"] != "valid"):
            print(f"level {task.level} {task.name}: done before ({old['status']})", flush=True)
            failed += old["status"] != "valid"
            continue
        work = arguments.out / "work" / f"level{task.level}" / task.name
        shutil.rmtree(work, ignore_errors=True)  # of an interrupted run
        record = record_of(arguments, task, work)
        written(path, record)
        if not arguments.keep:
            shutil.rmtree(work, ignore_errors=True)
        failed += record["status"] != "valid"
        print(told(record), flush=True)
    print(f"{len(tasks)} tasks, {failed} not valid; records in {arguments.out / 'records'}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        sys.exit(130)
