# What happens to stores: damage, two Hones at once, full and read-only disks, kills. bench/trust/durability.sh does the same
# many times over at random.
# shellcheck shell=bash

small=(--size m=48,n=48,k=48)

# Others may have left something in the common one.
own_temporary_folder() {
  mkdir -p "$WORK/tmp"
  export TMPDIR=$WORK/tmp
}

# Made once: tests damage copies.
two_checkpoints() {
  own_temporary_folder
  if [[ ! -e $ONCE/kernel ]]; then
    specialised_kernel matmul "$ONCE/kernel"
    expect_status 0 hone apply "$ONCE/kernel" reorder-loops start "${small[@]}" --json
    cp "$WORK/.out" "$ONCE/applied.json"
  fi
  cp -r "$ONCE/kernel" kernel
  cp "$ONCE/applied.json" "$WORK/.out"
  start=$(json "j['parent']") reordered=$(json "j['checkpoint']")
  folder=$(dirname "$(find kernel/.hone -name journal.db)")
}

object_of() { echo "$folder/repo.git/objects/${1:0:2}/${1:2}"; }

destroy() {
  chmod u+w "$1"
  echo destroyed >"$1"
}

# Bash functions do not reach another shell.
in_namespace() { # NAME ARGS: runs a function of ours in a mount namespace of its own
  export -f hone fail "$1"
  unshare -m bash -c 'set -e; "$@"' - "$@"
}

can_mount() {
  local why=""
  ((EUID == 0)) || why="mounting needs root"
  [[ -n $why ]] || unshare -m true 2>/dev/null || why="this system does not allow mount namespaces"
  [[ -n $why ]] || return 0
  echo "    (${FUNCNAME[1]} skipped: $why)"
  return 1
}

test_a_sound_store_is_called_sound() {
  two_checkpoints
  expect_status 0 hone fsck kernel
  expect_out "sound: 1 workflow"
  (cd kernel && expect_status 0 hone fsck --json && [[ $(json "j['sound'], j['findings'], len(j['workflows'])") == "True [] 1" ]]) ||
    fail "fsck in the kernel's folder"
  expect_status 2 hone fsck nowhere
  expect_err "there is no kernel 'nowhere'"
  specialised_kernel matmul untouched
  expect_status 0 hone fsck untouched --repair
  expect_out "0 workflows"
  [[ ! -e untouched/.hone ]] || fail "fsck made a state folder"
}

test_a_damaged_record_is_named_and_the_rest_is_usable() {
  two_checkpoints
  sqlite3 "$folder/journal.db" "DROP TRIGGER records_keeps_UPDATE; UPDATE records SET json = 'destroyed' WHERE number = 2"
  expect_status 1 hone fsck kernel
  expect_out "record 2 is damaged"
  expect_out "hone fsck --repair"
  expect_status 0 hone log kernel
  expect_err "record 2 is damaged"
  expect_out "${start:0:10}"
  expect_status 0 hone report kernel
  expect_status 0 hone show kernel "$reordered"
  expect_status 0 hone apply kernel refactor-into-macros "$reordered" "${small[@]}"
  expect_err "hone fsck"
  expect_status 0 hone fsck kernel --repair
  expect_out "mended"
  expect_status 0 hone fsck kernel --json
  [[ $(json "j['findings']") == "[]" ]] || fail "still something: $out"
  expect_status 0 hone log kernel --json
  [[ -z $err && $(json "[s['number'] for s in j['steps']]") == "[1, 2, 3]" ]] || fail "not restored: $err $out"
  [[ -s $folder/damaged/journal-1.db ]] || fail "the old journal is gone"
}

test_a_damaged_checkpoint_is_named_and_the_rest_is_usable() {
  two_checkpoints
  printf '[[step]]\napply = "reorder-loops"\n' >steps.toml
  local climb=("${small[@]}" --steps steps.toml --no-baselines)
  expect_status 0 hone optimize kernel "${climb[@]}" --json
  local best
  best=$(json "j['best']['checkpoint']")
  destroy "$(object_of "$best")"
  expect_status 1 hone fsck kernel
  expect_out "$best"
  expect_status 0 hone log kernel
  expect_err "${best:0:12} cannot be read"
  expect_status 0 hone report kernel --format csv
  expect_status 4 hone show kernel "$best"
  expect_err "hone fsck"
  expect_status 0 hone resume kernel --json
  [[ $(json "j['best']['checkpoint']") != "$best" ]] || fail "the damaged one is the best again"
  expect_status 0 hone fsck kernel --repair
  expect_status 0 hone fsck kernel
  expect_status 0 git -c safe.directory='*' --git-dir "$folder/repo.git" fsck --strict
  [[ -s $folder/damaged/objects/$best ]] || fail "the damaged object is gone"
}

