#!/usr/bin/env python3
"""Times what Hone finds and ships beside PyTorch on the CPU: one process, one thread, the same inputs, by turns.

For each kernel of speed_tasks.py and each of its sizes: `hone optimize` on its own, `hone ship` of the best checkpoint,
a shared library of that with the flags its own head names, and then rounds in which this function, PyTorch eager and
torch.compile (inductor, freezing) run in an order shuffled anew. A round gives one ratio per rival; what is told is the
median and the 95 % interval of the median. Both rivals come in two forms, with a new result per call and into a given
one; the better of all counts. Results are compared with PyTorch in float64.

Climbs and libraries stay in --work: a second run only times.
"""

import argparse
import ctypes
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")  # PyTorch asks for huge pages: for its tensors and so for ours

import numpy as np
import torch

import coverage_tasks as coverage
from pytorch_speed_page import page
from speed_tasks import TASKS
from timing import block_of, caller, library_of, median_interval, quiet_memory, run, symbols_of
from timing import thread_clock as now

C_SCALARS = {"f32": ctypes.c_float, "f64": ctypes.c_double}
TORCH_TYPES = {"f32": torch.float32, "i64": torch.int64}


# --- ours ---


def climb(arguments, task, regime):
    """The shipped folder of the best checkpoint, and what the climb said about it."""
    folder = arguments.work / f"{task.name}-{regime}"
    kernel = folder / "kernel"
    shipped = folder / f"shipped-{arguments.language}"
    kernel.mkdir(parents=True, exist_ok=True)
    text = task.kernel_toml(regime)
    said = folder / "climb.json"
    if not said.exists() or (kernel / "kernel.toml").read_text() != text:
        shutil.rmtree(kernel)
        kernel.mkdir()
        (kernel / "kernel.toml").write_text(text)
        said.unlink(missing_ok=True)
        shutil.rmtree(shipped, ignore_errors=True)
        regime_option = ["--regime", "hot" if regime == "cache" else "cold"]
        command = [arguments.hone, "optimize", kernel, "--no-baselines", "--budget", arguments.budget, "--json"]
        said.write_text(run(command + regime_option))
    if not shipped.exists():
        regime_option = ["--regime", "hot" if regime == "cache" else "cold"]
        run([arguments.hone, "ship", kernel, "--as", arguments.language, "--out", shipped] + regime_option)
    return shipped, json.loads(said.read_text())


def applied(arguments, task, regime):
    """The same without a climb: the steps of applied_steps() by name, each on the one before; all that fit stay.

    For a machine that is too busy for a climb to judge by time. Every checkpoint has passed the gate's checks.
    """
    folder = arguments.work / f"{task.name}-applied"
    kernel = folder / "kernel"
    shipped = folder / f"shipped-{regime}-{arguments.language}"
    text = task.kernel_toml("small")
    said = folder / "applied.json"
    if not said.exists() or (kernel / "kernel.toml").read_text() != text:
        shutil.rmtree(folder, ignore_errors=True)
        kernel.mkdir(parents=True)
        (kernel / "kernel.toml").write_text(text)
        reached, taken = {"cache": "start", "memory": "start"}, {"cache": [], "memory": []}
        for step, regimes in task.applied_steps():
            done = subprocess.run(
                [arguments.hone, "apply", kernel, step, reached["memory"], "--json"], capture_output=True, text=True
            )
            checkpoint = json.loads(done.stdout).get("checkpoint")
            for one in regimes if checkpoint else ():
                reached[one], taken[one] = checkpoint, taken[one] + [step]
        said.write_text(json.dumps({one: {"checkpoint": reached[one], "steps": taken[one]} for one in reached}))
        for old in folder.glob("shipped-*"):
            shutil.rmtree(old)
    best = json.loads(said.read_text())[regime]
    if not shipped.exists():
        command = [arguments.hone, "ship", kernel, "--as", arguments.language, "--checkpoint", best["checkpoint"]]
        run(command + ["--out", shipped])
    return shipped, {"best": best}


def function_name(task):
    return re.sub(r"[-.]", "_", task.name)


