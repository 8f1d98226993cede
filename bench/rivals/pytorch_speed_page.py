"""docs/results/pytorch_speed.md from the rows of pytorch_speed.py."""

import math

REGIMES = {"cache": "in cache", "memory": "out of cache"}


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def time_text(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def best(row, kind):
    """The faster of a rival's two forms."""
    return min(seconds for name, seconds in row["seconds"].items() if name.startswith(kind))


def ratios_of(rows, regime=None):
    return [row["ratio"][0] for row in rows if regime in (None, row["regime"])]


def row_text(row):
    median, low, high = row["ratio"]
    sizes = " ".join(f"{name}={value}" for name, value in row["sizes"].items())
    bandwidth = row["bytes"] / row["seconds"]["hone"] * 1e-9
    return (
        f"| {row['kernel']} | {sizes} | {time_text(row['seconds']['hone'])} | {bandwidth:.1f} | "
        f"{time_text(best(row, 'eager'))} | {time_text(best(row, 'compile'))} | {row['against']} | "
        f"**{median:.2f}** [{low:.2f}, {high:.2f}] | {row['errors']['hone']:.0e} / {row['errors']['eager']:.0e} |"
    )


def summary(rows):
    ratios = ratios_of(rows)
    worst = min(rows, key=lambda row: row["ratio"][0])
    return (
        f"{len(rows)} rows: geometric mean {geomean(ratios):.2f}, smallest {worst['ratio'][0]:.2f} "
        f"({worst['kernel']}, {REGIMES[worst['regime']]}), {sum(ratio < 0.9 for ratio in ratios)} below 0.9."
    )


def page(kept, order):
    facts, rows = kept["facts"], kept["rows"]
    found = [
        f"Each kernel and size was climbed for at most {facts['budget']} seconds with its class's step list. The best checkpoint was",
        f"shipped with `hone ship --as {facts['language']}` and called in one process with PyTorch, on the same inputs.",
    ]
    if facts["apply"]:
        found = [
            "The machine was too busy for climbs to judge by time. Steps were applied by name at their default parameters",
            "(`running-sums`, `fuse-statements`, `vectorize-rows`, out of cache `stream-stores`, as far as each fits), each checked",
            f"by the gate. The last result was shipped with `hone ship --as {facts['language']}` and called in one process with PyTorch.",
            "So this shows what the steps give, not that a climb finds them. The functions saw the same inputs.",
        ]
    figures = {
        "kernels": len({row["kernel"] for row in rows}),
        "geomean": f"{geomean(ratios_of(rows)):.2f}",
        "lowest": f"{min(ratios_of(rows), default=math.nan):.2f}",
        "in-cache": f"{geomean(ratios_of(rows, 'cache')):.2f}",
        "out-of-cache": f"{geomean(ratios_of(rows, 'memory')):.2f}",
    }
    lines = [
        "# Speed beside PyTorch on the CPU",
        "",
        f"Date: {facts['date']}. Commit: {facts['commit']}. Machine: {facts['machine']}, one thread, pinned; "
        f"torch {facts['torch']} ({facts['capability']}).",
        f"Command: `{facts['command']}` (how to: `bench/rivals/README.md`).",
        "",
        *(f"<!-- figure pytorch-{name}: {value} -->" for name, value in figures.items() if rows),
        "",
        f"{summary(rows)} {figures['kernels']} kernels." if rows else "Nothing was measured.",
        "",
        *found,
        f"There were {facts['rounds']} rounds in shuffled order, with one ratio per round. Times are CPU times of the one thread, so",
        "that other load counts as little as possible.",
        "",
        "| column | meaning |",
        "|---|---|",
        "| ratio | PyTorch's time over ours (above 1: ours is faster), median and 95 % interval |",
        '| against | the fastest of four: eager and torch.compile (inductor, `mode="max-autotune"`, freezing, static shapes), '
        "each with a new result per call and into a given one |",
        "| error | the largest abs(difference from PyTorch in float64) / max(1, abs), ours / eager's |",
        f"| GB/s | every argument counted once; a plain copy of 64 MiB reached {facts['copy'] * 1e-9:.1f} GB/s |",
    ]
    for regime, title in REGIMES.items():
        chosen = sorted((row for row in rows if row["regime"] == regime), key=lambda row: order.index(row["kernel"]))
        lines += ["", f"## {title.capitalize()}", ""]
        lines += [summary(chosen), ""] if chosen else []
        lines += ["| kernel | sizes | ours | GB/s | eager | compile | against | ratio | error |", "|---" * 9 + "|"]
        lines += map(row_text, chosen)
    lines += [
        "",
        "What this does not show: other machines and thread counts. Our functions are called through ctypes, about a",
        "microsecond per call. A compiled function in PyTorch takes several, which counts in the rows of some ten",
        "microseconds. PyTorch computes `cumsum` in double precision, ours in single, as the kernel says: see the errors.",
    ]
    return "\n".join(lines) + "\n"
