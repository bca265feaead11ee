#!/usr/bin/env bash
# Cross-builds for aarch64 and runs tests under qemu-aarch64-static, on the CPU and the null device; CUDA and OpenCL are off.
# Usage: scripts/aarch64.sh [--no-install] [--filter GTEST_FILTER] [PROGRAM...]
#   --no-install   install no package
#   --filter       of all programs; what the table below leaves out stays out
#   PROGRAM        names of the table below; without any, all of them
# The last lines are a table of programs; the exit status is 0 only when nothing failed and each program passed something.
# Everything is made in build/aarch64: arm64 packages are unpacked there, not installed, so that the machine stays as it is.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=yes filter='' wanted=()
while (($#)); do
  case $1 in
    --no-install) install=no ;;
    --filter) filter=${2:?--filter needs a filter}; shift ;;
    -h | --help) sed -n '2,8s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "aarch64.sh: unknown argument '$1'" >&2; exit 2 ;;
    *) wanted+=("$1") ;;
  esac
  shift
done

# name, most seconds, tests that are left out (a filter of GoogleTest after its minus). The reasons are in docs/lab/tested.md.
table=(
  "conformance       1500  "
  "kernels           1500  "
  "unit_ucontext      300  "
  "misuse             600  "
  "process            900  TraceTest.TheLargestSizeOfAFileEndsTheTraceAndNotTheProgram"
  "examples           300  "
)
# The programs of "examples", each for at most those seconds. They check their own results and end with 0.
examples=(device_info event_timing host_function host_kernel pool_stats error_handling runtime_tour vector_add dynamic_batches
  stream_overlap fence_pipeline heat build_error)

folder=$PWD/build/aarch64
root=$folder/root tools=$folder/tools build=$folder/build results=$folder/results
triple=aarch64-linux-gnu
# The emulator's own processor has all extensions that it knows, pointer authentication and SVE among them; the cross compiler
# makes kernels for one that has SVE, too. Its cheaper hash of pointers is as good for a test.
export QEMU_CPU=${QEMU_CPU:-max,pauth-impdef=on}
kernel_cpu=${KERNEL_CPU:-neoverse-v1}
target_packages=(libhwloc-dev libhwloc15 libudev1 libboost-context1.74-dev libboost1.74-dev libgtest-dev libgmock-dev
  nlohmann-json3-dev)

# apt with lists of arm64 alone, in a folder of this build: neither dpkg's architectures nor installed packages change.
arm_apt() {
  local apt=$folder/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o Dir::State="$apt" \
    -o Dir::State::status=/dev/null -o Dir::Cache="$apt/cache" -qq "$@" </dev/null
}

