#!/usr/bin/env bash
# Runs the random driver (tests/random) with seeds of the moment, with 1, 2 and 7 threads. Devices are the CPU, PoCL in both
# tiers and simulated CUDA. Prints a line for each run, keeps what failed in build/random and ends with `N passed, N failed`.
# Fails if none passed. Usage: scripts/run-random-driver.sh [SECONDS of each run], of what scripts/test.sh has built; BUILD
# names another build folder.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60} build=${BUILD:-build/release} logs=build/random
[[ -x $build/bin/random ]] || { echo "scripts/run-random-driver.sh: $build/bin/random is not built" >&2; exit 2; }
mkdir -p "$logs"
simulated=$(realpath "$build")/lib/libsimulated_cuda.so
passed=0 failed=0

# run NAME DEVICES VAR=value...
run() {
  local name=$1 devices=$2 threads log status
  shift 2
  for threads in 1 2 7; do
    log=$logs/${name}_$threads.log
    env "$@" timeout -k 5 $((seconds + 300)) "$build/bin/random" --seconds "$seconds" --threads "$threads" --device "$devices" \
      >"$log" 2>&1 </dev/null
    status=$?
    if [[ $status == 0 ]]; then
      passed=$((passed + 1))
      echo "passed $name: $(tail -n 1 "$log")"
    elif [[ $status == 77 ]]; then
      echo "skipped $name: $(grep -a '^SKIP' "$log")"
      return
    else
      failed=$((failed + 1))
      echo "FAILED $name, $threads threads, $(grep -a -m 1 '^seed' "$log"), status $status, in $log:"
      grep -a -m 1 '^FAILED' "$log"
    fi
  done
}

run cpu cpu RT_DISABLE=opencl,cuda
for tier in svm buffer; do
  run "opencl_$tier" opencl:1,cpu,opencl:0 RT_DISABLE=cuda POCL_DEVICES="pthread pthread" "RT_OPENCL_MEMORY=$tier"
done
run simulated_cuda cuda:0,cpu,cuda:1 RT_DISABLE=opencl "RT_CUDART=$simulated" "RT_NVRTC=$simulated"
echo "$passed passed, $failed failed"
# Where nothing ran nothing has passed.
[[ $failed == 0 && $passed != 0 ]]
