#!/usr/bin/env bash
# The official clients of MCP, for the suite mcp_clients: the packages mcp and fastmcp from PyPI, each in an environment of its own.
#   tests/mcp_clients/install.sh [FOLDER]    FOLDER: build/mcp_clients
set -euo pipefail
folder=${1:-$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../build/mcp_clients}
if ! python3 -c 'import ensurepip' 2>/dev/null; then
  echo "install: Python cannot make environments here: apt-get install python3-venv" >&2
  exit 3
fi
# The interpreter itself: a link to it may be gone tomorrow, and the environment with it.
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
for package in mcp==2.3.0 fastmcp==4.2.3; do
  name=${package%%=*}
  "$folder/$name/bin/python" -c "import $name" 2>/dev/null && continue
  mkdir -p "$folder"
  "$python" -m venv --clear "$folder/$name"
  "$folder/$name/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 "$package"
done
