#!/usr/bin/env python3
"""Every link of a page of this tree leads to a file that is there, and to a heading that the page has: links_test.py"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "tests", "bindings", "benchmarks", "examples", "tools", "scripts")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def pages():
    found = sorted(ROOT.glob("*.md"))
    for folder in FOLDERS:
        found += sorted((ROOT / folder).rglob("*.md"))
    return [page for page in found if "node_modules" not in page.parts and "target" not in page.parts]


def without_code(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda word: word[0].replace("](", "] ("), text)


def anchors(page):
    """The names of headings as GitHub makes them."""
    names, seen = set(), {}
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


class LinksTest(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        dead, count = [], 0
        for page in pages():
            for link in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                count += 1
                if not target.exists():
                    dead.append(f"{page.relative_to(ROOT)}: {link}: no such file")
                elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                    dead.append(f"{page.relative_to(ROOT)}: {link}: no such heading")
        print(f"{count} links")
        self.assertGreater(count, 100)
        self.assertEqual(dead, [], "\n".join(dead))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
