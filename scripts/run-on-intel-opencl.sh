#!/usr/bin/env bash
# Runs conformance, kernels and threads on Intel's OpenCL runtime for CPUs, in the tiers of memory that it has. It is the only
# device of the OpenCL backend. Tests that it fails by itself are in tests/opencl/intel_left_out.txt; such a test that passes is
# a failure. Prints a line for each run, keeps what they printed in build/intel, and ends with `N passed, N failed`.
# Usage: scripts/run-on-intel-opencl.sh [--no-install] [TIER...], of what scripts/test.sh has built. Without a TIER: usm and buffer.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=
[[ ${1:-} != --no-install ]] || { install=$1; shift; }
tiers=("$@")
[[ ${#tiers[@]} -gt 0 ]] || tiers=(usm buffer)
# shellcheck disable=SC2086
scripts/install-intel-opencl.sh $install || { echo "Intel's OpenCL runtime is not in build/venv-intel" >&2; exit 2; }
build=${BUILD:-build/release} logs=build/intel left_out=tests/opencl/intel_left_out.txt
mkdir -p "$logs"
passed=0 failed=0

# start TIER PROGRAM FILTER LOG
start() {
  env OCL_ICD_VENDORS="$PWD/build/opencl-intel" RT_OPENCL_MEMORY="$1" RT_DISABLE=cuda timeout -k 5 1200 \
    "$build/bin/$2" "--gtest_filter=$3" --gtest_brief=1 >"$4" 2>&1 </dev/null
}

run() {
  local tier=$1 program=$2 log=$logs/$2_$1.log status=0 out
  out=$(awk -v program="$program" '$1 == program { printf "%s:", $2 }' "$left_out")
  start "$tier" "$program" "*opencl*-$out" "$log" || status=$?
  if [[ $status == 0 ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    grep -a '^\[  FAILED  \] .*(' "$log"
  fi
  echo "$program in the tier $tier: exit status $status; $(grep -a 'tests from\|PASSED\|SKIPPED' "$log" | tr '\n' ' ')"
}

for tier in "${tiers[@]}"; do
  for program in conformance kernels kernels_sixty threads; do run "$tier" "$program"; done
done
while read -r program test reason; do
  [[ $program != \#* ]] || continue
  if { start "${tiers[0]}" "$program" "${test%opencl*}*opencl*" "$logs/left_out.log"; } 2>/dev/null; then
    failed=$((failed + 1))
    echo "$test passes and is left out: $reason"
  fi
done <"$left_out"
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
