#!/usr/bin/env python3
"""Adds up what run.py left in a folder: valid rates, fast_p, geometric means, the ten worst, and a page.

  bench/kernelbench/report.py FOLDER                                        prints the summary
  bench/kernelbench/report.py FOLDER --write docs/results/kernelbench.md    and writes the page
  bench/kernelbench/report.py FOLDER --json summary.json                    the numbers as data

A ratio is PyTorch's time over ours: above 1, ours is faster. Tasks whose check in the benchmark is vacuous are left out of all means;
they stand apart. Records that are missing are told, not guessed.
"""

import argparse
import json
import sys
from pathlib import Path

from means import FAST, bootstrap_interval, fast, geometric_mean, with_fallback
from tasks import read_tasks

AGAINST = ("the faster of both", "eager", "compile")
WORST = 10
NO_STEPS = ("start", "start-check", "final", "together", "tune-trial")  # rows of a climb that are no transformation


def records_in(folder):
    return [json.loads(path.read_text()) for path in sorted((folder / "records").glob("level*/*.json"))]


def number_of(record):
    return record["level"], int(record["task"].split("_")[0])


def ratio_of(record, against):
    """None: not valid, or not measured against that one."""
    if record["status"] != "valid":
        return None
    if against == AGAINST[0]:
        return record.get("ratio")
    return record["measured"]["opponents"].get(against, {}).get("ratio")


def summary_of(records, against):
    good = sum(record["status"] == "valid" for record in records)
    # A task where that opponent alone failed, or was not asked for, says nothing about ours.
    told = [record for record in records if record["status"] != "valid" or ratio_of(record, against) is not None]
    ratios = [ratio_of(record, against) for record in told]
    valid = [ratio for ratio in ratios if ratio is not None]
    every = with_fallback(ratios) if valid else []
    return {
        "tasks": len(records),
        "compared": len(told),
        "valid": good,
        "valid_rate": good / len(records) if records else None,
        "over_all": geometric_mean(every),
        "over_all_ci95": bootstrap_interval(every),
        "over_valid": geometric_mean(valid),
        "over_valid_ci95": bootstrap_interval(valid),
        "fast": {str(p): fast(ratios, p) for p in FAST},
    }


def groups_of(records):
    """Name -> records. Own kernels and those that call libraries never share a mean; a task without a kernel counts as own."""
    counted = [record for record in records if record["class"] != "vacuous"]
    out = {}
    for kind, name in (("own", ""), ("library", ", library-assisted")):
        those = [record for record in counted if record.get("kind", "own") == kind]
        for level in sorted({record["level"] for record in those}):
            out[f"level {level}{name}"] = [record for record in those if record["level"] == level]
        if those:
            out[f"all levels{name}"] = those
    vacuous = [record for record in records if record["class"] == "vacuous"]
    if vacuous:
        out["vacuous checks, in no other row"] = vacuous
    return out


def step_text(step):
    if step["status"] != "correct":
        return step["status"]
    return f"{step['ratio']:.2f}" if step.get("ratio") else "not faster"


def reason_of(record):
    """Why a task came out as it did, from its record alone."""
    if record["status"] != "valid":
        return f"{record['status']}{' at ' + record['stage'] if 'stage' in record else ''}: {record['reason']}"
    climb = record["climb"]
    steps = [step for step in climb["steps"] if step != "start"]
    parts = ["kept " + ", ".join(steps) if steps else "no step was kept"]
    known = {*climb["steps"], *NO_STEPS}
    others = [step for step in climb.get("tried", []) if step["transformation"] not in known]
    if others:
        parts.append("left: " + ", ".join(f"{step['transformation']} ({step_text(step)})" for step in others[:3]))
    if climb.get("ceiling_fraction") is not None:
        parts.append(f"{climb['ceiling_fraction']:.0%} of the roof of {climb['bound_by']}")
    if climb.get("stopped"):
        parts.append("the budget ended the climb")
    if (climb.get("lost_share") or 0) > 0.05:
        parts.append(f"busy machine ({climb['lost_share']:.0%} lost)")
    return "; ".join(parts)


def worst_of(records):
    """Those without a valid kernel first, then the lowest ratios."""
    broken = [record for record in records if record["status"] != "valid"]
    slow = sorted((record for record in records if record.get("ratio") is not None), key=lambda record: record["ratio"])
    return (broken + slow)[:WORST]


# --- text ---


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def mean_text(mean, interval):
    if mean is None:
        return "-"
    return f"{mean:.2f}" + (f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else "")


def share_text(share):
    return "-" if share is None else f"{share:.0%}"


def times_text(seconds):
    return f"{seconds * 1e6:.3g} us" if seconds < 1e-3 else f"{seconds * 1e3:.3g} ms"


def means_table(groups, against):
    shown = [p for p in FAST if p >= 0.5]
    lines = [
        f"| against {against} | tasks | valid | geometric mean over all | over valid | {' | '.join(f'fast_{p}' for p in shown)} |",
        "|---|---|---|---|---|" + "---|" * len(shown),
    ]
    for name, records in groups.items():
        one = summary_of(records, against)
        shares = " | ".join(share_text(one["fast"][str(p)]) for p in shown)
        lines.append(
            f"| {name} | {one['tasks']} | {one['valid']} ({share_text(one['valid_rate'])}) "
            f"| {mean_text(one['over_all'], one['over_all_ci95'])} | {mean_text(one['over_valid'], one['over_valid_ci95'])} | {shares} |"
        )
    return lines


