#!/usr/bin/env bash
# kill_and_resume.sh HONE ROOT TIMES [SEED]: kills an optimisation with SIGKILL at random moments, each time checks that no
# checkpoint that was there is lost and that the store is sound, and resumes. At the end the climb must reach its end.
set -euo pipefail
hone=$1 root=$2 times=$3
RANDOM=${4:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_SHARE=$root XDG_CACHE_HOME=$work/cache
cp -r "$root/kernels/matmul" "$work/kernel"
rm -rf "$work/kernel/.hone"
arguments=("$work/kernel" --size m=160,n=160,k=160 --budget 45 --no-baselines)

checkpoints() { { "$hone" log "$work/kernel" --json 2>/dev/null || true; } |
  python3 -c 'import json,sys
try: print("\n".join(s["checkpoint"] for s in json.load(sys.stdin)["steps"] if s["checkpoint"]))
except Exception: pass'; }

verb=optimize
for ((i = 1; i <= times; i++)); do
  if ((i % 8 == 0)); then # now and then from the beginning, so that kills hit every part of a climb
    rm -rf "$work/kernel/.hone"
    verb=optimize
  fi
  before=$(checkpoints)
  delay=$((RANDOM % 9000 + 200))
  setsid "$hone" "$verb" "${arguments[@]}" >"$work/log" 2>&1 &
  pid=$!
  sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
  kill -9 -- "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  after=$(checkpoints)
  for id in $before; do
    grep -q "$id" <<<"$after" || { echo "kill $i: checkpoint $id is lost"; exit 1; }
  done
  repository=$(find "$work/kernel" -name repo.git | head -1)
  if [[ -n $repository ]]; then
    git -C "$repository" fsck --no-dangling >/dev/null 2>"$work/fsck" || { echo "kill $i: damaged repository"; cat "$work/fsck"; exit 1; }
    journal=$(dirname "$repository")/journal.db
    [[ ! -e $journal || $(sqlite3 "$journal" 'pragma integrity_check') == ok ]] || { echo "kill $i: damaged journal"; exit 1; }
    [[ -z $after ]] || verb=resume
  fi
  "$hone" fsck "$work/kernel" >"$work/fsck" 2>&1 || { echo "kill $i: damage"; cat "$work/fsck"; exit 1; }
  # What the killed command said it had reached is in the history.
  for id in $(grep -oE '  [0-9a-f]{10}$' "$work/log" || true); do
    grep -q "^$id" <<<"$after" || { echo "kill $i: checkpoint $id was told and is lost"; exit 1; }
  done
  # Runners and compilers of the killed parent must be gone, too.
  sleep 0.2
  if pgrep -f "$work" >/dev/null; then echo "kill $i: something of it still runs"; pgrep -af "$work"; exit 1; fi
  echo "kill $i after ${delay} ms: $(wc -w <<<"$after") checkpoints, sound"
done
"$hone" "$verb" "${arguments[@]}" >"$work/log" 2>&1 || { echo "the climb does not end:"; tail -5 "$work/log"; exit 1; }
echo "resumed to its end: $(checkpoints | wc -l) checkpoints"
