#!/usr/bin/env bash
# Runs all-reduces and the training of digits_parallel over 8 to 1024 simulated hosts, and writes docs/lab/measured/scale.json,
# docs/lab/scale.md and docs/lab/scale.svg: scale.sh [--no-install] [--most HOSTS] [--core N]
#   --no-install  the packages are there (group "scale" of scripts/packages.txt: SimGrid with SMPI)
#   --most HOSTS  up to so many hosts; default: 1024, which takes about an hour
#   --core N      the core that simulations are pinned to; default: 1
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=yes
arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --no-install) install=no ;;
    --most | --core) arguments+=("$1" "${2:?$1 needs a value}"); shift ;;
    *) sed -n 's/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed -n 2,6p >&2; exit 2 ;;
  esac
  shift
done
[[ $install == no ]] || scripts/install-packages.sh build test scale
cmake --preset release >/dev/null
cmake --build build/release --target smpi
scripts/scale_table.py "${arguments[@]}"
