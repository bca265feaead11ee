#!/usr/bin/env bash
# Builds Debian's packages from a clean copy of the tree, asks lintian, and uses them in a bare Debian 12 as a program's author
# would: installs them, compiles and runs programs with pkg-config, runs `manyrt info`, removes them, and looks for what is left.
# Needs root, for debootstrap and chroot, and takes minutes. With a folder as argument, the packages are kept there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

suite=bookworm
packages=(libmanyrt0 libmanyrt-dev manyrt-tools)
keep=${1:-}

[[ $(id -u) -eq 0 ]] || { echo "test-packages.sh needs root, for debootstrap and chroot." >&2; exit 1; }
for tool in dpkg-buildpackage dh lintian debootstrap; do
  command -v "$tool" >/dev/null || { scripts/install-packages.sh build package; break; }
done

work=$(mktemp -d "${TMPDIR:-/tmp}/manyrt-packages.XXXXXX")
root=$work/root
cleanup() {
  local mounted
  for mounted in proc dev/shm dev; do
    mountpoint -q "$root/$mounted" && umount "$root/$mounted"
  done
  # Never through a mount that is still there.
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

fail() { echo "test-packages: $*" >&2; exit 1; }

# quietly NAME COMMAND...: the output counts only after a failure.
quietly() {
  local name=$1 start=$SECONDS
  shift
  "$@" >"$work/$name.log" 2>&1 || { tail -n 40 "$work/$name.log" >&2; fail "$name failed"; }
  echo "-- $name: $((SECONDS - start)) s"
}

inside() {
  env -i HOME=/test LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb DEBIAN_FRONTEND=noninteractive RT_DEVICE=cpu \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
    chroot "$root" /bin/bash -euo pipefail -c "cd /test && $1" </dev/null
}

build() (
  cd "$work/manyrt"
  DEB_BUILD_OPTIONS="parallel=$(nproc)" dpkg-buildpackage -us -uc -b
)

# The root reaches the archives that this machine reaches: its mirror, proxies, certificates and names.
make_root() {
  local mirror file
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" | sed -n 1p)
  debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}"
  while IFS= read -r file; do
    cp "$file" "$root/etc/apt/apt.conf.d/"
  done < <(grep -l 'Acquire::' /etc/apt/apt.conf /etc/apt/apt.conf.d/* 2>/dev/null || true)
  for file in /etc/resolv.conf /etc/hosts; do
    [[ ! -e $file ]] || cp -L "$file" "$root$file"
  done
  if [[ $mirror == https:* && -d /etc/ssl/certs ]]; then
    mkdir -p "$root/etc/ssl"
    cp -aL /etc/ssl/certs "$root/etc/ssl/"
  fi
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mkdir -p "$root/dev/shm"
  mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"
  mkdir "$root/test"
  inside "apt-get update"
}

# What packages may leave by design is not looked at: caches, logs and lists of apt and dpkg.
files_inside() {
  inside "find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /test -o -path /tmp -o -path /var/cache -o \
    -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort"
}

install_packages() { inside "apt-get install -y --no-install-recommends /test/packages/*.deb"; }
purge_packages() { inside "apt-get purge -y ${packages[*]}"; }

# 1. Packages, from what git knows and nothing else.
mkdir "$work/manyrt"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  [[ ! -e $file ]] || printf '%s\0' "$file"
done | tar --null -T - -cf - | tar -C "$work/manyrt" --no-same-owner -xf -
quietly "dpkg-buildpackage" build
version=$(dpkg-parsechangelog -l debian/changelog -S Version)
for package in "${packages[@]}"; do
  compgen -G "$work/${package}_${version}_*.deb" >/dev/null || fail "there is no $package $version"
done
quietly lintian lintian --profile debian --fail-on error,warning "$work"/manyrt_*.changes
! grep -q '^[EW]:' "$work/lintian.log" || fail "lintian complains: $(grep '^[EW]:' "$work/lintian.log")"
recommends=$(dpkg-deb -f "$work/libmanyrt0_${version}"_*.deb Recommends)
[[ $recommends == *g++* ]] || fail "libmanyrt0 does not recommend g++"
if [[ -n $keep ]]; then
  mkdir -p "$keep"
  cp "$work"/*.deb "$keep/"
fi

# 2. A bare Debian with a compiler. What the packages need, and nothing more, comes with the first installation.
quietly debootstrap make_root
mkdir "$root/test/packages"
for package in "${packages[@]}"; do
  cp "$work/${package}_${version}"_*.deb "$root/test/packages/"
done
quietly "apt-get install" install_packages
quietly "manyrt info without a compiler" inside "manyrt info"
quietly "apt-get install g++ pkgconf" inside "apt-get install -y --no-install-recommends g++ pkgconf"
quietly "apt-get purge" purge_packages
files_inside >"$work/before"

# 3. Installed again, used, and removed.
quietly "apt-get install again" install_packages
examples=/usr/share/doc/libmanyrt-dev/examples
quietly "vector addition" inside "cp $examples/vector_add.c $examples/common.h . &&
  cc -std=c99 -Wall -Wextra -Werror vector_add.c \$(pkg-config --cflags --libs manyrt) -o vector_add && ./vector_add"
grep -q '^1000000 sums, all 1000000$' "$work/vector addition.log" || fail "vector_add printed something else"
cp tests/bindings/compat/infinirt_test.c "$root/test/"
quietly "infinirt" inside "cc -std=c99 infinirt_test.c \$(pkg-config --cflags manyrt) \
  -I\$(pkg-config --variable=includedir manyrt)/manyrt/compat \$(pkg-config --libs manyrt) -pthread -o infinirt_test &&
  ./infinirt_test --cpu"
quietly "manyrt info" inside "manyrt info && manyrt --version"
grep -q '^  cpu: ' "$work/manyrt info.log" || fail "manyrt info does not list the CPU"
grep -q "^manyrt $version\$" "$work/manyrt info.log" || fail "manyrt --version is not $version"
inside "zcat /usr/share/man/man1/manyrt.1.gz >page && grep -q '^\.TH MANYRT 1' page" || fail "there is no manual page"

# There is no static library, so a static program does not link, and the linker says what is missing.
[[ -z $(inside "find / -xdev -name 'libmanyrt*.a'") ]] || fail "there is a static library"
static="cc -std=c99 -static vector_add.c \$(pkg-config --static --cflags --libs manyrt) -o static"
if inside "$static" >"$work/static.log" 2>&1; then
  fail "a static program links"
fi
grep -q 'cannot find -lmanyrt' "$work/static.log" || { cat "$work/static.log" >&2; fail "the linker does not name libmanyrt"; }

quietly "apt-get purge again" purge_packages
files_inside >"$work/after"
diff "$work/before" "$work/after" || fail "the files above were left, or are gone"
[[ -z $(inside "dpkg-query -W -f '\${Package} \${Status}\n' '*manyrt*' 2>/dev/null | grep -v not-installed || true") ]] ||
  fail "dpkg still knows packages of manyrt"
[[ -z $(inside "ldconfig -p | grep manyrt || true") ]] || fail "the loader still knows libmanyrt"
! inside "./vector_add" >"$work/removed.log" 2>&1 || fail "vector_add still runs"
grep -q 'libmanyrt.so.0' "$work/removed.log" || fail "the loader does not name libmanyrt.so.0"
echo "packages of manyrt $version: built, lintian is content, installed, used, removed, nothing left"
