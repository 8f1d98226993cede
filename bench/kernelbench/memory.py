"""The tensors of a call: aligned memory that every contender reads, filled as the benchmark fills it. No packages."""

import ctypes
import math
import mmap
import random
import re
from array import array

TYPES = {
    "f32": ("f", ctypes.c_float),
    "f64": ("d", ctypes.c_double),
    "i64": ("q", ctypes.c_int64),
    "bool": ("B", ctypes.c_bool),
}
HUGE_PAGE = 2 << 20
WEIGHT = re.compile(r"W\d*|U|depthwise|pointwise|centre")
SCALE = re.compile(r"(group_)?gamma\d?|scale\d?|factor")
BIAS = re.compile(r"b[0-9hiv]?|bias|(group_)?beta\d?|shift|c")


class Tensor:
    """Memory of its own, in huge pages where the system has them. Tensors begin at different offsets within a page."""

    def __init__(self, kind, shape, place):
        code, self.c_type = TYPES[kind]
        self.kind, self.shape = kind, shape
        self.count = math.prod(shape)
        self.bytes = self.count * array(code).itemsize
        offset = 64 * (5 * place % 64)
        self._memory = mmap.mmap(-1, (self.bytes + offset) // HUGE_PAGE * HUGE_PAGE + HUGE_PAGE)
        self._memory.madvise(mmap.MADV_HUGEPAGE)
        self.view = memoryview(self._memory)[offset : offset + self.bytes]
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory, offset))

    def fill(self, values):
        self.view[:] = values.tobytes()

    def values(self):
        out = array(TYPES[self.kind][0])
        out.frombytes(self.view)
        return out


def is_output(argument):
    return argument.get("role") == "output"


def range_of(name, argument, shape, arguments, value_of):
    """Where the elements of a real input lie: [0, 1) as in the benchmark; parameters about as its models begin."""
    low, high = (value_of(end) for end in argument.get("domain", ["-inf", "inf"]))
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    if math.isfinite(low) or math.isfinite(high):
        return (low, low + 1) if math.isfinite(low) else (high - 1, high)
    is_value_of_attention = "Q" in arguments  # V is a weight elsewhere
    if WEIGHT.fullmatch(name) or (name == "V" and not is_value_of_attention):
        bound = 1 / math.sqrt(max(1, math.prod(shape[1:])))
        return -bound, bound
    if SCALE.fullmatch(name):
        return 0.5, 1.5
    return (-0.1, 0.1) if BIAS.fullmatch(name) else (0, 1)


def drawn(kind, count, low, high, generator):
    if kind == "bool":
        return array("B", (generator.random() < 0.5 for _ in range(count)))
    if kind == "i64":
        return array("q", (generator.randint(int(low), int(high)) for _ in range(count)))
    width = high - low
    draw = generator.random
    return array(TYPES[kind][0], [low + width * draw() for _ in range(count)])


def formed(values, n, form):
    """A square matrix as the task has it: symmetric, or with zeros below (upper) or above (lower) the diagonal."""
    for i in range(n):
        for j in range(i):
            if form == "symmetric":
                values[i * n + j] = values[j * n + i]
            else:
                values[i * n + j if form == "upper" else j * n + i] = 0
    return values


def tensors_of(arguments, shape_of, value_of, seed, form=""):
    """Name -> Tensor, in the order of the arguments; outputs hold NaN or 0. `form`: of the inputs, which are square then."""
    generator = random.Random(seed)
    out = {}
    for place, (name, argument) in enumerate(arguments.items()):
        kind, shape = argument["type"], shape_of(argument)
        tensor = out[name] = Tensor(kind, shape, place)
        if is_output(argument):
            tensor.fill(array(TYPES[kind][0], [math.nan if kind in ("f32", "f64") else 0]) * tensor.count)
        elif kind in ("f32", "f64"):
            values = drawn(kind, tensor.count, *range_of(name, argument, shape, arguments, value_of), generator)
            tensor.fill(formed(values, shape[0], form) if form else values)
        else:
            low, high = (value_of(end) for end in argument.get("domain", [0, 1]))
            tensor.fill(drawn(kind, tensor.count, low, high, generator))
    return out
