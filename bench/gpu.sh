#!/usr/bin/env bash
# gpu.sh: everything that a GPU can tell of Hone, in one command of at most ten minutes (docs/gpu-node.md).
#
#   gpu.sh pack OUT.tar.gz [PACK OPTIONS]   here: compiles every candidate, packs them with Hone's package and gpu_bench
#   gpu.sh run [RESULTS]                    on the node, from the unpacked archive: needs bash and the GPU's driver
#   gpu.sh dry-run [RESULTS]                the same on the emulated device, with few and small cases, nothing timed
#
# pack takes, by environment: BUILD, a configured build folder (default: build/release, which is made); PACKAGE, a package made by
# cpack (default: it is made); BIN, a folder with gpu_bench and gpu_pack (default: they are built); CACHE, a folder that keeps
# what was compiled (default: build/gpu-cache). PACK OPTIONS go to gpu_pack: --arch, --points, --every, --jobs.
# run takes: LIMIT, seconds for all steps (default 570); STEPS, names of those to carry out (default: all); PACKED, the folder
# that was unpacked (default: where this script lies); CUBLASLT, the library's file (default: it is searched for).
#
# Each step writes files of its own into RESULTS and has a limit; a step that fails is recorded in steps.tsv, and the rest goes on.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { printf 'gpu.sh: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 2
}

# ---- pack ----

pack() {
  local out=${1:?"usage: gpu.sh pack OUT.tar.gz"} root work
  shift
  root=$(cd "$here/.." && pwd)
  out=$(realpath -m "$out")
  local build=${BUILD:-$root/build/release}
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "${work:-}"' EXIT
  local bin=${BIN:-$build/bin}
  umask 022 # what is packed has to be open to everybody
  if [[ -z ${BIN:-} ]]; then
    [[ -e $build/CMakeCache.txt ]] || cmake --preset release -S "$root" -B "$build" >&2
    cmake --build "$build" --target gpu_bench gpu_pack >&2
  fi
  local package=${PACKAGE:-}
  if [[ -z $package ]]; then
    cpack --config "$build/CPackConfig.cmake" -G TGZ -B "$work/package" >&2
    package=$(echo "$work"/package/hone-*.tar.gz)
  fi
  local folder=$work/hone-gpu
  mkdir -p "$folder/bin" "$folder/hone"
  tar -C "$folder/hone" --strip-components=1 -xzf "$package"
  cp "$here/gpu.sh" "$folder/"
  cp "$bin/gpu_bench" "$folder/bin/"
  [[ ! -e $root/docs/gpu-node.md ]] || cp "$root/docs/gpu-node.md" "$folder/"
  strip "$folder/bin/gpu_bench" 2>/dev/null || true
  local failed=0
  "$bin/gpu_pack" "$folder/lists" --cache "${CACHE:-$root/build/gpu-cache}" "$@" || failed=$?
  ((failed < 2)) || die "gpu_pack failed"
  {
    date -u +"packed %Y-%m-%dT%H:%M:%SZ"
    git -C "$root" log -1 --format='commit %H' 2>/dev/null || true
    echo "candidates that could not be compiled: $((failed != 0 ? 1 : 0)) (0: none)"
  } >"$folder/PACKED"
  mkdir -p "$(dirname "$out")"
  tar -C "$work" -czf "$out" hone-gpu
  local bytes
  bytes=$(stat -c %s "$out")
  say "$out: $((bytes / 1000000)) MB, $(find "$folder/lists/modules" -name '*.ptx' | wc -l) modules"
  ((bytes < 60000000)) || die "the archive is larger than 60 MB: fewer --points"
}

# ---- steps ----
# Each prints what it has to say, or writes files into $results; its status is that of the step, 77: left out. $limit: seconds.

bench() { "$packed/bin/gpu_bench" "$@" "${driver[@]}"; }

step_facts() {
  uname -srm
  [[ ! -e /etc/os-release ]] || sed -n 's/^PRETTY_NAME=//p' /etc/os-release
  sed -n 's/^model name.*: //p' /proc/cpuinfo | sort | uniq -c
  cat "$packed/PACKED" 2>/dev/null || true
  for program in clang++-19 nvcc ncu nsys compute-sanitizer ptxas bwrap; do
    printf '%s\t%s\n' "$program" "$(find_program "$program" || echo -)"
  done
  printf 'cuBLASLt\t%s\n' "${cublaslt:--}"
  if [[ -n $dry ]]; then
    echo "nvidia-smi: left out, the device is emulated"
  elif command -v nvidia-smi >/dev/null; then
    nvidia-smi || true
    nvidia-smi -q >"$results/nvidia-smi.txt" 2>&1 || true
    nvidia-smi --format=csv --query-gpu=name,driver_version,pstate,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,ecc.mode.current,ecc.errors.uncorrected.volatile.total,power.draw,power.limit,temperature.gpu,persistence_mode,mig.mode.current,compute_mode || true
  else
    echo "nvidia-smi: not found"
  fi
  bench facts
}

