#!/usr/bin/env bash
# Runs tinygrad's own tests on this library (integrations/tinygrad), and on tinygrad's device for comparison, and counts.
# Usage: scripts/run-tinygrad-tests.sh [cpu|opencl|cuda] [-- TEST ...]. The version that the backend is for comes from PyPI: the
# package into build/venv-tinygrad, its tests from the source archive. Those of its files that need more than that (helpers that
# the archive lacks, PyTorch) are left out, and named. TESTS names a folder with a whole `test` of a checkout instead, which is read
# and not changed. BUILD names the build folder (build/release), PYTHON an interpreter of Python 3.11 or later, JSON a file that
# receives the counts. Ends with 0 if no test fails that passes on tinygrad's own device, with 1, or with 77 without a device.
set -euo pipefail
start=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$PWD

device=cpu
if [[ $# -gt 0 && $1 != -- ]]; then
  device=$1
  shift
fi
[[ ${1:-} == -- ]] && shift
if [[ ! $device =~ ^(cpu|opencl|cuda)$ ]]; then
  echo "usage: scripts/run-tinygrad-tests.sh [cpu|opencl|cuda] [-- TEST ...]" >&2
  exit 2
fi
case $device in
  cpu) name=cpu own=CPU ;;
  opencl) name=opencl:0 own=CL ;;
  cuda) name=cuda:0 own=CUDA ;;
esac

build=${BUILD:-build/release}
if [[ ! -e $build/lib/libmanyrt.so ]]; then
  [[ -f $build/CMakeCache.txt ]] || cmake --preset release -B "$build" --log-level=NOTICE
  cmake --build "$build" --target manyrt
fi

version=$(sed -n 's/^VERSION = "\(.*\)".*/\1/p' integrations/tinygrad/manyrt_tinygrad.py)
venv=$tree/build/venv-tinygrad
if ! "$venv/bin/python" -c "import cffi, hypothesis, numpy, pytest, tinygrad" 2>/dev/null; then
  "${PYTHON:-python3}" -m venv "$venv"
  "$venv/bin/pip" install --quiet "tinygrad==$version" numpy cffi pytest hypothesis
fi

export MANYRT_LIBRARY=${MANYRT_LIBRARY:-$(realpath "$build/lib")/libmanyrt.so} CACHELEVEL=0 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$tree/bindings/python/src:$tree/integrations/tinygrad
if ! "$venv/bin/python" -c "import manyrt, sys; manyrt.Device(sys.argv[1])" "$name" 2>/dev/null; then
  echo "SKIP: there is no device $name"
  exit 77
fi
export MANYRT_TINYGRAD_DEVICES=$name,$name,$name,$name,$name,$name # some tests want several

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [[ -n ${TESTS:-} ]]; then
  cp -r "$(cd "$start" && realpath -- "$TESTS")" "$scratch/test"
else
  archive=$tree/build/tinygrad-$version.tar.gz
  if [[ ! -e $archive ]]; then
    "$venv/bin/pip" download --quiet --no-deps --no-binary :all: --dest "$tree/build" "tinygrad==$version"
  fi
  tar -xzf "$archive" -C "$scratch" --strip-components=1 "tinygrad-$version/test"
fi
cd "$scratch"

# The files that can be imported with what is here.
wanted=("$@")
if [[ ${#wanted[@]} -eq 0 ]]; then
  for file in test/test_*.py; do
    if DEV=MANYRT "$venv/bin/python" -m pytest -q -p manyrt_tinygrad --collect-only "$file" >/dev/null 2>&1; then
      wanted+=("$file")
    else
      echo "left out: $file"
    fi
  done
fi
for backend in MANYRT "$own"; do
  DEV=$backend "$venv/bin/python" -m pytest -q -p manyrt_tinygrad --junitxml="$scratch/$backend.xml" "${wanted[@]}" \
    >"$scratch/$backend.log" 2>&1 || true
  tail -n 1 "$scratch/$backend.log"
done
"$venv/bin/python" "$tree/integrations/tinygrad/compare_results.py" "$scratch/MANYRT.xml" "$scratch/$own.xml" \
  --device "$name" --own "$own" --version "$version" ${JSON:+--json "$(cd "$start" && realpath -m -- "$JSON")"}
