#!/usr/bin/env python3
"""Imports every C function of a folder, climbs, ships, and runs what was shipped under sanitizers.

  bench/imports/run.py                      import and check every function
  bench/imports/run.py --budget 60          and climb each for 60 s
  bench/imports/run.py --sanitize           and run the shipped plain loops on buffers of the exact size
  bench/imports/run.py --only gemm,blur     functions whose names contain one of these
  bench/imports/run.py --sanitize --page docs/results/imports.md

The first line of a function may hold options for the import: // hone: --shape table=v,d
"""
import argparse
import json
import pathlib
import re
import sys
import tempfile
import time
import tomllib

from shipped_calls import C_TYPES, arguments_of, commit_of, element, elements_of, last_line, processor, run, sizes_for

HERE = pathlib.Path(__file__).resolve().parent


def program(kernel, header, function, cases):
    """A main() that calls the function once for each set of sizes."""
    arguments = kernel["arguments"]
    results = kernel.get("signature", {}).get("result")
    calls = []
    for sizes in cases:
        lines = ["  {"]
        for name, argument in arguments.items():
            c_type = C_TYPES[argument["type"]]
            if argument.get("role") == "scalar":
                lines.append(f"    {c_type} hone_{name}; {{ long at = 1; hone_{name} = ({c_type})({element(argument, sizes)}); (void)at; }}")
                continue
            count = elements_of(argument, sizes)
            lines.append(f"    {c_type}* hone_{name} = malloc({count} * sizeof({c_type}));")
            lines.append(f"    for (long at = 0; at < {count}; at++) hone_{name}[at] = ({c_type})({element(argument, sizes)});")
        passed = arguments_of(kernel, sizes, "hone")
        lines.append(f"    {f'*hone_{results} = ' if results else ''}{function}({', '.join(passed)});")
        lines += [f"    free(hone_{name});" for name, argument in arguments.items() if argument.get("role") != "scalar"]
        calls.append("\n".join(lines) + "\n  }")
    return f'#include "{header}"\n#include <stdlib.h>\nint main(void)\n{{\n' + "\n".join(calls) + "\n  return 0;\n}\n"


def sanitized(hone, folder, kernel, checkpoint, work):
    """'clean', or what was found."""
    out = work / ("shipped-" + re.sub(r"\W", "", checkpoint))
    ship = [str(hone), "ship", str(folder), "--checkpoint", checkpoint, "--out", str(out)]
    status, text = run(ship, 120)
    if status != 0:
        return "not shipped: " + last_line(text)
    headers = list(out.glob("*.h"))
    name = headers[0].stem
    cases = [sizes for first in (0, 1, 2, 7, 33, 70) if (sizes := sizes_for(kernel, first))]
    (work / "call.c").write_text(program(kernel, headers[0].name, name, cases))
    binary = work / "call"
    sources = [str(out / f"{name}.c"), str(out / f"{name}_groups.c")]
    build = ["gcc", "-std=gnu11", "-g", "-O1", "-march=native", "-fsanitize=address,undefined",
             "-fno-sanitize-recover=all", "-I", str(out), str(work / "call.c"), *sources, "-lm", "-o", str(binary)]
    status, text = run(build, 120)
    if status != 0:
        return "does not compile: " + last_line(text)
    status, text = run([str(binary)], 120)
    found = re.search(r"ERROR: AddressSanitizer: \S+|runtime error: .*", text)
    if "it was not made for these sizes" in text:
        return "refuses a size"
    return "clean" if status == 0 else (found.group(0) if found else f"status {status}: " + last_line(text))


