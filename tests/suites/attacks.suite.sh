# Every candidate of tests/attacks ends with the status it expects, in time, with Hone unharmed.
# shellcheck shell=bash

# Whether there is what an attack needs: the backend of its candidate, and the tool that its verdict comes from.
attack_can_run() {
  local folder=$1 needs=$2
  if [[ -e $folder/candidate/device.cl ]] && ! hone device --backend opencl >/dev/null 2>"$WORK/.err"; then
    echo "    $(basename "$folder") skipped: $(head -1 "$WORK/.err")"
    return 1
  fi
  if [[ -n $needs ]] && ! command -v "$needs" >/dev/null; then
    echo "    $(basename "$folder") skipped: $needs is not installed"
    return 1
  fi
}

test_attacks_end_as_expected() {
  local folder backend begin seconds got status deadline repeat secret threads needs bad=0
  for folder in "$ROOT"/tests/attacks/*/; do
    status='' deadline=30 repeat=1 secret='' threads=1 needs='' backend=cpu
    # shellcheck disable=SC1090,SC1091
    source <(grep -v '^#' "$folder/expect")
    attack_can_run "$folder" "$needs" || continue
    if [[ -e $folder/candidate/device.cl ]]; then backend=opencl; fi
    for ((i = 0; i < repeat; i++)); do
      begin=$EPOCHREALTIME
      hone run "$folder/candidate" --kernel "$ROOT/kernels/matmul" --backend "$backend" --size m=96,n=80,k=112 \
        --threads "$threads" --json >"$WORK/.out" 2>"$WORK/.err"
      seconds=$(python3 -c "print(f'{$EPOCHREALTIME - $begin:.1f}')")
      got=$(json "j.get('status', j)")
      if ((i == 0)); then
        printf '    %-32s %-12s %s s, %d times\n' "$(basename "$folder")" "$got" "$seconds" "$repeat"
      fi
      if [[ $got != "$status" ]]; then
        echo "    expected $status: $(json "j.get('reason')")" >&2
        bad=1
      fi
      python3 -c "exit(0 if $seconds <= $deadline else 1)" || { echo "    later than $deadline s" >&2; bad=1; }
      if [[ -n $secret ]] && grep -q "$secret" "$WORK/.out" "$WORK/.err"; then
        echo "    '$secret' leaked" >&2
        bad=1
      fi
    done
  done
  ((bad == 0)) || fail "see above"
}
