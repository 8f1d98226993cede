"""Calls of functions that Hone imported: commands, sizes, values and arguments. Used by the programs beside it."""
import pathlib
import re
import subprocess

C_TYPES = {"f64": "double", "f32": "float", "f16": "unsigned short", "bf16": "unsigned short", "i64": "long",
           "i32": "int", "i8": "signed char", "u8": "unsigned char", "bool": "unsigned char"}


def run(command, timeout, **more):
    """Exit status (-1: too long), output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **more)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return -1, f"longer than {timeout} s"


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def value_of(expression, sizes):
    return eval(str(expression).replace("/", "//"), {"__builtins__": {}}, dict(sizes))


def sizes_for(kernel, first):
    """Every size near `first`, none equal to another where that is possible; the kernel's conditions hold."""
    names = list(kernel["sizes"]["timed"][0])
    sizes = {name: first + (i if first > 1 else 0) for i, name in enumerate(names)}
    for _ in range(64):
        broken = [text for text in kernel["sizes"].get("where", []) if not value_of(text, sizes)]
        if not broken:
            return sizes
        sides = re.split("<=?|>=?|==", broken[0])
        larger = sides[0] if ">" in broken[0] else sides[-1]
        for name in names:
            if re.search(rf"\b{name}\b", larger):
                sizes[name] += 1
                break
        else:
            sizes[names[0]] += 1
    return None


def element(argument, sizes):
    """A C expression for an element, with the index in `at`."""
    kind = argument["type"]
    low, high = argument.get("domain", [None, None])
    if kind == "bool":
        return "at % 3 == 0"
    if kind in ("f64", "f32"):
        floor = -2 if low is None else max(value_of(low, sizes), -2)
        top = 2 if high is None else min(value_of(high, sizes), floor + 4)
        return f"{float(floor)} + {float(top) - float(floor)} * (double)(at % 97) / 97"
    floor = -3 if low is None else int(value_of(low, sizes))
    top = 3 if high is None else int(value_of(high, sizes))
    if kind == "u8":
        floor, top = max(floor, 0), max(top, 1)
    return f"{floor} + (long)(at % {max(top - floor + 1, 1)})"


def arguments_of(kernel, sizes, prefix):
    """What a call passes, in the order of the function: arrays and scalars are named PREFIX_name."""
    arguments = kernel["arguments"]
    signature = kernel.get("signature", {}).get("parameters")
    if not signature:
        return [f"{prefix}_{name}" for name in arguments] + [str(size) for size in sizes.values()]
    passed = []
    for parameter in signature:
        if "equals" in parameter:
            passed.append(str(value_of(parameter["equals"], sizes)))
        elif parameter.get("unused"):
            passed.append("0")
        else:
            name = parameter["name"]
            passed.append(f"{prefix}_{name}" if name in arguments else str(sizes[name]))
    return passed


def elements_of(argument, sizes):
    """How many elements an argument has."""
    count = 1
    for extent in argument.get("shape", []):
        count *= max(int(value_of(extent, sizes)), 0)
    return count


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def commit_of(folder):
    """The commit of the repository that holds the folder, short."""
    return run(["git", "-C", str(folder), "rev-parse", "--short", "HEAD"], 10)[1].strip()
