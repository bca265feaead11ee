#!/usr/bin/env bash
# Runs the whole test of the built-in functions against the specification, on the CPU in quick and in optimized code and on
# OpenCL devices. Keeps the largest errors in docs/lab/measured/specification.json and makes docs/kernel-accuracy.md of them.
# Takes ten minutes and more. Usage: scripts/specification.sh [arguments of tests/kernels/specification/specification.py], for
# instance scripts/specification.sh --parts math --devices cpu. BUILD names the build folder (build/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${BUILD:-build/release}
[[ -f $build/CMakeCache.txt ]] || cmake --preset release -B "$build" --log-level=NOTICE
cmake --build "$build" --target manyrt math_reference

python=python3
[[ -x /usr/bin/python3 ]] && python=/usr/bin/python3
export PYTHONPATH=bindings/python/src PYTHONDONTWRITEBYTECODE=1 MANYRT_LIBRARY=$PWD/$build/lib/libmanyrt.so RT_CACHE_DIR=off
devices=$("$python" -c 'import manyrt; print(",".join(device.name for device in manyrt.devices()))')
status=0
"$python" tests/kernels/specification/specification.py --reference "$build/lib/libmath_reference.so" --parts all \
  --devices "$devices" --commit "$(git describe --always --dirty 2>/dev/null || echo unknown)" \
  --json docs/lab/measured/specification.json "$@" || status=$?
scripts/accuracy_table.py
exit $status
