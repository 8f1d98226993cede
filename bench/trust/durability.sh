#!/usr/bin/env bash
# durability.sh [N] [HONE] [SEED]: does the store survive what happens to it? N kills (200), N/10 full disks, N/10 pairs of two
# Hones on one kernel; prints a Markdown table and ends with status 1 when anything was lost or damaged.
#
#   kills    kill -9 at a random moment of optimize, resume, apply, tune and `fsck --repair`; the moment is drawn over the
#            whole time that the command takes. Afterwards `hone fsck` must find no damage, every checkpoint that was in the
#            history or was told on stderr or stdout before the kill must be in it, and nothing may still run. fsck itself
#            is killed while it repairs a copy of the store in which something was destroyed.
#   disks    the climb on a small file system (tmpfs in a mount namespace; needs root), each time of another size: with
#            state, cache and temporary files on it, or the state alone. The error must name the file system; after making
#            room fsck must find no damage, nothing told may be gone, and `resume` must come to its end.
#   pairs    `hone optimize` and `hone apply` at the same time on one kernel folder. Both must do their work.
#
# The climb is a matrix product of 32 x 32 x 32 with a budget of two seconds; what it reaches does not matter here.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
times=${1:-200}
export HONE_BINARY=${2:-$root/build/ci/bin/hone}
RANDOM=${3:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_SHARE=$root XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config TMPDIR=$work/tmp
mkdir -p "$TMPDIR"
hone() { "$HONE_BINARY" "$@"; }

kernel=$work/kernel
sizes=(--size m=32,n=32,k=32)
cat >"$work/steps.toml" <<'STEPS'
[[step]]
apply = "reorder-loops"
[[step]]
apply = "refactor-into-macros"
pays = "later"
[[step]]
apply = "cache-tiling"
pays = "later"
STEPS
climb=("${sizes[@]}" --steps "$work/steps.toml" --no-baselines --budget 2)
failures=0 lost=0 damaged=0
complain() {
  echo "  WRONG: $*" >&2
  failures=$((failures + 1))
}

fresh() {
  rm -rf "$kernel" && cp -r "$root/kernels/matmul" "$kernel" && rm -rf "$kernel/.hone"
}
history_of() { # checkpoint ids in a kernel's history, one a line
  hone log "$@" --json 2>/dev/null | python3 -c 'import json, sys
try: print("\n".join(s["checkpoint"] for s in json.load(sys.stdin)["steps"] if s["checkpoint"]))
except Exception: pass'
}
told_in() { # ids that a command told: at the end of a progress line, or as its result
  grep -ohE '(^checkpoint |  )[0-9a-f]{10}$' "$@" 2>/dev/null | grep -oE '[0-9a-f]{10}' | sort -u
}
expect_history() { # WHAT IDS...: each begins an id of the history
  local what=$1 id all
  shift
  all=$(history_of "$kernel")
  for id in "$@"; do
    grep -q "^$id" <<<"$all" && continue
    lost=$((lost + 1))
    complain "$what: checkpoint $id is lost"
  done
}
sound() { # WHAT: fsck finds no damage; sets $leftovers
  if ! hone fsck "$kernel" --json >"$work/fsck" 2>"$work/fsck.err"; then
    damaged=$((damaged + 1))
    complain "$1: $(tr -d '\n' <"$work/fsck" | cut -c1-600)$(<"$work/fsck.err")"
  fi
  leftovers=$(python3 -c "import json; print(sum(f['kind'] == 'leftover' for f in json.load(open('$work/fsck'))['findings']))" 2>/dev/null || echo 0)
}
milliseconds() { # COMMAND...: what it takes
  local begin
  begin=$(date +%s%N)
  "$@" >"$work/out" 2>"$work/err"
  echo $((($(date +%s%N) - begin) / 1000000))
}
draw() { drawn=$(((RANDOM * 32768 + RANDOM) % $1)); } # no $(draw): RANDOM begins anew in a subshell, whatever the seed

# Starts a command, kills it after a drawn part of `longest` milliseconds; sets $caught when it was still at work.
run_and_kill() {
  local longest=$1 delay pid
  shift
  draw $((longest + 50))
  delay=$drawn
  setsid "$HONE_BINARY" "$@" >"$work/out" 2>"$work/err" &
  pid=$!
  sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
  caught=0
  kill -9 "$pid" 2>/dev/null && caught=1
  wait "$pid" 2>/dev/null
  sleep 0.1
  if pgrep -f "$work/(tmp|kernel)" >/dev/null; then
    sleep 1
    pgrep -f "$work/(tmp|kernel)" >/dev/null && complain "something still runs after the kill: $(pgrep -af "$work/(tmp|kernel)" | head -3)"
  fi
}

damage_something() {
  local folder objects object
  folder=$(dirname "$(find "$kernel/.hone" -name journal.db | head -1)")
  draw 3
  case $drawn in
    0) # the bytes of an object
      objects=("$folder"/repo.git/objects/??/*)
      draw ${#objects[@]}
      object=${objects[drawn]}
      chmod u+w "$object" && printf 'destroyed' >"$object" ;;
    1) # a record
      sqlite3 "$folder/journal.db" "DROP TRIGGER IF EXISTS records_keeps_UPDATE; UPDATE records SET json = 'destroyed' WHERE number = 1 + abs(random()) % (SELECT max(number) FROM records)" ;;
    2) # the whole journal
      rm -f "$folder"/journal.db-*
      printf 'destroyed' >"$folder/journal.db" ;;
  esac
}

readable_in() { # of the ids given, those of checkpoints that can be shown
  local id
  for id in "$@"; do
    hone show "$kernel" "$id" >/dev/null 2>&1 && echo "$id"
  done
}

declare -A kills caughts tolds left losts damages
kill_one() { # TARGET
  local target=$1 before told arguments lost_before=$lost damaged_before=$damaged
  kills[$target]=$((${kills[$target]:-0} + 1))
  case $target in
    optimize) fresh && arguments=(optimize "$kernel" "${climb[@]}") ;;
    resume) arguments=(resume "$kernel") ;;
    apply) arguments=(apply "$kernel" reorder-loops start "${sizes[@]}") && fresh ;;
    tune) arguments=(tune "$kernel" "$tunable" --points 5 --budget 3 "${sizes[@]}") && rm -rf "$kernel" && cp -r "$work/climbed" "$kernel" ;;
    fsck) arguments=(fsck "$kernel" --repair) && rm -rf "$kernel" && cp -r "$work/climbed" "$kernel" && damage_something ;;
  esac
  before=$(history_of "$kernel")
  # shellcheck disable=SC2086
  [[ $target != fsck ]] || before=$(readable_in $before)
  run_and_kill "${longest[$target]}" "${arguments[@]}"
  caughts[$target]=$((${caughts[$target]:-0} + caught))
  if [[ $target == fsck ]]; then
    hone fsck "$kernel" --repair >"$work/out" 2>&1 || complain "fsck: the second repair fails: $(<"$work/out")"
  fi
  sound "$target"
  told=$(told_in "$work/out" "$work/err")
  # shellcheck disable=SC2086
  expect_history "$target" $before $told
  tolds[$target]=$((${tolds[$target]:-0} + $(wc -w <<<"$told")))
  left[$target]=$((${left[$target]:-0} + leftovers))
  hone fsck "$kernel" --repair >/dev/null 2>&1 || complain "$target: cannot be repaired"
  sound "$target, repaired"
  ((leftovers == 0)) || complain "$target: $leftovers leftovers after a repair"
  losts[$target]=$((${losts[$target]:-0} + lost - lost_before))
  damages[$target]=$((${damages[$target]:-0} + damaged - damaged_before))
}

echo "measuring how long each command takes ..." >&2
fresh
declare -A longest
hone run --naive --kernel "$kernel" "${sizes[@]}" --no-timing >/dev/null 2>&1 # fills the cache
longest[optimize]=$(milliseconds hone optimize "$kernel" "${climb[@]}")
tail -1 "$work/err" >&2
[[ $(history_of "$kernel" | wc -l) -ge 2 ]] || complain "the climb has too few checkpoints: $(<"$work/err")"
hone apply "$kernel" cache-tiling best "${sizes[@]}" >/dev/null 2>"$work/err" || complain "nothing to tune: $(<"$work/err")"
tunable=$(history_of "$kernel" | tail -1)
rm -rf "$work/climbed" && cp -r "$kernel" "$work/climbed"
longest[resume]=$(milliseconds hone resume "$kernel")
longest[tune]=$(milliseconds hone tune "$kernel" "$tunable" --points 5 --budget 3 "${sizes[@]}")
longest[fsck]=$(milliseconds hone fsck "$kernel" --repair)
fresh
longest[apply]=$(milliseconds hone apply "$kernel" reorder-loops start "${sizes[@]}")
fresh

targets=(optimize resume apply tune fsck)
for ((i = 0; i < times; i++)); do
  kill_one "${targets[$((i % ${#targets[@]}))]}"
  ((i % 20 == 19)) && echo "$((i + 1)) kills, $failures wrong" >&2
done
fresh
hone optimize "$kernel" "${climb[@]}" >/dev/null 2>&1 || complain "the climb does not come to its end any more"

echo "| killed | times | still at work | longest run | checkpoints told before | lost | damage found | harmless leftovers |"
echo "|---|---|---|---|---|---|---|---|"
for target in "${targets[@]}"; do
  name=$target && [[ $target == fsck ]] && name='fsck --repair, of a damaged store'
  echo "| $name | ${kills[$target]:-0} | ${caughts[$target]:-0} | ${longest[$target]} ms | ${tolds[$target]:-0} | ${losts[$target]:-0} | ${damages[$target]:-0} | ${left[$target]:-0} |"
done
echo "wrong so far: $failures"

# --- full disks -----------------------------------------------------------------------------------------------------------

# Inside a mount namespace: DISK SIZE(KiB) WHAT(all|state). Prints "outcome told"; complaints on stderr.
small_disk() {
  local disk=$1 size=$2 what=$3 status told
  mount -t tmpfs -o "size=${size}k" tmpfs "$disk" || return 3
  if [[ $what == all ]]; then
    export XDG_CACHE_HOME=$disk/cache TMPDIR=$disk/tmp
    mkdir -p "$TMPDIR"
  fi
  hone optimize "$kernel" "${climb[@]}" --state "$disk/state" >"$work/out" 2>"$work/err"
  status=$?
  told=$(told_in "$work/err")
  if ((status != 0)); then
    ((status == 4)) || echo "status $status: $(tail -3 "$work/err")" >&2
    grep -q "file system '$disk'" "$work/err" || echo "the error does not name the file system: $(tail -3 "$work/err")" >&2
  fi
  mount -o remount,size=256m "$disk"
  hone fsck "$kernel" --state "$disk/state" --json >"$work/fsck" 2>&1 || echo "fsck: $(tr -d '\n' <"$work/fsck")" >&2
  local all id
  all=$(history_of "$kernel" --state "$disk/state")
  for id in $told; do
    grep -q "^$id" <<<"$all" || echo "checkpoint $id is lost" >&2
  done
  local verb=resume
  [[ -n $(find "$disk/state" -name journal.db 2>/dev/null) ]] || verb=optimize
  if [[ $verb == resume ]] && ! hone resume "$kernel" --state "$disk/state" >"$work/out" 2>"$work/err.resume"; then
    # Full before anything was remembered of the climb: it is begun again.
    verb=optimize
  fi
  if [[ $verb == optimize ]]; then
    hone optimize "$kernel" "${climb[@]}" --state "$disk/state" >"$work/out" 2>"$work/err.resume" || echo "goes not on: $(tail -3 "$work/err.resume")" >&2
  fi
  hone fsck "$kernel" --state "$disk/state" >"$work/fsck" 2>&1 || echo "fsck at the end: $(<"$work/fsck")" >&2
  used=$(du -sk "$disk" | cut -f1)
  echo "$status $(wc -w <<<"$told") $used"
}

if ((EUID != 0)) || ! unshare -m true 2>/dev/null; then
  echo "full disks: skipped, mounting needs root"
else
  export -f hone small_disk told_in history_of
  export work kernel
  mkdir -p "$work/disk"
  disks=$((times / 10 > 0 ? times / 10 : 1))
  echo
  echo "| on the small disk | its size | status | checkpoints told before | wrong |"
  echo "|---|---|---|---|---|"
  arrays=$(declare -p climb)
  for ((i = 0; i < disks; i++)); do
    what=all && ((i % 2)) && what=state
    # Of all: from what not even the reference fits into to room enough; of the state: from a few pages to enough.
    if [[ $what == all ]]; then
      size=$((128 + i * i * 12000 / (disks * disks)))
    else
      size=$((48 + i * 700 / disks))
    fi
    answer=$(unshare -m bash -c "$arrays; small_disk '$work/disk' $size $what" 2>"$work/wrong")
    read -r status told _ <<<"$answer"
    wrong=$(wc -l <"$work/wrong")
    ((wrong == 0)) || complain "disk $what $size KiB: $(<"$work/wrong")"
    echo "| $([[ $what == all ]] && echo 'state, cache, temporary files' || echo 'state') | $size KiB | ${status:-?} | ${told:-?} | $wrong |"
  done
fi

# --- two at once ----------------------------------------------------------------------------------------------------------

pairs=$((times / 10 > 0 ? times / 10 : 1)) both=0 waited=0
for ((i = 0; i < pairs; i++)); do
  ((i % 5 == 0)) && fresh
  hone optimize "$kernel" "${climb[@]}" >"$work/out1" 2>"$work/err1" &
  one=$!
  draw 999
  sleep "0.$(printf %03d "$drawn")"
  hone apply "$kernel" reorder-loops start "${sizes[@]}" >"$work/out2" 2>"$work/err2" &
  two=$!
  wait "$one"; first=$?
  wait "$two"; second=$?
  ((first == 0 && second == 0)) && both=$((both + 1)) || complain "pair $i: $first, $second: $(tail -2 "$work/err1" "$work/err2")"
  grep -q 'waiting until it has finished' "$work/err1" "$work/err2" && waited=$((waited + 1))
  sound "pair $i"
  # shellcheck disable=SC2046
  expect_history "pair $i" $(told_in "$work/out1" "$work/err1" "$work/out2" "$work/err2")
done
echo
echo "| pairs of optimize and apply | both did their work | one waited for the other |"
echo "|---|---|---|"
echo "| $pairs | $both | $waited |"
echo
echo "in all: $failures wrong"
((failures == 0))
