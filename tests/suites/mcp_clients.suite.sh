# A whole climb through the official clients of MCP, from PyPI: the newest protocol and the one with a handshake, over
# standard input and over HTTP. `suite_mcp` speaks to the server by plain lines.
# shellcheck shell=bash

CLIENTS=$ROOT/build/mcp_clients

clients_are_here() {
  "$ROOT/tests/mcp_clients/install.sh" "$CLIENTS" 2>"$WORK/install.err" && return 0
  echo "    skipped: tests/mcp_clients/install.sh: $(tail -1 "$WORK/install.err")"
  return 1
}
climb_by() { # LIBRARY ADDRESS MODE
  rm -rf mine
  specialised_kernel matmul mine
  timeout 300 "$CLIENTS/$1/bin/python" "$ROOT/tests/mcp_clients/climb.py" "$1" "$2" "$3" mine >"$WORK/.out" 2>"$WORK/.err" ||
    fail "$*: $(tail -5 "$WORK/.out" "$WORK/.err")"
}
web() {
  HONE_MCP_TOKEN=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
  export HONE_MCP_TOKEN
  "$HONE" mcp --http 0 2>web.err &
  server=$!
  local i
  for ((i = 0; i < 200; i++)); do
    url=$(sed -n 's|.*MCP at \(http://[^ ]*\).*|\1|p' web.err)
    [[ -z $url ]] || return 0
    sleep 0.05
  done
  fail "the server does not come up: $(<web.err)"
}

test_the_newest_protocol() {
  clients_are_here || return 0
  climb_by mcp "$HONE" auto
  web
  climb_by mcp "$url" auto
  kill "$server"
  wait "$server" || true
}

test_the_protocol_with_a_handshake() {
  clients_are_here || return 0
  climb_by mcp "$HONE" legacy
  web
  climb_by mcp "$url" legacy
  kill "$server"
  wait "$server" || true
}

test_another_client() {
  clients_are_here || return 0
  climb_by fastmcp "$HONE" auto
  web
  climb_by fastmcp "$url" auto
  kill "$server"
  wait "$server" || true
}
