"""An opponent of bench/kernelbench that needs no packages: ReLU and a matrix product in Python, for the suite."""

import os

from memory import is_output


def versions():
    return {"torch": "none", "instructions": "none"}


class Opponents:
    def __init__(self, task, tensors, sizes, threads):
        outputs = [name for name, argument in task.arguments.items() if is_output(argument)]
        self._mine = tensors[outputs[0]]
        self._given = [tensor.values() for name, tensor in tensors.items() if name not in outputs]
        self._n = tensors[outputs[0]].shape[-1]
        self._is_product = len(self._given) == 2

    def names(self):
        return ("plain", "broken")

    def ready(self, name):
        if name == "broken":
            raise RuntimeError("this one is broken")
        return self._computed

    def _computed(self):
        if not self._is_product:
            return [max(value, 0.0) for value in self._given[0]]
        a, b, n = *self._given, self._n
        return [sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n)]

    def agreement(self):
        expected = self._computed()
        error = max(abs(x - y) for x, y in zip(self._mine.values(), expected, strict=True))
        right = error < 1e-4 and "KERNELBENCH_DISAGREE" not in os.environ
        return {
            "right": right,
            "tolerance": 1e-4,
            "hone": {"error": error, "beyond": 0.0 if right else 1.0},
            "eager": {"error": 0, "beyond": 0},
        }