unpack_packages() {
  local stamp=$root/packages package
  [[ $(cat "$stamp" 2>/dev/null) != "${target_packages[*]}" ]] || return 0
  rm -rf "$root" "$folder/debs"
  mkdir -p "$root" "$folder/debs"
  arm_apt update
  (cd "$folder/debs" && arm_apt download "${target_packages[@]}")
  for package in "$folder"/debs/*.deb; do dpkg-deb -x "$package" "$root"; done
  echo "${target_packages[*]}" >"$stamp"
}

# The compilers of kernels on aarch64: programs with the usual names. The compiler knows no -mcpu=native, being a cross
# compiler, and is told the processor instead. It keeps the name by which it was started, so that the library sees the compiler
# itself and no wrapper.
make_tools() {
  local name
  rm -rf "$tools"
  mkdir -p "$tools"
  for name in as ld; do ln -s "/usr/bin/$triple-$name" "$tools/$name"; done
  cat >"$tools/g++" <<WRAPPER
#!/bin/bash
export GCC_EXEC_PREFIX=/usr/lib/gcc-cross/
exec -a "\$0" /usr/bin/$triple-g++ "\${@/#-mcpu=native/-mcpu=$kernel_cpu}"
WRAPPER
  chmod +x "$tools/g++"
}

build_all() {
  cmake -S . -B "$build" -G Ninja --log-level=NOTICE --no-warn-unused-cli -DCMAKE_TOOLCHAIN_FILE=cmake/$triple.cmake \
    -DMANYRT_AARCH64_ROOT="$root" -DCMAKE_BUILD_TYPE=Release -DMANYRT_WERROR=OFF -DMANYRT_CUDA_TOOLKIT=OFF \
    -DMANYRT_OPENCL_BACKEND=OFF -DMANYRT_BUILD_EXAMPLES=ON -DMANYRT_BUILD_TOOLS=OFF -DMANYRT_BUILD_BENCHMARKS=OFF \
    -DMANYRT_INSTALL=OFF
  nice cmake --build "$build" -j2 --target "$@"
}

# Prints `N passed, N failed, N skipped` of one program and the names of what failed; its own status 0: good.
count() { # XML LOG STATUS
  python3 - "$@" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
source, log, status = sys.argv[1:]
try:
    cases = list(tree.parse(source).getroot().iter("testcase"))
except (OSError, tree.ParseError):
    cases = []
failed = [f"{case.get('classname')}.{case.get('name')}" for case in cases if case.find("failure") is not None]
skipped = sum(case.find("skipped") is not None for case in cases)
passed = sum(case.get("status") == "run" for case in cases) - len(failed) - skipped
if not failed and (status != "0" or passed == 0):  # it ended before it wrote its results, or found no test
    with open(log, errors="replace") as file:
        begun = [line.split("] ", 1)[1].strip() for line in file if line.startswith("[ RUN ")]
    failed.append(f"exit status {status}" + (f", last in {begun[-1]}" if begun and not cases else ""))
print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
for name in failed:
    print(f"    failed: {name}")
sys.exit(1 if failed else 0)
PYTHON
}

status=0 rows=()
emulator="/usr/bin/qemu-aarch64-static -L /usr/$triple -E LD_LIBRARY_PATH=$root/usr/lib/$triple"
emulated() { # SECONDS PROGRAM ARGUMENTS...: programs that tests start are run by the emulator, too
  # shellcheck disable=SC2086
  env PATH="$tools:$PATH" RT_CC="$tools/g++" RT_DISABLE=cuda,opencl TEST_EMULATOR="$emulator" timeout -k 10 "$1" \
    $emulator "${@:2}" </dev/null
}

run_examples() { # SECONDS
  local name passed=0 failed=() start=$SECONDS
  for name in "${examples[@]}"; do
    if (cd "$results" && emulated "$1" "$build/bin/$name") >"$results/$name.log" 2>&1; then
      passed=$((passed + 1))
    else
      failed+=("$name") status=1
    fi
  done
  rows+=("$(printf '%-17s %d passed, %d failed, in %d s' examples $passed ${#failed[@]} $((SECONDS - start)))")
  for name in "${failed[@]}"; do rows+=("    failed: $name"); done
}

run() { # NAME SECONDS LEFT_OUT
  local name=$1 seconds=$2 left_out=${3:-} code=0 told start=$SECONDS
  rm -f "$results/$name.xml"
  emulated "$seconds" "$build/bin/$name" --gtest_filter="${filter:-*}${left_out:+-$left_out}" \
    --gtest_output="xml:$results/$name.xml" >"$results/$name.log" 2>&1 || code=$?
  told=$(count "$results/$name.xml" "$results/$name.log" "$code") || status=1
  rows+=("$(printf '%-17s %s, in %d s%s' "$name" "${told%%$'\n'*}" $((SECONDS - start)) "${told#"${told%%$'\n'*}"}")")
}

chosen=()
for entry in "${table[@]}"; do
  read -r name _ <<<"$entry"
  if ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" $name "* ]]; then chosen+=("$entry"); fi
done
((${#chosen[@]})) || { echo "aarch64.sh: none of these is a program of the table: ${wanted[*]}" >&2; exit 2; }

[[ $install == no ]] || scripts/install-packages.sh aarch64
unpack_packages
make_tools
programs=()
for entry in "${chosen[@]}"; do
  if [[ $entry == examples\ * ]]; then programs+=("${examples[@]}"); else programs+=("${entry%% *}"); fi
done
build_all "${programs[@]}"
mkdir -p "$results"
for entry in "${chosen[@]}"; do
  read -r name seconds left_out <<<"$entry"
  echo "-- $name"
  if [[ $name == examples ]]; then run_examples "$seconds"; else run "$name" "$seconds" "$left_out"; fi
done

echo
echo "aarch64: $($triple-g++ --version | head -n 1); $(qemu-aarch64-static --version | head -n 1)"
printf '%s\n' "${rows[@]}"
exit "$status"
