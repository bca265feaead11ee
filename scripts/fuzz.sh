#!/usr/bin/env bash
# Searches with a fuzz target for inputs that crash, hang or take too much memory, under AddressSanitizer (but for pool) and
# UBSan. Keeps what it finds in build/fuzz. Usage: scripts/fuzz.sh [TARGET [SECONDS]], for instance scripts/fuzz.sh front_end
# 600
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${1:-front_end} seconds=${2:-300}
source=tests/fuzz/$target.cpp
[[ -f $source ]] || { echo "scripts/fuzz.sh: there is no target $target" >&2; exit 2; }
command -v clang++ >/dev/null || { echo "scripts/fuzz.sh: clang++ is missing; install clang" >&2; exit 2; }

folder=build/fuzz/$target
mkdir -p "$folder/corpus" "$folder/objects"
if [[ $target == offsets ]]; then  # numbers alone
  clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Isrc \
    src/allocator/offset_allocator.cpp "$source" -o "$folder/run"
elif [[ $target != front_end ]]; then  # graphs and pools stand above much of the rest: the whole library
  cmake -S . -B "$folder/build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    -DMANYRT_FUZZER=ON -DMANYRT_BUILD_EXAMPLES=OFF -DMANYRT_BUILD_TOOLS=OFF -DMANYRT_BUILD_BENCHMARKS=OFF \
    >"$folder/configure.log"
  ninja -C "$folder/build" -j "${FUZZ_JOBS:-$(nproc)}" "fuzz_$target" | tail -n 1
  ln -sf "build/bin/fuzz_$target" "$folder/run"
  export ASAN_OPTIONS=detect_container_overflow=0
else
  flags=(-std=c++20 -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Isrc -Iinclude)
  objects=()
  mapfile -t files < <(find src/compiler/{preprocessor,parser,builtins,lowering} -name '*.cpp' | sort)
  cmake -DFOLDER="$PWD/src/compiler/builtins/library" -DOUTPUT="$PWD/$folder/builtin_library.cpp" -P cmake/EmbedLibrary.cmake
  for file in "${files[@]}" "$folder/builtin_library.cpp" src/base/status.cpp src/base/fault.cpp "$source"; do
    object=$folder/objects/${file//\//_}.o
    objects+=("$object")
    [[ $object -nt $file && $object -nt src/compiler/parser/ast.h ]] || clang++ "${flags[@]}" -c "$file" -o "$object"
  done
  clang++ -fsanitize=fuzzer,address,undefined "${objects[@]}" -o "$folder/run"
fi

"$folder/run" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="$folder/" "$folder/corpus" "tests/fuzz/corpus/$target" 2>&1 | tee "$folder/log" | tail -n 25
