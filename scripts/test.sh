#!/usr/bin/env bash
# Builds and tests on a bare Debian 12. Usage: scripts/test.sh [--long] [--sanitize] [--no-install] [--keep-going]
#   --long        with the entries labelled `long`, which take another hour
#   --sanitize    the asan-ubsan and tsan builds instead of the release build
#   --no-install  install no package
#   --keep-going  go on with the next build after a failure
# The last line is always `N passed, N failed, N skipped`; the exit status is 0 only when nothing failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

long=no sanitize=no install=yes keep_going=no
for argument in "$@"; do
  case $argument in
    --long) long=yes ;;
    --sanitize) sanitize=yes ;;
    --no-install) install=no ;;
    --keep-going) keep_going=yes ;;
    -h | --help) sed -n '2,7s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "test.sh: unknown argument '$argument'" >&2; exit 2 ;;
  esac
done

jobs=3  # for two processors: some tests wait most of the time; but those of a sanitizer never do
presets=(release)
[[ $sanitize == no ]] || presets=(asan-ubsan tsan) jobs=2
results=() broken=()

# stage NAME COMMAND...: runs the command, says how long it took, remembers a failure.
stage() {
  local name=$1 start=$SECONDS status=0
  shift
  echo "-- $name"
  "$@" </dev/null || status=$?
  echo "-- $name: $((SECONDS - start)) s"
  return "$status"
}

run_ctest() {
  local preset=$1 wrapper=() suppressions=$PWD/tests/support
  local options=(--test-dir "build/$preset" -j"$jobs" --timeout 600 --output-on-failure --output-junit results/ctest.xml)
  [[ $long == yes ]] || options+=(-LE '^long$')
  # ThreadSanitizer of gcc 12 needs the smaller address-space randomisation that kernels had until 6.6.
  if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
    wrapper=(setarch "$(uname -m)" -R)
  fi
  rm -rf "build/$preset/results"
  mkdir -p "build/$preset/results"
  # AddressSanitizer guesses where a loaded library's thread variables begin from what lies before them, and LeakSanitizer reads
  # that. A wrong guess ends the process. Without the guess such variables count as memory of the heap.
  local address=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:check_initialization_order=1
  ASAN_OPTIONS=$address:intercept_tls_get_addr=0 \
    LSAN_OPTIONS=print_suppressions=0:suppressions=$suppressions/lsan_suppressions.txt \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=0:suppressions=$suppressions/tsan_suppressions.txt \
    "${wrapper[@]}" ctest "${options[@]}"
}

run_preset() {
  local preset=$1 unity=OFF
  # A sanitizer build takes the files of a folder as one. The release build finds the header that a file of src does not include.
  [[ $preset == release ]] || unity=ON
  results+=("build/$preset/results")
  rm -rf "build/$preset/results"
  if ! stage "configure $preset" cmake --preset "$preset" -DMANYRT_BUILD_TESTS=ON -DMANYRT_BUILD_BENCHMARKS=OFF \
    -DMANYRT_COMPILE_TESTS_FAST=ON -DMANYRT_UNITY=$unity; then
    broken+=("configure $preset")
    return 1
  fi
  if ! stage "build $preset" cmake --build --preset "$preset"; then
    broken+=("build $preset")
    return 1
  fi
  stage "test $preset" run_ctest "$preset"
}

finish() {
  local status=$? options=()
  trap - EXIT
  for name in "${broken[@]}"; do options+=(--broken "$name"); done
  echo "-- all: $SECONDS s"
  if command -v python3 >/dev/null; then
    python3 scripts/check_gpu_results_current.py || true  # tells, does not fail: the tests of GPUs run elsewhere
    python3 scripts/count_results.py "${options[@]}" "${results[@]}" || status=1
  else
    echo "python3 is missing; nothing was counted."
    echo "0 passed, 1 failed, 0 skipped"
    status=1
  fi
  exit "$status"
}
trap finish EXIT

if [[ $install == yes ]]; then
  stage "install packages" scripts/install-packages.sh build test || { broken+=("install packages"); exit 1; }
fi
failed=no
for preset in "${presets[@]}"; do
  run_preset "$preset" || failed=yes
  [[ $failed == no || $keep_going == yes ]] || break
done
[[ $failed == no ]]
