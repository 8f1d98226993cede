#!/usr/bin/env python3
"""Times torch.compile beside the shipped functions of run.py's rows below half of their roof. Needs PyTorch.

  bench/expressions/run.py --json expressions.json --work FOLDER
  bench/expressions/torch_speed.py --json expressions.json --work FOLDER

Both run in one process on one thread and the same inputs, in an order shuffled anew for each of 41 rounds. The row gets
the median of the rounds' ratios and its 95 % interval: the time of the faster of eager and torch.compile over ours.
"""
import argparse
import ctypes
import json
import os
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "rivals"), str(HERE.parent / "imports")]

import pytorch_speed as speed  # noqa: E402  sets the threads before PyTorch is loaded
import torch  # noqa: E402
from page import passes  # noqa: E402
from shipped_calls import run, value_of  # noqa: E402

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
         "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}


# Scalars are passed by value.
NUMBERS = {"f64": ctypes.c_double, "f32": ctypes.c_float, "i64": ctypes.c_int64, "i32": ctypes.c_int32,
           "i16": ctypes.c_int16, "i8": ctypes.c_int8, "u8": ctypes.c_uint8, "bool": ctypes.c_bool}


def passed(argument, tensor):
    by_value = not argument.get("shape") and argument.get("role", "input") == "input"
    return NUMBERS[argument["type"]](tensor.item()) if by_value else tensor


class Shipped:
    """What pytorch_speed.py asks of a task."""

    def __init__(self, name):
        self.name = name


def draw(argument, sizes, generator):
    shape = [int(value_of(extent, sizes)) for extent in argument.get("shape", [])]
    kind = TYPES[argument["type"]]
    low, high = (value_of(end, sizes) if not isinstance(end, float) else end for end in argument.get("domain", [None, None]))
    if kind.is_floating_point:
        values = torch.rand(shape, generator=generator, dtype=torch.float64)
        floor = -2 if low is None or low == -float("inf") else low
        top = floor + 4 if high is None or high == float("inf") else high
        return (floor + (top - floor) * values).to(kind)
    first, last = (int(low), int(high)) if low is not None else (0, 1 if kind == torch.bool else 100)
    values = torch.randint(first, last + 1, shape, generator=generator)
    if argument.get("order"):
        values = values.sort().values
        values[0], values[-1] = first, last
    return values.to(kind)


def compared(hone, entry, folder, rounds):
    kernel = tomllib.loads((folder / "kernel.toml").read_text())
    sizes = kernel["sizes"]["timed"][0]
    shipped = folder / "shipped"
    if not shipped.exists():
        command = [str(hone), "ship", str(folder), "--as", "c", "--out", str(shipped)]
        status, text = run(command, 300, cwd=folder.parent)
        if status != 0:
            raise RuntimeError(text.strip().splitlines()[-1])
    task = Shipped(entry["name"])
    library = speed.library_of(shipped, speed.function_name(task), "c")
    generator = torch.Generator().manual_seed(1)
    tensors = {name: draw(argument, sizes, generator) for name, argument in kernel["arguments"].items()}
    given = [passed(kernel["arguments"][name], tensor) for name, tensor in tensors.items()]
    call = speed.our_call(library, task, given, sizes, speed.symbols_of(kernel))
    names = {name: tensor for name, tensor in tensors.items()} | sizes
    free = [name for name in tensors if kernel["arguments"][name].get("role") != "output"]
    source = f"lambda {', '.join(free)}: {entry['torch']}"
    function = eval(source, {"torch": torch, "F": torch.nn.functional, **{k: v for k, v in names.items() if k in sizes}})
    inputs = [tensors[name].clone() for name in free]
    compiled = torch.compile(function, mode="max-autotune", dynamic=False)
    with torch.no_grad():
        times = speed.timed({"hone": call, "eager": lambda: function(*inputs), "compile": lambda: compiled(*inputs)},
                            rounds, 0.01, 1)
    ratios = {name: speed.median_interval([theirs / ours for theirs, ours in zip(times[name], times["hone"], strict=True)])
              for name in ("eager", "compile")}
    against = min(ratios, key=lambda name: ratios[name][0])
    return {"ratio": ratios[against], "against": against, "torch": torch.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default=HERE.parents[1] / "build" / "release" / "bin" / "hone", type=pathlib.Path)
    parser.add_argument("--list", default=HERE / "expressions.toml", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="names, with commas between them")
    parser.add_argument("--rounds", type=int, default=41)
    arguments = parser.parse_args()
    entries = {entry["name"]: entry for entry in tomllib.loads(arguments.list.read_text())["kernel"]}
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    torch._inductor.config.freezing = True
    speed.quiet_memory()
    stored = json.loads(arguments.json.read_text())
    for row in stored["rows"]:
        entry = entries[row["name"]]
        wanted = not arguments.only or row["name"] in arguments.only.split(",")
        if not wanted or "error" in row or passes(row) or not entry["torch"]:
            continue
        try:
            row["torch"] = compared(arguments.hone.resolve(), entry, arguments.work.resolve() / row["name"], arguments.rounds)
            print(f"{row['name']:28}{row['torch']['ratio'][0]:.2f} of {row['torch']['against']}", flush=True)
        except Exception as problem:  # one that PyTorch or the compiler refuses leaves the others
            print(f"{row['name']:28}not compared: {problem}", flush=True)
        arguments.json.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    main()