# What Hone itself says of the device, from its package. It compiles there only where clang is installed.
step_hone() {
  local hone=$packed/hone/bin/hone runner=$packed/hone/libexec/hone/hone-runner-cuda state=$results/hone-state
  [[ -x $hone ]] || { echo "Hone's package was not packed"; return 77; }
  mkdir -p "$state"
  "$hone" --version || true
  echo "== hone-runner-cuda --probe"
  local status=0
  "$runner" --probe | tee "$results/probe.tsv" || status=1
  [[ -n $dry ]] || grep -q $'^kind\tgpu$' "$results/probe.tsv" || { echo "the runner does not see the GPU"; status=1; }
  echo "== hone device --backend cuda"
  XDG_CACHE_HOME=$state "$hone" device --backend cuda || true
  if ! command -v clang++-19 >/dev/null; then
    echo "clang++-19 is not installed: nothing was compiled here"
    return $status
  fi
  local kernel kernels=(matmul matmul-f16 softmax)
  [[ -z $dry ]] || kernels=(matmul)
  for kernel in "${kernels[@]}"; do
    echo "== hone run --naive --kernel $kernel --backend cuda --no-timing"
    XDG_CACHE_HOME=$state timeout -k 5 $((limit / ${#kernels[@]})) "$hone" run --naive --kernel "$packed/hone/share/hone/kernels/$kernel" --backend cuda --no-timing ||
      status=1
  done
  return $status
}

step_check() {
  bench check --lists "$packed/lists" --out "$results/check.tsv" --limit "$limit" "${small[@]}"
}

step_faults() {
  local deadline=4
  [[ -z $dry ]] || deadline=1
  bench faults --out "$results/faults.tsv" --limit "$limit" --deadline $deadline
}

step_ceilings() { bench ceilings --out "$results/ceilings.tsv"; }

step_time() {
  local watcher=
  if [[ -z $dry ]] && command -v nvidia-smi >/dev/null; then
    nvidia-smi --format=csv -lms 200 --query-gpu=timestamp,clocks.sm,clocks.mem,power.draw,temperature.gpu,utilization.gpu,clocks_throttle_reasons.active >"$results/clocks.csv" 2>&1 &
    watcher=$!
  fi
  local status=0 options=()
  [[ -z ${cublaslt:-} ]] || options+=(--cublaslt "$cublaslt")
  [[ ! -e $results/check.tsv ]] || options+=(--except "$results/check.tsv")
  [[ -z $dry ]] || options+=(--tiny 1 --every 6)
  bench time --lists "$packed/lists" --out "$results/time.tsv" --samples "$results/samples.tsv" --limit "$limit" "${options[@]}" || status=$?
  [[ -z $watcher ]] || kill "$watcher" 2>/dev/null || true
  return $status
}

# Each tool has a third of the step's time. Small cases, once each, in the process that the tool watches.
step_sanitizer() {
  local tool sanitizer status=0
  [[ -z $dry ]] || { echo "left out: the device is emulated, and watches by itself"; return 77; }
  sanitizer=$(find_program compute-sanitizer) || { echo "compute-sanitizer is not installed"; return 77; }
  for tool in memcheck racecheck synccheck; do
    echo "== $tool"
    timeout -k 5 $((limit / 3)) "$sanitizer" --tool "$tool" --error-exitcode 9 --log-file "$results/$tool.log" \
      "$packed/bin/gpu_bench" check --lists "$packed/lists" --out "$results/$tool.tsv" --apart 0 --repeat 1 --most-work 300000 \
      --limit $((limit / 3 - 3)) || { status=1; echo "$tool: status $?"; }
    tail -n 3 "$results/$tool.log" 2>/dev/null || true
  done
  return $status
}

# At the size for which the emulated device's counts were packed, in the same order; counters.tsv has both side by side.
counted=67x45x83
step_counters() {
  local ncu metrics kind arch
  cp "$packed"/lists/*.counts "$results/"
  [[ -z $dry ]] || { echo "left out: the device is emulated, and its own counts are copied"; return 77; }
  ncu=$(find_program ncu) || { echo "ncu is not installed"; return 77; }
  metrics=smsp__inst_executed.sum,smsp__thread_inst_executed.sum
  for kind in ld st; do
    metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_$kind.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$kind.sum
  done
  timeout -k 5 "$limit" "$ncu" --csv --page raw --metrics "$metrics" --log-file "$results/ncu.csv" \
    "$packed/bin/gpu_bench" check --lists "$packed/lists" --out "$results/ncu-check.tsv" --apart 0 --repeat 1 --sizes $counted \
    --limit $((limit > 20 ? limit - 12 : limit)) || { echo "ncu: status $? (ERR_NVGPUCTRPERM: counters are not permitted)"; tail -n 3 "$results/ncu.csv"; return 1; }
  arch=$(bench facts | sed -n 's/^list\t//p')
  counters_beside "$results/ncu.csv" "$packed/lists/$arch.counts" >"$results/counters.tsv"
}

# A launch a line: the emulated device's counts, then the GPU's, by the order of launches. The functions' names must agree.
counters_beside() {
  local table
  table=$(mktemp)
  grep '^"' "$1" | sed 's/^"//; s/"$//; s/","/\t/g' | awk -F'\t' '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $1 !~ /^[0-9]+$/ { next } # units
    { line = $column["Kernel Name"]
      n = split("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum smsp__inst_executed.sum smsp__thread_inst_executed.sum", names, " ")
      for (i = 1; i <= n; ++i) { value = $column[names[i]]; gsub(",", "", value); line = line "\t" value }
      print line }' >"$table"
  printf 'candidate\tlaunch\tfunction\temulated: sectors loaded\tsectors stored\tconflicts of loads\tof stores\tinstructions of warps\tof lanes\t'
  printf 'GPU: function\tsectors loaded\tsectors stored\tconflicts of loads\tof stores\tinstructions of warps\tof lanes\n'
  grep -v '^#' "$2" | paste - "$table"
  rm -f "$table"
}

# ---- running them ----

# On the path or where the toolkit puts it.
find_program() {
  local folder
  command -v "$1" && return 0
  for folder in /usr/local/cuda/bin /usr/local/cuda/compute-sanitizer /opt/nvidia/nsight-compute/*; do
    if [[ -x $folder/$1 ]]; then
      echo "$folder/$1"
      return 0
    fi
  done
  return 1
}

find_cublaslt() {
  local file
  for file in "${CUBLASLT:-}" /usr/local/cuda/lib64/libcublasLt.so.1[23] /usr/local/cuda-1[23]*/lib64/libcublasLt.so.1[23] \
    /usr/lib/x86_64-linux-gnu/libcublasLt.so.1[23] /usr/lib64/libcublasLt.so.1[23]; do
    if [[ -n $file && -e $file ]]; then
      echo "$file"
      return 0
    fi
  done
  return 1
}

# step NAME SECONDS: carried out in a process group of its own, which is killed at its limit.
step() {
  local name=$1 most=$2 left status=0 begin
  [[ -z ${STEPS:-} || " $STEPS " == *" $name "* ]] || return 0
  left=$((end - SECONDS))
  if ((left < 5)); then
    printf '%s\tnot reached\t0\n' "$name" >>"$results/steps.tsv"
    return 0
  fi
  local killed=$((most < left ? most : left))
  limit=$((killed > 8 ? killed - 3 : killed)) # what the step's own programs are given
  begin=$SECONDS
  set +e
  set -m # a group of its own
  (
    set -e
    "step_$name"
  ) >"$results/$name.txt" 2>&1 &
  local pid=$!
  set +m
  while kill -0 "$pid" 2>/dev/null; do
    if ((SECONDS - begin >= killed)); then
      kill -KILL -- "-$pid" 2>/dev/null
      echo "gpu.sh: killed after $killed s" >>"$results/$name.txt"
      break
    fi
    sleep 0.2
  done
  wait "$pid" 2>/dev/null
  status=$?
  set -e
  local word
  case $status in
    0) word=right ;;
    77) word="left out" ;;
    137) word="killed at its limit" ;;
    *) word="failed, status $status" ;;
  esac
  printf '%s\t%s\t%s\n' "$name" "$word" $((SECONDS - begin)) | tee -a "$results/steps.tsv" >&2
}

