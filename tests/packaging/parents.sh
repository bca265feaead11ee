#!/usr/bin/env bash
# Configures projects that have manyrt in them, by add_subdirectory and by FetchContent. Also configures manyrt where something
# is missing: a library of headers, hwloc, a system that it runs on. Each ends with one sentence, and a download happens only if
# it is asked for. Arguments: work folder, cmake, C compiler, C++ compiler, source folder.
set -euo pipefail
work=$1 cmake=$2 cc=$3 cxx=$4 source=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$work"
mkdir -p "$work"

fail() { echo "parents: $*" >&2; exit 1; }
configure() { # NAME SOURCE ARGUMENTS...: the output is one line of words in NAME.log
  local name=$1 status=0
  "$cmake" -S "$2" -B "$work/$name" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DMANYRT_COMM_MPI=OFF \
    -DMANYRT_BUILD_TESTS=OFF -DMANYRT_BUILD_BENCHMARKS=OFF -DMANYRT_BUILD_EXAMPLES=OFF "${@:3}" \
    >"$work/$name.full" 2>&1 || status=$?
  tr -s ' \n' ' ' <"$work/$name.full" >"$work/$name.log"
  return "$status"
}
good() { configure "$@" || { cat "$work/$1.full"; fail "$1 does not configure"; }; }
refused() { # NAME SENTENCE SOURCE ARGUMENTS...
  if configure "$1" "${@:3}"; then fail "$1 configures"; fi
  grep -qF "$2" "$work/$1.log" || { cat "$work/$1.full"; fail "$1 does not say: $2"; }
}

good add_subdirectory "$here/../install/parent" -DMANYRT_SOURCE="$source"
good fetch_content "$here/fetched" -DMANYRT_SOURCE="$source"

# Without nlohmann-json and CLI11. A package that is not to be found is one that CMake is told to pass over.
missing=(-DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON)
refused no_json "manyrt needs nlohmann-json, and CMake does not find it" "$source" "${missing[@]}"
! grep -qi "git\b.*clone\|downloaded" "$work/no_json.full" || fail "something was downloaded that was not asked for"
good no_cli11 "$source" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
grep -qF "Tools: off (CLI11 is missing" "$work/no_cli11.log" || fail "the missing CLI11 is not told"
# Asked for: with folders that stand for what would be downloaded.
good fetched_headers "$source" "${missing[@]}" -DMANYRT_FETCH_DEPENDENCIES=ON \
  -DFETCHCONTENT_SOURCE_DIR_NLOHMANN_JSON="$here/headers" -DFETCHCONTENT_SOURCE_DIR_CLI11="$here/headers" \
  -DFETCHCONTENT_FULLY_DISCONNECTED=ON
for name in nlohmann_json CLI11; do
  grep -qF "$name: downloaded" "$work/fetched_headers.log" || fail "$name was not taken from where it is downloaded"
done
"$cmake" --build "$work/fetched_headers" --target help >"$work/targets"
grep -q '^manyrt_tool: phony' "$work/targets" ||
  fail "with a downloaded CLI11 the command is not built"

mkdir -p "$work/empty"
PKG_CONFIG_LIBDIR=$work/empty PKG_CONFIG_PATH=$work/empty refused no_hwloc "manyrt needs hwloc" "$source"

# Systems without support, before a compiler is looked at more closely. For CMake the compiler is one for any system.
for system in Darwin FreeBSD Generic; do
  refused "system_$system" "manyrt runs on Linux alone, and this build is for $system" "$source" -DCMAKE_SYSTEM_NAME=$system \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_OSX_SYSROOT= -DCMAKE_OSX_DEPLOYMENT_TARGET=
done
echo "parents: ok"
