#!/usr/bin/env python3
"""The 30 kernels of PolyBench/C 4.2.1, written anew as C functions: understood, right, and how much faster.

  bench/polybench/run.py --no-climb                     import, check and compare, no climb
  bench/polybench/run.py --json polybench.json          and climb each, 60 s; started again, it goes on where it stopped
  bench/polybench/run.py --only gemm,atax               these kernels
  bench/polybench/run.py --json polybench.json --page docs/results/polybench.md

Each function is read by `hone new --from` and put through the gate against the reference that was derived from it. Its
plain loops go through the gate too, and are compared with the function at other sizes. Then Hone climbs from the
function, compiled with the sizes as constants. The ratio at the end is of the best candidate over that function.

The first line of a function holds options for the import: // hone: --size n=400
"""
import argparse
import hashlib
import pathlib
import re
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "imports")]

from agreement import agreement  # noqa: E402
from climb_rows import optimize, store, stored_rows  # noqa: E402
from page import interval_of, page  # noqa: E402
from shipped_calls import commit_of, last_line, processor, run  # noqa: E402

IMPORT_LIMIT = 900  # seconds


def reason_in(text):
    """The first message of a command, without the place."""
    for line in text.splitlines():
        found = re.match(r"hone: (?:\S+\.c:\d+:\d+: |\S+kernel\.toml(?::\S+)?: )?(.*)", line)
        if found:
            return found.group(1)
    for line in text.splitlines():
        if re.match(r"(correctness|rejected|runtime|timeout|compile|constraints)(?: \(tier \w+\))?: ", line):
            return line
    return last_line(text)


def with_constants(folder, kernel):
    """The function is compiled for the timed sizes alone, as is whatever the climb finds."""
    sizes = kernel["sizes"]["timed"][0]
    toml = folder / "kernel.toml"
    toml.write_text(toml.read_text().replace('also = "any"', 'also = "timed"'))
    source = folder / "start" / "cpu" / "device.cpp"
    function, wrapper = source.read_text().split("// One work-group calls it once.", 1)
    name = kernel["kernel"]["name"]
    function = re.sub(rf"^(?:static )?(?:inline )?void {name}\(",
                      f"static inline __attribute__((always_inline)) void {name}(", function, flags=re.M)
    for size, value in sizes.items():
        wrapper = re.sub(rf"\(int\)\({size}\)", str(value), wrapper)
    source.write_text(function + "// One work-group calls it once, with the timed sizes as constants." + wrapper)


def plain_loops_in_the_gate(hone, folder, work):
    """The gate's status of the plain loops."""
    naive = work / "naive"
    status, text = run([str(hone), "checkout", str(folder), "naive", "--out", str(naive)], 60)
    if status != 0:
        return "none: " + reason_in(text)
    status, text = run([str(hone), "run", str(naive), "--kernel", str(folder), "--no-timing"], IMPORT_LIMIT)
    return "correct" if status == 0 else reason_in(text)


def climb(hone, folder, budget, work):
    """What `hone optimize` reports, as far as the page needs it."""
    result, status, text = optimize(hone, folder, budget, work)
    if not result or not result.get("best") or not result.get("start"):
        return {"error": f"status {status}: {reason_in(text)}"}
    best = {key: result["best"].get(key) for key in ("gflops", "gbytes_per_s", "bound_by", "ceiling_fraction")}
    same = result["best"]["checkpoint"] == result["start"]["checkpoint"]
    speedup = result["speedup"]
    if not speedup:
        if not same:
            return {"error": "the best candidate was not compared with the function"}
        speedup = {"ratio": 1, "ci95": None, "verdict": "nothing faster"}
    steps = [step["transformation"] for step in result["steps"] if step.get("checkpoint")]
    times = {key: (result[key].get("time_s") or {}).get("median") for key in ("start", "best")}
    return {"best": best, "start_s": times["start"], "best_s": times["best"], "ratio": speedup["ratio"],
            "ci95": speedup["ci95"], "verdict": speedup["verdict"], "regime": result["regime"], "steps": steps,
            "stopped": result["stopped"], "busy": (result.get("load") or {}).get("busy")}


