#!/usr/bin/env bash
# Builds and runs every benchmark that this machine can run, and keeps the figures in docs/lab/measured/bench_*.json. Writes the
# tables from them: docs/lab/benchmarks.md, sixty.md (kernels beside other drivers) and pairs.md (every two devices). Usage:
# scripts/bench.sh [--no-install] [--intel] [--numpy] [PATTERN], for instance scripts/bench.sh launch. --intel installs Intel's
# OpenCL runtime for CPUs from PyPI into build/venv-intel, --numpy numpy into build/venv-numpy; bench_sixty and bench_digits.py
# run them from then on, and without them the tables say that they are absent. `bench.sh generated` installs tinygrad from PyPI
# into build/venv-tinygrad, captures the kernels of three models, and writes docs/lab/benchmarks-generated.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=yes intel=no numpy=no pattern=
for argument in "$@"; do
  case $argument in
    --no-install) install=no ;;
    --intel) intel=yes ;;
    --numpy) numpy=yes ;;
    -*) echo "usage: bench.sh [--no-install] [--intel] [--numpy] [PATTERN]" >&2; exit 2 ;;
    *) pattern=$argument ;;
  esac
done

[[ $install == no ]] || scripts/install-packages.sh build bench
cmake --preset release -DMANYRT_BUILD_TESTS=OFF -DMANYRT_BUILD_BENCHMARKS=ON --log-level=NOTICE
cmake --build --preset release

# Intel's driver is found through a folder of its own, beside those that the system lists.
with_intel=--no-install
[[ $intel == no ]] || with_intel=
sixty=(env)
# shellcheck disable=SC2086
if scripts/install-intel-opencl.sh $with_intel; then
  sixty=(env "OCL_ICD_VENDORS=$PWD/build/opencl-vendors")
fi

commit=$(git describe --always --dirty 2>/dev/null || echo unknown)  # before the figures change the tree

# Kernels that tinygrad generates; nothing of them is kept in the tree.
if [[ $pattern == generated ]]; then
  venv=build/venv-tinygrad
  if [[ ! -x $venv/bin/python ]]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet tinygrad==0.12.0 numpy pyopencl
  fi
  "${sixty[@]}" "$venv/bin/python" benchmarks/generated/capture.py build/generated
  "$venv/bin/python" benchmarks/generated/own_device.py build/generated-own.json
  "${sixty[@]}" MANYRT_LIBRARY="$PWD/build/release/lib/libmanyrt.so" RT_CACHE_DIR=off "$venv/bin/python" \
    benchmarks/generated/measure.py build/generated --own build/generated-own.json --commit "$commit" \
    --json docs/lab/measured/generated.json
  python3 scripts/generated_table.py docs/lab/measured/generated.json >docs/lab/benchmarks-generated.md
  exit 0
fi

venv_numpy=build/venv-numpy
if [[ $numpy == yes && ! -x $venv_numpy/bin/python ]]; then
  python3 -m venv "$venv_numpy"
  "$venv_numpy/bin/pip" install --quiet numpy
fi

# Keeps what a reader needs and drops what only names this machine.
tidy() { # SOURCE TARGET
  python3 scripts/lab.py --tidy "$1" "$2" "$commit"
}

