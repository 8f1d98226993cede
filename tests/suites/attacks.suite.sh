# Every candidate of tests/attacks ends with the status it expects, in time, with Hone unharmed; and every known trick has
# an answer.
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

# Runs a candidate; complains where it does not end as the variables of its `expect` say.
attack_ends_as_expected() {
  local candidate=$1 label=$2 begin tenths got why bad=0 try
  for ((try = 0; try < tries; try++)); do
    begin=$EPOCHREALTIME
    if [[ -n $against ]]; then
      hone compare "$candidate" "$ROOT/tests/attacks/$against/candidate" "${options[@]}" --regime hot --state "$WORK/state" \
        --json >"$WORK/.out" 2>"$WORK/.err"
    else
      hone run "$candidate" "${options[@]}" --json >"$WORK/.out" 2>"$WORK/.err"
    fi
    tenths=$(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 100000))
    got=$(json "j.get('status', 'refused')")
    [[ ",$status," != *",$got,"* ]] || break
  done
  why=$(json "j.get('reason') or j.get('error', {}).get('message', '')")
  if [[ -n $against && $got == correct && $(json "any(c['verdict'] == 'FAST' for c in j['comparisons'] if c['regime'] == 'hot')") == False ]]; then
    printf '    %-40s no gain on a busy machine\n' "$label"
    return 0
  fi
  [[ -z $label ]] || printf '    %-40s %-12s %s s%s\n' "$label" "$got" "$((tenths / 10)).$((tenths % 10))" "$times"
  if [[ ",$status," != *",$got,"* ]]; then
    echo "    $label: expected $status: $why" >&2
    bad=1
  elif [[ $why != *"$reason"* ]]; then
    echo "    $label: the reason does not hold '$reason': $why" >&2
    bad=1
  fi
  ((tenths <= 10 * deadline)) || { echo "    $label: later than $deadline s" >&2; bad=1; }
  if [[ -n $secret ]] && grep -q "$secret" "$WORK/.out" "$WORK/.err"; then
    echo "    $label: '$secret' leaked" >&2
    bad=1
  fi
  return $bad
}

test_attacks_end_as_expected() {
  local folder name word wanted bad=0 times options
  local status deadline repeat tries secret threads needs kernel size timing each reason against
  export HONE_CANARY=planted # for reads-the-environment
  for folder in "$ROOT"/tests/attacks/*/; do
    folder=${folder%/}
    name=$(basename "$folder")
    # shellcheck disable=SC2053
    [[ $name == ${ATTACKS:-*} ]] || continue
    status='' deadline=60 repeat=1 tries=1 secret='' threads=1 needs='' kernel=matmul size='' timing=yes each='' reason='' times='' against=''
    # shellcheck disable=SC1090,SC1091
    source <(grep -v '^#' "$folder/expect")
    attack_can_run "$folder" "$needs" || continue
    [[ $kernel != matmul || -n $size ]] || size=m=96,n=80,k=112
    [[ $kernel == own ]] && kernel=$folder/kernel || kernel=$ROOT/kernels/$kernel
    options=(--kernel "$kernel" --threads "$threads")
    [[ -z $size ]] || options+=(--size "$size")
    [[ $timing == yes ]] || options+=(--no-timing)
    [[ ! -e $folder/candidate/device.cl ]] || options+=(--backend opencl)
    if [[ -n $each ]]; then
      wanted=$reason
      for word in $each; do
        rm -rf "$WORK/candidate" && cp -r "$folder/candidate" "$WORK/candidate"
        printf '#pragma once\n#define EACH %s\n' "$word" >"$WORK/candidate/macros.h"
        reason=${wanted//EACH/$word}
        attack_ends_as_expected "$WORK/candidate" "$name: $word" || bad=1
      done
      continue
    fi
    ((repeat == 1)) || times=", $repeat times"
    for ((i = 0; i < repeat; i++)); do
      attack_ends_as_expected "$folder/candidate" "$( ((i > 0)) || echo "$name")" || bad=1
    done
  done
  ((bad == 0)) || fail "see above"
}

test_every_known_trick_has_an_answer() {
  expect_status 0 "$ROOT/tests/attacks/table.sh" --check
}
