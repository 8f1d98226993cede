#!/usr/bin/env bash
# bare_debian.sh MODE [FOLDER]: as root, makes a Debian 12 root with debootstrap (minbase; kept in FOLDER if given), clones
# the committed tree into it, and runs `./hone optimize kernels/matmul` and `./test` there, with nothing else typed.
# Prints how long each took. MODE says how the root is entered:
#   own      its own mount and process namespaces, /proc, /sys and /dev: user namespaces work inside
#   chroot   a plain chroot: user namespaces cannot be made inside
# Options by environment: MIRROR (package mirror; default: that of debootstrap), ONLY (the one command to run: "hone" or "test"),
# KEEP (not empty: bring the clone that FOLDER has up to date instead of making a fresh one, so that only changes are built).
set -euo pipefail
mode=$1
root=${2:-$(mktemp -d)}
source_root=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${MIRROR:-}
# shellcheck source=tests/long/in_root.sh
source "$source_root/tests/long/in_root.sh"

if [[ ! -x $root/usr/bin/apt-get ]]; then
  debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 || { tail -5 "$root.log"; exit 1; }
fi
# The package client reaches its mirror as it does outside.
cp -r /etc/apt/. "$root/etc/apt/"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
if [[ -n ${KEEP:-} && -d $root/hone ]]; then
  git -C "$root/hone" pull -q "$source_root" HEAD
else
  rm -rf "$root/hone"
  git clone -q "$source_root" "$root/hone"
fi

inside='
  cd /hone
  export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb
  timed() { local begin=$EPOCHREALTIME; "$@" </dev/null; local status=$?; echo "$*: status $status, $((${EPOCHREALTIME/./} - ${begin/./})) us"; return $status; }
  [[ ${ONLY:-hone} != hone ]] || timed ./hone optimize kernels/matmul || exit 1
  [[ ${ONLY:-test} != test ]] || timed ./test || exit 1
'
case $mode in
own)
  in_root "$root" env -i ONLY="${ONLY:-}" bash -c "$inside"
  ;;
chroot)
  for mount in proc sys dev; do
    mount --rbind "/$mount" "$root/$mount"
    mount --make-rslave "$root/$mount" # or unmounting it here would unmount it outside
  done
  trap 'for mount in dev sys proc; do umount -R -l "$root/$mount"; done' EXIT
  env -i ONLY="${ONLY:-}" "$(command -v chroot)" "$root" bash -c "$inside"
  ;;
*)
  echo "usage: bare_debian.sh own|chroot [FOLDER]" >&2
  exit 2
  ;;
esac
