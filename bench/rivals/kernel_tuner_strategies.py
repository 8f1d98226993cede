#!/usr/bin/env python3
"""Kernel Tuner's own strategies on spaces that Hone stored, in its simulation mode, at equal budgets.

    pip install kernel-tuner
    bench_tuning record ... --out space.json
    kernel_tuner_strategies.py space.json --share 0.05 --seeds 10

A budget is a share of the recorded build and measuring time of all points. Kernel Tuner sees the recorded time of a
point; the point it chooses is judged by what the space knows of it, which for the fastest points are further
measurements, in turns. Prints one CSV line per space, strategy and budget, as `bench_tuning compare --format csv` does.
"""
import argparse
import contextlib
import io
import json
import os
import random
import statistics
import sys
import warnings

STRATEGIES = [
    "random_sample", "genetic_algorithm", "simulated_annealing", "diff_evo", "pso", "firefly_algorithm", "greedy_ils",
    "greedy_mls", "mls", "ordered_greedy_mls", "basinhopping", "dual_annealing", "bayes_opt",
]


class Space:
    def __init__(self, path):
        with open(path) as file:
            self.data = json.load(file)
        self.path = path
        self.keys = self.data["tune_params_keys"]
        entries = self.data["cache"].values()
        self.seconds = sum(e["compile_time"] + e["verification_time"] + e["benchmark_time"] for e in entries) / 1e3
        self.truth = {self.point(e): e["time"] for e in entries if "time" in e}
        again = self.data["hone"]["best"]
        self.truth.update({self.point(e): e["time"] for e in again})
        self.best = min(e["time"] for e in (again or entries) if "time" in e)

    def point(self, entry):
        return tuple(entry[key] for key in self.keys)

    def shortfall(self, entry):
        return max(0.0, self.truth[self.point(entry)] / self.best - 1)


def search(space, strategy, seed, budget_s):
    """The shortfall of the point chosen, and how many points were measured."""
    import numpy
    from kernel_tuner import tune_cache

    random.seed(seed)
    numpy.random.seed(seed)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        results, _ = tune_cache(
            space.path, strategy=strategy, strategy_options={"time_limit": budget_s}, objective="time", quiet=True)
    right = [entry for entry in results if entry and "__error__" not in entry]
    if not right:
        return float("inf"), 0
    chosen = min(right, key=lambda entry: entry["time"])
    return space.shortfall(chosen), len({space.point(entry) for entry in right})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spaces", nargs="+")
    parser.add_argument("--share", type=float, nargs="+", default=[0.05])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--strategy", nargs="+", default=STRATEGIES)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    print("space,valid,strategy,share,budget_s,worst,median,best,points")
    for path in options.spaces:
        space = Space(path)
        name = os.path.splitext(os.path.basename(path))[0]
        for share in options.share:
            for strategy in options.strategy:
                try:
                    found = [search(space, strategy, seed + 1, share * space.seconds) for seed in range(options.seeds)]
                except Exception as error:  # a strategy that needs a package, or refuses the space, is left out aloud
                    print(f"{name}: {strategy}: {type(error).__name__}: {error}", file=sys.stderr)
                    continue
                falls = [fall for fall, _ in found]
                points = statistics.mean(count for _, count in found)
                print(f"{name},{len(space.truth)},{strategy},{share},{share * space.seconds:.3f},{max(falls):.5f},"
                      f"{statistics.median(falls):.5f},{min(falls):.5f},{points:.1f}", flush=True)


if __name__ == "__main__":
    main()
