#!/usr/bin/env bash
# Proves scripts/demo.sh and scripts/test.sh in a bare Debian 12. debootstrap makes a minimal root in a temporary folder, the
# working tree is copied in, and both commands run there. Needs root and debootstrap. The end of the log is kept in
# docs/lab/measured/bare-root.log. Arguments are handed to test.sh: scripts/test-in-bare-root.sh --long
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $(id -u) -eq 0 ]] || { echo "test-in-bare-root.sh needs root, for debootstrap and chroot." >&2; exit 1; }
command -v debootstrap >/dev/null || scripts/install-packages.sh dev

# shellcheck source=scripts/bare-root.sh
source scripts/bare-root.sh
log=docs/lab/measured/bare-root.log
root=$(mktemp -d "${TMPDIR:-/tmp}/manyrt-bare-root.XXXXXX")
full=$(mktemp "${TMPDIR:-/tmp}/manyrt-bare-root-log.XXXXXX")
trap 'bare_root_remove "$root"' EXIT

inside() { bare_root_run "$root" "cd /manyrt && $1"; }

# timed NAME COMMAND: runs the command inside, and says how it ended and how long it took.
timed() {
  local start=$SECONDS status=0
  echo "== $1"
  inside "$2" || status=$?
  echo "== $1: exit status $status, $((SECONDS - start)) s"
  return "$status"
}

prove() {
  local commit
  commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
  echo "Debian $bare_root_suite, minbase, $(nproc) cores, commit $commit, $(date -u +%Y-%m-%d)"
  bare_root_make "$root" >/dev/null
  copy_tree "$root/manyrt"
  echo "Packages before: $(inside "dpkg-query -f '.\n' -W | wc -l")"
  timed "scripts/demo.sh" "scripts/demo.sh" && timed "scripts/test.sh $*" "scripts/test.sh $*"
}

status=0
prove "$@" 2>&1 | tee "$full" || status=$?
mkdir -p "$(dirname "$log")"
# Kept are the demo's own words, the stages of the tests and the end; noise of the build and addresses of archives stay out.
{
  sed '/^== scripts\/test.sh/,$d' "$full" | grep -Ev '^\[[0-9]+/[0-9]+\]|^-- |CMAKE_BUILD_TYPE|^Preset CMake' | cat -s
  sed -n '/^== scripts\/test.sh/,$p' "$full" | grep -E '^== |^-- .*: [0-9]+ s$|^-- CUDA' || true
  echo "..."
  tail -n 30 "$full"
} | grep -v '://' >"$log" || true
rm -f "$full"
exit "$status"
