#!/usr/bin/env bash
# Installs to a prefix; builds and runs a C and a C++ program with pkg-config alone and with find_package; moves the prefix and
# does all of it again; then once more with what was installed stripped. Also what find_package says of components, what
# add_subdirectory makes, what an example needs that was installed, and where the links of documents lead. Arguments: build folder,
# work folder, cmake, C compiler, C++ compiler, source folder, Python.
set -euo pipefail
build=$1 work=$2 cmake=$3 cc=$4 cxx=$5 source=$6 python=$7
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
client=$here/client

fail() { echo "install: $*" >&2; exit 1; }

# tryKernels PREFIX PROGRAMS: kernels that are compiled with a program, by CMake. A header that changes builds them again, and a
# second build does nothing. The program runs without a compiler.
tryKernels() {
  local prefix=$1 project=$2/kernels
  cp -r "$here/kernels" "$project"
  "$cmake" -S "$project" -B "$project/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >"$project/log" ||
    { cat "$project/log"; fail "a project with manyrt_add_kernels does not configure"; }
  grep -q "^MANYRT_COMMAND:FILEPATH=$prefix/bin/manyrt" "$project/build/CMakeCache.txt" ||
    fail "manyrt_add_kernels has found another command"
  "$cmake" --build "$project/build" >"$project/log" || { cat "$project/log"; fail "manyrt_add_kernels does not build"; }
  [[ $(RT_CC=/nonexistent RT_CACHE_DIR=off "$project/build/kernels") == "5 7 9 11" ]] ||
    fail "a program with kernels compiled before computes something else"
  "$cmake" --build "$project/build" >"$project/log"
  grep -q "no work to do" "$project/log" || { cat "$project/log"; fail "manyrt_add_kernels builds what has not changed"; }
  echo '#define SCALE 3' >"$project/include/factor.h"
  "$cmake" --build "$project/build" >"$project/log"
  [[ $("$project/build/kernels") == "6 9 12 15" ]] || fail "manyrt_add_kernels does not follow headers"
}

# try PREFIX: everything that a user does with an installed package.
try() {
  local prefix=$1 libdir programs=$work/programs-$2
  libdir=$(dirname "$(find "$prefix" -name 'libmanyrt.so.0')")
  mkdir -p "$programs"
  echo "-- $prefix"

  export PKG_CONFIG_PATH=$libdir/pkgconfig
  local flags
  [[ -s $(pkg-config --variable=layersdir manyrt)/go/go.mod ]] || fail "pkg-config does not know where the layers are"
  flags=$(pkg-config --cflags --libs manyrt)
  # The flags are words of a command line, meant to be split.
  # shellcheck disable=SC2086
  "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$client/client.c" $flags -o "$programs/client_c"
  # shellcheck disable=SC2086
  "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror "$client/client.cpp" $flags -o "$programs/client_cpp"
  # shellcheck disable=SC2046
  "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$client/client_comm.c" $(pkg-config --cflags --libs manyrt-comm) \
    -o "$programs/client_comm"
  LD_LIBRARY_PATH=$libdir "$programs/client_comm"
  LD_LIBRARY_PATH=$libdir "$programs/client_c"
  LD_LIBRARY_PATH=$libdir "$programs/client_cpp"

  "$cmake" -S "$client" -B "$programs/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" >"$programs/cmake.log" || { cat "$programs/cmake.log"; fail "find_package(manyrt) failed"; }
  grep -q "^manyrt_DIR:PATH=$prefix/" "$programs/build/CMakeCache.txt" || fail "find_package found another manyrt"
  "$cmake" --build "$programs/build" >"$programs/build.log" || { cat "$programs/build.log"; fail "the client does not build"; }
  "$programs/build/client_c"
  "$programs/build/client_cpp"
  "$programs/build/client_comm"

  if [[ -x $prefix/bin/manyrt ]]; then
    "$prefix/bin/manyrt" info >/dev/null || fail "the installed manyrt info does not run"
    tryKernels "$prefix" "$programs"
  fi
}

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"

