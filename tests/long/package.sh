#!/usr/bin/env bash
# package.sh [BUILD [FOLDER]]: as root, builds the .tar.gz and the .deb and tries both on bare Debian 12 roots.
# BUILD is a configured build folder (default: build/release, which is made). FOLDER keeps packages and roots (default: a temporary one).
#   1. debootstrap makes a minbase root; the run packages of cmake/packages.sh and g++ are installed in it.
#   2. The .tar.gz is unpacked to /opt. `hone --version`, `hone doctor` and `hone optimize` of the shipped matmul run, as root
#      and as an ordinary user, on a copy of the kernel and in place with --state.
#   3. In a second root `apt-get install ./hone_*.deb` has to bring everything; the same commands run.
#   4. Nothing in either package may name the build tree or the source tree.
# Options by environment: MIRROR (package mirror; default: that of debootstrap), BUDGET (seconds of a climb, default 40).
# Ends with 1 when anything fails, and prints what the commands printed.
# shellcheck disable=SC2016 # what is quoted runs inside the roots
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath -m "${1:-$here/build/release}")
folder=${2:-}
budget=${BUDGET:-40}
if [[ -z $folder ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"
folder=$(realpath "$folder")
for tool in debootstrap dpkg-shlibdeps file readelf; do # cpack without `file` makes a .deb that depends on no library
  command -v "$tool" >/dev/null || { echo "package.sh: install the Debian packages debootstrap, dpkg-dev, file and binutils" >&2; exit 2; }
done
((EUID == 0)) || { echo "package.sh: only root can make a root folder" >&2; exit 2; }
# shellcheck disable=SC1091 # beside this script
source "$here/cmake/packages.sh"
# shellcheck source=tests/long/in_root.sh
source "$here/tests/long/in_root.sh"
fail() { echo "FAILED: $*"; exit 1; }
step() { printf '\n== %s\n' "$*"; }

step "build the packages"
[[ -e $build/CMakeCache.txt ]] || cmake --preset release -S "$here" -B "$build" >/dev/null
cmake --build "$build" --target hone_words >/dev/null || fail "the build"
packages=$folder/packages
rm -rf "$packages"
umask 022 # cpack makes folders by it, and what is packed has to be open to everybody
cpack --config "$build/CPackConfig.cmake" -B "$packages" >"$folder/cpack.log" 2>&1 || { cat "$folder/cpack.log"; fail "cpack"; }
rm -rf "$packages/_CPack_Packages"
archive=$(echo "$packages"/hone-*.tar.gz) deb=$(echo "$packages"/hone_*.deb)
ls -l "$packages"
grep -q libgit2 <(dpkg-deb --field "$deb" Depends) || fail "the .deb does not depend on the libraries that it links"
dpkg-deb --field "$deb" Package Version Architecture Installed-Size Depends Recommends Suggests

step "search both for places of this machine"
mkdir "$packages/archive" "$packages/deb"
tar -C "$packages/archive" -xpzf "$archive"
dpkg-deb -x "$deb" "$packages/deb"
closed=$(find "$packages/archive"/* "$packages/deb"/* ! -perm -004)
[[ -z $closed ]] || fail "not everybody may read: $closed"
for place in "$here" "$build" "$folder"; do
  found=$(grep -rlF "$place/" "$packages/archive" "$packages/deb") && fail "'$place' is named in: $found"
done
while read -r program; do
  path=$(readelf -d "$program" 2>/dev/null | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]/\2/p')
  [[ -z $path || $path == \$ORIGIN/* ]] || fail "$program seeks libraries in $path"
done < <(find "$packages/archive" "$packages/deb" -type f -perm -100)
find "$packages" -name .hone -o -name .git | grep -q . && fail "work of somebody is in a package"
echo "nothing found"

step "make the bare roots"
base=$folder/base
if [[ ! -x $base/usr/bin/apt-get ]]; then
  debootstrap --variant=minbase bookworm "$base" ${MIRROR:+"$MIRROR"} >"$folder/debootstrap.log" 2>&1 ||
    { tail -5 "$folder/debootstrap.log"; fail "debootstrap"; }
fi
# The package client reaches its mirror as it does outside, and nothing else: other lists may need keys that are not there.
for name in apt.conf.d sources.list.d/debian.sources sources.list; do
  [[ ! -e /etc/apt/$name ]] || { rm -rf "${base:?}/etc/apt/$name" && cp -r "/etc/apt/$name" "$base/etc/apt/$name"; }
done
cp /etc/resolv.conf /etc/hosts "$base/etc/"

rm -rf --one-file-system "$folder/archive-root" "$folder/deb-root" # of an earlier run

inside() { # ROOT COMMAND...: with an environment of its own
  in_root "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb "${@:2}" </dev/null
}
install_inside() { # ROOT NAME...
  inside "$1" env DEBIAN_FRONTEND=noninteractive apt-get -q -y update >"$folder/apt.log" 2>&1 || { tail -5 "$folder/apt.log"; fail "apt-get update"; }
  inside "$1" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install "${@:2}" >"$folder/apt.log" 2>&1 || { tail -20 "$folder/apt.log"; fail "apt-get install ${*:2}"; }
}

# try_hone ROOT HONE: what has to work there, as root and as an ordinary user.
try_hone() {
  local root=$1 hone=$2 as user
  inside "$root" bash -c 'id someone >/dev/null 2>&1 || useradd --create-home someone'
  for user in root someone; do
    as=(setpriv --reuid="$user" --regid="$user" --init-groups env HOME="$([[ $user == root ]] && echo /root || echo /home/$user)")
    step "$hone as $user"
    inside "$root" "${as[@]}" bash -c '
      set -e
      hone=$1 budget=$2
      cd /tmp && "$hone" --version
      rm -rf ~/bin ~/work && mkdir ~/bin ~/work && cd ~/work
      ln -s "$hone" ~/bin/hone
      ~/bin/hone --version >/dev/null && PATH=~/bin:$PATH hone transforms list >/dev/null
      "$hone" doctor
      share=$(cd "$(dirname "$(readlink -f "$hone")")/../share/hone" && pwd)
      cp -r "$share/kernels/matmul" .
      "$hone" optimize matmul --budget "$budget"
      "$hone" log matmul >/dev/null && "$hone" verify matmul best && [[ -s $(find matmul/.hone -name report.html) ]]
      if [[ $(id -u) != 0 ]]; then # it cannot write beside the shipped kernel
        ! "$hone" optimize "$share/kernels/softmax" --budget 10 --no-baselines 2>refused || exit 1
        grep -q -e "--state" refused
        "$hone" optimize "$share/kernels/softmax" --budget 10 --no-baselines --state ~/work/state
      fi' bash "$hone" "$budget" || fail "$hone as $user"
  done
}

step "the .tar.gz in /opt"
cp -a --reflink=auto "$base/." "$folder/archive-root"
# shellcheck disable=SC2154 # run_packages
install_inside "$folder/archive-root" --no-install-recommends g++ "${run_packages[@]}"
tar -C "$folder/archive-root/opt" -xzf "$archive"
top=/opt/$(basename "$archive" .tar.gz)
inside "$folder/archive-root" bash -c 'for program in $1/bin/hone $1/libexec/hone/*; do ldd $program; done | grep "not found"' bash "$top" &&
  fail "a library is missing"
carried=$(inside "$folder/archive-root" bash -c 'ldd $1/bin/hone | grep -c "$1"' bash "$top")
echo "$carried libraries come out of the package"
try_hone "$folder/archive-root" "$top/bin/hone"

step "the .deb by apt"
cp -a --reflink=auto "$base/." "$folder/deb-root"
cp "$deb" "$folder/deb-root/tmp/"
install_inside "$folder/deb-root" --no-install-recommends "/tmp/$(basename "$deb")"
inside "$folder/deb-root" hone doctor || fail "hone doctor with nothing recommended"
install_inside "$folder/deb-root" "${run_packages[@]}"
try_hone "$folder/deb-root" /usr/bin/hone
inside "$folder/deb-root" apt-get -q -y purge hone >"$folder/apt.log" 2>&1 || fail "apt-get purge"
[[ ! -e $folder/deb-root/usr/libexec/hone && ! -e $folder/deb-root/usr/share/hone ]] || fail "purge leaves files behind"
step "all well"