def judge(hone, source, arguments, work):
    row = {"function": source.stem}
    options = re.match(r"// hone: (.*)", source.read_text())
    folder = work / source.stem
    begin = time.monotonic()
    status, text = run([str(hone), "new", "--from", str(source), "--out", str(folder),
                        *(options.group(1).split() if options else [])], 180)
    row["import_s"] = round(time.monotonic() - begin, 1)
    row["import"] = "right" if status == 0 else next(
        (line for line in text.splitlines() if line.startswith("hone:")), last_line(text))
    if status != 0:
        return row
    kernel = tomllib.loads((folder / "kernel.toml").read_text())
    row["expression"] = " ".join(kernel["compute"]["expr"].split())
    if arguments.sanitize:
        row["naive"] = sanitized(hone, folder, kernel, "naive", work)
        row["start"] = sanitized(hone, folder, kernel, str(folder / "start" / "cpu"), work)
    if arguments.budget:
        status, text = run([str(hone), "optimize", str(folder), "--budget", str(arguments.budget), "--json"],
                           5 * arguments.budget + 60, cwd=work)
        row["climb"] = "ended" if status == 0 else f"status {status}: " + last_line(text)
        begin = text.find("{")
        if begin >= 0:
            try:
                row["result"] = json.loads(text[begin:text.rfind("}") + 1])
            except json.JSONDecodeError:
                pass
    return row


def page(rows, command):
    """The results as a page of docs/results."""
    commit = commit_of(HERE)
    right = [row for row in rows if row["import"] == "right"]
    clean = [row for row in right if row.get("naive") == "clean" and row.get("start") == "clean"]
    out = f"""# Functions in C, imported

`{command}` writes this page ({processor()}, {time.strftime("%Y-%m-%d")}, commit {commit}).
The functions are those of `bench/imports/functions`, in the forms that people write. Each is read by `hone new --from` and put through the gate
against the reference that was derived from it. Then its plain loops and the function itself are shipped as C. Both are
called on heap buffers of the exact size, with sizes near 0, 1, 2, 7, 33 and 70, under AddressSanitizer and
UndefinedBehaviorSanitizer.

**{len(right)} of {len(rows)} are understood and right; of {len(clean)} the shipped code is clean.**

| function | read as | seconds | gate | plain loops | function |
|---|---|---|---|---|---|
"""
    for row in rows:
        text = row.get("expression", "")
        text = text if len(text) <= 100 else text[:97] + "..."
        out += (f"| `{row['function']}` | `{text.replace('|', '&#124;')}` | {row['import_s']} | {row['import']} | "
                f"{row.get('naive', '')} | {row.get('start', '')} |\n")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default=HERE.parents[1] / "build" / "release" / "bin" / "hone", type=pathlib.Path)
    parser.add_argument("--functions", default=HERE / "functions", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--budget", default=0, type=int, help="seconds to climb; 0: no climb")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--page", type=pathlib.Path, help="page of docs/results to write")
    parser.add_argument("--json", type=pathlib.Path, help="file for all results")
    arguments = parser.parse_args()
    wanted = [part for part in arguments.only.split(",") if part]
    rows = []
    for source in sorted(arguments.functions.glob("*.c")):
        if wanted and not any(part in source.stem for part in wanted):
            continue
        with tempfile.TemporaryDirectory() as work:
            row = judge(arguments.hone, source, arguments, pathlib.Path(work))
        rows.append(row)
        columns = [row["function"].ljust(20), f"{row['import_s']:6.1f} s", row["import"]]
        columns += [f"{key}: {row[key]}" for key in ("naive", "start", "climb") if key in row]
        print("  ".join(columns), flush=True)
    right = sum(row["import"] == "right" for row in rows)
    print(f"{right} of {len(rows)} imported and right")
    if arguments.sanitize:
        clean = sum(row.get("naive") == "clean" and row.get("start") == "clean" for row in rows)
        print(f"{clean} of {right} clean under the sanitizers")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    if arguments.page:
        options = [f"--budget {arguments.budget}"] * bool(arguments.budget) + ["--sanitize"] * arguments.sanitize
        arguments.page.write_text(page(rows, " ".join(["bench/imports/run.py", *options, f"--page {arguments.page}"])))
    return 0 if right == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
