# hone serve --ui over real HTTP, and in a real browser: runs appear, grow, end, and nobody else sees them.
# shellcheck shell=bash

SIZE=(--size m=40 --size n=64)

# serve_page OPTIONS...: a server whose address stands in $address, its token in $token; $server is its process.
serve_page() {
  "$HONE" serve --ui "$@" >address 2>server.err &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT # also where the test fails
  until grep -q token address; do
    kill -0 "$server" || fail "the server ended: $(<server.err)"
    sleep 0.05
  done
  address=$(<address) token=${address#*token=} site=${address%%/\?*}
}
# get PATH [HEADER...]: status in $status, the body in the file page, the headers in the file headers. As who has the cookie.
get() { ask GET "$1" "Cookie: hone_live_${site##*:}=$token" "${@:2}"; }
# ask METHOD PATH HEADER...
ask() {
  status=$(python3 - "$site" "$@" <<'PYTHON'
import http.client, sys
site, method, path, *headers = sys.argv[1:]
connection = http.client.HTTPConnection(site.split("//")[1], timeout=60)
connection.request(method, path, headers=dict(h.split(": ", 1) for h in headers))
answer = connection.getresponse()
open("page", "wb").write(answer.read())
open("headers", "w").write("".join(f"{n}: {v}\n" for n, v in answer.getheaders()))
print(answer.status)
PYTHON
  )
}
page_has() { grep -qF -- "$1" page || fail "the page has no '$1': $(sed '/<style>/,/<\/style>/d' page | head -c 3000)"; }
page_has_no() { ! grep -qF -- "$1" page || fail "the page has '$1'"; }
# until_page PATH TEXT: asks until the page holds it.
until_page() {
  local i
  for ((i = 0; i < 600; i++)); do
    get "$1"
    ! grep -qF -- "$2" page || return 0
    sleep 0.1
  done
  fail "the page never had '$2'"
}

# Would catch a server that shows runs to strangers, is blind to new steps, sends what is known, or calls the dead running.
test_a_run_appears_grows_and_ends() {
  specialised_kernel softmax rows
  sed -i 's|^summary *=.*|summary = "<script>alert(1)</script> \\"rows\\""|' rows/kernel.toml
  grep -q 'alert(1)' rows/kernel.toml || fail "the kernel has no summary"
  serve_page
  ask GET /
  [[ $status == 401 ]] || fail "status $status without a token"
  ask GET "/?token=${token//[0-9]/0}"
  [[ $status == 401 ]] || fail "status $status with a wrong token"
  ask GET "/?token=$token"
  [[ $status == 302 ]] && grep -qi "set-cookie: hone_live_${site##*:}=$token; .*HttpOnly; SameSite=Strict" headers || fail "no cookie: $(<headers)"
  get / "Host: example.org"
  [[ $status == 403 ]] || fail "status $status for another host"
  ask POST / "Cookie: hone_live_${site##*:}=$token"
  [[ $status == 405 ]] || fail "status $status for a change"
  get /
  page_has "There is no run yet"
  expect_status 0 hone apply rows fuse-statements "${SIZE[@]}"
  get /
  run=$(grep -o '/run/[^"]*' page)
  get "$run"
  [[ $status == 200 ]] || fail "status $status: $(<page)"
  page_has "fuse-statements"
  page_has "&lt;script&gt;alert(1)"
  page_has_no "<script>alert"
  page_has 'class="d-add"'
  page_has "not running"
  page_has 'id="cost"'
  grep -qi "content-security-policy: default-src 'none'" headers || fail "$(<headers)"
  tag=$(sed -n 's/^ETag: //Ip' headers)
  get "$run" "If-None-Match: $tag"
  [[ $status == 304 && ! -s page ]] || fail "status $status for what is known"
  expect_status 0 hone apply rows vectorize-rows "${SIZE[@]}"
  get "$run" "If-None-Match: $tag"
  [[ $status == 200 ]] || fail "status $status after another step"
  page_has "vectorize-rows"

  "$HONE" optimize rows --budget 60 "${SIZE[@]}" >/dev/null 2>&1 &
  climb=$!
  until_page "$run" "running, process $climb on"
  kill -9 "$climb"
  until_page "$run" "not running"
  get /run/nowhere
  [[ $status == 404 ]] || fail "status $status for no run"
  expect_status 2 hone serve --ui --port "${site##*:}"
  expect_err "cannot listen on port ${site##*:}"
  kill -INT "$server"
  wait "$server" || fail "the server ended with status $?: $(<server.err)"
}

# Would catch a script that the page's own policy forbids, and a page that a browser shows empty or never brings up to date.
test_a_browser_shows_a_run_while_it_grows() {
  if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
    echo "    skipped: there is no chromium with its driver (Debian packages chromium and chromium-driver)"
    return 0
  fi
  specialised_kernel softmax rows
  expect_status 0 hone apply rows fuse-statements "${SIZE[@]}"
  serve_page
  get /
  run=$(grep -o '/run/[^"]*' page)
  python3 - "$site$run?token=$token" "$HONE" apply rows vectorize-rows "${SIZE[@]}" <<'PYTHON' || fail "$(tail -5 driver.log)"
import json, re, subprocess, sys, time, urllib.request

address, *step = sys.argv[1:]
driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=open("driver.log", "w"), text=True)
port = next(m.group(1) for m in (re.search(r"started successfully on port (\d+)", line) for line in driver.stdout) if m)


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"}, method=method)
    return json.load(urllib.request.urlopen(request, timeout=120))["value"]


def source():
    return ask("GET", f"/session/{session}/source")


def wait_for(text):
    for _ in range(600):
        if text in source():
            return
        time.sleep(0.1)
    sys.exit(f"the browser never showed {text!r}")


options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]}
wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
session = ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
try:
    ask("POST", f"/session/{session}/url", {"url": address})
    wait_for("fuse-statements")
    if "vectorize-rows" in source():
        sys.exit("the second step is there before it was taken")
    # What is unfolded stays so when the page changes.
    ask("POST", f"/session/{session}/execute/sync", {"script": "document.querySelector('details').open = true;", "args": []})
    time.sleep(1)
    subprocess.run(step, stdout=subprocess.DEVNULL, check=True)
    wait_for("vectorize-rows")
    shown = ask("POST", f"/session/{session}/execute/sync", {"args": [], "script": """return [
        document.querySelectorAll('path.climb, polyline.climb, .climb').length, document.querySelectorAll('.d-add').length,
        document.querySelector('details').open, Number(document.body.dataset.updates), document.body.getBoundingClientRect().width]"""})
    if not (shown[0] and shown[1] and shown[2] and shown[3] >= 1):
        sys.exit(f"climb, added lines, unfolded, updates: {shown}")
    severe = [e for e in ask("POST", f"/session/{session}/se/log", {"type": "browser"}) if e["level"] == "SEVERE" and "favicon" not in e["message"]]
    if severe:
        sys.exit(f"the browser complained: {severe}")
finally:
    ask("DELETE", f"/session/{session}")
    driver.kill()
PYTHON
  kill -INT "$server"
}
