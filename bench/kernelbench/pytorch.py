"""PyTorch as the opponent: eager and torch.compile (inductor, max-autotune, static shapes), without gradients.

Parameters are arguments of the compiled function, as ours gets them: neither side may lay weights out ahead.
"""

import inspect
import os

# Set before torch is loaded. Huge pages: for PyTorch's tensors as for ours.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

import torch  # noqa: E402
import torch_level1  # noqa: E402
import torch_level2  # noqa: E402
import torch_level3  # noqa: E402

from memory import is_output  # noqa: E402

OPERATORS = {1: torch_level1.TASKS, 2: torch_level2.TASKS, 3: torch_level3.TASKS}
FASTER = torch_level1.TIMED | torch_level3.TIMED
TYPES = {"f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "bool": torch.bool}
TOLERANCE = 1e-4  # the benchmark's for float32, absolute and relative


def versions():
    return {"torch": torch.__version__, "instructions": torch.backends.cpu.get_cpu_capability()}


def as_torch(tensor):
    """The same memory."""
    return torch.frombuffer(tensor.view, dtype=TYPES[tensor.kind]).view(tensor.shape)


def widened(value):
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def outside(result, exact):
    """How far `result` is off: the largest |error| / max(1, |exact|), and the share of elements beyond the tolerance."""
    error = (result.double() - exact).abs()
    equal = result.double() == exact  # infinities, too
    error = torch.where(equal, torch.zeros_like(error), error)
    beyond = ~(error <= TOLERANCE + TOLERANCE * exact.abs())  # NaN is beyond
    return {"error": float((error / exact.abs().clamp(min=1)).max()), "beyond": float(beyond.double().mean())}


def with_arguments(function, known):
    """The function and what it gets of `known`, by the names of its parameters."""
    return function, [known[name] for name in inspect.signature(function).parameters if name in known]


class Opponents:
    def __init__(self, task, tensors, sizes, threads):
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        known = dict(sizes)
        for name, argument in task.arguments.items():
            if not is_output(argument):
                known[name] = as_torch(tensors[name])
        self._exact = with_arguments(OPERATORS[task.level][task.name], known)
        timed = FASTER.get(task.name, OPERATORS[task.level][task.name])
        if task.name in torch_level3.LAYERS:
            make, timed = torch_level3.LAYERS[task.name]
            layers, weights = with_arguments(make, known)
            known["net"] = layers(*weights)
        self._function, self._given = with_arguments(timed, known)
        self._output = next(as_torch(tensors[name]) for name, argument in task.arguments.items() if is_output(argument))

    def names(self):
        return ("eager", "compile")

    def ready(self, name):
        """A function of no arguments, warm."""
        function, given = self._function, self._given
        if name == "compile":
            torch._dynamo.reset()
            function = torch.compile(function, mode="max-autotune", dynamic=False)
        call = lambda: function(*given)
        for _ in range(3):
            call()
        return call

    def agreement(self):
        """Ours and eager's results beside PyTorch in double precision, on the inputs of the timed calls."""
        function, given = self._exact
        exact = function(*map(widened, given)).double().reshape(-1)
        eager = self._function(*self._given).reshape(-1)
        mine, theirs = outside(self._output.reshape(-1), exact), outside(eager, exact)
        right = mine["beyond"] == 0 or mine["beyond"] <= theirs["beyond"]
        return {"right": right, "tolerance": TOLERANCE, "hone": mine, "eager": theirs}
