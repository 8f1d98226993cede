#!/usr/bin/env bash
# bare_debian.sh [FOLDER]: as root, makes a Debian 12 root with debootstrap (minbase), copies the committed tree into it, and runs
# `./hone optimize kernels/matmul` and `./test` in a chroot, with nothing else typed. Prints the times. Options by environment:
#   MIRROR     package mirror (default: the one of this machine's sources)
#   ONLY       "hone" or "test": only that command
set -euo pipefail
source_root=$(cd "$(dirname "$0")/../.." && pwd)
root=${1:-$(mktemp -d)}
mirror=${MIRROR:-$(grep -rhoE 'https?://[^ ]+' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | grep -v security | head -1)}

seconds_of() { local begin=$EPOCHREALTIME; "${@:2}"; printf '%s: %.1f s\n' "$1" "$(awk "BEGIN{print $EPOCHREALTIME-$begin}")"; }

if [[ ! -x $root/usr/bin/apt-get ]]; then
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail -5 "$root.log"; exit 1; }
fi
cp -r /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/auth.conf.d "$root/etc/apt/" 2>/dev/null || true
for file in /etc/resolv.conf /etc/hosts; do cp "$file" "$root$file"; done
cp -r /usr/local/share/ca-certificates /etc/ssl "$root/tmp/" 2>/dev/null || true
for mount in proc sys dev; do
  mkdir -p "$root/$mount"
  mountpoint -q "$root/$mount" || mount --rbind "/$mount" "$root/$mount"
done
trap 'for mount in dev sys proc; do umount -R -l "$root/$mount"; done' EXIT
rm -rf "$root/hone"
git clone -q "$source_root" "$root/hone"
enter() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" bash -c "cd /hone && $1"; }
[[ ${ONLY:-hone} != hone ]] || seconds_of "./hone optimize kernels/matmul, everything" enter "./hone optimize kernels/matmul </dev/null"
[[ ${ONLY:-test} != test ]] || seconds_of "./test, everything" enter "./test </dev/null"
