#!/usr/bin/env bash
# The main job on a bare Debian 12: installs what the build needs, builds the library and examples/digits, and trains the network
# on every device found with seeds 1, 2 and 3. Learning curves and misread digits are left in build/demo.
# Arguments are handed to digits: scripts/demo.sh --device cpu
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-packages.sh build
cmake --preset release -DMANYRT_BUILD_TESTS=OFF -DMANYRT_BUILD_BENCHMARKS=OFF --log-level=NOTICE
cmake --build --preset release --target digits

digits=build/release/bin/digits
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
