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
    ratios = [row["ratio"][0] for row in rows]
    worst = min(rows, key=lambda row: row["ratio"][0])
    return (
        f"{len(rows)} rows: geometric mean {geomean(ratios):.2f}, smallest {worst['ratio'][0]:.2f} "
        f"({worst['kernel']}, {REGIMES[worst['regime']]}), {sum(ratio < 0.9 for ratio in ratios)} below 0.9."
    )


def page(kept, order):
    facts, rows = kept["facts"], kept["rows"]
    found = [
        f"Each kernel and size was climbed for at most {facts['budget']} seconds with its class's step list, the best",
        f"checkpoint shipped with `hone ship --as {facts['language']}` and called in one process with PyTorch: the same",
    ]
    if facts["apply"]:
        found = [
            "The machine was too busy for climbs to judge by time: steps were applied by name, on few rows, at their default",
            "parameters (`running-sums`, `fuse-statements`, `vectorize-rows`, and out of cache `stream-stores`, as far as each",
            f"fits), each checked by the gate. The last was shipped with `hone ship --as {facts['language']}` and called in one",
            "process with PyTorch. So this shows what the steps give, not that a climb finds them. The functions saw the same",
        ]
    lines = [
        "# Speed beside PyTorch on the CPU",
        "",
        f"Date: {facts['date']}. Commit: {facts['commit']}. Machine: {facts['machine']}, one thread, pinned; "
        f"torch {facts['torch']} ({facts['capability']}).",
        f"Command: `{facts['command']}` ([how to](../../bench/rivals/README.md)).",
        "",
        *found,
        f"inputs, {facts['rounds']} rounds in shuffled order, one ratio per round. Times are CPU times of the one thread, so",
        "that what else the machine does counts as little as possible. `ratio` is PyTorch's time over ours",
        "(above 1: ours is faster), the median and its 95 % interval, against the best of four: eager and torch.compile",
        '(inductor, `mode="max-autotune"`, freezing, static shapes), each with a new result per call and into a given',
        "one. `error`: the largest abs(difference from PyTorch in float64) / max(1, abs), ours / eager's. GB/s counts every",
        f"argument once; a plain copy of 64 MiB reached {facts['copy'] * 1e-9:.1f} GB/s here.",
        "",
        summary(rows) if rows else "Nothing was measured.",
    ]
    for regime, title in REGIMES.items():
        chosen = sorted((row for row in rows if row["regime"] == regime), key=lambda row: order.index(row["kernel"]))
        lines += ["", f"## {title.capitalize()}", ""]
        lines += [summary(chosen), ""] if chosen else []
        lines += ["| kernel | sizes | ours | GB/s | eager | compile | against | ratio | error |", "|---" * 9 + "|"]
        lines += map(row_text, chosen)
    lines += [
        "",
        "What this does not show: other machines and thread counts. A call through ctypes, which ours are, costs about a",
        "microsecond; a call of a compiled function in PyTorch several, which counts in the rows of some ten microseconds.",
        "PyTorch adds up `cumsum` in double precision, ours as the kernel says, in single: see the errors.",
    ]
    return "\n".join(lines) + "\n"
