"""Rows of run.py as a page of docs/results."""
import math

from climb_rows import other_commits

ABOUT = {
    "2mm": "two matrix products", "3mm": "three matrix products", "adi": "alternating directions",
    "atax": "A' (A x)", "bicg": "A' r and A p", "cholesky": "factorisation L L'", "correlation": "correlation matrix",
    "covariance": "covariance matrix", "deriche": "recursive filter", "doitgen": "tensor times matrix, in place",
    "durbin": "Yule-Walker equations", "fdtd_2d": "electromagnetic field", "floyd_warshall": "shortest paths",
    "gemm": "alpha A B + beta C", "gemver": "rank-2 update, two products", "gesummv": "alpha A x + beta B x",
    "gramschmidt": "Q R factorisation", "heat_3d": "heat flow in a cube", "jacobi_1d": "stencil of 3 points",
    "jacobi_2d": "stencil of 5 points", "lu": "L U factorisation", "ludcmp": "L U and triangular solutions",
    "mvt": "A y1 and A' y2", "nussinov": "folding of RNA", "seidel_2d": "stencil of 9 points, in place",
    "symm": "symmetric product", "syr2k": "symmetric rank-2k update", "syrk": "symmetric rank-k update",
    "trisolv": "triangular solution", "trmm": "triangular product, in place",
}


def cell(text):
    return str(text).replace("|", "&#124;").replace("\n", " ")


def interval_of(ends):
    """'[1.2, 1.3]'; an end that is not known is left out."""
    return "" if not ends else f"[{', '.join('' if end is None else f'{end:.3g}' for end in ends)}]"


def speed_of(best):
    """The unit that bounds the kernel comes first."""
    if not best["gflops"] and not best["gbytes_per_s"]:
        return "", ""
    if best["bound_by"] != "arithmetic" and best["gbytes_per_s"]:
        speed = f"{best['gbytes_per_s']:.3g} GB/s"
    else:
        speed = f"{best['gflops']:.3g} GFLOP/s"
    share = f"{100 * best['ceiling_fraction']:.0f} % of {best['bound_by']}" if best["ceiling_fraction"] else ""
    return speed, share


def climbed_columns(made):
    if not made:
        return ["", "", "", "", ""]
    if "error" in made:
        return [cell(made["error"]), "", "", "", ""]
    speed, share = speed_of(made["best"])
    return [f"{1e3 * made['start_s']:.3g} ms" if made["start_s"] else "", speed, share,
            f"{made['ratio']:.3g}", interval_of(made["ci95"]) or made["verdict"]]


def page(rows, command, build):
    understood = [row for row in rows if row["understood"]]
    right = [row for row in understood if row["plain"] == "correct" and row["agreement"].startswith("agrees")]
    ratios = {row["function"]: row["climb"]["ratio"] for row in understood if row.get("climb", {}).get("ratio")}
    in_order = ", ".join(f"`{row['function']}`" for row in understood
                         if any(line.startswith("for ") for line in row["expression"].splitlines()))
    out = f"""# PolyBench

The 30 kernels of PolyBench/C 4.2.1, in `bench/polybench/functions`: each written anew from its mathematical definition, as
C functions on `double`. `hone new --from` reads each function.

- *Gate*: the plain loops that Hone derives pass the gate. *Agrees*: they give the results of the user's function at
  other sizes, up to rounding.
- *Function* is the time of the user's function, compiled like every candidate: g++ 12 with `-O3 -march=native
  -ffp-contract=fast -fno-math-errno -mprefer-vector-width=512`, and the sizes as constants. The *ratio* is of the best
  candidate over it, measured side by side in fresh processes, with its 95 % interval. The built-in engine climbs for 60 s.
- Operations are those that an implementation needs at least: a factor of all terms of a sum counts once.
- Loops that run in order ({in_order}) have plain loops only: no step of the catalogue applies to them.

**{len(understood)} of {len(rows)} are understood; of {len(right)} the plain loops are right.**

| kernel | what it is | sizes | gate | agreement | function | best | share of the roof | ratio | interval |
|---|---|---|---|---|---|---|---|---|---|
"""
    for row in understood:
        sizes = row["options"].split("--size ")[-1].split()[0] if "--size" in row["options"] else ""
        columns = [f"`{row['function']}`", ABOUT.get(row["function"], ""), sizes, cell(row["plain"]),
                   cell(row["agreement"]), *climbed_columns(row.get("climb"))]
        out += "| " + " | ".join(columns) + " |\n"
    missing = [row for row in rows if not row["understood"]]
    if missing:
        out += "\n| not understood | what it is | reason |\n|---|---|---|\n"
        for row in missing:
            out += f"| `{row['function']}` | {ABOUT.get(row['function'], '')} | {cell(row['reason'])} |\n"
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        worst = min(ratios, key=ratios.get)
        out += (f"\nGeometric mean of {len(ratios)} ratios: {mean:.3g}. Lowest: {ratios[worst]:.3g} (`{worst}`).")
        busy = [row["function"] for row in understood if row.get("climb", {}).get("busy")]
        if busy:
            out += f" Other programs took CPU time from {', '.join(busy)}."
        out += "\n"
    dates = sorted({row["date"] for row in rows})
    date = " to ".join(dict.fromkeys([dates[0], dates[-1]])) if dates else ""
    return out + f"\n`{command}`, {build['processor']}, {date}, commit {build['commit']}.\n" + other_commits(rows, build, "function")