test_a_damaged_start_does_not_end_everything() {
  two_checkpoints
  destroy "$(object_of "$start")"
  expect_status 0 hone log kernel
  expect_status 0 hone report kernel --format csv
  expect_status 0 hone verify kernel "$reordered"
  expect_status 0 hone apply kernel refactor-into-macros "$reordered" "${small[@]}"
  expect_status 0 hone fsck kernel --repair
  expect_status 0 hone fsck kernel
}

test_a_destroyed_journal_is_made_again_from_the_commits() {
  two_checkpoints
  echo destroyed >"$folder/journal.db"
  expect_status 0 hone log kernel
  expect_out "${reordered:0:10}"
  expect_status 4 hone apply kernel refactor-into-macros "$reordered" "${small[@]}"
  expect_err "hone fsck --repair"
  expect_status 0 hone fsck kernel --repair
  expect_status 0 hone apply kernel refactor-into-macros "$reordered" "${small[@]}"
  [[ $(<"$folder/damaged/journal-1.db") == destroyed ]] || fail "the old journal is gone"
}

test_a_cached_file_that_was_cut_short_is_not_used() {
  two_checkpoints
  own_cache
  expect_status 0 hone run --naive --kernel kernel "${small[@]}" --no-timing
  local file
  for file in "$XDG_CACHE_HOME"/hone/reference-*.so "$XDG_CACHE_HOME"/hone/modules/*; do
    truncate -s -100 "$file"
  done
  expect_status 1 hone fsck kernel
  expect_out "cut short"
  expect_status 0 hone run --naive --kernel kernel "${small[@]}" --no-timing
  expect_status 0 hone fsck kernel --repair
  expect_status 0 hone fsck kernel
}

test_two_hones_on_one_kernel_take_turns() {
  two_checkpoints
  hone apply kernel refactor-into-macros "$reordered" "${small[@]}" >one 2>&1 &
  local other=$!
  expect_status 0 hone apply kernel cache-tiling "$reordered" "${small[@]}"
  wait "$other" || fail "the other one: $(<one)"
  expect_status 0 hone log kernel --json
  [[ $(json "sorted(s['record']['transformation'] for s in j['steps'])") == "['cache-tiling', 'refactor-into-macros', 'reorder-loops', 'start']" ]] ||
    fail "not all: $out"
  expect_status 0 hone fsck kernel
}

test_who_waits_says_so_and_can_be_stopped() {
  two_checkpoints
  # Somebody else holds the lock, as another Hone would.
  python3 -c 'import fcntl, sys, time
f = open(sys.argv[1], "r+"); fcntl.lockf(f, fcntl.LOCK_EX); open("held", "w").close(); time.sleep(600)' "$folder/lock" &
  local holder=$!
  until [[ -e held ]]; do sleep 0.05; done
  "$HONE" apply kernel refactor-into-macros "$reordered" "${small[@]}" >waiting 2>&1 &
  local waiter=$! status=0
  until grep -q "waiting until it has finished" waiting; do
    kill -0 "$waiter" 2>/dev/null || fail "it did not wait: $(<waiting)"
    sleep 0.05
  done
  expect_status 0 hone log kernel # looks beside it
  expect_status 0 hone fsck kernel
  expect_err "another Hone is working"
  kill -TERM "$waiter"
  wait "$waiter" || status=$?
  kill "$holder"
  ((status == 130)) || fail "status $status: $(<waiting)"
}

full_disk() {
  mount -t tmpfs -o size=200k tmpfs disk
  head -c 120000 /dev/zero >disk/ballast
  local status=0
  hone apply kernel reorder-loops start --size m=48,n=48,k=48 --state "$PWD/disk/state" >out 2>err || status=$?
  ((status == 4)) || fail "status $status: $(<err)"
  grep -q "file system '$PWD/disk'" err || fail "the file system is not named: $(<err)"
  grep -q -- "--state DIR" err || fail "no way out: $(<err)"
  mount -o remount,size=64m disk
  hone fsck kernel --state "$PWD/disk/state" >out 2>&1 || fail "damage: $(<out)"
  hone apply kernel reorder-loops start --size m=48,n=48,k=48 --state "$PWD/disk/state" >out 2>&1 || fail "goes not on: $(<out)"
  hone fsck kernel --state "$PWD/disk/state" --repair >out 2>&1 || fail "damage at the end: $(<out)"
}

test_a_full_disk_is_named_and_damages_nothing() {
  can_mount || return 0
  two_checkpoints # fills the cache
  mkdir disk
  in_namespace full_disk
}

full_temporary_folder() {
  mount -t tmpfs -o size=100k tmpfs disk
  export TMPDIR=$PWD/disk XDG_CACHE_HOME=$PWD/fresh
  local status=0
  hone run --naive --kernel kernel --no-timing --size m=48,n=48,k=48 >out 2>err || status=$?
  ((status == 4)) || fail "status $status: $(<err)"
  grep -q "no room to compile the reference" err || fail "not said: $(<err)"
  grep -q "file system '$PWD/disk'" err || fail "the file system is not named: $(<err)"
  export XDG_CACHE_HOME=$FILLED
  rm -rf "$FILLED/hone/modules"
  head -c 10000000 /dev/zero >disk/ballast 2>/dev/null || true
  truncate -s -32768 disk/ballast
  status=0
  hone apply kernel reorder-loops start --size m=48,n=48,k=48 >out 2>err || status=$?
  ((status == 4)) || fail "status $status: $(<err)"
  grep -q "file system '$PWD/disk'" err || fail "the file system is not named: $(<err)"
  mount -o remount,size=64m disk
  hone apply kernel reorder-loops start --size m=48,n=48,k=48 >out 2>&1 || fail "what the full disk broke is held against the candidate: $(<out)"
}

test_a_full_temporary_folder_is_not_the_candidates_fault() {
  can_mount || return 0
  own_cache
  specialised_kernel matmul kernel
  expect_status 0 hone run --naive --kernel kernel --no-timing "${small[@]}"
  expect_status 0 hone device
  mkdir disk
  export FILLED=$XDG_CACHE_HOME
  in_namespace full_temporary_folder
}

read_only_store() {
  mount --bind kernel kernel
  mount -o remount,bind,ro kernel
  hone log kernel >out 2>err || fail "log: $(<err)"
  grep -q reorder-loops out || fail "log: $(<out)"
  hone show kernel best >/dev/null 2>err || hone show kernel HEAD >/dev/null 2>err || fail "show: $(<err)"
  hone report kernel --format csv >out 2>err || fail "report: $(<err)"
  hone fsck kernel >out 2>err || fail "fsck: $(<out) $(<err)"
  local status=0
  hone apply kernel refactor-into-macros start --size m=48,n=48,k=48 >out 2>err || status=$?
  ((status == 4)) || fail "status $status: $(<err)"
  grep -q -- "--state DIR" err || fail "no way out: $(<err)"
  hone apply kernel reorder-loops start --size m=48,n=48,k=48 --state elsewhere >out 2>&1 || fail "elsewhere: $(<out)"
}

test_a_read_only_store_can_be_looked_at() {
  can_mount || return 0
  two_checkpoints
  in_namespace read_only_store
}

test_kills_leave_a_sound_store() {
  own_temporary_folder
  specialised_kernel matmul kernel
  printf '[[step]]\napply = "reorder-loops"\n[[step]]\napply = "cache-tiling"\npays = "later"\n' >steps.toml
  local i pid told
  for i in 1 2 3; do
    "$HONE" optimize kernel "${small[@]}" --steps steps.toml --no-baselines >told 2>&1 &
    pid=$!
    # "$HONE", not hone: a function runs in a shell of its own, and that one would be killed.
    # Killed in the middle, however fast this machine is: as soon as the first checkpoints are told.
    until [[ $(grep -cE '  [0-9a-f]{10}$' told) -ge $i ]] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null || true
    expect_status 0 hone fsck kernel
    expect_status 0 hone log kernel
    told=$(grep -oE '  [0-9a-f]{10}$' told || true)
    for id in $told; do
      expect_out "$id"
    done
  done
  expect_status 0 hone fsck kernel --repair
  expect_status 0 hone fsck kernel --json
  [[ $(json "j['findings']") == "[]" ]] || fail "leftovers: $out"
  expect_status 0 hone resume kernel
}
