#!/usr/bin/env bash
# Makes kernels at random (tests/kernels/random_programs.py) and runs them in every way that this machine has. These are code on
# the CPU that is not optimised, quick or optimised, also for AVX2, for plain x86-64 and by clang++; PoCL, Intel's OpenCL
# runtime, CUDA. Kernels whose results depend on no device run everywhere; as many again with all operations on the CPU alone.
# Prints a line for each form. Differences are kept with their sources in build/random-programs. Fails if there was one.
# Usage: scripts/random-programs.sh [--intel] [COUNT [FIRST]], of what scripts/test.sh has built; BUILD names another build folder.
# --intel installs Intel's runtime (scripts/install-intel-opencl.sh).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=--no-install
[[ ${1:-} != --intel ]] || { install=; shift; }
count=${1:-2000} first=${2:-1} build=${BUILD:-build/release} kept=build/random-programs
[[ -e $build/lib/libmanyrt.so ]] || { echo "scripts/random-programs.sh: $build/lib/libmanyrt.so is not built" >&2; exit 2; }
rm -rf "$kept"
mkdir -p "$kept"
# shellcheck disable=SC2086
scripts/install-intel-opencl.sh $install && export OCL_ICD_VENDORS=$PWD/build/opencl-vendors
export PYTHONDONTWRITEBYTECODE=1
MANYRT_LIBRARY=$(realpath "$build/lib/libmanyrt.so")
export MANYRT_LIBRARY

run() {
  python3 tests/kernels/random_programs.py --jobs "$(nproc)" --count "$count" --first "$first" --keep "$kept" "$@" </dev/null
}
failed=0
echo "-- $count kernels on every device"
run --exact --forms none,quick,optimized,avx2,sse,clang,pocl,intel,cuda || failed=1
echo "-- $count kernels on the CPU"
run --forms none,quick,optimized,avx2,clang || failed=1
# Without fused products sums are rounded otherwise: this is a comparison of its own.
echo "-- $count kernels on the CPU, for plain x86-64"
run --forms sse_none,sse || failed=1
exit "$failed"
