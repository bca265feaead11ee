#!/usr/bin/env bash
# Builds the tests of InfiniRT from a checkout of InfiniCore, unchanged, over bindings/compat/infinirt.h and this library, and runs
# them on one device. Usage: scripts/run-infinirt-tests.sh FOLDER [cpu|nvidia|opencl]. FOLDER has src/infinirt-test and src/utils.h;
# nothing of it comes into the tree, and its own headers of the runtime are not used. BUILD names the build folder (build/release),
# CXX the compiler. Their last copy takes 16 GiB: where the CPU's memory is short, or INFINIRT_TESTS_LIMITED is set, it is refused,
# and the others have to pass. Ends with 0, with 1, or with 77 if there is no such device or too little memory.
set -euo pipefail
start=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -lt 1 || $# -gt 2 || ! ${2:-cpu} =~ ^(cpu|nvidia|opencl)$ ]]; then
  echo "usage: scripts/run-infinirt-tests.sh FOLDER [cpu|nvidia|opencl]" >&2
  exit 2
fi
folder=$(cd "$start" && realpath -- "$1")
device=${2:-cpu}
if [[ ! -e $folder/src/infinirt-test/main.cc || ! -e $folder/src/utils.h ]]; then
  echo "$folder is no checkout of InfiniCore: it has no src/infinirt-test/main.cc or no src/utils.h." >&2
  exit 2
fi

build=${BUILD:-build/release}
if [[ ! -e $build/lib/libmanyrt.so ]]; then
  [[ -f $build/CMakeCache.txt ]] || cmake --preset release -B "$build" --log-level=NOTICE
  cmake --build "$build" --target manyrt
fi
library=$(realpath "$build/lib")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
option=--$device
flags=()
if [[ $device == opencl ]]; then # their programs know no such type: another one means it, as the head of infinirt.h says
  option=--moore
  flags=(-DMANYRT_INFINIRT_OPENCL=INFINI_DEVICE_MOORE)
fi
# C++17 and these warnings are those of their build; some versions of src/utils.h need the folder of their logger.
[[ -d $folder/third_party/spdlog/include ]] && flags+=(-isystem "$folder/third_party/spdlog/include")
"${CXX:-c++}" -std=c++17 -O2 -Wall "${flags[@]}" -Iinclude -Ibindings/compat "$folder"/src/infinirt-test/*.cc \
  -o "$scratch/infinirt-test" -L"$library" -lmanyrt -Wl,-rpath,"$library"
commit=$(git -C "$folder" rev-parse --short HEAD 2>/dev/null || echo "unknown commit")
echo "built InfiniCore's src/infinirt-test ($commit) unchanged"

# 16 GiB and a reserve: two copies on the host and two of the device, which on the CPU are the host's as well.
largest=4294967296
needed=$((20 * 1024 * 1024))
free=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
limited=
if ((free < needed)) || [[ -n ${INFINIRT_TESTS_LIMITED:-} ]]; then
  if [[ $device != cpu ]]; then # drivers reserve more addresses than such a limit allows
    echo "SKIP: $((free / 1024 / 1024)) GiB of memory are free; the largest copy of these tests takes up to 16."
    exit 77
  fi
  limited=yes
fi

status=0
{
  (
    echo 1000 >/proc/self/oom_score_adj # were memory to run short, this program would be the one to end
    if [[ -n $limited ]]; then
      ulimit -c 0 -v $((largest / 1024))
      export RT_CPU_THREADS=${RT_CPU_THREADS:-2} RT_DISABLE=cuda,opencl
    fi
    exec "$scratch/infinirt-test" "$option"
  ) >"$scratch/output" 2>&1 || status=$?
} 2>/dev/null # the shell's own word of a program that was aborted
cat "$scratch/output"

passed=$(grep -c "test PASSED!" "$scratch/output" || true)
if grep -q "has no available devices" "$scratch/output"; then
  echo "SKIP: there is no device for $device"
  exit 77
fi
if ((status != 0)) && [[ -n $limited ]] && grep -q "host memory: $largest bytes" "$scratch/output" &&
  ! grep -q "Allocating device memory: $largest bytes" "$scratch/output" && ((passed > 0)); then
  echo "$device: $passed copies passed; the one of 4 GiB was not run: it takes 16 GiB, and the run was limited to 4"
  exit 0
fi
if ((status != 0)); then
  if grep -q "Failed to get memory" "$scratch/output"; then
    echo "rt.h has no virtual memory: the head of infinirt.h says it, and these tests ask for it on NVIDIA's devices" >&2
  fi
  echo "$device: FAILED with status $status after $passed copies that passed" >&2
  exit 1
fi
echo "$device: ended with 0; $passed copies passed"
