"""Means of ratios: geometric, with bootstrap intervals over tasks, and the shares that are called fast_p."""

import math
import random

RESAMPLES = 10_000
SEED = 1
FAST = (0, 0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5, 10)


def geometric_mean(ratios):
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if ratios else None


def bootstrap_interval(ratios, resamples=RESAMPLES, seed=SEED):
    """95 % percentile interval of the geometric mean, over tasks drawn with replacement; None for fewer than two."""
    if len(ratios) < 2:
        return None
    draw = random.Random(seed)
    logs = [math.log(ratio) for ratio in ratios]
    count = len(logs)
    means = sorted(math.fsum(draw.choices(logs, k=count)) / count for _ in range(resamples))
    low, high = math.floor(0.025 * (resamples - 1)), math.ceil(0.975 * (resamples - 1))
    return math.exp(means[low]), math.exp(means[high])


def fast(ratios, p):
    """The share of all tasks that are valid and more than p times as fast. `ratios`: None where a task is not valid."""
    return sum(ratio is not None and ratio > p for ratio in ratios) / len(ratios) if ratios else None


def with_fallback(ratios):
    """Who gets no valid kernel keeps PyTorch's: such a task counts as 1."""
    return [1.0 if ratio is None else ratio for ratio in ratios]
