"""The tasks of KernelBench that Hone states: tests/coverage says what each computes, tasks.tsv with which sizes."""

import math
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "bench" / "rivals"))

import coverage_tasks as coverage  # noqa: E402

TABLE = HERE / "tasks.tsv"
BYTES = {"f64": 8, "i64": 8, "f32": 4, "bool": 1}
CLASSES = ("sound", "weak", "vacuous", "unstable")
FORMS = {  # of the inputs
    "13_Matmul_for_symmetric_matrices": "symmetric",
    "14_Matmul_for_upper_triangular_matrices": "upper",
    "15_Matmul_for_lower_triangular_matrices": "lower",
}
MOST_BYTES = 256 << 20  # the original sizes count as fitting one CPU up to here ...
MOST_FLOPS = 2_000_000_000  # ... and up to here, so that a climb sees many calls


@dataclass
class Task:
    level: int
    name: str
    check: str  # one of CLASSES: what the benchmark's own check is worth
    codes: str
    original: dict
    scaled: dict
    flops: int  # 0: no products
    bytes: int
    remark: str
    statement: dict  # the entry of tests/coverage

    @property
    def number(self):
        return int(self.name.split("_")[0])

    @property
    def arguments(self):
        return self.statement["arguments"]

    @property
    def form(self):
        return FORMS.get(self.name, "") if self.level == 1 else ""

    def fits(self):
        return self.bytes <= MOST_BYTES and self.flops <= MOST_FLOPS

    def bytes_at(self, sizes):
        """Of all arguments of a call."""
        return sum(
            math.prod(coverage.shape_of(argument, sizes)) * BYTES[argument["type"]]
            for argument in self.arguments.values()
        )

    def sizes_of(self, choice):
        """The sizes and what they are, for `auto`, `scaled` or `original`."""
        original = choice == "original" or (choice == "auto" and self.fits())
        return (self.original, "original") if original else (self.scaled, "scaled")

    def kernel_toml(self, sizes, also="timed"):
        """`timed`: specialised to its sizes, which are fixed in the benchmark, as torch.compile specialises to them."""
        text = coverage.kernel_toml(
            {**self.statement, "sizes": sizes, "name": f"kernelbench-{self.level}-{self.number}"}
        )
        summary = f'summary = "KernelBench level {self.level}, {self.name}"\n'
        return (
            text.replace("[compute]\n", summary + "[compute]\n", 1)
            + f'also = "{also}"\n[accuracy]\naccumulate = "f32"\n'
        )


def sizes_in(text):
    pairs = (word.split("=") for word in text.split())
    return {name: int(value) for name, value in pairs}


def number_in(text):
    return 0 if text == "-" else int(text)


def rows_of(path):
    lines = [line.rstrip("\n").split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def read_tasks(path=TABLE):
    statements = {(level, task["name"]): task for level in coverage.LEVELS for task in coverage.tasks_of(level)}
    return [
        Task(
            int(row["level"]),
            row["task"],
            row["class"],
            row["codes"],
            sizes_in(row["original"]),
            sizes_in(row["scaled"]),
            number_in(row["flops"]),
            number_in(row["bytes"]),
            row["remark"],
            statements[(int(row["level"]), row["task"])],
        )
        for row in rows_of(path)
    ]


def numbers_in(text):
    """ "1-3,7" is 1, 2, 3 and 7."""
    out = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out
