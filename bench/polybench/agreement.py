"""Whether two functions of one kernel agree: the user's own, and the plain loops that Hone made of it and shipped."""
import re

from shipped_calls import C_TYPES, arguments_of, element, elements_of, last_line, run, sizes_for, value_of

FIRST_SIZES = (1, 2, 3, 7, 16, 33, 61)
RELATIVE = 1e-9  # of the largest value of an output: sums in another order, in double

CHECK = """
static int g_compared = 0;
static void compare(const char *name, const void *a, const void *b, long count, int floating)
{
  double largest = 0, worst = 0;
  for (long i = 0; floating && i < count; i++) {
    double x = ((const double *)a)[i], y = ((const double *)b)[i];
    if (!isfinite(x) || !isfinite(y)) {
      printf("%s[%ld] is %g and %g\\n", name, i, x, y);
      exit(1);
    }
    largest = fmax(largest, fabs(x));
    worst = fmax(worst, fabs(x - y));
  }
  for (long i = 0; !floating && i < count; i++)
    worst = fmax(worst, abs(((const int *)a)[i] - ((const int *)b)[i]));
  if (floating ? worst > RELATIVE * fmax(largest, 1) : worst != 0) {
    printf("%s differs by %g, its largest value is %g\\n", name, worst, largest);
    exit(1);
  }
  g_compared++;
}
"""


def matrix_form(name, argument, sizes, count):
    """A diagonal that outweighs its row and column, whose elements are at most 2; symmetric where that is asked for."""
    side = value_of(argument["shape"][-1], sizes)
    mirrored = int(argument["matrix"] == "positive definite")
    return [f"    for (unsigned long at = 0; at < {count}; at++) {{",
            f"      unsigned long row = at / {side} % {side}, column = at % {side};",
            f"      if (row == column) {name}[at] = 4.0 * {side};",
            f"      else if ({mirrored} && row > column) {name}[at] = {name}[at - (row - column) * {side} + (row - column)];",
            "    }"]


def program(kernel, functions, cases):
    """A main() that calls both functions on the same values, for each set of sizes."""
    arguments = kernel["arguments"]
    out = ['#include "user.c"', '#include "shipped.h"', "#include <math.h>", "#include <stdio.h>", "#include <stdlib.h>",
           "#include <string.h>", f"#define RELATIVE {RELATIVE}", CHECK, "int main(void)", "{"]
    for sizes in cases:
        out.append("  {")
        for name, argument in arguments.items():
            c_type, count = C_TYPES[argument["type"]], elements_of(argument, sizes)
            for prefix in ("user", "plain"):
                if argument.get("role") == "scalar":
                    out.append(f"    {c_type} {prefix}_{name} = ({c_type})0.75;")
                else:
                    # Hashed, so that rows and columns are not multiples of each other.
                    hashed = element(argument, sizes).replace("at %", "(at * 2654435761u >> 7) %")
                    out += [f"    {c_type} *{prefix}_{name} = malloc({max(count, 1)} * sizeof({c_type}));",
                            f"    for (unsigned long at = 0; at < {count}; at++)",
                            f"      {prefix}_{name}[at] = ({c_type})({hashed});"]
                    if "matrix" in argument:
                        out += matrix_form(f"{prefix}_{name}", argument, sizes, count)
        for prefix, function in zip(("user", "plain"), functions):
            out.append(f"    {function}({', '.join(arguments_of(kernel, sizes, prefix))});")
        for name, argument in arguments.items():
            if argument.get("role") in ("output", "inout"):
                floating = int(argument["type"] == "f64")
                out.append(f'    compare("{name}", user_{name}, plain_{name}, {elements_of(argument, sizes)}, {floating});')
        out.append("  }")
    out += [f'  printf("%d outputs agree\\n", g_compared);', "  return g_compared > 0 ? 0 : 1;", "}", ""]
    return "\n".join(out)


def agreement(hone, folder, kernel, source, work):
    """'agrees at N sizes', or what differs."""
    name = kernel["kernel"]["name"]
    shipped = work / "plain"
    status, text = run([str(hone), "ship", str(folder), "--checkpoint", "naive", "--out", str(shipped)], 300)
    if status != 0:
        return "not shipped: " + last_line(text)
    header = next(shipped.glob("*.h"))
    function = header.stem
    code = source.read_text()
    (work / "user.c").write_text(re.sub(rf"\b{name}\(", f"{name}_of_user(", code))
    (work / "shipped.h").write_text(f'#include "{header}"\n')
    cases = [sizes for first in FIRST_SIZES if (sizes := sizes_for(kernel, first))]
    (work / "both.c").write_text(program(kernel, (f"{name}_of_user", function), cases))
    binary = work / "both"
    # The user's parameters may be arrays of rows; what is passed is a pointer to the first element.
    build = ["gcc", "-std=gnu11", "-O2", "-march=native", "-Wno-incompatible-pointer-types", "-I", str(work), str(work / "both.c"),
             str(shipped / f"{function}.c"), str(shipped / f"{function}_groups.c"), "-lm", "-o", str(binary)]
    status, text = run(build, 120)
    if status != 0:
        return "does not compile: " + last_line(text)
    status, text = run([str(binary)], 300)
    return f"agrees at {len(cases)} sizes" if status == 0 else last_line(text) or f"ended with {status}"
