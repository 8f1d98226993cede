#!/usr/bin/env bash
# Puts the newest numerical libraries where Hone finds them beside Debian's: OpenBLAS, oneMKL and oneDNN from Python's
# package registry, and libxsmm from Debian's package libxsmm-dev. About 1 GB; nothing is installed into the system.
#
#   bench/rivals/newest.sh                 into $HONE_RIVALS, or hone/rivals in the cache folder
#   bench/rivals/newest.sh openblas mkl    only these: openblas, mkl, onednn, onednn-3, libxsmm
#
# `hone doctor` lists what was found. To be rid of them, delete the folder.
set -euo pipefail

folder=${HONE_RIVALS:-${XDG_CACHE_HOME:-$HOME/.cache}/hone/rivals}
wanted=("$@")
[[ ${#wanted[@]} -gt 0 ]] || wanted=(openblas mkl onednn onednn-3 libxsmm)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"

die() { echo "newest.sh: $1" >&2; exit 1; }
say() { echo "newest.sh: $1"; }
python3 -m pip --version >/dev/null 2>&1 || die "python3 has no pip: apt-get install python3-pip"

# unpack PACKAGE: its newest wheel, and those of the packages after it, in $work/PACKAGE. Prints the version of the first.
unpack() {
  local into=$work/$1 package
  mkdir -p "$into"
  for package in "$@"; do
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$into/wheels" "$package" >&2 \
      || return 1
  done
  for wheel in "$into"/wheels/*.whl; do
    python3 -m zipfile -e "$wheel" "$into"
  done
  local first
  first=$(basename "$into"/wheels/"${1//-/_}"-*.whl)
  first=${first#*-}
  echo "${first%%-*}"
}

# take NAME VERSION FILE: FILE of $folder/NAME is the library, in place of what the list had under this name.
take() {
  local list=$folder/libraries.txt
  touch "$list"
  grep -v "^$1 " "$list" >"$work/list" || true
  echo "$1 $2 $1/$3" >>"$work/list"
  mv "$work/list" "$list"
  say "$1 $2"
}

# copy NAME PATTERN...: files of the unpacked package (in $work/FROM) with these names, links followed.
copy() {
  local name=$1 from=$2 pattern file
  shift 2
  rm -rf "${folder:?}/$name"
  mkdir -p "$folder/$name"
  for pattern in "$@"; do
    while IFS= read -r file; do
      cp -L "$file" "$folder/$name/"
    done < <(find "$work/$from" -name "$pattern")
  done
}

get_openblas() { # its entries are named scipy_cblas_sgemm
  local version
  version=$(unpack scipy-openblas32) || return 1
  copy openblas-newest scipy-openblas32 'libscipy_openblas.so'
  take openblas-newest "$(cut -d. -f1-3 <<<"$version")" libscipy_openblas.so
}

get_mkl() {
  local version
  version=$(unpack mkl intel-openmp) || return 1
  copy mkl mkl 'libmkl_rt.so.*' 'libmkl_core.so.*' 'libmkl_intel_lp64.so.*' 'libmkl_sequential.so.*' \
    'libmkl_intel_thread.so.*' 'libmkl_def.so.*' 'libmkl_mc3.so.*' 'libmkl_avx*.so.*' 'libmkl_vml_*.so.*' 'libiomp5.so'
  echo libiomp5.so >"$folder/mkl/needs.txt"
  take mkl "$version" "$(basename "$folder"/mkl/libmkl_rt.so.*)"
}

get_onednn() { # built for SYCL with TBB: its plain functions work, its primitives ask for an OpenCL device
  unpack onednn intel-sycl-rt intel-cmplr-lib-rt intel-cmplr-lib-ur tbb umf >/dev/null || return 1
  copy onednn-newest onednn 'libdnnl.so.3.*' 'libtbb.so.12' 'libsvml.so' 'libimf.so' 'libintlc.so.5' 'libirng.so' \
    'libsycl.so.9' 'libur_loader.so.0' 'libumf.so.1' 'libxptifw.so.1'
  rm -f "$folder"/onednn-newest/*.py
  local file
  file=$(basename "$folder"/onednn-newest/libdnnl.so.3.*)
  local needed # what is opened first needs nothing of what comes later
  for needed in libintlc.so.5 libirng.so libimf.so libsvml.so libtbb.so.12 libumf.so.1 libxptifw.so.1 \
    libur_loader.so.0 libsycl.so.9; do
    if [[ -f $folder/onednn-newest/$needed ]]; then echo "$needed"; fi
  done >"$folder/onednn-newest/needs.txt"
  take onednn-newest "${file#libdnnl.so.}" "$file"
}

get_onednn-3() { # the newest that is built with GNU's OpenMP: all of it works
  unpack onednn-cpu-gomp >/dev/null || return 1
  copy onednn-3 onednn-cpu-gomp 'libdnnl.so.3.*'
  local file
  file=$(basename "$folder"/onednn-3/libdnnl.so.3.*)
  take onednn-3 "${file#libdnnl.so.}" "$file"
}

get_libxsmm() { # Debian has archives of it only
  [[ -f /usr/lib/libxsmm.a ]] || { say "libxsmm is left out: apt-get install libxsmm-dev brings it"; return 0; }
  rm -rf "${folder:?}/libxsmm"
  mkdir -p "$folder/libxsmm"
  cc -shared -o "$folder/libxsmm/libxsmm.so" -Wl,--whole-archive /usr/lib/libxsmm.a -Wl,--no-whole-archive \
    /usr/lib/libxsmmnoblas.a -lpthread -ldl -lrt -lm || return 1
  take libxsmm "$(dpkg-query -W -f '${Version}' libxsmm-dev | sed 's/-[^-]*$//')" libxsmm.so
}

failed=()
for name in "${wanted[@]}"; do
  declare -F "get_$name" >/dev/null || die "there is no '$name': openblas, mkl, onednn, onednn-3, libxsmm"
  "get_$name" || failed+=("$name")
done
[[ ${#failed[@]} -eq 0 ]] || die "these could not be had: ${failed[*]}"
say "in $folder; hone doctor says what works"
