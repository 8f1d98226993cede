# `cmake --install` into a folder gives a program that finds everything relative to itself and names nothing of where it was built.
# Would catch: a helper program without an install rule, a folder of data that is not installed, a path of the build tree in a
# program, a search path for libraries that leads out of the installation.
# shellcheck shell=bash disable=SC2154

build=$(dirname "$(dirname "$HONE")")

installed() {
  unset HONE_SHARE HONE_LIBEXEC
  if [[ ! -x $ONCE/prefix/bin/hone ]]; then
    cmake --install "$build" --prefix "$ONCE/prefix" >"$ONCE/log" 2>&1 || fail "$(tail -5 "$ONCE/log")"
  fi
  prefix=$ONCE/prefix
}

test_it_works_from_any_folder_and_through_a_link() {
  installed
  ln -s "$prefix/bin/hone" link
  for program in "$prefix/bin/hone" ./link; do
    expect_status 0 "$program" --version
    [[ $out =~ ^hone\ [0-9]+\.[0-9]+\.[0-9]+(\ \(commit\ [0-9a-f]{12}(-dirty)?\))?$ ]] || fail "$out"
    expect_status 0 "$program" transforms list
    expect_out "cache-tiling"
    expect_status 0 "$program" check matmul
    expect_status 0 "$program" check "$prefix/share/hone/kernels/softmax"
    expect_status 0 "$program" complete-names transformation --kernel matmul
    expect_out "cache-tiling"
  done
  cp -r "$prefix" moved
  expect_status 0 moved/bin/hone check matmul
}

test_the_version_as_json() {
  expect_status 0 hone --version --json
  [[ $(json "sorted(j)") == "['commit', 'version']" ]] || fail "$out"
  [[ $(hone --version) == "hone $(json "j['version'] + (j['commit'] and f\" (commit {j['commit']})\")")" ]] || fail "$out"
}

test_nothing_is_left_behind() {
  installed
  for program in "$build"/bin/hone-*; do
    [[ -x $prefix/libexec/hone/$(basename "$program") ]] || fail "$(basename "$program") is not installed"
  done
  for name in kernels recipes transformations prompts prices.toml docs/cli.md; do
    [[ -e $prefix/share/hone/$name ]] || fail "$name is not installed"
  done
  [[ -s $prefix/share/man/man1/hone.1 && -s $prefix/share/bash-completion/completions/hone ]] || fail "no words for shells"
  # Every page that a text of the program names.
  while read -r page; do
    [[ -e $prefix/share/hone/$page ]] || fail "$page is named and not installed"
  done < <(strings -a "$prefix/bin/hone" | grep -oE '\bdocs/[a-z-]+\.md' | sort -u)
}

test_nothing_leads_back_to_the_build() {
  installed
  if grep -q '^CMAKE_BUILD_TYPE:.*=Release$' "$build/CMakeCache.txt"; then
    for place in "$build" "$ROOT"; do
      found=$(grep -rlF "$place/" "$prefix") && fail "$place is named in: $found"
    done
  else
    echo "    not searched for names: only a release build names no source files"
  fi
  for program in "$prefix"/bin/hone "$prefix"/libexec/hone/*; do
    path=$(readelf -d "$program" | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]/\2/p')
    [[ -z $path || $path == "\$ORIGIN/../lib/hone" || $path == "\$ORIGIN/../../lib/hone" ]] ||
      fail "$program seeks libraries in $path"
  done
}
