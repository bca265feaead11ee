#!/usr/bin/env bash
# Installs to a prefix; builds and runs a C and a C++ program with pkg-config alone and with find_package; moves the prefix and
# does all of it again. Arguments: build folder, work folder, cmake, C compiler, C++ compiler.
set -euo pipefail
build=$1 work=$2 cmake=$3 cc=$4 cxx=$5
client=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/client

fail() { echo "install: $*" >&2; exit 1; }

# try PREFIX: everything that a user does with an installed package.
try() {
  local prefix=$1 libdir programs=$work/programs-$2
  libdir=$(dirname "$(find "$prefix" -name 'libmanyrt.so.0')")
  mkdir -p "$programs"
  echo "-- $prefix"

  export PKG_CONFIG_PATH=$libdir/pkgconfig
  local flags
  flags=$(pkg-config --cflags --libs manyrt)
  # The flags are words of a command line, meant to be split.
  # shellcheck disable=SC2086
  "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$client/client.c" $flags -o "$programs/client_c"
  # shellcheck disable=SC2086
  "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror "$client/client.cpp" $flags -o "$programs/client_cpp"
  LD_LIBRARY_PATH=$libdir "$programs/client_c"
  LD_LIBRARY_PATH=$libdir "$programs/client_cpp"

  "$cmake" -S "$client" -B "$programs/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" >"$programs/cmake.log" || { cat "$programs/cmake.log"; fail "find_package(manyrt) failed"; }
  grep -q "^manyrt_DIR:PATH=$prefix/" "$programs/build/CMakeCache.txt" || fail "find_package found another manyrt"
  "$cmake" --build "$programs/build" >"$programs/build.log" || { cat "$programs/build.log"; fail "the client does not build"; }
  "$programs/build/client_c"
  "$programs/build/client_cpp"

  if [[ -x $prefix/bin/manyrt ]]; then
    "$prefix/bin/manyrt" info >/dev/null || fail "the installed manyrt info does not run"
  fi
}

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"

libraries=$(find "$work/first" -name 'libmanyrt.so*' | wc -l)
[[ $libraries -eq 3 ]] || fail "expected libmanyrt.so, .so.0 and .so.0.x.y, found $libraries"
for file in include/manyrt/rt.h share/manyrt/rt.cdef.h share/manyrt/rt.json share/manyrt/graph.schema.json; do
  [[ -s $work/first/$file ]] || fail "$file was not installed"
done
if grep -rIl --include='*.cmake' --include='*.pc' -e "$work" -e "$build" "$work/first"; then
  fail "the files above name the prefix or the build folder"
fi

try "$work/first" 1
mv "$work/first" "$work/second"
try "$work/second" 2
echo "install: ok"
