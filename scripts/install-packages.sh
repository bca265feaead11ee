#!/usr/bin/env bash
# Installs the Debian packages of the named groups that are missing: install-packages.sh [--list] GROUP...
# Works as root, or with sudo; does nothing, and needs neither, when all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

list_only=no
if [[ ${1:-} == --list ]]; then
  list_only=yes
  shift
fi
[[ $# -gt 0 ]] || { echo "usage: install-packages.sh [--list] build|test|bench|dev..." >&2; exit 2; }

missing=()
for group in "$@"; do
  packages=$(awk -v group="$group" '$1 == group { print $2 }' packages.txt)
  [[ -n $packages ]] || { echo "install-packages.sh: no group is named '$group'." >&2; exit 2; }
  for package in $packages; do
    if [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) != "install ok installed" ]]; then
      missing+=("$package")
    fi
  done
done

if [[ $list_only == yes ]]; then
  printf '%s\n' "${missing[@]}"
  exit 0
fi
[[ ${#missing[@]} -gt 0 ]] || exit 0

echo "Installing: ${missing[*]}"
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "Neither root nor sudo: install these packages first: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo "${as_root[@]}")
fi

known() {
  local package
  for package in "${missing[@]}"; do
    [[ -n $(apt-cache show --no-all-versions "$package" 2>/dev/null) ]] || return 1
  done
}
install() { "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if known && install >"$log" 2>&1; then
  exit 0
fi
for pause in 5 20 0; do
  if "${as_root[@]}" apt-get update -qq >"$log" 2>&1 </dev/null && install >>"$log" 2>&1; then
    exit 0
  fi
  sleep "$pause"
done
tail -n 20 "$log" >&2
echo "These packages could not be installed: ${missing[*]}" >&2
exit 1
