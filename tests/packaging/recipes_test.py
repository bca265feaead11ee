#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recipes in packaging/ and debian/ against the tree: versions, options of CMake, files, and whether each can be read.

Whether a recipe builds, scripts/test-recipes.sh says for those whose tools can be installed. Tools that are here are asked for
more: ruby and nix-instantiate read their files.
"""

import ast
import json
import pathlib
import re
import shutil
import subprocess
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = TREE / "packaging"
CMAKE = [TREE / "CMakeLists.txt", *sorted((TREE / "cmake").glob("*.cmake")), TREE / "tools/CMakeLists.txt"]
VERSION = re.search(r"^project\(manyrt VERSION ([0-9.]+)", CMAKE[0].read_text(encoding="utf-8"), re.M).group(1)
NEEDED_CMAKE = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)", CMAKE[0].read_text(encoding="utf-8")).group(1)
OPTIONS = set(re.findall(r"(?:option|set|find_program|find_path|find_library)\((MANYRT_[A-Z_]+)\b",
                         "\n".join(file.read_text(encoding="utf-8") for file in CMAKE)))
RECIPES = {"conan": "conanfile.py", "conda-forge": "recipe.yaml", "spack": "package.py", "vcpkg": "portfile.cmake",
           "nix": "default.nix", "homebrew": "manyrt.rb", "docker": "Dockerfile"}


def read(*parts):
    return PACKAGING.joinpath(*parts).read_text(encoding="utf-8")


class RecipesTest(unittest.TestCase):
    def test_each_packager_has_its_recipe(self):
        for folder, file in RECIPES.items():
            self.assertTrue((PACKAGING / folder / file).is_file(), folder)

    def test_versions_are_those_of_the_project(self):
        told = {"conda-forge": re.search(r'version: "([^"]+)"', read("conda-forge", "recipe.yaml")).group(1),
                "spack": re.search(r'^    version\("([^"]+)"', read("spack", "package.py"), re.M).group(1),
                "vcpkg": json.loads(read("vcpkg", "vcpkg.json"))["version"],
                "nix": re.search(r'version = "([^"]+)"', read("nix", "default.nix")).group(1),
                "python": re.search(r'^version = "([^"]+)"', (TREE / "bindings/python/pyproject.toml").read_text("utf-8"),
                                    re.M).group(1),
                "README": re.search(r"The release is ([0-9.]+[0-9])", (TREE / "README.md").read_text("utf-8")).group(1)}
        self.assertEqual(told, dict.fromkeys(told, VERSION))

    def test_options_of_cmake_are_those_that_there_are(self):
        for folder, file in RECIPES.items():
            named = set(re.findall(r"-D(MANYRT_[A-Z_]+)=", read(folder, file)))
            named |= set(re.findall(r'"(MANYRT_[A-Z_]+)"', read(folder, file)))
            self.assertEqual(named - OPTIONS, set(), file)
        rules = (TREE / "debian/rules").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"-D(MANYRT_[A-Z_]+)=", rules)) - OPTIONS, set())

    def test_the_same_cmake_is_asked_for(self):
        presets = json.loads((TREE / "CMakePresets.json").read_text(encoding="utf-8"))["cmakeMinimumRequired"]
        told = {"conda-forge": re.search(r"cmake >=([0-9.]+)", read("conda-forge", "recipe.yaml")).group(1),
                "spack": re.search(r"cmake@([0-9.]+):", read("spack", "package.py")).group(1),
                "debian": re.search(r"cmake \(>= ([0-9.]+)\)", (TREE / "debian/control").read_text("utf-8")).group(1),
                "presets": f"{presets['major']}.{presets['minor']}"}
        self.assertEqual(told, dict.fromkeys(told, NEEDED_CMAKE))

    def test_python_recipes_are_python(self):
        for file in sorted(PACKAGING.rglob("*.py")):
            ast.parse(file.read_text(encoding="utf-8"), str(file))

    def test_conan_takes_files_that_are_there(self):
        text = read("conan", "conanfile.py")
        names = ast.literal_eval(re.search(r"for folder in (\(.*?\)):", text).group(1))
        names += ast.literal_eval(re.search(r"for file in (\(.*?\)):", text).group(1))
        for name in names:
            self.assertTrue((TREE / name).exists(), name)

    def test_the_image_copies_what_its_first_stage_has_installed(self):
        text = read("docker", "Dockerfile")
        prefix = re.search(r"--prefix (\S+)", text).group(1)
        self.assertIn(f"COPY --from=build {prefix} ", text)
        for script in re.findall(r"&& (scripts/\S+)", text):
            self.assertTrue((TREE / script).is_file(), script)

    def test_portfile_parentheses_and_commands(self):
        text = re.sub(r"#.*", "", read("vcpkg", "portfile.cmake"))
        self.assertEqual(text.count("("), text.count(")"))
        for command in re.findall(r"^\s*(\w+)\(", text, re.M):
            self.assertRegex(command, r"^(vcpkg_\w+|get_filename_component|file|if|endif)$")

    def test_addresses_are_true_or_absent(self):
        """The project has no public place yet, so that no field may name one."""
        control = (TREE / "debian/control").read_text(encoding="utf-8")
        self.assertNotRegex(control, r"(?m)^(Homepage|Vcs-\w+):")
        for folder, file in RECIPES.items():
            self.assertNotRegex(read(folder, file), r"(?i)\b(homepage|repository)\b\s*[:=\"]", file)

    def test_ruby_and_nix_read_theirs(self):
        for program, *arguments in (("ruby", "-c", PACKAGING / "homebrew/manyrt.rb"),
                                    ("nix-instantiate", "--parse", PACKAGING / "nix/default.nix")):
            if shutil.which(program):
                done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_yaml_reads_the_recipe_of_conda(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        recipe = yaml.safe_load(read("conda-forge", "recipe.yaml"))
        self.assertEqual(recipe["source"], {"path": "../.."})
        self.assertEqual(recipe["package"]["name"], "manyrt")
        self.assertTrue(recipe["tests"] and recipe["requirements"]["host"] and recipe["about"]["license"] == "Apache-2.0")


if __name__ == "__main__":
    unittest.main()