def judge(hone, source, arguments, work):
    row = {"function": source.stem}
    options = re.match(r"// hone: (.*)", source.read_text())
    row["options"] = options.group(1) if options else ""
    folder = work / source.stem
    begin = time.monotonic()
    status, text = run([str(hone), "new", "--from", str(source), "--out", str(folder), *row["options"].split()],
                       IMPORT_LIMIT)
    row["import_s"] = round(time.monotonic() - begin, 1)
    row["understood"] = status == 0
    if status != 0:
        row["reason"] = reason_in(text)
        row["questions"] = [line for line in text.splitlines() if re.match(r"hone:|  hint:", line)]
        return row
    status, text = run([str(hone), "check", str(folder)], 60)
    if status != 0:
        row.update(understood=False, reason=reason_in(text))
        return row
    kernel = tomllib.loads((folder / "kernel.toml").read_text())
    row["expression"] = kernel["compute"]["expr"].strip()
    row["plain"] = plain_loops_in_the_gate(hone, folder, work)
    row["agreement"] = agreement(hone, folder, kernel, source, work)
    if not arguments.no_climb:
        with_constants(folder, kernel)
        row["budget"] = arguments.budget
        row["climb"] = climb(hone, folder, arguments.budget, work)
    return row


def line_of(row):
    """A row for the terminal."""
    out = f"{row['function']:16}{row['import_s']:7.1f} s  "
    if not row["understood"]:
        return out + "not understood: " + row["reason"]
    out += f"plain loops: {row['plain']}, {row['agreement']}"
    made = row.get("climb")
    if made and "error" in made:
        out += f"; climb: {made['error']}"
    elif made:
        out += f"; {made['ratio']:.3g} x {interval_of(made['ci95'])} {made['verdict']}"
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default=HERE.parents[1] / "build" / "release" / "bin" / "hone", type=pathlib.Path)
    parser.add_argument("--functions", default=HERE / "functions", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names of kernels, with commas between them")
    parser.add_argument("--no-climb", action="store_true")
    parser.add_argument("--budget", default=60, type=int, help="seconds to climb (60)")
    parser.add_argument("--again", action="store_true", help="do not go on from the results in --json")
    parser.add_argument("--page", type=pathlib.Path, help="page of docs/results to write")
    parser.add_argument("--json", type=pathlib.Path, help="file for all results; a run goes on from it")
    arguments = parser.parse_args()
    sources = {source.stem: source for source in sorted(arguments.functions.glob("*.c"))}
    wanted = [name for name in arguments.only.split(",") if name]
    unknown = [name for name in wanted if name not in sources]
    if unknown:
        parser.error(f"there is no kernel {unknown[0]}; there are {', '.join(sources)}")
    if not arguments.hone.exists():
        parser.error(f"{arguments.hone} is missing: build it, or give --hone")
    arguments.hone = arguments.hone.resolve()
    digest = hashlib.sha256(arguments.hone.read_bytes()).hexdigest()[:16]
    build = {"hone": digest, "commit": commit_of(HERE), "processor": processor()}
    rows = {} if arguments.again else stored_rows(arguments.json, build, "function")
    for name in wanted or sources:
        row = rows.get(name)
        done = row and (not row["understood"] or arguments.no_climb or row.get("budget") == arguments.budget)
        if not done:
            with tempfile.TemporaryDirectory() as work:
                row = judge(arguments.hone, sources[name], arguments, pathlib.Path(work))
            row.update(date=time.strftime("%Y-%m-%d"), commit=build["commit"])
            rows[name] = row
            rows = {key: rows[key] for key in sources if key in rows}
            store(arguments.json, build, rows)
        print(line_of(row) + (" (stored)" if done else ""), flush=True)
    shown = [row for row in rows.values() if not wanted or row["function"] in wanted]
    understood = [row for row in shown if row["understood"]]
    right = [row for row in understood if row["plain"] == "correct" and row["agreement"].startswith("agrees")]
    print(f"{len(understood)} of {len(shown)} understood, {len(right)} of these right")
    if arguments.page:
        command = " ".join(["bench/polybench/run.py", *(["--no-climb"] if arguments.no_climb else []),
                            *([f"--budget {arguments.budget}"] if arguments.budget != 60 else []),
                            f"--page {arguments.page}"])
        arguments.page.write_text(page(shown, command, build))
    return 0 if len(right) == len(understood) else 1


if __name__ == "__main__":
    sys.exit(main())
