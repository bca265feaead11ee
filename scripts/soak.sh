#!/usr/bin/env bash
# Mixed work for minutes on every device that runs kernels from source, each backend and memory tier in a process of its own. It
# tells by how much the process grows: resident memory, bytes of the heap, descriptors, threads, memory of the pool and of the
# device, handles. A slope is that of the straight line with the least squares through the samples after a warm-up of half the
# time. Fails if one is above its bound, which is the noise of the figure over the time of the samples; a longer run has a lower
# bound. Usage: scripts/soak.sh MINUTES [--out FILE.json] [DEVICE...], of a release build (BUILD names another folder). MINUTES
# is for all devices together, and may be a fraction. Results: build/soak/soak.json. Devices: cpu, opencl:0/svm,
# opencl:0/buffer, cuda:0, simulated (the simulation of CUDA, on the host); without any, all that are there.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

build=${BUILD:-build/release} out=build/soak/soak.json minutes='' devices=()
while (($#)); do
  case $1 in
    --out) out=${2:?--out needs a file}; shift ;;
    -*) echo "scripts/soak.sh: there is no option $1" >&2; exit 2 ;;
    *) if [[ -z $minutes ]]; then minutes=$1; else devices+=("$1"); fi ;;
  esac
  shift
done
[[ $minutes =~ ^[0-9]+(\.[0-9]+)?$ ]] || { sed -n '6,8s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
cmake --build "$build" --target soak manyrt_tool simulated_cuda >/dev/null ||
  { echo "scripts/soak.sh: the build failed" >&2; exit 1; }

if ((${#devices[@]} == 0)); then
  while read -r device; do
    case $device in
      opencl*) devices+=("$device/svm" "$device/buffer") ;;
      *) devices+=("$device") ;;
    esac
  done < <("$build/bin/manyrt" info --json | python3 -c '
import json, sys
for backend in json.load(sys.stdin)["backends"]:
    for device in backend["devices"]:
        if "kernels" in device["capabilities"]: print(device["id"])')
  devices+=(simulated)
fi

seconds=$(python3 -c "print(max(1, 60 * $minutes / ${#devices[@]}))")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export RT_CACHE_DIR=$folder/cache  # so that builds are part of the work once
mkdir -m 700 "$RT_CACHE_DIR"
failed=0
for device in "${devices[@]}"; do
  name=${device%%/*} with=(env)
  case $device in
    cpu) with+=("RT_DISABLE=cuda,opencl") ;;
    simulated)
      simulation=$(realpath "$build/lib/libsimulated_cuda.so")
      with+=("RT_CUDART=$simulation" "RT_NVRTC=$simulation" RT_DISABLE=opencl RT_CUDA_LAUNCH=plain)
      name=cuda:0
      ;;
    cuda*) with+=(RT_DISABLE=opencl) ;;
    opencl*/*) with+=(RT_DISABLE=cuda "RT_OPENCL_MEMORY=${device##*/}") ;;
    opencl*) with+=(RT_DISABLE=cuda) ;;
  esac
  echo "-- $device, $seconds s"
  "${with[@]}" "$build/bin/soak" "$name" "$seconds" "$folder/${device//[:\/]/_}.json"
  case $? in
    0) ;;
    77) ;;  # it has said so
    *) failed=1 ;;
  esac
  result=$folder/${device//[:\/]/_}.json
  [[ ! -f $result ]] || python3 - "$result" "$device" <<'PYTHON'
import json, sys
path, device = sys.argv[1:]
with open(path) as file:
    data = json.load(file)
data["device"] = device
with open(path, "w") as file:
    json.dump(data, file)
PYTHON
done

mkdir -p "$(dirname "$out")"
python3 - "$out" "$(git describe --always --dirty 2>/dev/null || echo unknown)" "$folder"/*.json <<'PYTHON'
import json, sys
out, commit, *paths = sys.argv[1:]
runs = [json.load(open(path)) for path in paths if path.endswith(".json") and not path.endswith("*.json")]
with open(out, "w") as file:
    json.dump({"commit": commit, "runs": runs}, file, indent=1)
    file.write("\n")
PYTHON
exit "$failed"
