#!/usr/bin/env python3
"""Brings a shipped function back into Hone as a candidate and compares it with the checkpoint that it was shipped from.

The texts of NAME.cpp and NAME_groups.cpp become a candidate with one work-group, which calls NAME_with(): its loops over
groups, its layout of scratch and its checks of sizes are then timed under the protocol of docs/measurement.md, beside the
checkpoint, and beside a copy of the checkpoint (A/A), which tells how far apart two equal candidates come out at that
moment. Exit status 1 when the shipped function is slower than the checkpoint by more than the protocol lets pass.

Not compared: the flags that the shipped CMakeLists.txt sets, and the caller's C library. Those are Hone's own here.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "bool": 1}
# What the function without _with needs of a C library; a candidate has none of it, and nobody calls it here.
WITHOUT = """#define fprintf(...) ((void)0)
#define fputs(...) ((void)0)
#define abort() ((void)0)
#define free(...) ((void)0)
#define aligned_alloc(...) ((void*)0)
#define __builtin_cpu_init() ((void)0)
#define __builtin_cpu_supports(...) 1
"""


def run(command, statuses=(0,)):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode not in statuses:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def work_size(plan):
    """Bytes of scratch that NAME_with() asks for, as an expression over sizes, at least."""
    if any(launch.get("shared", 0) for launch in plan.get("launch", [])):
        raise SystemExit("the checkpoint uses group->shared: this comparison does not know how to lay that out")
    return " + ".join(f"({one['size']}) * {BYTES[one.get('type', 'f32')]} + 64" for one in plan.get("scratch", []))


def candidate(folder, shipped, kernel, plan):
    """device.cpp, macros.h and launch.toml of a candidate that calls the shipped function once."""
    (name,) = (path.stem for path in shipped.glob("*.h"))
    groups = (shipped / f"{name}_groups.cpp").read_text()
    # What a work-group is stands in both files.
    host = re.sub(r"// --- a work-group, .*?(?=// --- )", "", (shipped / f"{name}.cpp").read_text(), flags=re.DOTALL)
    lines = (groups + "\n" + host).splitlines()
    header = (shipped / f"{name}.h").read_text()
    kept = [line for line in lines if line not in ("#include <stdio.h>", "#include <stdlib.h>")]
    text = "\n".join(kept).replace(f'#include "{name}.h"', header)
    text = re.sub(r"\b([fi](?:32|64)v(?:_lanes)?)\b", r"own_\1", text)  # what hone.h, always there, calls so too
    arguments = kernel["arguments"]
    signature = re.search(rf"int {name}_with\((.*?)\)", header, re.DOTALL).group(1)
    sizes = re.findall(r"int64_t (\w+)", signature)
    size = work_size(plan)
    parameters = [one.strip() for one in signature.split(",")][: len(arguments) + len(sizes)]
    given = list(arguments) + sizes
    call = ", ".join(given + ["work" if size else "nullptr"])
    wanted = ", ".join(["const hone_group* group"] + parameters + (["float* work"] if size else []))
    entry = f'extern "C" void shipped({wanted})\n{{\n  (void)group;\n  {name}_with({call});\n}}\n'
    folder.mkdir()
    (folder / "device.cpp").write_text(f'#include "hone.h"\n{WITHOUT}{text}\n{entry}')
    (folder / "macros.h").write_text("#pragma once\n")
    scratch = f'[[scratch]]\nname = "work"\nsize = "({size}) / 4 + 1"\n\n' if size else ""
    names = ", ".join(f'"{one}"' for one in given + (["work"] if size else []))
    (folder / "launch.toml").write_text(f'{scratch}[[launch]]\nkernel = "shipped"\ngrid = ["1"]\nargs = [{names}]\n')


def told(comparison):
    low, high = comparison["ci95"]
    return f"{comparison['verdict']} {comparison['ratio']:.4f} [{low:.4f}, {high:.4f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", type=Path, help="a kernel folder that was optimised")
    parser.add_argument("--checkpoint", default="best")
    parser.add_argument("--hone", type=Path, default=ROOT / "build" / "ci" / "bin" / "hone")
    parser.add_argument("--write", type=Path, help="add a line to this file's table")
    arguments = parser.parse_args()
    kernel = tomllib.loads((arguments.kernel / "kernel.toml").read_text())
    chosen = [arguments.kernel, "--checkpoint", arguments.checkpoint]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run([arguments.hone, "ship", *chosen, "--as", "cpp", "--out", folder / "shipped"])
        run([arguments.hone, "checkout", arguments.kernel, arguments.checkpoint, "--out", folder / "mine"])
        plan = tomllib.loads((folder / "mine" / "launch.toml").read_text())
        candidate(folder / "candidate", folder / "shipped", kernel, plan)
        compare = [arguments.hone, "compare", "--kernel", arguments.kernel, "--json"]
        shipped = json.loads(run([*compare, folder / "candidate", arguments.checkpoint]))
        copy = json.loads(run([*compare, arguments.checkpoint, arguments.checkpoint]))
    if not shipped["comparisons"]:
        raise SystemExit(f"the shipped function did not pass: {shipped['status']}: {shipped['reason']}")
    slower = False
    for one, band in zip(shipped["comparisons"], copy["comparisons"], strict=True):
        slower = slower or one["verdict"] == "SLOW"
        print(f"{kernel['kernel']['name']} {one['regime']}: shipped {told(one)}; a copy {told(band)}")
        if arguments.write:
            with open(arguments.write, "a") as file:
                file.write(
                    f"| {kernel['kernel']['name']} | {one['regime']} | {told(one)} | {told(band)} | {date.today()} |\n"
                )
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