libraries=$(find "$work/first" -name 'libmanyrt.so*' | wc -l)
[[ $libraries -eq 3 ]] || fail "expected libmanyrt.so, .so.0 and .so.0.x.y, found $libraries"
libraries=$(find "$work/first" -name 'libmanyrt-comm-mpi.so' | wc -l)
[[ $libraries -eq 0 ]] || fail "the engine of MPI has a link for programs, which never link it"
libraries=$(find "$work/first" -name 'libmanyrt-comm.so*' | wc -l)
[[ $libraries -eq 3 ]] || fail "expected libmanyrt-comm.so, .so.0 and .so.0.x.y, found $libraries"
for file in include/manyrt/rt.h include/manyrt/rt_comm.h include/manyrt/rt_message.h include/manyrt/rt.hpp \
            include/manyrt/rt/runtime.hpp include/manyrt/rt_comm.hpp include/manyrt/compat/infinirt.h \
            share/manyrt/rt.cdef.h share/manyrt/rt.json share/manyrt/graph.schema.json \
            share/manyrt/rt_comm.cdef.h share/manyrt/rt_comm.json include/manyrt/rt_comm_message.h \
            share/manyrt/rust/manyrt/Cargo.toml share/manyrt/rust/manyrt-sys/build.rs share/manyrt/go/go.mod \
            share/manyrt/go/bridge.h share/manyrt/go/comm/comm.go share/manyrt/lua/manyrt.lua share/manyrt/lua/manyrt/comm.lua \
            share/manyrt/fortran/manyrt.f90 share/manyrt/fortran/manyrt_comm.f90 \
            share/doc/manyrt/LICENSE share/doc/manyrt/README.md share/doc/manyrt/CHANGELOG.md share/doc/manyrt/docs/kernels.md \
            share/doc/manyrt/examples/vector_add.c share/doc/manyrt/examples/heat.cl \
            share/doc/manyrt/examples/CMakeLists.txt share/doc/manyrt/examples/deploy/model.py \
            share/doc/manyrt/examples/Makefile share/doc/manyrt/examples/cpp_runtime/CMakeLists.txt; do
  [[ -s $work/first/$file ]] || fail "$file was not installed"
