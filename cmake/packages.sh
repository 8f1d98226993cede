# Sourced by ./hone and ./test: the Debian packages that Hone needs, how they are installed, how Hone is built.
# shellcheck shell=bash

# To compile Hone.
build_packages=(
  g++ cmake ninja-build pkg-config libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev
  libsqlite3-dev libsqlitecpp-dev libgit2-dev libboost-dev libseccomp-dev libssl-dev libclang-14-dev
  libcurl4-openssl-dev libcpp-httplib-dev libzstd-dev libzydis-dev libvulkan-dev
)
# To run it: candidates are compiled with g++ against musl's libm, jailed with bubblewrap, compared with BLAS libraries;
# libclang reads C.
# shellcheck disable=SC2034 # used by the scripts that source this file
run_packages=(binutils musl-dev bubblewrap libclang1-14 libopenblas0-pthread libdnnl2 libblis4-pthread)
# To run the tests: GoogleTest, a git to look at the stores with, an OpenCL device on the CPU and one that watches
# accesses, a Vulkan device on the CPU and a compiler for it, a compiler for CUDA and HIP with their functions.
# shellcheck disable=SC2034
test_packages=(libgtest-dev libgmock-dev git sqlite3 python3 procps ocl-icd-libopencl1 pocl-opencl-icd
  oclgrind libvulkan1 mesa-vulkan-drivers glslang-tools clang-19 libclc-19 rocm-device-libs mkdocs mkdocs-material)

say() { printf 'hone: %s\n' "$*" >&2; }

missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# install_packages YES PACKAGE...: names what is missing and installs it. Asks first on a terminal unless YES is true.
install_packages() {
  local yes=$1
  shift
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    if ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
      say "this is not a Debian system. Install these Debian packages' counterparts, then run the command again:"
      say "  $*"
      exit 3
    fi
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0

  say "these Debian packages are missing: ${missing[*]}"
  local run=(env DEBIAN_FRONTEND=noninteractive)
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "cannot install them: you are not root and there is no sudo. As root, run:"
      say "  apt-get install --no-install-recommends ${missing[*]}"
      exit 3
    fi
    run=(sudo "${run[@]}")
  fi
  if [[ -t 0 && -t 2 && $yes != true && ${CI:-} != true ]]; then
    local answer
    read -r -p "hone: install them now with apt-get? [Y/n] " answer
    if [[ $answer == [nN]* ]]; then
      say "nothing was installed. To do it yourself: apt-get install --no-install-recommends ${missing[*]}"
      exit 3
    fi
  fi
  local apt=("${run[@]}" apt-get -q -y -o DPkg::Lock::Timeout=600)
  if ! { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } >&2; then
    say "apt-get failed (its messages are above). When that is mended, run the command again."
    exit 3
  fi
}

# build_preset NAME: configures where needed, builds, and marks the time the build began as its date.
build_preset() {
  local preset=$1 folder=$root/build/$1
  mkdir -p "$folder"
  local begun
  begun=$(mktemp "$folder/.begun.XXXXXX")
  say "building (preset $preset; the first time takes a few minutes)"
  if ! { cmake --preset "$preset" -S "$root" >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; false; }; } ||
    ! cmake --build "$folder" >&2; then
    rm -f "$begun"
    say "the build failed (messages above). If a package is at fault, remove '$folder' and try again."
    exit 3
  fi
  mv "$begun" "$folder/.built"
}
