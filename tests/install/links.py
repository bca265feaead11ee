#!/usr/bin/env python3
"""Links of installed documents: files, and headings of pages, that are not there. Usage: links.py FOLDER"""
import pathlib
import re
import sys


def without_code(text):
    return re.sub(r"`[^`\n]*`", lambda found: "x" * len(found[0]), re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))


def headings(page):
    """The anchors of a page, as GitHub and others make them of its headings."""
    names = set()
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for title in re.findall(r"^#+ (.*)$", text, flags=re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower().replace("`", "")
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        unique, number = name, 0
        while unique in names:
            number += 1
            unique = f"{name}-{number}"
        names.add(unique)
    return names


def dead_links(root):
    for page in sorted(root.rglob("*.md")):
        for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
            if re.match(r"\w+:", link):  # of the network
                continue
            file, _, anchor = link.partition("#")
            target = page.parent / file if file else page
            if not target.exists():
                yield f"{page}: {link}: there is no such file"
            elif anchor and target.suffix == ".md" and anchor not in headings(target):
                yield f"{page}: {link}: the page has no such heading"


def main():
    root = pathlib.Path(sys.argv[1])
    dead = list(dead_links(root))
    print("\n".join(dead))
    pages = len(list(root.rglob("*.md")))
    if pages < 20:
        print(f"{root}: only {pages} pages")
    return 1 if dead or pages < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
