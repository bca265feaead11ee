#!/usr/bin/env bash
# Builds on a machine with GPUs and runs what needs them: conformance, examples, benchmarks. Installs nothing; what is missing
# is said. Usage: scripts/gpu.sh [--out FOLDER] [--filter GTEST_FILTER] [--tier svm|buffer] [--no-build] [STAGE...]
# Stages: conformance comm trace cost tool stamps examples memcheck bench opencl dlpack tinygrad random; without any, all of them.
# RT_GPU_ICD names the GPU's OpenCL driver (libnvidia-opencl.so.1), --tier one of its tiers. The stage dlpack needs PyTorch and cffi
# for python3, the stage tinygrad cffi, tinygrad and pytest with xdist. RT_GPU_WHEELS names a folder with wheels of cffi and tinygrad
# where they are not installed, and with tinygrad's source archive. `random 500` makes 500 kernels, `random` alone 100, and runs them
# on cuda:0 and on the CPU. They begin at RT_GPU_FIRST (1) and go as far as they come in RT_GPU_SECONDS (400).
# `stamps 600` takes so many seconds, `stamps` 30. CUDA_VISIBLE_DEVICES chooses GPUs, so that several runs can share a host.
# Results are JSON files in FOLDER (docs/lab/measured), and a short table is printed last.
set -uo pipefail
shopt -s nullglob
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

out=docs/lab/measured filter='*cuda*' tiers=(svm buffer) builds=yes stages=() programs=100 stamp_seconds=30
while (($#)); do
  case $1 in
    --out) out=$2; shift ;;
    --filter) filter=$2; shift ;;
    --tier) tiers=("$2"); shift ;;
    --no-build) builds=no ;;
    -h | --help) sed -n '2,11s/^# //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    stamps) stages+=(stamps); [[ ! ${2:-} =~ ^[0-9]+$ ]] || { stamp_seconds=$2; shift; } ;;
    random) stages+=(random); [[ ! ${2:-} =~ ^[0-9]+$ ]] || { programs=$2; shift; } ;;
    *) stages+=("$1") ;;
  esac
  shift
