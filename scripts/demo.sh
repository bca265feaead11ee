#!/usr/bin/env bash
# The main job on a bare Debian 12. Installs what the build needs, builds the library and examples/digits, and trains the
# network on every device found with seeds 1, 2 and 3. Learning curves and misread digits are left in build/demo.
# Arguments are handed to digits: scripts/demo.sh --device cpu
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-packages.sh build
# A build of its own, as quick as a compiler makes it: the files of a folder as one, and nothing for a debugger.
cmake --preset release -B build/quick -DMANYRT_UNITY=ON -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -DNDEBUG" \
  -DMANYRT_BUILD_TESTS=OFF -DMANYRT_BUILD_BENCHMARKS=OFF -DMANYRT_BUILD_TOOLS=OFF --log-level=NOTICE
cmake --build build/quick --target digits

digits=build/quick/bin/digits
for seed in 1 2 3; do
  output=build/demo/seed-$seed
  mkdir -p "$output"
  echo
  echo "== digits, seed $seed =="
  "$digits" --seed "$seed" --data examples/data/digits.csv --kernels examples/digits/digits.cl --output "$output" "$@"
done
echo
echo "Pictures:"
find build/demo -name '*.svg' | sort
