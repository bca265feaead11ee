#!/usr/bin/env python3
"""Looks through the static site: check.py FOLDER. Called by scripts/build-site.sh.

Every link leads to a file of the folder and to a name that is in it, nothing is fetched from a network, every function of rt.h
and rt_comm.h has its reference with an example, and search finds it.
"""
import html
import html.parser
import pathlib
import re
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import prepare  # noqa: E402

FETCHES = {"script": "src", "link": "href", "img": "src", "iframe": "src", "object": "data"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.names, self.fetched = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if FETCHES.get(tag) and given.get(FETCHES[tag]):
            self.fetched.append(given[FETCHES[tag]])


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    own = sorted(folder.glob("*.html")) + sorted(folder.glob("bindings/*.html"))  # not rustdoc's, which has its own
    pages = {path: Page(path.read_text(encoding="utf-8", errors="replace")) for path in own}
    problems, count = [], 0
    for path, page in pages.items():
        where = path.relative_to(folder)
        problems += [f"{where}: fetches {each}" for each in page.fetched if re.match(r"(https?:)?//", each)]
        for link in page.links + page.fetched:
            if re.match(r"[a-z]+:|//", link) or link == "#":
                continue
            count += 1
            file, _, name = urllib.parse.unquote(html.unescape(link)).partition("#")
            target = (path.parent / file).resolve() if file else path
            if not target.exists():
                problems.append(f"{where}: {link}: no such file")
            elif name and target in pages and name not in pages[target].names:
                problems.append(f"{where}: {link}: no such name")
    everything = "".join(path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("group__*.html"))
    searched = "".join(path.read_text(encoding="utf-8") for path in (folder / "search").glob("*.js"))
    for name in prepare.functions():
        at = everything.find(f">{name}()</h2>")
        if at < 0:
            problems.append(f"{name}: no reference")
        elif "class=\"section examples\"" not in everything[at:everything.find("<h2 class=\"memtitle\">", at + 1)]:
            problems.append(f"{name}: no example")
        if f"'{name.lower()}_" not in searched and f"['{name}'" not in searched:
            problems.append(f"{name}: search does not find it")
    for problem in problems[:100]:
        print(problem)
    print(f"{len(pages)} pages, {count} links, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
