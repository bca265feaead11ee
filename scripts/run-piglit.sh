#!/usr/bin/env bash
# Runs the OpenCL C programs of Debian's piglit on the CPU, on OpenCL devices and, where there is one, on a CUDA device. Prints
# each failure with its reason, and writes docs/lab/measured/piglit.json. The package is fetched and unpacked in a cache folder,
# not installed; nothing of it comes into the tree. Usage: scripts/run-piglit.sh [--devices NAMES] [--only PATTERN] ..., handed
# to tests/kernels/piglit.py. BUILD names the build folder (build/release); PIGLIT a folder that is unpacked already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${BUILD:-build/release}
if [[ ! -e $build/lib/libmanyrt.so ]]; then
  [[ -f $build/CMakeCache.txt ]] || cmake --preset release -B "$build" --log-level=NOTICE
  cmake --build "$build" --target manyrt
fi

version=unknown
if [[ -n ${PIGLIT:-} ]]; then
  folder=$PIGLIT
else
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/manyrt-piglit
  version=$(apt-cache policy piglit | awk '$1 == "Candidate:" { print $2 }')
  if [[ -z $version || $version == "(none)" ]]; then
    echo "The package piglit is not known to apt: run apt-get update." >&2
    exit 1
  fi
  unpacked=$cache/piglit-$version
  if [[ ! -d $unpacked ]]; then
    mkdir -p "$cache"
    scratch=$(mktemp -d "$cache/fetch.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    (cd "$scratch" && apt-get download -qq piglit 2>/dev/null && dpkg-deb -x piglit_*.deb tree)
    mv "$scratch/tree" "$unpacked"
  fi
  folder=$(echo "$unpacked"/usr/lib/*/piglit)
fi

python=python3
[[ -x /usr/bin/python3 ]] && python=/usr/bin/python3
export PYTHONPATH=bindings/python/src PYTHONDONTWRITEBYTECODE=1 MANYRT_LIBRARY=$PWD/$build/lib/libmanyrt.so
export RT_CACHE_DIR=off RT_CPU_BUILD=${RT_CPU_BUILD:-optimized}
devices=$("$python" -c 'import manyrt; print(",".join(device.name for device in manyrt.devices()))')
"$python" tests/kernels/piglit.py "$folder" --devices "$devices" --package "piglit $version" \
  --commit "$(git describe --always --dirty 2>/dev/null || echo unknown)" --json docs/lab/measured/piglit.json "$@"
