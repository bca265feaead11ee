#!/usr/bin/env bash
# Compiles the kernels of Debian's hashcat-data (MIT) with this library and writes docs/lab/measured/corpus.json. The package is
# fetched and unpacked in a cache folder, not installed; nothing of it comes into the tree. Usage: scripts/compile-corpus.sh [--every N]
# [--only PATTERN], which are handed to tests/kernels/corpus.py. BUILD names the build folder (build/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${BUILD:-build/release}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/manyrt-corpus
package=hashcat-data

if [[ ! -x $build/bin/check_source || ! -x $build/bin/build_source ]]; then
  [[ -f $build/CMakeCache.txt ]] || cmake --preset release -B "$build" --log-level=NOTICE
  cmake --build "$build" --target check_source build_source
fi

version=$(apt-cache policy "$package" | awk '$1 == "Candidate:" { print $2 }')
if [[ -z $version || $version == "(none)" ]]; then
  echo "The package $package is not known to apt: run apt-get update." >&2
  exit 1
fi
folder=$cache/$package-$version
if [[ ! -d $folder ]]; then
  mkdir -p "$cache"
  scratch=$(mktemp -d "$cache/fetch.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  (cd "$scratch" && apt-get download -qq "$package" 2>/dev/null && dpkg-deb -x "$package"_*.deb tree)
  mv "$scratch/tree" "$folder"
fi

python3 tests/kernels/corpus.py "$folder/usr/share/hashcat" "$build/bin/check_source" "$build/bin/build_source" \
  --package "$package $version" --commit "$(git describe --always --dirty 2>/dev/null || echo unknown)" \
  --json docs/lab/measured/corpus.json "$@"
