#!/usr/bin/env python3
"""docs/results/trust.md from what bench_trust wrote.

python3 bench/trust/trust_page.py build/trust/*.csv --write docs/results/trust.md
"""

import argparse
import collections
import csv
import math
import sys
import textwrap

CALLS = ((2e-6, "2 us"), (50e-6, "50 us"), (1e-3, "1 ms"), (20e-3, "20 ms"))
PHASES = ("build", "validate", "reference", "measure", "check", "rest")
WANTED_COVERAGE = (0.93, 0.97)
SHORT_CALL = 1e-5  # s: what it costs to be called is a few percent of it
FOUND = 0.9  # of the comparisons say FAST
FALSE_AT_MOST = 0.005
VERDICTS = ("FAST", "SLOW", "SAME", "AMBG")
COLUMNS = ("ratio_of_blocks", "true_ratio")
COMPARISONS_WANTED = 3000


def read(paths):
    """Facts of every run, and all rows by study. A file may hold several runs, one behind the other."""
    runs, rows = [], collections.defaultdict(list)
    for path in paths:
        heading = None
        with open(path, newline="") as file:
            for number, cells in enumerate(csv.reader(file), 1):
                if not cells:
                    continue
                if cells[0].startswith("# "):
                    name, _, value = ",".join(cells)[2:].partition(": ")
                    if name == "command":
                        runs.append({})
                    elif not runs:
                        sys.exit(f"{path}:{number}: facts before the command: not written by bench_trust")
                    runs[-1][name] = value
                    continue
                if cells[0] == "study":
                    heading = cells
                    continue
                if heading is None or len(cells) != len(heading):
                    if heading is None:
                        sys.exit(f"{path}:{number}: no heading before the first row: not written by bench_trust")
                    continue  # the last line of a run that was stopped
                rows[cells[0]].append(dict(zip(heading, cells)))
    return runs, rows


def binomial_cdf(k, n, p):
    if p <= 0 or p >= 1:
        return 1.0 if p <= 0 or k >= n else 0.0
    log_p, log_q = math.log(p), math.log1p(-p)
    return math.fsum(
        math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * log_p + (n - i) * log_q)
        for i in range(k + 1)
    )


