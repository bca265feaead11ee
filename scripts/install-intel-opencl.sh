#!/usr/bin/env bash
# Installs Intel's OpenCL runtime for CPUs from PyPI into build/venv-intel, if it is not there. Makes folders for
# OCL_ICD_VENDORS: build/opencl-vendors has it beside the drivers of the system, build/opencl-intel has it alone. With
# --no-install it only makes the folders, and fails where the driver is not there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=$PWD/build/venv-intel
if [[ ! -e $venv/lib/libintelocl.so ]]; then
  [[ ${1:-} != --no-install ]] || exit 1
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet intel-opencl-rt intel-cmplr-lib-rt
fi
mkdir -p build/opencl-vendors build/opencl-intel
cp -f /etc/OpenCL/vendors/*.icd build/opencl-vendors/ 2>/dev/null || true
for folder in build/opencl-vendors build/opencl-intel; do
  echo "$venv/lib/libintelocl.so" >"$folder/intel.icd"
done
