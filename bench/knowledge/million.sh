#!/usr/bin/env bash
# million.sh PATH_OF_HONE [ROWS]: makes a base of ROWS (10^6) pieces of evidence in 2000 states, and prints how long bringing it
# in, one more entry, and questions take. Needs about 1 GB of disk.
set -euo pipefail
hone=$(realpath "$1")
rows=${2:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HONE_SHARE=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
export HONE_SHARE
base=$work/base.db

# States first: their ids are made by the import.
python3 - "$work/states.jsonl" <<'PYTHON'
import json, random, sys
random.seed(1)
kinds = ["contraction", "row-reduction", "map", "convolution", "pooling", "products"]
bottlenecks = ["strided access", "latency chain", "memory bandwidth", "scalar code", "function calls", "register spills"]
with open(sys.argv[1], "w") as out:
    seen = set()
    while len(seen) < 2000:
        traits = {b: random.randint(1, 4) for b in random.sample(bottlenecks, 3)}
        device = random.randint(0, 19)
        signature = {"kernel_class": random.choice(kinds), "backend": random.choice(["cpu", "opencl"]), "device": f"d{device}",
                     "device_name": f"Maker Series {device}", "types": random.choice(["f32", "f64", "f16"]),
                     "shape": random.choice(["small square", "medium square", "large square", "large long"]),
                     "bottleneck": max(traits, key=traits.get), "traits": traits}
        text = json.dumps(signature)
        if text not in seen:
            seen.add(text)
            print(json.dumps({"entry": "state", "signature": signature}), file=out)
PYTHON
"$hone" knowledge import "$work/states.jsonl" --knowledge "$base"
"$hone" knowledge list states --most 2000 --json --knowledge "$base" >"$work/states.json"
python3 - "$work/states.json" "$work/evidence.jsonl" "$rows" <<'PYTHON'
import json, random, sys
random.seed(2)
states = [state["id"] for state in json.load(open(sys.argv[1]))["states"]]
techniques = [f"step-{i}" for i in range(60)]
with open(sys.argv[2], "w") as out:
    for i in range(int(sys.argv[3])):
        gain = random.gauss(0.1, 0.3)
        line = {"entry": "evidence", "state": random.choice(states), "technique": random.choice(techniques), "kernel": "k",
                "record": f"{i:x}", "time_utc": f"2026-{random.randint(1, 11):02}-{random.randint(1, 28):02}T00:00:00Z"}
        if random.random() < 0.2:
            line |= {"failure": random.choice(["compile", "correctness", "timeout"]), "detail": f"line {random.randint(1, 50)}"}
        else:
            line |= {"gain": [gain, gain - 0.05, gain + 0.05], "comparison": "FAST" if gain > 0 else "SLOW"}
        print(json.dumps(line), file=out)
PYTHON
seconds() { python3 -c "import sys, time; a = time.time(); import subprocess; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); print(f'{time.time() - a:.3f} s')" "$@"; }
echo "import of $rows: $(seconds "$hone" knowledge import "$work/evidence.jsonl" --knowledge "$base")"
echo "size: $(stat -c %s "$base") bytes"
printf '%s\n' '{"entry":"evidence","state":"x","technique":"one","record":"r","time_utc":"2026-01-01T00:00:00Z","failure":"compile"}' >"$work/one"
echo "one more entry, with the start of the program: $(seconds "$hone" knowledge import "$work/one" --knowledge "$base")"
for question in "--class contraction --on cpu" "--class map --bottleneck scalar-code" "--on cpu --device d3" "--technique step-7"; do
  for _ in 1 2 3 4 5; do
    # shellcheck disable=SC2086
    "$hone" knowledge query $question --json --knowledge "$base" | python3 -c "import json, sys; print(json.load(sys.stdin)['seconds'])"
  done | sort -g | awk -v q="$question" '{ all[NR] = $1 } END { printf "query %s: median %.1f ms, slowest of 5 %.1f ms\n", q, 1000 * all[3], 1000 * all[5] }'
done
echo "search for words, with the start of the program: $(seconds "$hone" knowledge query compile line --knowledge "$base")"