def sizes_text(record):
    text = ", ".join(f"{name}={value}" for name, value in record["sizes"].items())
    if record["sizes_are"] == "original":
        return text
    return text + " (of " + ", ".join(f"{name}={value}" for name, value in record["original"].items()) + ")"


def row_of(record):
    head = f"| {record['level']} | {record['task']} | {record['class']} | {sizes_text(record)} |"
    if record["status"] != "valid":
        return f"{head} {record['status']} | | | | {cell(reason_of(record))} |"
    cells = []
    for name in ("eager", "compile"):
        one = record["measured"]["opponents"].get(name, {})
        if "ratio" in one:
            cells.append(f"{one['ratio']:.2f} [{one['ci95'][0]:.2f}, {one['ci95'][1]:.2f}]")
        else:
            cells.append(cell(one.get("error", "-")))
    return f"{head} {record.get('kind', '')} | {times_text(record['measured']['hone_s'])} | {' | '.join(cells)} | {cell(reason_of(record))} |"


def values_of(records, *path):
    out = set()
    for record in records:
        value = record
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            out.add(str(value))
    return ", ".join(sorted(out)) or "-"


def head_of(records):
    settings = records[0]["settings"]
    dates = sorted(record["facts"]["date"] for record in records)
    busy = [record for record in records if (record.get("climb", {}).get("lost_share") or 0) > 0.05]
    lines = [
        f"Date: {' to '.join(sorted({dates[0][:10], dates[-1][:10]}))}. Commit: {values_of(records, 'facts', 'commit')}. Machine: "
        f"{values_of(records, 'facts', 'machine')}, {values_of(records, 'facts', 'cpus')} CPUs. torch "
        f"{values_of(records, 'measured', 'versions', 'torch')} ({values_of(records, 'measured', 'versions', 'instructions')}), "
        f"gcc {values_of(records, 'facts', 'compiler')}.",
        "",
        f"Command: `bench/kernelbench/run.py --budget {settings['budget']} --threads {settings['threads']} --regime {settings['regime']} "
        f"--sizes {settings['sizes']} --out FOLDER`, then `bench/kernelbench/report.py FOLDER --write docs/results/kernelbench.md`.",
    ]
    if busy:
        lines += [
            "",
            f"Other programs took more than 5 % of the CPU from {len(busy)} of {len(records)} climbs: those found less than on a quiet machine.",
        ]
    return lines


def missing_of(records):
    have = {(record["level"], record["task"]) for record in records}
    return [task for task in read_tasks() if (task.level, task.name) not in have]


def page_of(records, groups):
    counted = [record for record in records if record["class"] != "vacuous"]
    missing = missing_of(records)
    lines = [
        "# KernelBench",
        "",
        "Hone's built-in engine on the tasks of KernelBench, beside PyTorch. What is compared and what is not claimed:",
        "[kernelbench.md](../kernelbench.md).",
        "",
    ]
    lines += head_of(records)
    lines += [
        "",
        f"{len(records)} tasks were run; {len(missing)} of those that Hone states were not. A ratio is PyTorch's time over ours.",
    ]
    lines += [
        '"Over all": a task without a valid kernel counts as 1, since one keeps PyTorch\'s. Means are geometric; intervals are 95 %',
        "bootstrap intervals over tasks. fast_p: the share of all tasks that are valid and more than p times as fast.",
    ]
    for against in AGAINST:
        lines += [""] + means_table(groups, against)
    lines += ["", f"## The {WORST} worst", "", "| level | task | ratio | reason |", "|---|---|---|---|"]
    for record in worst_of(counted):
        ratio = ratio_of(record, AGAINST[0])
        lines.append(
            f"| {record['level']} | {record['task']} | {'-' if ratio is None else f'{ratio:.2f}'} | {cell(reason_of(record))} |"
        )
    lines += [
        "",
        "## All tasks",
        "",
        "| level | task | its check | sizes | kernel | ours | eager | compile | what the climb did |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [row_of(record) for record in sorted(records, key=number_of)]
    return "\n".join(lines) + "\n"


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="--out of run.py")
    parser.add_argument("--write", type=Path, help="the page")
    parser.add_argument("--notes", type=Path, help="Markdown that the page ends with: what a person found out")
    parser.add_argument("--json", type=Path, help="the summary as data")
    arguments = parser.parse_args()
    return parser, arguments


def main():
    parser, arguments = options()
    records = sorted(records_in(arguments.folder), key=number_of)
    if not records:
        parser.error(f"{arguments.folder} has no records: run.py --out {arguments.folder} makes them")
    groups = groups_of(records)
    for against in AGAINST:
        print("\n".join(means_table(groups, against)) + "\n")
    counted = [record for record in records if record["class"] != "vacuous"]
    for record in worst_of(counted):
        ratio = ratio_of(record, AGAINST[0])
        print(
            f"level {record['level']} {record['task']}: {'-' if ratio is None else f'{ratio:.2f}'}: {reason_of(record)}"
        )
    if arguments.json:
        data = {against: {name: summary_of(those, against) for name, those in groups.items()} for against in AGAINST}
        arguments.json.write_text(json.dumps(data, indent=1) + "\n")
    if arguments.write:
        notes = "\n" + arguments.notes.read_text() if arguments.notes else ""
        arguments.write.write_text(page_of(records, groups) + notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