def our_call(library, task, tensors, sizes, symbols):
    """A function of no arguments that runs the shipped one on these tensors."""
    # Numbers come as values of ctypes already.
    given = [ctypes.c_void_p(one.data_ptr()) if isinstance(one, torch.Tensor) else one for one in tensors]
    kept = []  # lives as long as the call

    def memory_of(size):
        kept.append(torch.empty(size + 64, dtype=torch.uint8))
        start = kept[0].data_ptr()
        return start + (-start) % 64

    call = caller(library, function_name(task), given, [sizes[symbol] for symbol in symbols], memory_of)
    call.memory = kept
    return call


# --- data ---


def kernel_of(task, regime):
    return tomllib.loads(task.kernel_toml(regime))


def draw(task, kernel, sizes, seed):
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for name, argument in kernel["arguments"].items():
        shape = coverage.shape_of(argument, sizes)
        kind = TORCH_TYPES[argument["type"]]
        if argument.get("role") == "output":
            tensors[name] = torch.zeros(shape, dtype=kind)
        elif kind.is_floating_point:
            tensors[name] = torch.randn(shape, generator=generator, dtype=kind)
        else:
            tensors[name] = torch.randint(0, sizes[task.domains[name]], shape, generator=generator, dtype=kind)
    return tensors


# --- theirs ---


def rivals(task, inputs, result):
    """Name -> a function of no arguments; those in "into" forms write `result`."""
    torch._dynamo.reset()
    compiled = torch.compile(task.function, mode="max-autotune", dynamic=False)

    def copied(*given):
        given[-1].copy_(task.function(*given[:-1]))

    compiled_into = torch.compile(copied, mode="max-autotune", dynamic=False)
    out = {
        "eager": lambda: task.function(*inputs),
        "compile": lambda: compiled(*inputs),
        "compile, into": lambda: compiled_into(*inputs, result),
    }
    if task.into is not None:
        out["eager, into"] = lambda: task.into(*inputs, result)
    return out


def error_of(result, exact):
    """The largest |result - exact| / max(1, |exact|)."""
    return float(((result.double() - exact).abs() / exact.abs().clamp(min=1)).max())


# --- time ---


def timed(contenders, rounds, target_s, seed):
    """Seconds per call: name -> one entry per round."""
    order = random.Random(seed)
    blocks = {name: block_of(call, target_s) for name, call in contenders.items()}
    times = {name: [] for name in contenders}
    names = list(contenders)
    for _ in range(rounds):
        order.shuffle(names)
        for name in names:
            call, count = contenders[name], blocks[name]
            call()  # brings caches and predictors to this contender
            start = now()
            for _ in range(count):
                call()
            times[name].append((now() - start) / count)
    return times


def measure(arguments, task, regime):
    kernel = kernel_of(task, regime)
    sizes = task.sizes[regime]
    shipped, said = (applied if arguments.apply else climb)(arguments, task, regime)
    library = library_of(shipped, function_name(task), arguments.language)
    tensors = draw(task, kernel, sizes, arguments.seed)
    is_output = lambda name: kernel["arguments"][name].get("role") == "output"
    inputs = [tensor for name, tensor in tensors.items() if not is_output(name)]
    result = next(tensor for name, tensor in tensors.items() if is_output(name))
    theirs = torch.empty_like(result)
    call = our_call(library, task, list(tensors.values()), sizes, symbols_of(kernel["arguments"]))
    contenders = {"hone": call, **rivals(task, inputs, theirs)}
    with torch.no_grad():
        wide = [tensor.double() if tensor.is_floating_point() else tensor for tensor in inputs]
        exact = task.function(*wide).double()
        del wide
        call()
        errors = {"hone": error_of(result, exact), "eager": error_of(task.function(*inputs), exact)}
        contenders["compile, into"]()
        errors["compile"] = error_of(theirs, exact)
        del exact
        times = timed(contenders, arguments.rounds, arguments.block, arguments.seed)
    row = {"kernel": task.name, "regime": regime, "sizes": sizes, "errors": errors, "rivals": {}}
    row["bytes"] = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    row["seconds"] = {name: statistics.median(values) for name, values in times.items()}
    for name, values in times.items():
        if name != "hone":
            ratios = [theirs / ours for theirs, ours in zip(values, times["hone"], strict=True)]
            row["rivals"][name] = median_interval(ratios)
    row["against"] = min(row["rivals"], key=lambda name: row["rivals"][name][0])
    row["ratio"] = row["rivals"][row["against"]]
    row["checkpoint"] = said["best"]["checkpoint"]
    row["point"] = said["best"].get("point")
    row["steps"] = said["best"].get("steps")
    row["right"] = errors["hone"] <= max(arguments.limit, 4 * errors["eager"])
    return row


