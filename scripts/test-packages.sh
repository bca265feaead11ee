#!/usr/bin/env bash
# Builds Debian's packages and the wheel of the Python package in a bare Debian 12, from a clean copy of the tree. It has what
# debian/control asks for; lintian is asked. Then it uses them in a second one as a program's author would. It installs them,
# follows the page of each language word by word, runs `manyrt info`, removes them, and looks for what is left. Then the same
# with the wheel. Needs root, for debootstrap and chroot, and takes minutes. With a folder as argument, the packages and the
# wheel are kept there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(libmanyrt0 libmanyrt-comm0 libmanyrt-comm-mpi0 libmanyrt-dev manyrt-tools python3-manyrt)
languages=(cpp fortran go lua python rust)  # the pages docs/bindings/LANGUAGE.md
keep=${1:-}

[[ $(id -u) -eq 0 ]] || { echo "test-packages.sh needs root, for debootstrap and chroot." >&2; exit 1; }
scripts/install-packages.sh package

# shellcheck source=scripts/bare-root.sh
source scripts/bare-root.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/manyrt-packages.XXXXXX")
root=$work/build
cleanup() {
  bare_root_remove "$work/build"
  bare_root_remove "$work/root" "$work"
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

# Inside, a command is root's or a user's. The user writes to /test alone, as a program's author writes nothing under /usr.
inside() { bare_root_run "$root" "cd /test && $1" HOME=/test RT_DEVICE=cpu; }
as_user() {
  printf 'cd /test\n%s\n' "$1" >"$root/test/command"
  bare_root_run "$root" "timeout 1800 setpriv --reuid=1000 --regid=1000 --clear-groups bash -euo pipefail /test/command" \
    HOME=/test RT_DEVICE=cpu
}

# The packages of manyrt come from /test/packages, all others from the archive; what a page does not name is not installed.
make_root() {
  bare_root_make "$root"
  printf 'APT::Install-Recommends "false";\nAPT::Get::Assume-Yes "true";\n' >"$root/etc/apt/apt.conf.d/90test"
  mkdir -p "$root/test/packages"
  chown -R 1000:1000 "$root/test"
  inside "apt-get update"
}

# Files that packages may leave by design are not looked at: caches, logs and lists of apt and dpkg.
files_inside() {
  inside "find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /test -o -path /tmp -o -path /var/cache -o \
    -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort"
}

install_packages() { inside "apt-get install /test/packages/*.deb"; }
# apt knows no package by its name that came from a file and is gone: only those are purged that are there.
purge_packages() {
  inside "dpkg-query -W -f '\${db:Status-Status} \${Package}\n' '*manyrt*' | sed -n 's/^\(installed\|config-files\) //p' |
    xargs --no-run-if-empty apt-get purge"
}

# read_page PAGE FOLDER: the blocks of a page whose first line has a second word, each as a file of that name.
read_page() {
  awk -v folder="$2" '
    /^```/ {
      inside = !inside
      file = ""
      if (inside && NF == 2) {
        file = folder "/" $2
        parent = file
        sub("/[^/]*$", "", parent)
        system("mkdir -p \"" parent "\"")
      }
      next
    }
    file != "" { print >file }' "$1"
}

# follow LANGUAGE: the commands of its page, from the folder with the files of the page, with what they print.
follow() {
  local language=$1 folder=$root/test/pages/$1 run
  for run in run run-with-cmake; do
    [[ $run == run || -e $folder/$run ]] || continue
    as_user "cd pages/$language && bash -eu $run >printed.$run" || { cat "$folder/printed.$run"; return 1; }
    if [[ $run == run ]]; then
      diff -wB "$folder/output" "$folder/printed.$run"
    else
      tail -n "$(wc -l <"$folder/output")" "$folder/printed.$run" | diff -wB "$folder/output" -
    fi
  done
}

# depends PROGRAM: what Debian's tools make the dependency of a program that was compiled in the root.
depends() { (cd "$tree" && dpkg-shlibdeps -O -Sdebian/libmanyrt0 "$root/test/$1"); }

# ---- 1. Packages and wheel, from what git knows and what debian/control names, and nothing else ----

quietly "debootstrap for the build" make_root
tree=$root/test/manyrt
copy_tree "$tree"
quietly "apt-get build-dep" inside "apt-get build-dep ./manyrt"
chown -R 1000:1000 "$root/test"
quietly "dpkg-buildpackage" as_user "cd manyrt && DEB_BUILD_OPTIONS=parallel=$(nproc) dpkg-buildpackage -us -uc -b"
version=$(dpkg-parsechangelog -l debian/changelog -S Version)
for package in "${packages[@]}"; do
  compgen -G "$root/test/${package}_${version}_*.deb" >/dev/null || fail "there is no $package $version"
done
quietly lintian lintian --allow-root --profile debian --fail-on error,warning "$root"/test/manyrt_*.changes
! grep -q '^[EW]:' "$work/lintian.log" || fail "lintian complains: $(grep '^[EW]:' "$work/lintian.log")"
recommends=$(dpkg-deb -f "$root/test/libmanyrt0_${version}"_*.deb Recommends)
[[ $recommends == *g++* ]] || fail "libmanyrt0 does not recommend g++"
library=$(echo "$tree"/debian/libmanyrt0/usr/lib/*/libmanyrt.so.0)
readelf -d "$library" | grep -q 'SONAME.*\[libmanyrt\.so\.0\]' || fail "the library's SONAME is not libmanyrt.so.0"

# The wheel by its page: the library as a release build of the tree has it, and no index of packages.
read_page docs/bindings/python.md "$root/test/pages/python"
quietly "wheel: install" inside "bash -eu pages/python/install-for-wheel"
quietly "wheel: library" as_user "cd manyrt && bash -eu ../pages/python/build-library"
quietly "wheel: build" as_user "export PIP_NO_INDEX=1 && cd manyrt && bash -eu ../pages/python/build-wheel"
built=("$root"/test/*.deb "$tree"/manyrt-*.whl)
if [[ -n $keep ]]; then
  mkdir -p "$keep"
  cp "${built[@]}" "$keep/"
fi

# ---- 2. A bare Debian. The packages' needs, and nothing more, come with the first installation ----

root=$work/root
quietly debootstrap make_root
for package in "${packages[@]}"; do
  cp "$work/build/test/${package}_${version}"_*.deb "$root/test/packages/"
done
quietly "apt-get install" install_packages
quietly "manyrt info without a compiler" as_user "manyrt info"
quietly "python without a compiler" as_user "python3 -c 'import manyrt; print(manyrt.devices())'"
pages=$root/usr/share/doc/libmanyrt-dev/docs/bindings
for language in "${languages[@]}"; do
  read_page "$pages/$language.md" "$root/test/pages/$language"
done
# Each page installs for itself, from the folder with the packages and without what another page has installed of manyrt.
for language in "${languages[@]}"; do
  quietly "$language: purge" purge_packages
  quietly "$language: install" inside "cd packages && bash -eu ../pages/$language/install"
done
quietly "wheel: install for use" inside "bash -eu pages/python/install-for-use"
quietly "apt-get install numpy" inside "apt-get install python3-numpy"
chown -R 1000:1000 "$root/test"
quietly "apt-get purge" purge_packages
files_inside >"$work/before"

# ---- 3. Installed again, used, and removed ----

quietly "apt-get install again" install_packages
for language in "${languages[@]}"; do
  quietly "$language: page" follow "$language"
done

examples=/usr/share/doc/libmanyrt-dev/examples
quietly "vector addition" as_user "cp $examples/vector_add.c $examples/common.h . &&
  cc -std=c99 -Wall -Wextra -Werror vector_add.c \$(pkg-config --cflags --libs manyrt) -o vector_add && ./vector_add &&
  mkdir carried && cc vector_add.c \$(pkg-config --cflags --libs manyrt) -Wl,-rpath,'\$ORIGIN' -o carried/vector_add"
grep -q '^1000000 sums, all 1000000$' "$work/vector addition.log" || fail "vector_add printed something else"
cp tests/install/client/newest.c tests/install/client/arrays.py tests/bindings/compat/infinirt_test.c "$root/test/"
quietly "newest functions" as_user "cc -std=c99 newest.c \$(pkg-config --cflags --libs manyrt) -o newest && ./newest"
quietly "rt.hpp" as_user "g++ -std=c++17 -Wall -Wextra -Werror $examples/cpp_runtime/cpp_runtime.cpp \
  \$(pkg-config --cflags --libs manyrt) -o cpp_runtime && ./cpp_runtime"
quietly "infinirt" as_user "cc -std=c99 infinirt_test.c \$(pkg-config --cflags manyrt) \
  -I\$(pkg-config --variable=includedir manyrt)/manyrt/compat \$(pkg-config --libs manyrt) -pthread -o infinirt_test &&
  ./infinirt_test --cpu"
quietly "python: numpy" as_user "python3 arrays.py"
grep -q ' libmanyrt\.so\.0 ' "$work/python: numpy.log" || fail "python3-manyrt does not open the system's library"
quietly "python: examples" as_user "cp -r /usr/share/doc/python3-manyrt/examples python-examples && cd python-examples &&
  python3 mandelbrot.py --size 96x64 --output mandelbrot.png && python3 digits_curve.py --epochs 2"
program_version=$(sed -n 's/^project(manyrt VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
quietly "manyrt info" as_user "manyrt info && manyrt --version"
grep -q '^  cpu: ' "$work/manyrt info.log" || fail "manyrt info does not list the CPU"
grep -q "^manyrt $program_version\$" "$work/manyrt info.log" || fail "manyrt --version is not $program_version"
inside "zcat /usr/share/man/man1/manyrt.1.gz >page && grep -q '^\.TH MANYRT 1' page" || fail "there is no manual page"
for package in "${packages[@]}"; do
  inside "grep -q '^License: Apache-2.0' /usr/share/doc/$package/copyright" || fail "$package does not say its licence"
done

# A dependency is the release of the newest node that a program uses, and the package itself satisfies it.
for want in "vector_add 0.2.0" "newest 0.3.0"; do
  [[ $(depends "${want% *}" 2>"$work/depends.log") == *"libmanyrt0 (>= ${want#* })"* ]] ||
    { cat "$work/depends.log" >&2; fail "${want% *} does not depend on libmanyrt0 (>= ${want#* }): $(depends "${want% *}")"; }
  dpkg --compare-versions "$version" ge "${want#* }" || fail "libmanyrt0 $version does not satisfy (>= ${want#* })"
done

# There is no static library, so a static program does not link, and the linker says what is missing.
[[ -z $(inside "find / -xdev -path /test -prune -o -name 'libmanyrt*.a' -print") ]] || fail "there is a static library"
static="cc -std=c99 -static vector_add.c \$(pkg-config --static --cflags --libs manyrt) -o static"
if as_user "$static" >"$work/static.log" 2>&1; then
  fail "a static program links"
fi
grep -q 'cannot find -lmanyrt' "$work/static.log" || { cat "$work/static.log" >&2; fail "the linker does not name libmanyrt"; }

quietly "apt-get purge again" purge_packages
files_inside >"$work/after"
diff "$work/before" "$work/after" || fail "the files above were left, or are gone"
[[ -z $(inside "dpkg-query -W -f '\${Package} \${Status}\n' '*manyrt*' 2>/dev/null | grep -v not-installed || true") ]] ||
  fail "dpkg still knows packages of manyrt"
[[ -z $(inside "ldconfig -p | grep manyrt || true") ]] || fail "the loader still knows libmanyrt"
! as_user "./vector_add" >"$work/removed.log" 2>&1 || fail "vector_add still runs"
grep -q 'libmanyrt.so.0' "$work/removed.log" || fail "the loader does not name libmanyrt.so.0"
! as_user "python3 -c 'import manyrt'" 2>"$work/removed.log" || fail "Python still finds the package"
grep -q "No module named 'manyrt'" "$work/removed.log" || fail "Python finds a part of the package"

# A program may carry the library beside itself. Besides Debian's hwloc nothing that libmanyrt0 brought is left to help it.
cp "$library" "$root/test/carried/"
quietly "carried library" as_user "carried/vector_add"

# ---- 4. The wheel, where no package of manyrt is; what it needs comes from Debian's packages ----

cp "$tree"/manyrt-*.whl "$root/test/pages/python/"
find "$root/test" -user root -exec chown 1000:1000 {} +
quietly "wheel: page" as_user "export PIP_NO_INDEX=1 && cd pages/python && bash -eux use-wheel"
grep -qFf "$root/test/pages/python/output" "$work/wheel: page.log" || fail "the program printed something else with the wheel"
quietly "wheel: numpy" as_user "pages/python/environment/bin/pip install --no-index pages/python/*.whl &&
  pages/python/environment/bin/python arrays.py && pages/python/environment/bin/pip uninstall --yes manyrt"
grep -q '/site-packages/manyrt/lib/libmanyrt\.so\.0 ' "$work/wheel: numpy.log" || fail "the wheel opens another library"
[[ -z $(inside "find pages/python/environment -iname '*manyrt*'") ]] || fail "pip left files of the wheel"
files_inside | diff "$work/before" - || fail "the wheel left the files above"
echo "packages of manyrt $version and the wheel: built, lintian is content, installed, used, removed, nothing left"
