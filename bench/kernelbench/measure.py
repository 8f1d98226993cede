#!/usr/bin/env python3
"""Times one shipped function beside its opponents, in pairs, in this process. Called by run.py; prints one JSON object.

A pair is a block of calls of ours and a block of calls of theirs, in an order drawn anew, each after one call that is not timed.
A pair gives one ratio, theirs over ours. What is told is the median of the ratios with its 95 % interval.
"""

import argparse
import ctypes
import importlib.util
import json
import os
import random
import statistics
import sys
import time
from pathlib import Path

from memory import Tensor, is_output, tensors_of
from tasks import TABLE, coverage, read_tasks

from timing import block_of, caller, library_of, median_interval, quiet_memory, symbols_in_header, thread_clock

LEAST_PAIRS = 7


def opponents_in(path):
    spec = importlib.util.spec_from_file_location("opponents", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ours(arguments, task, tensors, sizes, kept):
    library = library_of(arguments.shipped, arguments.function, "c", arguments.threads)
    given = []
    for name, argument in task.arguments.items():
        tensor = tensors[name]
        by_value = argument.get("role") == "scalar" or (not argument.get("shape") and not is_output(argument))
        given.append(tensor.c_type(tensor.values()[0]) if by_value else ctypes.c_void_p(tensor.address))

    def memory_of(size):
        kept.append(Tensor("bool", (size,), len(tensors)))
        return kept[-1].address

    numbers = [sizes[symbol] for symbol in symbols_in_header(arguments.shipped, arguments.function)]
    return caller(library, arguments.function, given, numbers, memory_of)


def seconds_of(call, count, now):
    call()  # brings caches and predictors to this contender
    start = now()
    for _ in range(count):
        call()
    return (now() - start) / count


def pairs_of(mine, theirs, arguments, now):
    """Seconds per call of both, one entry per pair; fewer pairs where calls are long."""
    order = random.Random(arguments.seed)
    calls = (mine, theirs)
    counts = [block_of(call, arguments.block, now) for call in calls]
    times = ([], [])
    end = time.monotonic() + arguments.seconds
    while len(times[0]) < arguments.pairs and (len(times[0]) < LEAST_PAIRS or time.monotonic() < end):
        for at in order.sample((0, 1), 2):
            times[at].append(seconds_of(calls[at], counts[at], now))
    return times


def compared(mine, theirs, arguments, now):
    our_times, their_times = pairs_of(mine, theirs, arguments, now)
    ratios = [b / a for a, b in zip(our_times, their_times, strict=True)]
    ratio, low, high = median_interval(ratios)
    return {
        "ratio": ratio,
        "ci95": [low, high],
        "pairs": len(ratios),
        "hone_s": statistics.median(our_times),
        "opponent_s": statistics.median(their_times),
    }


def measure(arguments):
    task = next(
        one for one in read_tasks(arguments.table) if (one.level, one.name) == (arguments.level, arguments.task)
    )
    sizes = json.loads(arguments.sizes)
    shape_of = lambda argument: coverage.shape_of(argument, sizes)
    value_of = lambda entry: float(entry) if entry in ("inf", "-inf") else coverage.number(entry, sizes)
    quiet_memory()
    tensors = tensors_of(task.arguments, shape_of, value_of, arguments.seed, task.form)
    kept = []
    call = ours(arguments, task, tensors, sizes, kept)
    call()
    now = thread_clock if arguments.threads == 1 else time.perf_counter
    out = {"clock": "CPU time of the thread" if arguments.threads == 1 else "wall clock", "opponents": {}}
    if arguments.opponents is None:
        count = block_of(call, arguments.block, now)
        out["hone_s"] = statistics.median(seconds_of(call, count, now) for _ in range(LEAST_PAIRS))
        return out
    module = opponents_in(arguments.opponents)
    side = module.Opponents(task, tensors, sizes, arguments.threads)
    out["versions"] = module.versions()
    out["agreement"] = side.agreement()
    for name in side.names():
        try:
            their_call = side.ready(name)
            out["opponents"][name] = compared(call, their_call, arguments, now)
        except Exception as problem:  # theirs may fail in any way; ours is still measured against the others
            out["opponents"][name] = {"error": f"{type(problem).__name__}: {problem}".splitlines()[0][:300]}
    measured = [one["hone_s"] for one in out["opponents"].values() if "hone_s" in one]
    if measured:
        out["hone_s"] = statistics.median(measured)
    call()
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--level", type=int, required=True)
    parser.add_argument("--task", required=True)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--sizes", required=True, help="a JSON object")
    parser.add_argument("--shipped", type=Path, required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("--opponents", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--block", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cpus[-arguments.threads :])
    result = measure(arguments)
    # Whatever an opponent printed stays apart from the result.
    sys.stdout.flush()
    print("\nRESULT " + json.dumps(result), flush=True)
    os._exit(0)  # threads of the shipped function live until the program ends


if __name__ == "__main__":
    main()