# --- the machine ---


def copy_bandwidth():
    """Bytes per second of a plain copy of 64 MiB, read and written."""
    a, b = torch.zeros(16 << 20), torch.zeros(16 << 20)
    times = timed({"copy": lambda: b.copy_(a)}, 15, 0.02, 1)["copy"]
    return 2 * a.numel() * 4 / statistics.median(times)


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def facts(arguments, command):
    commit = subprocess.run(
        ["git", "-C", coverage.ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    return {
        "date": str(date.today()),
        "commit": commit,
        "machine": processor(),
        "torch": torch.__version__,
        "capability": torch.backends.cpu.get_cpu_capability(),
        "command": command,
        "language": arguments.language,
        "budget": arguments.budget,
        "apply": arguments.apply,
        "rounds": arguments.rounds,
        "copy": copy_bandwidth(),
    }


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", type=Path, default=coverage.ROOT / "build" / "ci" / "bin" / "hone")
    parser.add_argument("--work", type=Path, default=Path("/tmp/hone-pytorch-speed"), help="climbs and libraries")
    parser.add_argument("--as", dest="language", choices=("c", "cpp"), default="c", help="what is shipped")
    parser.add_argument("--budget", type=int, default=90, help="seconds of each climb")
    parser.add_argument("--apply", action="store_true", help="no climbs: steps by name, on few rows (busy machines)")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--block", type=float, default=0.01, help="seconds per block of calls, at least one call")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=1e-5, help="largest scaled error, or 4 times PyTorch's own")
    parser.add_argument("--cpu", type=int, help="the CPU to stay on; default: the last usable one")
    parser.add_argument("--only", nargs="*", help="kernels by name")
    parser.add_argument("--regimes", nargs="*", default=["cache", "memory"], choices=("cache", "memory"))
    parser.add_argument("--climb-only", action="store_true", help="climb and ship, time nothing")
    parser.add_argument("--json", type=Path, help="keep the rows in this file; rows of other kernels stay")
    parser.add_argument("--write", type=Path, help="keep the table in this file")
    arguments = parser.parse_args()
    if not arguments.hone.exists():
        parser.error(f"there is no {arguments.hone}: build hone, or name it with --hone")
    for name in set(arguments.only or []) - {task.name for task in TASKS}:
        parser.error(f"speed_tasks.py has no kernel {name}")
    return arguments


def told(row):
    median, low, high = row["ratio"]
    return (
        f"{row['kernel']} {row['regime']}: {row['seconds']['hone'] * 1e6:.1f} us, "
        f"{row['bytes'] / row['seconds']['hone'] * 1e-9:.1f} GB/s, {median:.2f}x [{low:.2f}, {high:.2f}] of "
        f"{row['against']}; " + ", ".join(f"{name} {ratio[0]:.2f}" for name, ratio in row["rivals"].items())
    ) + ("" if row["right"] else f"  WRONG by {row['errors']['hone']:.1e}")


def main():
    arguments = options()
    os.sched_setaffinity(0, {arguments.cpu if arguments.cpu is not None else max(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    torch._inductor.config.freezing = True
    quiet_memory()
    rows = []
    if arguments.json and arguments.json.exists():
        rows = json.loads(arguments.json.read_text())["rows"]
    failed = 0
    for task in TASKS:
        chosen = not arguments.only or task.name in arguments.only
        for regime in arguments.regimes if chosen else []:
            try:
                if arguments.climb_only:
                    (applied if arguments.apply else climb)(arguments, task, regime)
                    continue
                row = measure(arguments, task, regime)
            except RuntimeError as problem:
                failed += 1
                print(f"{task.name} {regime}: not measured: {problem}", file=sys.stderr, flush=True)
                continue
            failed += not row["right"]
            print(told(row), flush=True)
            rows = [old for old in rows if (old["kernel"], old["regime"]) != (task.name, regime)] + [row]
    command = "python3 bench/rivals/pytorch_speed.py " + " ".join(sys.argv[1:])
    kept = {"facts": facts(arguments, command), "rows": rows}
    if arguments.json:
        arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    if arguments.write:
        arguments.write.write_text(page(kept, [task.name for task in TASKS]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