mkdir -p docs/lab/measured
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=()
for program in build/release/bin/bench_*"$pattern"*; do
  [[ -x $program && $program != */bench_cuda && $program != */bench_comm* ]] || continue
  name=$(basename "$program")
  name=${name#bench_}
  echo "== $name"
  with=(env)
  [[ $name != sixty ]] || with=("${sixty[@]}")
  if "${with[@]}" "$program" --benchmark_out="$scratch/$name.json" --benchmark_out_format=json </dev/null; then
    tidy "$scratch/$name.json" "docs/lab/measured/bench_$name.json"
  else
    failed+=("$name")
  fi
done

# Communicators, among two processes and among four.
if [[ -x build/release/bin/bench_comm && (-z $pattern || comm == *"$pattern"*) ]]; then
  mpirun=$(command -v mpirun.openmpi || command -v mpirun)
  for ranks in 2 4; do
    echo "== comm, $ranks processes"
    if "$mpirun" --allow-run-as-root --oversubscribe -n $ranks build/release/bin/bench_comm \
      --benchmark_out="$scratch/comm_$ranks.json" --benchmark_out_format=json </dev/null; then
      tidy "$scratch/comm_$ranks.json" "docs/lab/measured/bench_comm_$ranks.json"
    else
      failed+=("comm_$ranks")
    fi
  done
fi

# The example digits beside numpy: that of the virtual environment, else none, though the system may have one.
if [[ -z $pattern || digits == *"$pattern"* ]]; then
  echo "== digits"
  with_numpy=(python3 -S)
  [[ ! -x $venv_numpy/bin/python ]] || with_numpy=("$venv_numpy/bin/python")
  if "${with_numpy[@]}" benchmarks/bench_digits.py build/release/lib/libbench_digits.so \
    --benchmark_out="$scratch/digits.json"; then
    tidy "$scratch/digits.json" docs/lab/measured/bench_digits.json
  else
    failed+=(digits)
  fi
fi

# The same devices without shared virtual memory, and the picture of both.
if [[ -x build/release/bin/bench_opencl && (-z $pattern || opencl == *"$pattern"*) ]]; then
  echo "== opencl, buffers"
  if RT_OPENCL_MEMORY=buffer build/release/bin/bench_opencl --benchmark_out="$scratch/buffer.json" \
    --benchmark_out_format=json </dev/null; then
    tidy "$scratch/buffer.json" docs/lab/measured/bench_opencl_buffer.json
    python3 scripts/plot_opencl_overhead.py docs/lab/measured/bench_opencl{,_buffer,_gpu_buffer,_gpu_svm}.json \
      >"$scratch/overhead.svg"
    mv "$scratch/overhead.svg" docs/lab/opencl-overhead.svg
    chmod 644 docs/lab/opencl-overhead.svg
  else
    failed+=(opencl_buffer)
  fi
fi

tables=()
for file in docs/lab/measured/bench_*.json; do
  case $file in
    */bench_cuda*.json | */bench_comm_cuda.json | */bench_comm_processes.json | */bench_opencl_gpu_*.json) ;;  # of scripts/gpu.sh
    */bench_pairs*.json) ;;  # below: one page of all
    */bench_sixty*.json) ;;  # below: one page of all machines
    *) tables+=("$file") ;;
  esac
done
if compgen -G 'docs/lab/measured/bench_sixty*.json' >/dev/null; then
  python3 scripts/sixty_table.py docs/lab/measured/bench_sixty*.json >"$scratch/sixty.md"
  mv "$scratch/sixty.md" docs/lab/sixty.md
  chmod 644 docs/lab/sixty.md
fi
if compgen -G 'docs/lab/measured/bench_pairs*.json' >/dev/null; then
  python3 scripts/pairs_table.py docs/lab/measured/bench_pairs*.json >"$scratch/pairs.md"
  mv "$scratch/pairs.md" docs/lab/pairs.md
  chmod 644 docs/lab/pairs.md
fi
if [[ -z $pattern || $pattern == instructions ]]; then
  echo "== instructions"
  plain=build/release-without-hardening  # for the column of what hardening costs
  cmake --preset release -B "$plain" -DMANYRT_HARDEN=OFF -DMANYRT_BUILD_TESTS=OFF -DMANYRT_BUILD_BENCHMARKS=ON \
    --log-level=NOTICE
  cmake --build "$plain" --target hot_calls
  if benchmarks/callgrind.sh build/release "$plain" >"$scratch/instructions.json"; then
    tidy "$scratch/instructions.json" docs/lab/measured/instructions.json
  fi
fi
[[ ! -f docs/lab/measured/instructions.json ]] || tables+=(docs/lab/measured/instructions.json)
python3 scripts/bench_table.py "${tables[@]}" >"$scratch/benchmarks.md"
mv "$scratch/benchmarks.md" docs/lab/benchmarks.md
chmod 644 docs/lab/benchmarks.md
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "These benchmarks failed: ${failed[*]}" >&2
  exit 1
fi