done
for layer in lua/manyrt_cdef.lua lua/manyrt_comm_cdef.lua fortran/manyrt_c.f90 fortran/manyrt_comm_c.f90; do
  [[ -s $work/first/share/manyrt/$layer || -s $work/first/share/manyrt/${layer%/*}/generate.py ]] ||
    fail "neither $layer nor its generator was installed"
done
if grep -rIl --include='*.cmake' --include='*.pc' -e "$work" -e "$build" "$work/first"; then
  fail "the files above name the prefix or the build folder"
fi

try "$work/first" 1
mv "$work/first" "$work/second"
try "$work/second" 2

# An example as it was installed, by its author's one line.
documents=$work/second/share/doc/manyrt libdir=$(dirname "$(find "$work/second" -name 'libmanyrt.so.0')")
flags=$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --cflags --libs manyrt)
# shellcheck disable=SC2086
"$cc" -std=c99 -Wall -Werror "$documents/examples/event_timing.c" $flags -lm -o "$work/event_timing"
LD_LIBRARY_PATH=$libdir "$work/event_timing" >/dev/null || fail "the installed example event_timing does not run"

# All examples as a project of their own, by CMake and by make. Programs and what they read are beside each other and can be moved.
"$cmake" -S "$documents/examples" -B "$work/examples" -G Ninja -DCMAKE_PREFIX_PATH="$work/second" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_C_FLAGS="-Wall -Werror" >"$work/examples.log" 2>&1 ||
  { cat "$work/examples.log"; fail "the examples do not configure"; }
"$cmake" --build "$work/examples" >"$work/examples.log" || { cat "$work/examples.log"; fail "the examples do not build"; }
mkdir -p "$work/made"
if command -v make >"$work/make.log"; then
  (cd "$work/made" && CC=$cc PKG_CONFIG_PATH=$libdir/pkgconfig make -f "$documents/examples/Makefile") >"$work/make.log" 2>&1 ||
    { cat "$work/make.log"; fail "the Makefile of the examples fails"; }
  grep -q . <(cd "$work/made/bin" && comm -3 <(ls) <(ls "$work/examples/bin")) &&
    fail "make and CMake leave other files of the examples than each other"
else
  cp -r "$work/examples/bin" "$work/made/bin"
fi
mv "$work/examples/bin" "$work/examples-moved"
tryExamples() { # FOLDER: of programs that read a file beside them
  local name
  for name in heat stream_overlap fence_pipeline vector_add split_product; do
    (cd "$work/made" && RT_DISABLE=cuda,opencl LD_LIBRARY_PATH=$libdir "$1/$name" >"$work/example.log" 2>&1) ||
      { cat "$work/example.log"; fail "the example $name does not run in $1"; }
  done
  for name in "digits --seed 1 --output $work/made" "digits_parallel --devices cpu,cpu"; do
    # shellcheck disable=SC2086
    (cd "$work/made" && RT_DISABLE=cuda,opencl LD_LIBRARY_PATH=$libdir "$1"/$name --epochs 1 --images 100 --no-threshold \
      >"$work/example.log" 2>&1) || { cat "$work/example.log"; fail "the example $name does not run in $1"; }
  done
}
# deploy, by the commands of its page: the model is made with the installed command and runs without a compiler.
tryDeploy() { # FOLDER: of the programs
  (cd "$work/made" && export LD_LIBRARY_PATH=$libdir RT_DISABLE=cuda,opencl &&
    "$1/digits" --device cpu --seed 1 --epochs 3 --weights weights.f32 --no-threshold &&
    PYTHONPATH=$source/bindings/python/src MANYRT_LIBRARY=$libdir/libmanyrt.so.0 PATH=$work/second/bin:$PATH \
      "$python" "$documents/examples/deploy/model.py" weights.f32 model --target cpu &&
    RT_CC=/nonexistent RT_CACHE_DIR=off "$1/deploy_run" model) >"$work/example.log" 2>&1 ||
    { cat "$work/example.log"; fail "the example deploy does not run in $1"; }
}
if [[ -x $work/second/bin/manyrt ]] && "$python" -c "import cffi" 2>"$work/example.log"; then
  tryDeploy "$work/examples-moved"
fi
tryExamples "$work/examples-moved"
tryExamples "$work/made/bin"
rm "$work/examples-moved/heat.cl"
if (cd "$work/made" && RT_DISABLE=cuda,opencl LD_LIBRARY_PATH=$libdir "$work/examples-moved/heat") >"$work/example.log" 2>&1
then
  fail "heat has found its kernels in another place than beside it"
fi
# The example in C++ is a project of its own.
"$cmake" -S "$documents/examples/cpp_runtime" -B "$work/cpp_runtime" -G Ninja -DCMAKE_PREFIX_PATH="$work/second" \
  -DCMAKE_CXX_COMPILER="$cxx" >"$work/examples.log" && "$cmake" --build "$work/cpp_runtime" >"$work/examples.log" ||
  { cat "$work/examples.log"; fail "the example in C++ does not build"; }
RT_DEVICE=cpu "$work/cpp_runtime/cpp_runtime" >"$work/example.log" ||
  { cat "$work/example.log"; fail "cpp_runtime does not run"; }

# The files that Debian's packages take.
"$python" "$here/debian_lists.py" "$work/second" "$source" || fail "the lists above are not those of what is installed"

# Links of installed documents.
"$python" "$here/links.py" "$documents" || fail "the links above lead nowhere"

# The scripts of shells.
for file in share/bash-completion/completions/manyrt share/zsh/site-functions/_manyrt \
            share/fish/vendor_completions.d/manyrt.fish; do
  [[ ! -x $work/second/bin/manyrt || -s $work/second/$file ]] || fail "$file was not installed"
done

# Components: there are none, and the sentence says so.
if "$cmake" -S "$here/components" -B "$work/components" -G Ninja -DCMAKE_PREFIX_PATH="$work/second" \
  >"$work/components.log" 2>&1; then
  fail "find_package(manyrt REQUIRED COMPONENTS cuda) succeeds"
fi
tr -s ' \n' ' ' <"$work/components.log" | grep -q 'manyrt has no component "cuda"' ||
  { cat "$work/components.log"; fail "find_package does not say that there is no component cuda"; }

# Stripped: the names that programs and the loader need stay.
"$cmake" --install "$build" --prefix "$work/stripped" --strip >"$work/strip.log" ||
  { cat "$work/strip.log"; fail "--strip fails"; }
library=$(find "$work/stripped" -name 'libmanyrt.so.0')
if readelf -S --wide "$library" | grep -q '\.debug_info'; then fail "the stripped library has debug information"; fi
try "$work/stripped" 3

# Without the engine of MPI, one sentence says what to install.
find "$work/stripped" -name 'libmanyrt-comm-mpi.so.*' -delete
LD_LIBRARY_PATH=$(dirname "$library") "$work/programs-3/client_comm" without-mpi || fail "no sentence about the missing engine"

# Removed again, what the last installation brought: the folders of manyrt too, but no file that is another's.
"$cmake" --install "$build" --prefix "$work/removed" >"$work/remove.log"
echo own >"$work/removed/share/manyrt/own"
echo own >"$work/removed/lib.own"
"$cmake" --build "$build" --target uninstall >"$work/remove.log" || { cat "$work/remove.log"; fail "uninstall fails"; }
left=$(find "$work/removed" \( -type f -o -type l \) | sort | tr '\n' ' ')
[[ $left == "$work/removed/lib.own $work/removed/share/manyrt/own " ]] || fail "uninstall leaves other files: $left"
[[ ! -e $work/removed/include/manyrt && ! -e $work/removed/share/doc/manyrt ]] || fail "uninstall leaves empty folders"
"$cmake" --build "$build" --target uninstall >"$work/remove.log" || fail "a second uninstall fails"

# As a folder of another project; only configured, as a build takes minutes.
"$cmake" -S "$here/parent" -B "$work/parent" -G Ninja -DMANYRT_SOURCE="$source" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" >"$work/parent.log" 2>&1 ||
  { cat "$work/parent.log"; fail "add_subdirectory(manyrt) does not configure"; }
echo "install: ok"
