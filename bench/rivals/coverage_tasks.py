"""Reads tests/coverage/*.toml, turns an entry into a kernel.toml, and draws inputs for it."""

import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEVELS = (1, 2, 3)


def tasks_of(level):
    with open(ROOT / "tests" / "coverage" / f"level{level}.toml", "rb") as file:
        return tomllib.load(file)["task"]


def is_full(task):
    return "expr" in task


def toml_value(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else str(value)


def toml_table(table):
    return "{ " + ", ".join(f"{key} = {toml_value(value)}" for key, value in table.items()) + " }"


def kernel_toml(task):
    arguments = "\n".join(f"{name} = {toml_table(table)}" for name, table in task["arguments"].items())
    return (
        f'[kernel]\nname = {toml_value(task["name"])}\n'
        f'[compute]\nexpr = """\n{task["expr"].strip()}\n"""\n'
        f"[arguments]\n{arguments}\n"
        f'[sizes]\ntimed = [{toml_table(task["sizes"])}]\n'
        + (f'where = {toml_value(task["where"])}\n' if "where" in task else "")
    )


def number(entry, sizes):
    """A number, or arithmetic on sizes such as "2 * n + 1"; divisions round down."""
    if not isinstance(entry, str):
        return entry
    if not re.fullmatch(r"[\w\s+\-*/%().]+", entry):
        raise ValueError(f"'{entry}' is not arithmetic on sizes")
    return eval(entry.replace("/", "//"), {"__builtins__": {}}, dict(sizes))


def shape_of(argument, sizes):
    return tuple(number(entry, sizes) for entry in argument.get("shape", []))


def is_read(argument):
    return argument.get("role") != "output"


def draw(argument, sizes, generator):
    """Random elements of the argument's type, inside its domain."""
    import numpy as np

    shape = shape_of(argument, sizes)
    kind = argument["type"]
    low, high = (number(end, sizes) for end in argument.get("domain", [float("-inf"), float("inf")]))
    if kind == "bool":
        return generator.random(shape) < 0.5
    if kind in ("i64", "i32", "i8", "u8"):
        dtype = {"i64": np.int64, "i32": np.int32, "i8": np.int8, "u8": np.uint8}[kind]
        least, most = max(low, 0 if kind == "u8" else -100), min(high, 100)
        return generator.integers(least, most, shape, endpoint=True).astype(dtype)
    if np.isfinite(low) and np.isfinite(high):
        values = generator.uniform(low, high, shape)
    elif np.isfinite(low):
        values = low + np.abs(generator.standard_normal(shape))
    elif np.isfinite(high):
        values = high - np.abs(generator.standard_normal(shape))
    else:
        values = generator.standard_normal(shape)
    return np.asarray(values).astype({"f64": np.float64, "f32": np.float32, "f16": np.float16}[kind])
