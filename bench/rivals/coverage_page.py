#!/usr/bin/env python3
"""Writes docs/coverage.md from tests/coverage/*.toml; with --check only says whether it is up to date."""

import argparse
import re
import sys

import coverage_tasks as coverage

PAGE = coverage.ROOT / "docs" / "coverage.md"
HEAD = """# What the expression language covers

```
Y[n,f,x] = sum(c, r, X[n,c,3 * x + 4 * r] * W[f,c,r])    # 76_conv_standard_1D_dilated_strided__
```

This page lists the tasks of KernelBench, levels 1 to 3, and whether the [expression language](expressions.md) can state
what they compute. Names and operators are KernelBench's (MIT; commit 423217d, 5 March 2026). The expressions were
written from the meaning of the operators, with small sizes; windows, strides, paddings, dilations and constants are those of the
benchmark, whose sizes stand in `bench/kernelbench/tasks.tsv` ([kernelbench.md](kernelbench.md)).

Every expression that is written out in `tests/coverage` is parsed, checked, evaluated and compared with PyTorch
([results/pytorch.md](results/pytorch.md)). "Expressible" means that Hone knows what is correct. It does not mean that
the built-in engine can make it fast.

`python3 bench/rivals/coverage_page.py` writes this page.
"""
SHORT = 100  # characters of an expression that still fits a column


def sayable(task):
    return coverage.is_full(task) or task["sayable"]


def statements(task):
    """Heads of loops and their closing brackets are none; a line that begins with no target belongs to the one before."""
    joined = []
    for line in task["expr"].strip().split("\n"):
        if re.match(r"\s*(for .*\{|\})$", line):
            continue
        if re.match(r"\s*\w+(\[[^=]*\])? =(\s|$)", line):
            joined.append(line.strip())
        elif joined:
            joined[-1] += " " + line.strip()
    return joined


def cell(text):
    return text.replace("|", "\\|")


def expression(task):
    if not coverage.is_full(task):
        return cell(task["why"])
    lines = statements(task)
    code = "; ".join(lines)
    if len(code) <= SHORT:
        return f"`{cell(code)}`"
    note = f"; {task['note']}" if "note" in task else ""
    return cell(("1 statement" if len(lines) == 1 else f"{len(lines)} statements") + note)


def remark(task):
    if not coverage.is_full(task):
        return cell(task["why"])
    return cell(task.get("note", ""))


def yes_no(value):
    return "yes" if value else "**no**"


def totals(levels):
    lines = ["| level | tasks | expressible | written out in tests/coverage |", "|---|---|---|---|"]
    for level, tasks in levels.items():
        said = sum(map(sayable, tasks))
        full = sum(map(coverage.is_full, tasks))
        lines.append(f"| {level} | {len(tasks)} | {said} ({100 * said / len(tasks):.0f} %) | {full} |")
    return lines


def page():
    levels = {level: coverage.tasks_of(level) for level in coverage.LEVELS}
    lines = [HEAD, *totals(levels)]
    lines += ["", "## Level 1: single operators", "", "| task | expressible | expression |", "|---|---|---|"]
    lines += [f"| {task['name']} | {yes_no(sayable(task))} | {expression(task)} |" for task in levels[1]]
    lines += [
        "",
        "## Level 2: operators in sequence",
        "",
        "| task | expressible | statements | note |",
        "|---|---|---|---|",
    ]
    for task in levels[2]:
        count = len(statements(task)) if coverage.is_full(task) else ""
        lines.append(f"| {task['name']} | {yes_no(sayable(task))} | {count} | {remark(task)} |")
    lines += [
        "",
        "## Level 3: blocks and networks",
        "",
        "| task | expressible | written out | note |",
        "|---|---|---|---|",
    ]
    for task in levels[3]:
        count = f"{len(statements(task))} statements" if coverage.is_full(task) else ""
        lines.append(f"| {task['name']} | {yes_no(sayable(task))} | {count} | {remark(task)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 when the page is out of date"
    )
    arguments = parser.parse_args()
    if arguments.check:
        current = PAGE.exists() and PAGE.read_text() == page()
        if not current:
            print(f"{PAGE} is out of date: run bench/rivals/coverage_page.py", file=sys.stderr)
        return 0 if current else 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
