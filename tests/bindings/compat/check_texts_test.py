#!/usr/bin/env python3
"""That check_texts.py and check_versions.py find what they are there to find."""

import unittest

import check_texts
import check_versions


class Texts(unittest.TestCase):
    def test_names_of_rt_json(self):
        values = [{"name": "RT_BACKEND_CPU"}]
        interface = {"functions": [{"name": "rtFree"}], "enums": [{"name": "rtBackend", "values": values}]}
        names = check_texts.known_names(interface)
        self.assertEqual(check_texts.unknown_in_text("`rtFree` and RT_BACKEND_CPU, rtStatus_t", names), [])
        self.assertEqual(check_texts.unknown_in_text("`rtFred`, RT_BACKEND_GPU", names), ["RT_BACKEND_GPU", "rtFred"])

    def test_rows(self):
        text = "infinirtFree in a sentence\n| `infinirtMalloc(p, size)` | `rtMalloc` |"
        self.assertEqual(check_texts.without_row(text, {"infinirtFree", "infinirtMalloc", "infinirtMall"}),
                         ["infinirtFree", "infinirtMall"])

    def test_functions(self):
        header = "static inline infiniStatus_t infinirtFree(void* p) {"
        self.assertEqual(check_texts.functions_of_header(header), {"infinirtFree"})

    def test_manual_page(self):
        words = {"--json", "info", "--js", "run"}
        self.assertEqual(check_texts.missing_in_page(".B \\-\\-json\n.B info", words), ["--js", "run"])


class Versions(unittest.TestCase):
    def test_nodes(self):
        self.assertEqual(check_versions.promised("# 0.1.0\nrtA\n# 0.2.0\nrtB\n# 0.2.3\nrtC\n"),
                         {"rtA": "MANYRT_0.1", "rtB": "MANYRT_0.2", "rtC": "MANYRT_0.2"})

    def test_exported(self):
        text = "000 T rtA@@MANYRT_0.1\n000 A MANYRT_0.1\n000 T rtB\n"
        self.assertEqual(check_versions.exported(text), {"rtA": "MANYRT_0.1", "rtB": ""})

    def test_symbols_file(self):
        text = "libmanyrt.so.0 libmanyrt0 #MINVER#\n (symver)MANYRT_0.1 0.1.0\n (symver)MANYRT_0.2 0.2.0~\n"
        self.assertEqual(check_versions.packaged(text), {"MANYRT_0.1": (0, 1, 0), "MANYRT_0.2": (0, 2, 0)})

    def test_version_of_the_packages(self):
        def problems(package, newest=(0, 3, 0)):
            return len(check_versions.package_problems(f"manyrt ({package}) unstable", newest, "0.2.0"))

        self.assertEqual([problems("0.3.0~dev1"), problems("0.2.0", (0, 2, 0))], [0, 0])
        self.assertEqual([problems(package) for package in ("0.2.0", "0.2.0~dev1", "0.3.0", "0.3.0-1")], [1, 1, 1, 1])
        self.assertEqual(problems("0.3.0~dev1", (0, 4, 0)), 1)


if __name__ == "__main__":
    unittest.main()