def bisect(holds):
    """The p at which `holds`, true below, becomes false."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def rate_interval(k, n, confidence=0.95):
    """Clopper and Pearson."""
    tail = (1 - confidence) / 2
    low = 0.0 if k == 0 else bisect(lambda p: 1 - binomial_cdf(k - 1, n, p) < tail)
    high = 1.0 if k == n else bisect(lambda p: binomial_cdf(k, n, p) > tail)
    return low, high


def rate_text(k, n):
    low, high = rate_interval(k, n)
    return f"{100 * k / n:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def table(heading, lines):
    return ["", "| " + " | ".join(heading) + " |", "|---" * len(heading) + "|"] + [
        "| " + " | ".join(map(str, line)) + " |" for line in lines
    ]


def call_text(row):
    return dict(CALLS)[min(dict(CALLS), key=lambda call: abs(math.log(call / float(row["call_s"]))))]


def grouped(rows, *names):
    groups = collections.OrderedDict()
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def count(rows, *verdicts):
    return sum(row["verdict"] in verdicts for row in rows)


def covers(row, column):
    return float(row["low"]) <= float(row[column]) <= float(row["high"])


def sd(values):
    middle = sum(values) / len(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1)) if len(values) > 1 else 0.0


def missing(*commands):
    """Nothing was run: how to."""
    return ["Not measured yet. On a quiet machine:", "", "```", *(f"build/ci/bin/bench_trust {c}" for c in commands), "```"]


def same_section(rows):
    lines = ["", "## Candidates against themselves", ""]
    if not rows:
        return lines + missing("aa --n 188 > build/trust/aa.csv", "aa --n 188 --neighbour > build/trust/aa-neighbour.csv")
    wrong = count(rows, "FAST", "SLOW")
    high = rate_interval(wrong, len(rows))[1]
    lines += [
        f"<!-- figure aa-comparisons: {len(rows):,} -->",
        f"<!-- figure aa-false: {wrong} -->",
        f"<!-- figure aa-bound: {100 * high:.2f} -->",
        "",
        f"Every FAST or SLOW is false here. {wrong} of {len(rows):,} comparisons were. So the rate is below {100 * high:.2f} % (97.5 %,",
        f"one-sided); the goal is at most {100 * FALSE_AT_MOST:g} % of {COMPARISONS_WANTED:,}."
        + ("" if len(rows) >= COMPARISONS_WANTED else f" {COMPARISONS_WANTED - len(rows):,} are still missing."),
        "The code is that of `hone compare`; the candidates are the products of `bench/measurement`. Neighbour `memory`: a",
        "process that copies 128 MiB back and forth on the other CPU.",
    ]
    body = []
    for key, group in grouped(rows, "subject", "regime", "neighbour").items():
        ratios = [float(row["ratio"]) for row in group]
        verdicts = [count(group, verdict) for verdict in VERDICTS]
        span = f"{100 * (min(ratios) - 1):+.2f} .. {100 * (max(ratios) - 1):+.2f} %"
        each = sum(float(row["seconds"]) for row in group) / len(group)
        body.append([*key, len(group), *verdicts, f"{100 * sd(ratios):.2f} %", span, f"{each:.1f}"])
    return lines + table(
        ["kernel", "regime", "neighbour", "n", *VERDICTS, "sd of ratios", "all ratios", "seconds each"], body
    )


def bounded(rows):
    """Comparisons that print an interval: one pair alone has none."""
    return [row for row in rows if float(row["high"]) < math.inf]


def percent_text(ratio):
    return f"{100 * (float(ratio) - 1):.4g} %"


def coverage_table(rows):
    """All differences of a kernel together: there are few comparisons of each."""
    body = []
    for (subject,), group in grouped(bounded(rows), "subject").items():
        hits = sum(covers(row, "true_ratio") for row in group)
        body.append([subject, call_text(group[0]), len(group), rate_text(hits, len(group))])
    return table(["kernel", "calls", "n", "holds it"], body)


def coverage_grid(rows):
    """A line per machine and call length, a column per difference."""
    ratios = sorted({row["true_ratio"] for row in rows}, key=float)
    body = []
    for (subject, _), group in grouped(bounded(rows), "subject", "call_s").items():
        line = [subject, call_text(group[0])]
        for ratio in ratios:
            some = [row for row in group if row["true_ratio"] == ratio]
            shares = [100 * sum(covers(row, column) for row in some) / max(1, len(some)) for column in COLUMNS]
            line.append(" / ".join(f"{share:.1f}" for share in shares))
        body.append(line)
    return table(["machine", "calls", *map(percent_text, ratios)], body)


def outside(rows):
    """How many cells there are, and those whose rate, with its interval, excludes the wanted coverage."""
    cells = grouped(bounded(rows), "subject", "call_s", "true_ratio")
    bad = []
    for (subject, _, ratio), group in cells.items():
        hits = sum(covers(row, "ratio_of_blocks") for row in group)
        low, high = rate_interval(hits, len(group))
        if high < WANTED_COVERAGE[0] or low > WANTED_COVERAGE[1]:
            bad.append(f"{subject}, {call_text(group[0])}, {percent_text(ratio)}: {rate_text(hits, len(group))}")
    return len(cells), bad


def smallest_found(group):
    """The smallest difference from which on every larger one is FAST often enough."""
    found = None
    for (ratio,), rows in sorted(grouped(group, "true_ratio").items(), key=lambda item: -float(item[0][0])):
        if float(ratio) <= 1 or count(rows, "FAST") < FOUND * len(rows):
            break
        found = ratio
    return "none of those tried" if found is None else percent_text(found)


def power_table(rows):
    body = []
    for (subject, call), group in grouped(rows, "subject", "call_s").items():
        by_ratio = grouped(group, "true_ratio")
        shares = [
            f"{percent_text(ratio)}: {100 * count(some, 'FAST') / len(some):.0f}"
            for (ratio,), some in by_ratio.items()
            if 1 < float(ratio) < 1.06
        ]
        runs = min(map(len, by_ratio.values()))
        body.append([subject, call_text({"call_s": call}), runs, smallest_found(group), "; ".join(shares)])
    return table(["what", "calls", "n each", "smallest", "share called FAST, %"], body)


def simulated_section(rows, models):
    lines = ["", "## Simulated", ""]
    if not rows:
        return lines + missing("simulated --n 150 > build/trust/simulated.csv")
    cells, bad = outside(rows)
    all_bounded = bounded(rows)
    pooled = rate_text(sum(covers(row, "ratio_of_blocks") for row in all_bounded), len(all_bounded))
    alike = [row for row in rows if float(row["true_ratio"]) == 1]
    wanted = " to ".join(f"{100 * share:.0f}" for share in WANTED_COVERAGE)
    lines += [
        "The protocol's own code (block schedule, estimates, verdicts, further pairs) on blocks that a model makes in place of",
        "runners. Equal seeds give equal rows. A model has a log-normal error per pair and per block, outliers (up to 1.5 times",
        "as long; half of them seen as time without the CPU), drift, and 5 us of hand-over per block:",
        *textwrap.wrap(f"{models}.", 118),
        "This tests the statistics, not a machine.",
        "",
        f"Copies: {count(alike, 'FAST', 'SLOW')} of {len(alike)} FAST or SLOW. Smallest difference from which on at least {100 * FOUND:.0f} % are",
        "called FAST:",
    ]
    lines += power_table(rows)
    lines += [
        "",
        f"How often, in percent, the printed 95 % interval holds the true ratio, of blocks / of calls (goal: {wanted}). A",
        "block's time contains the hand-over, which moves the ratio of short calls towards 1: their intervals hold the ratio of",
        f"blocks, not that of calls. All cells together, for blocks: {pooled}. Cells whose rate excludes {wanted}:",
        f"{len(bad)} of {cells}"
        + (": " + "; ".join(bad) + "." if bad else "."),
    ]
    return lines + coverage_grid(rows)


def known_section(rows):
    lines = ["", "## Known work", ""]
    if not rows:
        return lines + missing("known --n 40 > build/trust/known.csv")
    lines += [
        "Real comparisons of a chain of dependent multiply-adds with a longer one (hot). The true ratio is that of the",
        "lengths. It leaves out the other costs of a call and the hand-over. At 2 us these are a few percent of the",
        "difference, so intervals are counted for the longer calls only.",
    ]
    long_calls = [row for row in rows if float(row["call_s"]) > SHORT_CALL]
    found = [smallest_found(group).split()[0] for group in grouped(long_calls, "subject").values()]
    if found and all(text != "none" for text in found):
        lines += ["", f"<!-- figure known-smallest: {max(found, key=float)} -->"]
    for (neighbour,), group in grouped(rows, "neighbour").items():
        lines += ["", f"Neighbour: {neighbour}. Smallest difference from which on at least {100 * FOUND:.0f} % are called FAST:"]
        lines += power_table(group)
        alike = [row for row in group if float(row["true_ratio"]) == 1]
        lines += ["", f"{count(alike, 'FAST', 'SLOW')} of {len(alike)} comparisons of equal chains ended FAST or SLOW. How often the printed 95 %"]
        lines += ["interval holds the true ratio:"]
        lines += coverage_table([row for row in group if float(row["call_s"]) > SHORT_CALL])
    return lines


def cost_section(rows):
    lines = ["", "## What it costs", ""]
    if not rows:
        return lines + missing("cost --n 6 > build/trust/cost.csv")
    lines += [
        "Seconds per candidate of the default product (`kernels/matmul`, 1024 x 1024 x 1024, one thread): points of",
        "`bench/tuning/spaces/matmul` beside its default, nothing compiled before. `screen`: one regime, as in a climb.",
        "`promote`: both regimes and all checks, as for what is published. The first candidate of a run pays for references",
        "that later ones share; the others are averaged. The goal for `gate` is 1.0 for a screening and 8 for a promotion.",
        "",
        "| column | seconds |",
        "|---|---|",
        "| build | in which a compiler ran; references are evaluated beside it, and instrumented copies compile beside the first checks |",
        "| check | fresh inputs, and outputs compared, around the timed blocks |",
        "| on the clock | the part of `measure` that is blocks whose times count |",
        "| rest | in no phase |",
        "| off the clock | all but `on the clock`, compilers included |",
        "| gate | the same without compilers |",
        "| dearest | the largest `gate` of one candidate |",
        "",
        "<!-- figure screening-s = screen + later | gate -->",
        "<!-- figure promotion-s = promote + later | gate -->",
    ]
    body = []
    for (depth,), group in grouped(rows, "depth").items():
        first = [row for row in group if row["run"] == "0"]
        later = [row for row in group if row["run"] != "0"]
        for name, some in (("first", first), ("later", later)):
            if some:
                columns = ["wall_s", *(phase + "_s" for phase in PHASES), "on_clock_s", "pairs"]
                means = [sum(float(row[column]) for row in some) / len(some) for column in columns]
                off_clock = [float(row["wall_s"]) - float(row["on_clock_s"]) for row in some]
                gate = [off - float(row["build_s"]) for off, row in zip(off_clock, some)]
                figures = (*means, sum(off_clock) / len(some), sum(gate) / len(some), max(gate))
                body.append([depth, name, len(some), *(f"{figure:.2f}" for figure in figures)])
    head = ["depth", "candidates", "n", "seconds", *PHASES, "on the clock", "pairs", "off the clock", "gate", "dearest"]
    return lines + table(head, body)


def page(runs, rows):
    lines = [
        "# How far the verdicts can be trusted",
        "",
        "`bench/trust/trust_page.py` writes this page from what `bench_trust` measured. The protocol:",
        "[../measurement.md](../measurement.md). Brackets are 95 % intervals (Clopper and Pearson). Nothing is extrapolated: n",
        "is the number of comparisons. Build: `cmake --preset ci -DHONE_BENCH=ON && cmake --build build/ci --target",
        "bench_trust`. Runs:",
    ]
    facts = ("machine", "date", "commit")
    lines += table(
        ["command", *facts], [[f"`{run['command']}`", *(run.get(fact, "") for fact in facts)] for run in runs]
    )
    models = next((run["models"] for run in runs if "models" in run), "")
    lines += same_section(rows["aa"]) + known_section(rows["known"])
    lines += simulated_section(rows["simulated"], models) + cost_section(rows["cost"])
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", help="files that bench_trust wrote")
    parser.add_argument("--write", help="the page; without it, to stdout")
    arguments = parser.parse_args()
    try:
        text = page(*read(arguments.rows))
    except OSError as error:
        sys.exit(f"trust_page.py: {error}")
    if arguments.write:
        with open(arguments.write, "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
