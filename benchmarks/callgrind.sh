#!/usr/bin/env bash
# Counts the instructions that hot calls execute on the calling thread, which do not depend on how busy the machine is.
# Usage: benchmarks/callgrind.sh BUILD_FOLDER [BUILD_WITHOUT_HARDENING] >instructions.json. Without valgrind it says so and fails.
# The second folder, of a build with -DMANYRT_HARDEN=OFF, gives what hardening costs.
set -euo pipefail

build=${1:?usage: callgrind.sh BUILD_FOLDER [BUILD_WITHOUT_HARDENING]} plain=${2:-}
command -v valgrind >/dev/null || { echo "valgrind is missing: instructions were not counted." >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
few=500 many=1500

# Instructions of one run of $program.
count() {
  valgrind --tool=callgrind --toggle-collect=hotLoop --callgrind-out-file="$scratch/out" "$program" "$1" "$2" \
    >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
  awk '/^(totals|summary):/ { total = $2 } END { print total }' "$scratch/out"
}

# One member for each case: the least of three differences, as what a worker of the library adds by chance is not counted.
all() {
  program=$1/bin/hot_calls
  local separator='' name operations best difference
  while read -r name operations; do
    best=
    for _ in 1 2 3; do
      difference=$(($(count "$name" "$many") - $(count "$name" "$few")))
      if [[ -z $best || $difference -lt $best ]]; then best=$difference; fi
    done
    printf '%s "%s": %s' "$separator" "$name" \
      "$(awk -v total="$best" -v calls="$(((many - few) * operations))" 'BEGIN { printf "%.1f", total / calls }')"
    separator=$',\n'
  done < <("$program" --list)
}
echo '{"context": {"tool": "'"$(valgrind --version)"'", "date": "'"$(date -Iseconds)"'"}, "instructions": {'
all "$build"
if [[ -n $plain ]]; then
  echo $'\n}, "without_hardening": {'
  all "$plain"
fi
echo $'\n}}'
