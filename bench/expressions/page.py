"""Rows of run.py as a page of docs/results."""
from climb_rows import other_commits

HALF = 0.5  # of the roof
NEAR = 0.9  # of the speed of torch.compile


def passes(row):
    share = (row.get("best") or {}).get("ceiling_fraction") or 0
    return share >= HALF or (row.get("torch") or {}).get("ratio", [0])[0] >= NEAR


def cell(text):
    return str(text).replace("|", "&#124;").replace("\n", " ")


def row_of(row):
    if "error" in row:
        return [row["name"], row["kind"], cell(row["error"]), "", "", "", "", ""]
    best = row["best"]
    by_arithmetic = best["bound_by"] == "arithmetic"
    speed = f"{best['gflops']:.3g} GFLOP/s" if by_arithmetic and best["gflops"] else \
        f"{best['gbytes_per_s']:.3g} GB/s" if best["gbytes_per_s"] else ""
    share = f"{100 * best['ceiling_fraction']:.0f} %" if best["ceiling_fraction"] else ""
    torch = row.get("torch")
    return [row["name"], row["kind"], f"{1e3 * row['seconds']:.3g} ms" if row["seconds"] else "", speed, share,
            best["bound_by"] or "", f"{torch['ratio'][0]:.2f}" if torch else "", "yes" if passes(row) else "**no**"]


def other_budgets(rows, build):
    names = {}
    for row in rows:
        if row.get("budget", build["budget"]) != build["budget"]:
            names.setdefault(row["budget"], []).append(f"`{row['name']}`")
    return "".join(f"\nWith {budget} s: {', '.join(of)}.\n" for budget, of in sorted(names.items()))


def page(rows, entries, build):
    passed = sum(map(passes, rows))
    kinds = sorted({row["kind"] for row in rows})
    out = f"""# Sixty expressions

Kernels that Hone does not ship, in `bench/expressions/expressions.toml`. They were written before any of them was tried,
by an author who had read the documentation of expressions only.

- *Share*: of what the machine can do at best, by the ceilings that Hone measures: arithmetic, or the bandwidth of the
  memory where the data begin. Bytes are those that a call must move at least.
- *torch.compile*: its time over ours, where the share is below one half and the kernel is a short PyTorch expression.
- *Passes*: the share is at least one half, or the ratio to torch.compile at least {NEAR}.

{passed} of {len(rows)} pass ({100 * passed / len(rows):.0f} %).

Command: `bench/expressions/run.py --json expressions.json --page docs/results/expressions.md`. One thread,
{build["budget"]} s each. Machine: {build["processor"]}, 2 CPUs. Commit: {build["commit"]}. Date: {max(row["date"] for row in rows)}.
{other_commits(rows, build, "name")}{other_budgets(rows, build)}
| kind | pass |
|---|---|
"""
    for kind in kinds:
        of_kind = [row for row in rows if row["kind"] == kind]
        out += f"| {kind} | {sum(map(passes, of_kind))} of {len(of_kind)} |\n"
    out += "\n| kernel | kind | best | speed | share | bound by | torch.compile | passes |\n|---|---|---|---|---|---|---|---|\n"
    for row in rows:
        out += "| " + " | ".join(row_of(row)) + " |\n"
    out += "\nWhat they compute:\n\n| kernel | sizes | expression |\n|---|---|---|\n"
    for row in rows:
        entry = entries[row["name"]]
        lines = "<br>".join(f"`{cell(line)}`" for line in entry["expr"].strip().splitlines())
        out += f"| {row['name']} | {cell(entry['sizes'])} | {lines} |\n"
    return out
