#!/bin/sh
# Compares a built libmanyrt.so, or libmanyrt-comm.so, with what the releases promised. These are the exported symbols
# (symbols.txt, comm_symbols.txt, by release; --write appends missing ones) and, for the first, the types after them. The types
# are in manyrt-0.1.0.abi, made by abidw from debug information; additions are allowed, anything else is a break. If the second
# part lacks libabigail or debug information, it prints one line `SKIP: reason` and ends with 77, which ctest reports as
# skipped.
# Usage: check.sh libmanyrt.so [symbols|description|all] [--write]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '2,8s/^# //p' "$0" >&2; exit 2; }
library=$1
shift
what=all
write=no
for word in "$@"; do
  case $word in
    --write) write=yes ;;
    symbols | description | all) what=$word ;;
    *) echo "check.sh: unknown word '$word'" >&2; exit 2 ;;
  esac
done
list=$here/symbols.txt
case $library in *-comm.so*) list=$here/comm_symbols.txt ;; esac
[ -f "$library" ] || { echo "check.sh: there is no $library" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check_symbols() {
  # The version node that a linker script defines is an absolute symbol (A), not a function.
  nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort > "$work/symbols.txt"
  grep -v '^#' "$list" | LC_ALL=C sort > "$work/promised.txt"
  if [ $write = yes ]; then
    LC_ALL=C comm -13 "$work/promised.txt" "$work/symbols.txt" >> "$list"
    grep -v '^#' "$list" | LC_ALL=C sort > "$work/promised.txt"
  fi
  if ! diff -u --label promised "$work/promised.txt" --label exported "$work/symbols.txt"; then
    echo "The exported symbols differ from tests/abi/$(basename "$list")." >&2
    return 1
  fi
  echo "$(wc -l < "$work/symbols.txt") exported symbols, as promised"
}

check_description() {
  command -v abidw > /dev/null && command -v abidiff > /dev/null || { echo "SKIP: libabigail is not installed"; return 77; }
  # -g1, as in sanitizer builds, knows functions but no types.
  readelf --debug-dump=abbrev "$library" 2> /dev/null | grep -q DW_TAG_typedef ||
    { echo "SKIP: $library has no debug information about types"; return 77; }
  # Only what the public header names is kept, and no path of the machine that made it.
  if [ $write = yes ]; then
    abidw --headers-dir "$here/../../include" --drop-private-types --no-show-locs --no-corpus-path --no-comp-dir-path \
      --no-elf-needed --exported-interfaces-only --out-file "$work/description.abi" "$library"
    sed "s| path='[^']*/src/| path='src/|" "$work/description.abi" > "$here/manyrt-0.1.0.abi"
    echo "wrote manyrt-0.1.0.abi, $(wc -l < "$here/manyrt-0.1.0.abi") lines"
  fi
  if ! abidiff --no-added-syms --no-corpus-path --exported-interfaces-only --drop-private-types \
    --headers-dir2 "$here/../../include" "$here/manyrt-0.1.0.abi" "$library" > "$work/difference.txt"; then
    head -n 60 "$work/difference.txt" >&2
    echo "The interface differs from tests/abi/manyrt-0.1.0.abi." >&2
    return 1
  fi
  echo "types and functions are compatible with 0.1.0"
}

case $what in
  symbols) check_symbols ;;
  description) check_description ;;
  all) check_symbols && check_description ;;
esac