done
((${#stages[@]})) || stages=(conformance comm trace cost tool stamps examples memcheck bench opencl dlpack tinygrad random)
mkdir -p "$out"

build=build/gpu
rows=()
row() { rows+=("$(printf '%-34s %s' "$1" "$2")"); }
wants() { [[ " ${stages[*]} " == *" $1 "* ]]; }

start=$SECONDS
targets=()
case ${stages[*]} in dlpack | random | 'dlpack random' | 'random dlpack') targets=(--target manyrt) ;; esac
if [[ $builds == yes ]] && ! { cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMANYRT_WERROR=OFF &&
  cmake --build $build "${targets[@]}"; } >"$out/gpu_build.log" 2>&1; then
  tail -n 40 "$out/gpu_build.log"
  echo "The build failed."
  exit 1
fi
row "build" "$((SECONDS - start)) s"
mkdir -p $build/icd
echo "${RT_GPU_ICD:-libnvidia-opencl.so.1}" >$build/icd/gpu.icd

summary() { # NAME XML
  python3 - "$1" "$2" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
name, path = sys.argv[1:]
try:
    root = tree.parse(path).getroot()
except Exception as error:
    print(f"no result: {error}")
    sys.exit()
failed, skipped, passed = [], 0, 0
for case in root.iter("testcase"):
    if case.find("failure") is not None: failed.append(f"{case.get('classname')}.{case.get('name')}")
    elif case.get("result") == "skipped" or case.find("skipped") is not None: skipped += 1
    elif case.get("status") == "run": passed += 1
print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
for each in failed: print("   failed:", each)
PYTHON
}

# JSON for docs/lab/measured: what ran where, and each test that failed or was skipped, by name.
results() { # XML JSON
  PYTHONPATH=scripts python3 - "$1" "$2" "${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}" <<'PYTHON'
import lab, os, subprocess, sys, xml.etree.ElementTree as tree
source, target, commit = sys.argv[1:]
def lines(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip().splitlines()
    except OSError:
        return []
gpus = lines("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
visible = os.environ.get("CUDA_VISIBLE_DEVICES")
if visible:
    gpus = [gpus[int(index)] for index in visible.split(",") if index.isdigit() and int(index) < len(gpus)]
failed, skipped, passed = [], {}, 0
for case in tree.parse(source).getroot().iter("testcase"):
    name = f"{case.get('classname')}.{case.get('name')}"
    skip = case.find("skipped")
    if case.find("failure") is not None:
        failed.append(name)
    elif skip is not None:
        skipped[name] = (skip.get("message") or "").strip().splitlines()[-1]
    elif case.get("status") == "run":
        passed += 1
with open(target, "w") as file:
    file.write(lab.dumps({"commit": commit, "gpus": gpus, "nvcc": lines("nvcc", "--version")[-1:],
                          "compiler": lines("c++", "--version")[:1], "passed": passed, "failed": failed, "skipped": skipped}))
PYTHON
}

# A benchmark's JSON as docs/lab/measured keeps it.
tidy() { # JSON
  python3 scripts/lab.py --tidy "$1" "$1" "${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}"
}

# The test in which a program came to its end; the log has the traces.
crashed() { # LOG
  row "  it ended in" "$(sed -n 's/^\[ RUN *\] //p' "$1" | tail -n 1)"
}

if wants conformance; then
  timeout 300 $build/bin/conformance --gtest_filter="$filter" --gtest_output="xml:$out/gpu_conformance.xml" \
    >"$out/gpu_conformance.log" 2>&1
  row "conformance ($?)" "$(summary conformance "$out/gpu_conformance.xml")"
  count=$($build/bin/device_info 2>/dev/null | grep -c '^cuda:')
  results "$out/gpu_conformance.xml" "$out/gpu_conformance_$count.json"
  timeout 300 $build/bin/kernels --gtest_filter="$filter" --gtest_output="xml:$out/gpu_kernels.xml" \
    >"$out/gpu_kernels.log" 2>&1
  row "kernels ($?)" "$(summary kernels "$out/gpu_kernels.xml")"
  results "$out/gpu_kernels.xml" "$out/gpu_kernels_$count.json"
  timeout 300 $build/bin/kernels_sixty --gtest_filter="$filter" --gtest_output="xml:$out/gpu_kernels_sixty.xml" \
    >"$out/gpu_kernels_sixty.log" 2>&1
  row "kernels_sixty ($?)" "$(summary kernels_sixty "$out/gpu_kernels_sixty.xml")"
  timeout 200 $build/bin/threads --gtest_filter="$filter" --gtest_output="xml:$out/gpu_threads.xml" \
    >"$out/gpu_threads.log" 2>&1
  row "threads ($?)" "$(summary threads "$out/gpu_threads.xml")"
  for test in cuda_images cuda_modules cuda_interop cuda_graphs cuda_ranges cuda_failures; do
    timeout 200 $build/bin/$test --gtest_output="xml:$out/gpu_$test.xml" >"$out/gpu_$test.log" 2>&1
    row "$test ($?)" "$(summary $test "$out/gpu_$test.xml")"
  done
  RT_CUDA_LAUNCH=graph timeout 200 $build/bin/cuda_launches --gtest_output="xml:$out/gpu_cuda_launches.xml" \
    >"$out/gpu_cuda_launches.log" 2>&1
  row "cuda_launches ($?)" "$(summary cuda_launches "$out/gpu_cuda_launches.xml")"
fi

# Communicators, with NCCL where it is installed, and reduced in process; one rank on each device.
if wants comm; then
  for engine in nccl in_process; do
    test=comm_nccl
    [[ $engine == nccl ]] || test=comm
    RT_COMM_ENGINE=$engine timeout 300 $build/bin/$test --gtest_filter='*cuda*:Nccl*:*Nccl*' \
      --gtest_output="xml:$out/gpu_comm_$engine.xml" >"$out/gpu_comm_$engine.log" 2>&1
    row "comm $engine ($?)" "$(summary comm "$out/gpu_comm_$engine.xml")"
  done
  results "$out/gpu_comm_nccl.xml" "$out/gpu_comm.json"
  # The same network on one GPU and on more; a run whose ranks have other weights fails.
  gpus=$($build/bin/device_info 2>/dev/null | grep -c '^cuda:')
  timeout 300 scripts/digits_parallel_table.py --build $build --ranks "$gpus" --gpus >"$out/gpu_digits_parallel.log" 2>&1
  row "digits_parallel ($?)" "$(tail -n 1 "$out/gpu_digits_parallel.log")"
  grep -h '^| .* a GPU each' docs/lab/digits-parallel.md
  [[ $out -ef docs/lab/measured ]] ||
    cp docs/lab/digits-parallel* docs/lab/measured/digits_parallel_gpu.json "$out/" 2>/dev/null
  RT_COMM_ENGINE=in_process timeout 120 $build/bin/digits_parallel \
    --devices "$(seq -s, -f cuda:%g 0 $((gpus - 1)))" >"$out/gpu_digits_in_process.log" 2>&1
  row "digits_parallel in_process ($?)" "$(tail -n 1 "$out/gpu_digits_in_process.log")"
  timeout 60 $build/bin/split_product cuda:0 cpu >"$out/gpu_split_product.log" 2>&1
  row "split_product ($?)" "$(grep ' rows in ' "$out/gpu_split_product.log" | tr '\n' ';')"
  # Every two devices of the host, for docs/lab/pairs.md.
  if [[ -x $build/bin/bench_pairs ]]; then
    RT_DISABLE=opencl timeout 300 $build/bin/bench_pairs --benchmark_out="$out/bench_pairs_gpu.json" \
      --benchmark_out_format=json >"$out/gpu_bench_pairs.log" 2>&1
    row "bench_pairs ($?)" "$(tail -n 1 "$out/gpu_bench_pairs.log")"
    [[ ! -s $out/bench_pairs_gpu.json ]] || tidy "$out/bench_pairs_gpu.json"
    python3 scripts/pairs_table.py "$out/bench_pairs_gpu.json" | grep '^|'
  fi
  # Beside NCCL's own calls and the runtime's copies between peers (P19); ends with a line where there is one GPU.
  if [[ -x $build/bin/bench_comm_cuda ]]; then
    timeout 300 $build/bin/bench_comm_cuda --benchmark_out="$out/bench_comm_cuda.json" --benchmark_out_format=json \
      >"$out/gpu_bench_comm.log" 2>&1
    row "bench_comm_cuda ($?)" "$(tail -n 1 "$out/gpu_bench_comm.log")"
    [[ ! -s $out/bench_comm_cuda.json ]] || tidy "$out/bench_comm_cuda.json"
  fi
  # The same of two processes with a GPU each.
  if [[ -x $build/bin/bench_comm_processes ]]; then
    timeout 200 $build/bin/bench_comm_processes --benchmark_out="$out/bench_comm_processes.json" --benchmark_out_format=json \
      >"$out/gpu_bench_processes.log" 2>&1
    row "bench_comm_processes ($?)" "$(tail -n 1 "$out/gpu_bench_processes.log")"
    [[ ! -s $out/bench_comm_processes.json ]] || tidy "$out/bench_comm_processes.json"
  fi
fi

if wants examples; then
  for example in vector_add dynamic_batches heat fence_pipeline stream_overlap event_timing host_function pool_stats \
    error_handling runtime_tour cublas_gemm; do
    RT_DEVICE=cuda:0 timeout 60 $build/bin/$example >"$out/gpu_example.log" 2>&1
    row "example $example" "exit $?, $(tail -n 1 "$out/gpu_example.log")"
  done
  for round in 1 2; do
    RT_DEVICE=cuda:0 timeout 120 $build/bin/digits >"$out/gpu_digits_$round.log" 2>&1
    row "digits $round" "exit $?, $(tail -n 1 "$out/gpu_digits_$round.log")"
  done
  RT_DEVICE=cuda:0 timeout 120 $build/bin/digits --graph >"$out/gpu_digits_graph.log" 2>&1
  row "digits --graph" "exit $?, $(tail -n 1 "$out/gpu_digits_graph.log")"
fi

# RT_TRACE's times of a GPU's work, beside events: by CUPTI's records, where it is found, and by events of its own.
if wants trace; then
  for folder in /usr/local/cuda/extras/CUPTI/lib64 /usr/local/cuda/targets/x86_64-linux/lib; do
    [[ ! -d $folder ]] || export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  done
  RT_DISABLE=opencl timeout 200 python3 tests/trace/trace_test.py $build/bin/traced_program $build/lib/libnvtx_tool.so \
    "$PWD/$build/tests/trace/gpu" cuda:0 >"$out/gpu_trace_test.log" 2>&1
  row "trace_test ($?)" "$(tail -n 1 "$out/gpu_trace_test.log")"
  row "  work is timed by" "$(RT_DISABLE=opencl RT_LOG=info RT_TRACE=$build/tests/trace/timer.json \
    timeout 60 $build/bin/traced_program cuda:0 2>&1 | grep -E 'timed by|CUPTI' | cut -c1-110 | head -n 1)"
  for timer in cupti events; do
    name=gpu_trace
    [[ $timer == cupti ]] || name=gpu_trace_by_events
    RT_DISABLE=opencl$([[ $timer == cupti ]] || echo ,cupti) timeout 500 python3 tests/trace/against_events.py \
      $build/bin/digits $build/bin/long_kernels $build/lib/liblaunch_events.so cuda:0 --epochs 10 --json "$out/$name.json" \
      --commit "${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}" \
      --machine "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed -n 1p)" \
      >"$out/$name.log" 2>&1
    row "trace by $timer beside events ($?)" "$(tail -n 1 "$out/$name.log")"
    grep '^|' "$out/$name.log"
  done
fi

# The cost of a launch: plain, with a profile and with a trace, in turn.
if wants cost; then
  : >"$out/gpu_cost.log"
  for round in 1 2 3; do
    for way in off= "RT_PROFILE=$build/profile.json" "RT_TRACE=$build/trace.json"; do
      echo "${way%%=*}: $(env RT_DISABLE=opencl "$way" timeout 60 $build/bin/trace_cost cuda:0 200 2>&1)" >>"$out/gpu_cost.log"
    done
  done
  for way in off RT_PROFILE RT_TRACE; do
    row "cost of a launch, $way" "$(grep "^$way: " "$out/gpu_cost.log" | grep -o '[0-9.]* ns a launch' | sort -n | head -n 1)"
  done
fi

# The command on a machine with GPUs.
if wants tool; then
  timeout 120 $build/bin/manyrt doctor >"$out/gpu_doctor.log" 2>&1
  row "manyrt doctor ($?)" "$(tail -n 1 "$out/gpu_doctor.log")"
  timeout 120 $build/bin/manyrt bench --device cuda:0 >"$out/gpu_tool_bench.log" 2>&1
  row "manyrt bench ($?)" "$(tail -n 1 "$out/gpu_tool_bench.log")"
fi

if wants memcheck; then
  checker=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  RT_POOL=off timeout 400 "$checker" --tool memcheck --error-exitcode 9 $build/bin/conformance \
    --gtest_filter='LaunchTest.*cuda_0:CopyTest.*cuda_0:FillTest.*cuda_0:ModuleSourceTest.*cuda_0' >"$out/gpu_memcheck.log" 2>&1
  row "memcheck ($?)" "$(grep 'ERROR SUMMARY' "$out/gpu_memcheck.log" | tail -n 1)"
fi

if wants bench && [[ -x $build/bin/bench_cuda ]]; then
  # The driver's own time to load the same kernels (P16).
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  if $build/bin/check_source --cuda --print examples/digits/digits.cl -DCLASSES=10 >"$build/digits.cu" 2>/dev/null &&
    "$nvcc" -cubin -arch=native -o "$build/digits.cubin" "$build/digits.cu" >"$out/gpu_cubin.log" 2>&1; then
    export RT_BENCH_CUBIN=$build/digits.cubin
  fi
  # A training loop's allocations, once, for P7; they belong to the tree.
  trace=benchmarks/traces/pytorch_training.json
  [[ -f $trace ]] || timeout 200 python3 benchmarks/traces/pytorch.py record $trace >"$out/gpu_trace.log" 2>&1
  [[ ! -f $trace ]] || cp $trace "$out/"
  timeout 300 $build/bin/bench_cuda --benchmark_out="$out/bench_cuda.json" --benchmark_out_format=json \
    >"$out/gpu_bench.log" 2>&1
  row "bench ($?)" "$(tail -n 1 "$out/gpu_bench.log")"
  tidy "$out/bench_cuda.json"
  made=(inference=$build/benchmarks/traces/transformer.json digits=benchmarks/traces/digits.json)
  [[ ! -f $trace ]] || made+=(training=$trace)
  timeout 200 python3 benchmarks/traces/pytorch.py replay "$out/bench_cuda_pytorch.json" "${made[@]}" \
    >"$out/gpu_pytorch.log" 2>&1
  row "traces in PyTorch ($?)" "$(tail -n 1 "$out/gpu_pytorch.log")"
  timeout 120 $build/bin/bench_start --benchmark_out="$out/bench_cuda_start.json" --benchmark_out_format=json \
    >"$out/gpu_bench_start.log" 2>&1
  row "bench_start ($?)" ""
  tidy "$out/bench_cuda_start.json"
  grep -E "^P[0-9]" "$out/gpu_bench.log" | cut -c1-150
  for tier in "${tiers[@]}"; do
    OCL_ICD_VENDORS=$PWD/$build/icd RT_OPENCL_MEMORY=$tier timeout 200 $build/bin/bench_opencl \
      --benchmark_out="$out/bench_opencl_gpu_$tier.json" --benchmark_out_format=json >"$out/gpu_bench_opencl.log" 2>&1
    row "bench_opencl $tier ($?)" ""
    tidy "$out/bench_opencl_gpu_$tier.json"
    grep -E '^(P[0-9]|copy)' "$out/gpu_bench_opencl.log" | cut -c1-130
  done
fi

# The GPU's OpenCL, in each tier that OpenCL without Intel's extension has, and PoCL's with it.
if wants opencl; then
  # opencl_suite NAME ICD TIER PROGRAM [FILTER]
  opencl_suite() {
    local log=$out/gpu_opencl_$1.log status=0
    rm -f "$out/gpu_opencl_$1.xml"
    export OCL_ICD_VENDORS=$2 RT_OPENCL_MEMORY=$3
    timeout 300 $build/bin/"$4" --gtest_filter="${5:-*opencl*}" --gtest_output="xml:$out/gpu_opencl_$1.xml" \
      >"$log" 2>&1 || status=$?
    row "opencl $1 ($status)" "$(summary "$1" "$out/gpu_opencl_$1.xml")"
    ((status < 128)) || crashed "$log"
    unset OCL_ICD_VENDORS RT_OPENCL_MEMORY
  }
  # The GPU's devices as a filter: other platforms may stand beside.
  of_gpus=$(OCL_ICD_VENDORS=$PWD/$build/icd $build/bin/device_info 2>/dev/null |
    sed -n 's/^opencl:\([0-9]*\): .*NVIDIA.*/*opencl_\1/p' | paste -sd:)
  for tier in "${tiers[@]}"; do
    opencl_suite "conformance_$tier" "$PWD/$build/icd" "$tier" conformance
    [[ ! -f $out/gpu_opencl_conformance_$tier.xml ]] ||
      results "$out/gpu_opencl_conformance_$tier.xml" "$out/gpu_opencl_conformance_$tier.json"
    opencl_suite "own_$tier" "$PWD/$build/icd" "$tier" opencl
    [[ -z $of_gpus ]] || opencl_suite "kernels_$tier" "$PWD/$build/icd" "$tier" kernels "$of_gpus"
    [[ ! -f $out/gpu_opencl_kernels_$tier.xml ]] ||
      results "$out/gpu_opencl_kernels_$tier.xml" "$out/gpu_opencl_kernels_$tier.json"
    opencl_suite "threads_$tier" "$PWD/$build/icd" "$tier" threads
    OCL_ICD_VENDORS=$PWD/$build/icd RT_OPENCL_MEMORY=$tier RT_DEVICE=opencl:0 timeout 120 $build/bin/digits \
      >"$out/gpu_opencl_digits.log" 2>&1
    row "opencl digits $tier" "exit $?, $(tail -n 1 "$out/gpu_opencl_digits.log")"
    for example in vector_add dynamic_batches heat fence_pipeline stream_overlap event_timing host_function pool_stats \
      error_handling; do
      OCL_ICD_VENDORS=$PWD/$build/icd RT_OPENCL_MEMORY=$tier RT_DEVICE=opencl:0 timeout 60 $build/bin/$example \
        >"$out/gpu_example.log" 2>&1 || row "opencl example $example $tier" "exit $?, $(tail -n 1 "$out/gpu_example.log")"
    done
  done
  [[ ! -f /etc/OpenCL/vendors/pocl.icd ]] || opencl_suite conformance_pocl_usm /etc/OpenCL/vendors/pocl.icd usm conformance
fi
# Python's package beside PyTorch. Only the compiled part of cffi is needed; a wheel of it goes into the build folder.
if wants dlpack; then
  python_path=$PWD/bindings/python/src reason=
  if ! python3 -c 'import torch' 2>/dev/null; then
    reason="python3 has no PyTorch"
  elif ! python3 -c 'import _cffi_backend' 2>/dev/null; then
    wheels=("${RT_GPU_WHEELS:-/nonexistent}"/cffi-*.whl)
    if ((${#wheels[@]} == 0)); then
      reason="python3 has no cffi, and RT_GPU_WHEELS names no folder with a wheel of it"
    elif ! python3 -m pip install -q --no-index --no-deps --no-compile --upgrade --target $build/site "${wheels[@]}" \
      >"$out/gpu_dlpack.log" 2>&1; then
      reason="the wheel of cffi cannot be installed: $(tail -n 1 "$out/gpu_dlpack.log")"
    else
      python_path+=:$PWD/$build/site
    fi
  fi
  if [[ -n $reason ]]; then
    row "dlpack" "skipped: $reason"
  else
    PYTHONPATH=$python_path${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1 MANYRT_LIBRARY=$PWD/$build/lib/libmanyrt.so \
      timeout 120 python3 tests/bindings/python/gpu_dlpack.py --out "$out/gpu_dlpack.json" \
      --commit "${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}" >"$out/gpu_dlpack.log" 2>&1
    row "dlpack ($?)" "$(tail -n 1 "$out/gpu_dlpack.log")"
    cut -c1-150 "$out/gpu_dlpack.log"
  fi
fi
# tinygrad's own tests on cuda:0 and on its CUDA device, and whole models on both.
if wants tinygrad; then
  venv=build/venv-tinygrad
  if [[ ! -x $venv/bin/python ]]; then
    python3 -m venv --without-pip $venv &&
      python3 -m pip install -q --no-index --no-deps --no-compile --upgrade --target $build/site \
        "${RT_GPU_WHEELS:-/nonexistent}"/{cffi,tinygrad}-*.whl >"$out/gpu_tinygrad.log" 2>&1
    python3 -c 'import site; print(*site.getsitepackages(), sep="\n")' >"$(echo $venv/lib/python3*/site-packages)/gpu.pth"
    echo "$PWD/$build/site" >>"$(echo $venv/lib/python3*/site-packages)/gpu.pth"
  fi
  cp "${RT_GPU_WHEELS:-/nonexistent}"/tinygrad-*.tar.gz build/ 2>/dev/null
  export PYTHONPATH=$PWD/bindings/python/src:$PWD/integrations/tinygrad MANYRT_LIBRARY=$PWD/$build/lib/libmanyrt.so
  timeout 250 $venv/bin/python benchmarks/generated/side_by_side.py --cores 2 --json "$out/tinygrad_models_cuda.json" \
    --device "manyrt:DEV=MANYRT,RT_DEVICE=cuda:0" --device "tinygrad's CUDA:DEV=CUDA" \
    --commit "${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}" \
    --machine "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed -n 1p)" \
    >"$out/gpu_models.log" 2>&1
  row "models of tinygrad ($?)" "$(tail -n 1 "$out/gpu_models.log" | cut -c1-150)"
  grep difference "$out/gpu_models.log"
  JSON=$out/tinygrad_cuda.json BUILD=$build PYTEST_ADDOPTS="-n 8" timeout 400 scripts/run-tinygrad-tests.sh cuda \
    >"$out/gpu_tinygrad_tests.log" 2>&1
  row "tests of tinygrad ($?)" "$(tail -n 1 "$out/gpu_tinygrad_tests.log")"
  unset PYTHONPATH MANYRT_LIBRARY
fi
# No block is used again before its last use.
if wants stamps; then
  RT_DISABLE=opencl timeout $((stamp_seconds + 60)) $build/bin/stamps cuda:0 "$stamp_seconds" >"$out/gpu_stamps.log" 2>&1
  row "stamps ($?)" "$(tail -n 1 "$out/gpu_stamps.log")"
fi
# Kernels made at random, whose results depend on no device: not optimised and optimised on the CPU, and on the GPU.
if wants random; then
  gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed -n 1p)
  MANYRT_LIBRARY=$PWD/$build/lib/libmanyrt.so python3 tests/kernels/random_programs.py --exact --jobs "$(nproc)" \
    --first "${RT_GPU_FIRST:-1}" --count "$programs" --seconds "${RT_GPU_SECONDS:-400}" --forms none,quick,optimized,cuda \
    --keep "$out/gpu_random" --json "$out/gpu_random.json" \
    --commit "${COMMIT:-$(git describe --always --dirty 2>/dev/null || echo unknown)}" --device "$gpu" \
    >"$out/gpu_random.log" 2>&1
  status=$?
  ! grep -q '^cuda: left out' "$out/gpu_random.log" || status="not on the GPU"
  row "random ($status)" "$(grep -E '^(none|quick|optimized|cuda): ' "$out/gpu_random.log" | paste -sd';')"
  grep -E '^kernel ' "$out/gpu_random.log" | cut -c1-150
fi
measured=("$out"/bench_cuda*.json "$out"/bench_comm_cuda*.json "$out"/bench_comm_processes*.json "$out"/bench_opencl_gpu_*.json)
((${#measured[@]} == 0)) || python3 scripts/bench_table.py --cuda "${measured[@]}" >"$out/benchmarks-cuda.md"

echo
printf '%s\n' "${rows[@]}"
