#!/usr/bin/env python3
"""Writes docs/coverage.md from tests/coverage/*.toml; with --check only says whether it is up to date."""

import argparse
import sys

import coverage_tasks as coverage

PAGE = coverage.ROOT / "docs" / "coverage.md"
HEAD = """# What the expression language covers

The tasks of KernelBench, levels 1 to 3, by name, and whether the expression language ([expressions.md](expressions.md))
can say what they compute. Names and operators are KernelBench's (MIT; commit 423217d, 5 March 2026); the expressions
were written from what the operators mean. Sizes are small. Where a name leaves strides, paddings or the order of steps
open, they are ours: the notes in [tests/coverage](../tests/coverage) say which.

Every expression that stands there in full is read, checked, computed and compared with PyTorch:
[results/pytorch.md](results/pytorch.md). Being sayable means that Hone knows what is correct. It does not mean that the
built-in engine has a fast way to compute it.

This page is written by `python3 bench/rivals/coverage_page.py`.
"""
SHORT = 100  # characters of an expression that still fits a column


def sayable(task):
    return coverage.is_full(task) or task["sayable"]


def statements(task):
    """A statement starts in the first column; lines that are indented or close a bracket belong to the one before."""
    text = task["expr"].strip()
    joined = []
    for line in text.split("\n"):
        if line.startswith(" "):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
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
    lines = ["| level | tasks | sayable | in full in tests/coverage |", "|---|---|---|---|"]
    for level, tasks in levels.items():
        said = sum(map(sayable, tasks))
        full = sum(map(coverage.is_full, tasks))
        lines.append(f"| {level} | {len(tasks)} | {said} ({100 * said / len(tasks):.0f} %) | {full} |")
    return lines


def page():
    levels = {level: coverage.tasks_of(level) for level in coverage.LEVELS}
    lines = [HEAD, *totals(levels)]
    lines += ["", "## Level 1: single operators", "", "| task | sayable | expression |", "|---|---|---|"]
    lines += [f"| {task['name']} | {yes_no(sayable(task))} | {expression(task)} |" for task in levels[1]]
    lines += [
        "",
        "## Level 2: operators in sequence",
        "",
        "| task | sayable | statements | note |",
        "|---|---|---|---|",
    ]
    for task in levels[2]:
        count = len(statements(task)) if coverage.is_full(task) else ""
        lines.append(f"| {task['name']} | {yes_no(sayable(task))} | {count} | {remark(task)} |")
    lines += ["", "## Level 3: blocks and networks", "", "| task | sayable | in full | note |", "|---|---|---|---|"]
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
