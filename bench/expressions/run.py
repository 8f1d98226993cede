#!/usr/bin/env python3
"""Sixty expressions that Hone does not ship: how close to the machine's roof does the built-in engine come?

  bench/expressions/run.py --json expressions.json      climb from each, 60 s and one thread; started again, it goes on
  bench/expressions/run.py --only swiglu,spmv           these expressions
  bench/expressions/run.py --json expressions.json --page docs/results/expressions.md

expressions.toml was written before any of them was tried, by somebody who had read docs/expressions.md only. With
--work, folders and shipped functions stay there for torch_speed.py, which times torch.compile beside them.
"""
import argparse
import hashlib
import pathlib
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "imports")]

from climb_rows import optimize, store, stored_rows  # noqa: E402
from page import page, passes  # noqa: E402
from shipped_calls import commit_of, last_line, processor, run  # noqa: E402


def kernel_toml(entry):
    return (f'[kernel]\nname = "{entry["name"]}"\nsummary = "{entry["from"]}"\n\n[compute]\nexpr = """\n'
            f'{entry["expr"].strip()}\n"""\n\n[arguments]\n{entry["arguments"].strip()}\n\n'
            f'[sizes]\ntimed = [ {{ {entry["sizes"]} }} ]\nalso = "any"\n')


def climb(hone, folder, budget, work):
    """What `hone optimize` reports, as far as the page needs it."""
    result, status, text = optimize(hone, folder, budget, work)
    if not result or not result.get("best"):
        return {"error": f"status {status}: {last_line(text)}"}
    best = {key: result["best"].get(key) for key in ("gflops", "gbytes_per_s", "bound_by", "ceiling_fraction")}
    return {"best": best, "seconds": (result["best"].get("time_s") or {}).get("median"), "regime": result["regime"],
            "steps": [step["transformation"] for step in result["steps"] if step.get("checkpoint")],
            "ratio": (result.get("speedup") or {}).get("ratio"), "stopped": result["stopped"],
            "busy": (result.get("load") or {}).get("busy")}


def judge(hone, entry, budget, work):
    folder = work / entry["name"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.toml").write_text(kernel_toml(entry))
    row = {key: entry[key] for key in ("name", "kind", "from")}
    status, text = run([str(hone), "check", str(folder)], 60)
    if status != 0:
        return row | {"error": last_line(text)}
    begin = time.monotonic()
    row |= climb(hone, folder, budget, work)
    row["wall_s"] = round(time.monotonic() - begin, 1)
    return row


def line_of(row):
    out = f"{row['name']:28}{row['kind']:16}"
    if "error" in row:
        return out + row["error"]
    best = row["best"]
    share = f"{100 * best['ceiling_fraction']:.0f} % of {best['bound_by']}" if best["ceiling_fraction"] else "no roof"
    return out + f"{'pass' if passes(row) else 'LOW ':6}{share}, {1e3 * (row['seconds'] or 0):.3g} ms, {', '.join(row['steps'])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", default=HERE.parents[1] / "build" / "release" / "bin" / "hone", type=pathlib.Path)
    parser.add_argument("--list", default=HERE / "expressions.toml", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names, with commas between them")
    parser.add_argument("--budget", default=60, type=int, help="seconds to climb (60)")
    parser.add_argument("--again", action="store_true", help="do not go on from the results in --json")
    parser.add_argument("--work", type=pathlib.Path, help="keep kernels and their climbs here")
    parser.add_argument("--page", type=pathlib.Path, help="page of docs/results to write")
    parser.add_argument("--json", type=pathlib.Path, help="file for all results; a run goes on from it")
    arguments = parser.parse_args()
    entries = {entry["name"]: entry for entry in tomllib.loads(arguments.list.read_text())["kernel"]}
    wanted = [name for name in arguments.only.split(",") if name]
    unknown = [name for name in wanted if name not in entries]
    if unknown:
        parser.error(f"there is no expression {unknown[0]}; there are {', '.join(entries)}")
    if not arguments.hone.exists():
        parser.error(f"{arguments.hone} is missing: build it, or give --hone")
    arguments.hone = arguments.hone.resolve()
    digest = hashlib.sha256(arguments.hone.read_bytes()).hexdigest()[:16]
    build = {"hone": digest, "commit": commit_of(HERE), "processor": processor(), "budget": arguments.budget}
    rows = {} if arguments.again else stored_rows(arguments.json, build, "name")
    for name in wanted or entries:
        done = name in rows
        if not done:
            with tempfile.TemporaryDirectory() as scratch:
                row = judge(arguments.hone, entries[name], arguments.budget, (arguments.work or pathlib.Path(scratch)).resolve())
            rows[name] = row | {"date": time.strftime("%Y-%m-%d"), "commit": build["commit"]}
            store(arguments.json, build, rows)
        print(line_of(rows[name]) + (" (stored)" if done else ""), flush=True)
    shown = [rows[name] for name in wanted or entries]
    print(f"{sum(map(passes, shown))} of {len(shown)} end at half of their roof, or at 0.9 of torch.compile")
    if arguments.page:
        arguments.page.write_text(page(shown, entries, build))
    return 0


if __name__ == "__main__":
    sys.exit(main())
