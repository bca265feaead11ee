#!/usr/bin/env bash
# Proves scripts/demo.sh and scripts/test.sh in a bare Debian 12: debootstrap makes a minimal root in a temporary folder, the
# working tree is copied in, both commands run there. Needs root and debootstrap. The end of the log is kept in
# docs/measured/bare-root.log. Arguments are handed to test.sh: scripts/test-in-bare-root.sh --quick
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $(id -u) -eq 0 ]] || { echo "test-in-bare-root.sh needs root, for debootstrap and chroot." >&2; exit 1; }
command -v debootstrap >/dev/null || scripts/install-packages.sh dev

suite=bookworm
log=docs/measured/bare-root.log
root=$(mktemp -d "${TMPDIR:-/tmp}/manyrt-bare-root.XXXXXX")
full=$(mktemp "${TMPDIR:-/tmp}/manyrt-bare-root-log.XXXXXX")

cleanup() {
  local mounted
  for mounted in proc sys dev/shm dev; do
    mountpoint -q "$root/$mounted" && umount "$root/$mounted"
  done
  # Never through a mount that is still there.
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT

# The mirror is the one that this machine uses: deb822 files (URIs:) first, then one-line files.
find_mirror() {
  local files=(/etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list)
  local file
  for file in "${files[@]}"; do
    [[ -f $file ]] || continue
    awk -v suite="$suite" '
      function done() { if (uri != "" && hit) { print uri; exit } uri = ""; hit = 0 }
      /^[ \t]*$/ { done() }
      $1 == "URIs:" { uri = $2 }
      $1 == "Suites:" { for (i = 2; i <= NF; i++) if ($i == suite) hit = 1 }
      $1 == "deb" {
        i = 2
        if ($i ~ /^\[/) { while ($i !~ /\]$/) i++; i++ }
        if ($(i + 1) == suite) { print $i; exit }
      }
      END { if (uri != "" && hit) print uri }' "$file" | head -n 1
  done | head -n 1
}

# Archive settings of this machine (proxy, certificates, dates), so that the root reaches what this machine reaches.
copy_apt_settings() {
  local file
  mkdir -p "$root/etc/apt/apt.conf.d"
  while IFS= read -r file; do
    cp "$file" "$root/etc/apt/apt.conf.d/"
  done < <(grep -l 'Acquire::' /etc/apt/apt.conf /etc/apt/apt.conf.d/* 2>/dev/null || true)
  [[ ! -e /etc/resolv.conf ]] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  [[ ! -e /etc/hosts ]] || cp -L /etc/hosts "$root/etc/hosts"
  if [[ $mirror == https:* && -d /etc/ssl/certs ]]; then
    mkdir -p "$root/etc/ssl"
    cp -aL /etc/ssl/certs "$root/etc/ssl/"
  fi
}

copy_tree() {
  mkdir -p "$root/manyrt"
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      [[ ! -e $file ]] || printf '%s\0' "$file"
    done | tar --null -T - -cf - | tar -C "$root/manyrt" --no-same-owner -xf -
  else
    tar --exclude=./build -cf - . | tar -C "$root/manyrt" --no-same-owner -xf -
  fi
}

inside() {
  env -i HOME=/ LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
    chroot "$root" /bin/bash -c "cd /manyrt && $1" </dev/null
}

# timed NAME COMMAND: runs the command inside, and says how it ended and how long it took.
timed() {
  local start=$SECONDS status=0
  echo "== $1"
  inside "$2" || status=$?
  echo "== $1: exit status $status, $((SECONDS - start)) s"
  return "$status"
}

mirror=$(find_mirror)
mirror=${mirror:-http://deb.debian.org/debian}
prove() {
  local commit
  commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
  echo "Debian $suite, minbase, $(nproc) cores, commit $commit, $(date -u +%Y-%m-%d)"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null
  copy_apt_settings
  copy_tree
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"  # hwloc reads it: without it PoCL finds no memory, and ends the process
  mount --bind /dev "$root/dev"
  mkdir -p "$root/dev/shm"
  mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"
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
