"""What the programs that time shipped functions share: building and calling them, blocks of calls, intervals. No torch."""

import ctypes
import math
import re
import statistics
import subprocess
import time


def run(command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def library_of(shipped, function, language, threads=1):
    """The shipped function as a shared library, with the flags that its own head names."""
    source = shipped / f"{function}.{language}"
    out = shipped / f"lib{function}.so"
    if not out.exists():
        flags = re.search(r"^//   (-march.*)$", source.read_text(), re.MULTILINE).group(1).split()
        compiler = ["gcc", "-std=gnu11"] if language == "c" else ["g++", "-std=c++17"]
        groups = sorted(shipped.glob(f"{function}_groups.{language}"))
        several = [f"-D{function.upper()}_THREADS={threads}", "-pthread"] if threads > 1 else []
        run(compiler + flags + several + ["-shared", "-fPIC", source, *groups, "-o", out, "-lm"])
    return ctypes.CDLL(str(out))


def symbols_of(arguments):
    """Sizes in the order of the shipped function's parameters: as they first appear in the shapes."""
    out = []
    for argument in arguments.values():
        for extent in argument.get("shape", []):
            for word in re.findall(r"[A-Za-z_]\w*", str(extent)):
                if word not in out:
                    out.append(word)
    return out


def symbols_in_header(shipped, function):
    """The same as the header of the shipped function has them, with those that stand in no shape."""
    signature = re.search(rf"int {function}_with\((.*?)\)", (shipped / f"{function}.h").read_text(), re.DOTALL).group(1)
    return re.findall(r"int64_t (\w+)", signature)


def caller(library, name, given, numbers, memory_of):
    """A function of no arguments that runs the shipped one. `given`: values of ctypes; memory_of(bytes): an address."""
    numbers = [ctypes.c_int64(number) for number in numbers]
    work_bytes = getattr(library, f"{name}_work_bytes")
    work_bytes.restype = ctypes.c_size_t
    shipped = getattr(library, f"{name}_with")
    values = (*given, *numbers, ctypes.c_void_p(memory_of(work_bytes(*numbers))))

    def call():
        if shipped(*values) != 0:
            raise RuntimeError(f"{name}_with() refused its sizes")

    return call


def thread_clock():
    """CPU time of this thread, which does all the work: what else runs on the machine is not in it."""
    return time.thread_time_ns() * 1e-9


def block_of(call, target_s, now=thread_clock):
    """Calls per block so that a block takes about target_s."""
    call()
    start = now()
    call()
    call()
    return max(1, round(target_s / max((now() - start) / 2, 1e-7)))


def median_interval(values):
    """The median and the 95 % interval of the median by order statistics."""
    values = sorted(values)
    half = 0.98 * math.sqrt(len(values))
    low, high = max(0, math.floor(len(values) / 2 - half)), min(len(values) - 1, math.ceil(len(values) / 2 + half))
    return statistics.median(values), values[low], values[high]


def quiet_memory():
    """Results of any size from the heap, and kept there: no page faults per call, for nobody."""
    libc = ctypes.CDLL(None)
    libc.mallopt(-4, 0)  # M_MMAP_MAX
    libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD
