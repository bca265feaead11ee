#!/usr/bin/env bash
# clang-format over the tree and clang-tidy over src. A tool that is missing costs one line. Usage: scripts/lint.sh [--fix]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

format=(clang-format --dry-run -Werror)
[[ ${1:-} != --fix ]] || format=(clang-format -i)
folders=()
for folder in src include examples tests tools benchmarks; do
  [[ ! -d $folder ]] || folders+=("$folder")
done

status=0
if command -v clang-format >/dev/null; then
  find "${folders[@]}" -type f \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 "${format[@]}" || status=1
else
  echo "clang-format is missing: formatting was not checked."
fi
if command -v clang-tidy >/dev/null; then
  [[ -f build/release/compile_commands.json ]] || cmake --preset release --log-level=NOTICE
  # gcc's own flags are unknown to clang; they are not what is checked here.
  find src -name '*.cpp' -print0 |
    xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p build/release --extra-arg=-Wno-unknown-warning-option || status=1
else
  echo "clang-tidy is missing: src was not analysed."
fi
exit "$status"
