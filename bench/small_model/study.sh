#!/usr/bin/env bash
# How often a small model on this machine carries steps out, with the whole prompt and with the compact one.
#   bench/small_model/study.sh [--runs N] [--repairs N] [--out FOLDER] [--model-folder FOLDER] [PROFILE/KERNEL/STEP...]
#     --runs 8  --repairs 1  --out build/small_model_study  --model-folder build/coder_model (of install.sh)
# Without names: six steps with each of the profiles compact and full. What stands in FOLDER is not made again, so that it
# may be stopped. At the end it prints the table of all that is there. Three hours on two CPUs.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
runs=8 repairs=1 out=$root/build/small_model_study models=$root/build/coder_model port=${PORT:-8199}
steps=()
while (($# > 0)); do
  case $1 in
    --runs) runs=$2 ;;
    --repairs) repairs=$2 ;;
    --out) out=$2 ;;
    --model-folder) models=$2 ;;
    --help | -h) sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0"; exit 0 ;;
    -*) echo "study: unknown option '$1'; --help lists them" >&2; exit 2 ;;
    *) steps+=("$1"); shift; continue ;;
  esac
  shift 2
done
if ((${#steps[@]} == 0)); then
  for step in matmul/reorder-loops matmul/fix-sizes gelu/vectorize-elements matmul/unroll-k rms-norm/vectorize-rows matmul/register-tiling; do
    steps+=("compact/$step" "full/$step")
  done
fi
hone=${HONE:-$root/hone}
mkdir -p "$out/kernels"

url=http://127.0.0.1:$port/v1
answers() { python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1] + "/models", timeout=2)' "$url" 2>"$out/server.check"; }
if ! answers; then
  if [[ ! -e $models/model.gguf ]]; then
    echo "study: there is no model in $models: run bench/small_model/install.sh, or give --model-folder" >&2
    exit 3
  fi
  OMP_WAIT_POLICY=passive "$models/bin/python" -m llama_cpp.server --model "$models/model.gguf" --model_alias small --host 127.0.0.1 \
    --port "$port" --n_threads "$(nproc)" --n_threads_batch "$(nproc)" --n_ctx 16384 --logits_all False --interrupt_requests False >"$out/server.log" 2>&1 &
  server=$!
  trap 'kill "$server"' EXIT
  until answers; do
    kill -0 "$server" || { tail -5 "$out/server.log" >&2; exit 4; }
    sleep 1
  done
fi

for name in "${steps[@]}"; do
  IFS=/ read -r profile kernel step <<<"$name"
  result=$out/$profile.$kernel.$step.json
  [[ ! -s $result ]] || continue
  if [[ ! -d $out/kernels/$kernel ]]; then
    cp -r "$root/kernels/$kernel" "$out/kernels/$kernel"
    rm -rf "$out/kernels/$kernel/.hone"
  fi
  echo "$(date -u +%H:%M:%S) $name" >&2
  "$hone" study success "$out/kernels/$kernel" --step "$step" --runs "$runs" --repairs "$repairs" --model openai/small --model-url "$url" \
    --model-seed 1 --temperature 0.8 --prompt "$profile" --context-tokens 16000 --state "$out/state/$profile" --json \
    >"$result.part" 2>"$result.log" || { echo "study: $name ended with status $?: $(tail -1 "$result.log")" >&2; continue; }
  mv "$result.part" "$result"
done
python3 "$root/bench/small_model/table.py" "$out"
