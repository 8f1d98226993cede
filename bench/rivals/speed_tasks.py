"""The kernels of pytorch_speed.py: what Hone is given, what PyTorch is given, on which sizes.

Sizes are fixed here. "cache" fits the last-level cache of a desktop or server core with its output, "memory" does not.
"""

from dataclasses import dataclass, field
from typing import Callable

import torch
import torch.nn.functional as F

import coverage_tasks as coverage

ROWS = {"cache": {"m": 256, "n": 1024}, "memory": {"m": 4096, "n": 2048}}
LONE_ROWS = {"cache": {"m": 256, "n": 1024}, "memory": {"m": 8192, "n": 2048}}  # with an output of one value per row
NORM_ROWS = {"cache": {"n": 256, "d": 1024}, "memory": {"n": 4096, "d": 2048}}


@dataclass
class Task:
    name: str
    sizes: dict  # "cache" and "memory": the sizes of the kernel
    function: Callable  # of the inputs in their order: PyTorch's result
    into: Callable | None = None  # the same, into a last argument; None: copy_(), which only torch.compile fuses
    text: str = ""  # kernel.toml up to the sizes; "" for the one in kernels/
    domains: dict = field(default_factory=dict)  # integer inputs: the size they stay below

    def applied_steps(self):
        """Steps and the regimes that they are for, where no climb chooses: what suits them at their defaults."""
        both = ("cache", "memory")
        if "conv2d" in self.name or "pool" in self.name:
            return [(step, both) for step in ("vectorize-windows", "tile-channels", "pack-windows", "block-windows")]
        steps = [("running-sums", both), ("fuse-statements", both), ("vectorize-rows", both), ("stream-stores", ("memory",))]
        return [step for step in steps if step[0] != "running-sums" or self.name == "cumulative-sum"]

    def sizes_of(self, regime):
        """"small": few rows and columns, for checks alone."""
        if regime != "small":
            return self.sizes[regime]
        symbols = self.sizes["cache"]
        return {symbol: 1000 if len(symbols) == 1 else 33 if symbol == "m" else 70 for symbol in symbols}

    def kernel_toml(self, regime):
        text = self.text or (coverage.ROOT / "kernels" / self.name / "kernel.toml").read_text()
        lines = [line for line in text.splitlines() if not line.startswith("timed")]
        at = lines.index("[sizes]") + 1
        lines.insert(at, f"timed = [ {coverage.toml_table(self.sizes_of(regime))} ]")
        return "\n".join(lines) + "\n"


def own(name, expr, arguments):
    rows = "\n".join(f"{key} = {value}" for key, value in arguments.items())
    return (
        f'[kernel]\nname = "{name}"\n\n[compute]\nexpr = """\n{expr}\n"""\n\n[arguments]\n{rows}\n\n'
        '[sizes]\nalso = "any"\n\n[accuracy]\naccumulate = "f32"\n'
    )


MATRIX = '{ type = "f32", shape = ["m", "n"] }'
OUTPUT = '{ type = "f32", shape = ["m", "n"], role = "output" }'
IMAGES = '{ type = "f32", shape = ["b", "ch", "h", "w"] }'

BIAS_RELU = own(
    "bias-relu",
    "Y[i,j] = max(X[i,j] + bias[j], 0)",
    {"X": MATRIX, "bias": '{ type = "f32", shape = ["n"] }', "Y": OUTPUT},
)
LOGSUMEXP = own(
    "logsumexp",
    "top[i]   = max(j, X[i,j])\ntotal[i] = sum(j, exp(X[i,j] - top[i]))\nY[i]     = log(total[i]) + top[i]",
    {"X": MATRIX, "Y": '{ type = "f32", shape = ["m"], role = "output" }'},
)
AVG_POOL = own(
    "avg-pool",
    "Y[n,c,y,x] = sum(r < 2, s < 2, X[n,c,2 * y + r,2 * x + s]) / 4",
    {"X": IMAGES, "Y": '{ type = "f32", shape = ["b", "ch", "h / 2", "w / 2"], role = "output" }'},
)
IMAGE_SIZES = {"cache": {"b": 1, "ch": 32, "h": 112, "w": 112}, "memory": {"b": 16, "ch": 64, "h": 112, "w": 112}}

TASKS = [
    Task("softmax", ROWS, lambda x: torch.softmax(x, 1), lambda x, y: torch.softmax(x, 1, out=y)),
    Task("layer-norm", NORM_ROWS, lambda x, gamma, beta: F.layer_norm(x, x.shape[1:], gamma, beta, 1e-5)),
    Task("rms-norm", NORM_ROWS, lambda x, gamma: F.rms_norm(x, x.shape[1:], gamma, 1e-6)),
    Task(
        "cross-entropy",
        {"cache": {"n": 256, "v": 1024}, "memory": {"n": 8192, "v": 2048}},
        lambda x, label: F.cross_entropy(x, label),
        domains={"label": "v"},
    ),
    Task("argmax", LONE_ROWS, lambda x: torch.argmax(x, 1), lambda x, y: torch.argmax(x, 1, out=y)),
    Task(
        "cumulative-sum",
        {"cache": {"m": 256, "n": 1024}, "memory": {"m": 16384, "n": 512}},
        lambda x: torch.cumsum(x, 1),
        lambda x, y: torch.cumsum(x, 1, out=y),
    ),
    Task(
        "gelu",
        {"cache": {"n": 262144}, "memory": {"n": 8388608}},
        lambda x: F.gelu(x),
        lambda x, y: torch.ops.aten.gelu.out(x, out=y),
    ),
    Task("bias-relu", ROWS, lambda x, bias: torch.relu(x + bias), text=BIAS_RELU),
    Task("logsumexp", LONE_ROWS, lambda x: torch.logsumexp(x, 1), lambda x, y: torch.logsumexp(x, 1, out=y), LOGSUMEXP),
    Task(
        "conv2d",
        {
            "cache": {"b": 1, "ci": 32, "co": 64, "h": 56, "w": 56},
            "memory": {"b": 16, "ci": 64, "co": 64, "h": 112, "w": 112},
        },
        lambda x, w: F.conv2d(x, w, stride=2, padding=1),
    ),
    Task(
        "conv2d-depthwise",
        IMAGE_SIZES,
        lambda x, w: F.conv2d(x, w.unsqueeze(1), padding=1, groups=w.shape[0]),
    ),
    Task("avg-pool", IMAGE_SIZES, lambda x: F.avg_pool2d(x, 2), text=AVG_POOL),
]
