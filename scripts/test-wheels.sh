#!/usr/bin/env bash
# Proves the wheel of scripts/build-wheels.sh where nothing else is: test-wheels.sh WHEEL [SUITE]...
# For each suite of Debian (bookworm, bullseye; without any, both) debootstrap makes a minimal root. In it a user installs the
# wheel with pip, and trains the example digits from an image of its kernels. The results are those that this machine has from
# source. Without a compiler and without an image one sentence says what to install; the extra `compiler` is that, and then a
# kernel from source runs. Needs root, debootstrap, and PyPI for what the wheel depends on. MANYRT_EXTRAS=no leaves the extra
# out, which is a large download.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $(id -u) -eq 0 ]] || { echo "test-wheels.sh needs root, for debootstrap and chroot." >&2; exit 1; }
[[ -s ${1:-} ]] || { echo "usage: test-wheels.sh WHEEL [SUITE]..." >&2; exit 2; }
wheel=$(realpath "$1")
suites=("${@:2}")
((${#suites[@]})) || suites=(bookworm bullseye)
scripts/install-packages.sh package

# shellcheck source=scripts/bare-root.sh
source scripts/bare-root.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/manyrt-wheels.XXXXXX")
root=$work/root
trap 'bare_root_remove "$root" "$work"' EXIT
fail() { echo "test-wheels: $*" >&2; exit 1; }
quietly() { # NAME COMMAND...
  local name=$1 start=$SECONDS
  shift
  "$@" >"$work/$name.log" 2>&1 || { tail -n 40 "$work/$name.log" >&2; fail "$name failed"; }
  echo "-- $name: $((SECONDS - start)) s"
}
inside() { bare_root_run "$root" "cd /test && $1" HOME=/test; }
as_user() {
  printf 'cd /test\n%s\n' "$1" >"$root/test/command"
  bare_root_run "$root" "timeout 900 setpriv --reuid=1000 --regid=1000 --clear-groups bash -euo pipefail /test/command" \
    HOME=/test PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CERT=/etc/ssl/certs/ca-certificates.crt
}

# On this machine: an environment with the wheel, in it the image of the kernels, and what training from source gives.
examples=bindings/python/examples
quietly "environment" python3 -m venv "$work/here"
quietly "pip install here" "$work/here/bin/pip" install --quiet "$wheel"
quietly "manyrt cc" "$work/here/bin/manyrt" cc examples/digits/digits.cl -DCLASSES=10 -o "$work/digits.rtm" --no-source \
  --target cpu:x86-64,sse,avx2,avx512
train() { echo "python digits_curve.py --device cpu --epochs 2 --output /dev/null $1"; }
mkdir -p "$work/examples"
cp -r $examples/. examples/digits examples/data "$work/examples/"
quietly "digits from source here" bash -c "cd '$work/examples' && PATH=$work/here/bin:\$PATH RT_CPU_BUILD=optimized $(train "")"

for suite in "${suites[@]}"; do
  echo "== $suite"
  # shellcheck disable=SC2034
  bare_root_suite=$suite
  quietly "debootstrap" bare_root_make "$root"
  printf 'APT::Install-Recommends "false";\nAPT::Get::Assume-Yes "true";\n' >"$root/etc/apt/apt.conf.d/90test"
  mkdir -p "$root/test"
  cp -r "$work/examples" "$root/test/examples"
  cp "$wheel" "$work/digits.rtm" "$root/test/"
  inside "apt-get update" >"$work/update.log" 2>&1
  quietly "apt-get install python3-venv" inside "apt-get install python3 python3-venv"
  mkdir -p "$root/etc/ssl/certs"  # this machine's way to PyPI may need certificates of its own
  cp --remove-destination -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  inside "! command -v cc && ! command -v g++ && ! command -v clang++ && ! command -v ld" || fail "$suite has a compiler"
  inside "! find / -xdev -name 'libhwloc*' -not -path '/test/*' | grep -q ." || fail "$suite has hwloc"
  chown -R 1000:1000 "$root/test"
  quietly "pip install" as_user "python3 -m venv environment && environment/bin/python -m pip install --quiet --upgrade pip &&
    environment/bin/python -m pip install --quiet ./manyrt-*.whl"
  quietly "digits from an image" as_user "export PATH=/test/environment/bin:\$PATH && cd examples &&
    $(train "--kernels ../digits.rtm")"
  diff "$work/digits from source here.log" "$work/digits from an image.log" || fail "the image computes something else"
  quietly "manyrt doctor" as_user "environment/bin/manyrt doctor"
  as_user "cd examples && ../environment/bin/$(train "")" >"$work/none.log" 2>&1 && fail "a kernel was built without a compiler"
  grep -q "CompilerNotFound.*pip install \"manyrt\[compiler\]\"" "$work/none.log" ||
    { cat "$work/none.log" >&2; fail "the sentence does not say what to install"; }
  if [[ ${MANYRT_EXTRAS:-yes} == yes ]]; then
    quietly "pip install manyrt[compiler]" as_user \
      "environment/bin/python -m pip install --quiet \"\$(echo ./manyrt-*.whl)[compiler]\""
    quietly "digits from source" as_user "export PATH=/test/environment/bin:\$PATH RT_CPU_BUILD=optimized && cd examples &&
      $(train "")"
    diff "$work/digits from source here.log" "$work/digits from source.log" || fail "PyPI's compiler computes something else"
    quietly "manyrt doctor with a compiler" as_user "environment/bin/manyrt doctor"
    grep -q "for the CPU: .*/ziglang/zig" "$work/manyrt doctor with a compiler.log" || fail "doctor does not name the compiler"
  fi
  quietly "pip uninstall" as_user "environment/bin/python -m pip uninstall --quiet --yes manyrt"
  [[ -z $(inside "find environment -iname '*manyrt*'") ]] || fail "pip left files of the wheel"
  bare_root_remove "$root"
done
echo "$(basename "$wheel"): installed and used in ${suites[*]}"