steps() {
  dry=$1
  packed=$(realpath "${PACKED:-$here}")
  results=$(realpath -m "${2:-results-$(date -u +%Y%m%dT%H%M%SZ)}")
  [[ -x $packed/bin/gpu_bench ]] || die "$packed is no unpacked archive of 'gpu.sh pack'"
  mkdir -p "$results"
  driver=() small=()
  if [[ -n $dry ]]; then
    driver=(--emulated "${EMULATED:-$packed/hone/libexec/hone/libhone-cuda-emulated.so}")
    small=(--most-work 300000 --repeat 1 --every "${EVERY:-3}")
  fi
  cublaslt=$(find_cublaslt) || cublaslt=
  SECONDS=0
  end=${LIMIT:-570}
  printf 'step\tended\tseconds\n' >"$results/steps.tsv"
  step facts 20
  step check 130
  step faults 70
  step ceilings 25
  step time 190
  step hone 40
  step sanitizer 60
  step counters 60
  printf 'all\t\t%s\n' "$SECONDS" >>"$results/steps.tsv"
  say "results are in $results"
  ! grep -q 'failed\|killed' "$results/steps.tsv"
}

case ${1:-} in
  pack) shift && pack "$@" ;;
  run) steps "" "${2:-}" ;;
  dry-run) steps yes "${2:-}" ;;
  *)
    sed -n '2,/^set -euo/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
