#!/usr/bin/env bash
# Runs conformance, kernels and threads on Intel's OpenCL runtime for CPUs as the only device of the OpenCL backend, in the tiers of
# memory that it has. Prints a line for each run, keeps what they printed in build/intel, and ends with `N passed, N failed`.
# Usage: scripts/run-on-intel-opencl.sh [--no-install] [TIER...], of what scripts/test.sh has built. Without a TIER: usm and buffer.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=
[[ ${1:-} != --no-install ]] || { install=$1; shift; }
tiers=("$@")
[[ ${#tiers[@]} -gt 0 ]] || tiers=(usm buffer)
# shellcheck disable=SC2086
scripts/install-intel-opencl.sh $install || { echo "Intel's OpenCL runtime is not in build/venv-intel" >&2; exit 2; }
build=${BUILD:-build/release} logs=build/intel
mkdir -p "$logs"
passed=0 failed=0

run() {
  local tier=$1 program=$2 log=$logs/$2_$1.log status=0
  env OCL_ICD_VENDORS="$PWD/build/opencl-intel" RT_OPENCL_MEMORY="$tier" RT_DISABLE=cuda timeout -k 5 1200 \
    "$build/bin/$program" "--gtest_filter=*opencl*" --gtest_brief=1 >"$log" 2>&1 </dev/null || status=$?
  if [[ $status == 0 ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    grep -a '^\[  FAILED  \] .*(' "$log"
  fi
  echo "$program in the tier $tier: exit status $status; $(grep -a 'tests from\|PASSED\|SKIPPED' "$log" | tail -3 | tr '\n' ' ')"
}
for tier in "${tiers[@]}"; do
  for program in conformance kernels kernels_sixty threads; do run "$tier" "$program"; done
done
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
