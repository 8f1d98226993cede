"""The table of what study.sh left in a folder: a line per prompt profile and step, as Markdown.

    bench/small_model/table.py FOLDER
"""

import json
import sys
from pathlib import Path


def share(step, name):
    low, high = step[name + "_ci95"]
    return f"{step[name]} of {step['n']} [{100 * low:.0f}, {100 * high:.0f} %]"


def main(folder):
    print("| profile | kernel, step | right at once | right in the end | faster | median | first answers that failed | tokens, seconds each |")
    print("|---|---|---|---|---|---|---|---|")
    for file in sorted(Path(folder).glob("*.json")):
        study = json.loads(file.read_text())
        profile = file.name.split(".")[0]
        for step in study["steps"]:
            if not step["step"]:
                continue
            faults = ", ".join(f"{count} {fault}" for fault, count in step["faults"].items()) or "none"
            ratio = f"{step['median_ratio']:.2f}x" if step["median_ratio"] else "-"
            print(f"| {profile} | {study['kernel']}, {step['step']} | {share(step, 'first_try')} | {share(step, 'right')} | {step['faster']} "
                  f"| {ratio} | {faults} | {step['tokens_each']:.0f}; {step['seconds_each']:.0f} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
