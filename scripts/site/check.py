#!/usr/bin/env python3
"""Looks through the static site: check.py FOLDER. Called by scripts/build-site.sh.

Every link leads to a file of the folder and to a name that is in it, nothing is fetched from a network, no Markdown is left
as it was. Every chapter of rt.h and rt_comm.h has a page. Every function has its reference with an example, and a section of
its own in the index of the search. Where a JavaScript interpreter is found, the search finds for each of QUERIES the page
that a reader wants first.
"""
import html
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import prepare  # noqa: E402

# Signs of Markdown that Doxygen did not understand.
LEFT_OVER = re.compile(r".{0,40}(?:\\ilinebr|&lt;/?tt&gt;|\*\*<code>|</code>[.?:!]?\*\*).{0,40}")
FETCHES = {"script": "src", "link": "href", "img": "src", "iframe": "src", "object": "data"}


QUERIES = {
    "memory": "page_docs_guide_memory.html", "streams": "group__rt__streams.html", "errors": "page_docs_guide_errors.html",
    "several devices": "page_docs_guide_devices.html", "rtMalloc": "group__rt__memory.html#",
    "malloc async": "group__rt__memory.html#", "out of memory": "group__rt__status.html#", "status": "group__rt__status.html",
    "RT_TRACE": "page_docs_environment.html#variable_RT_TRACE", "local memory": "page_docs_guide_kernels.html#",
    "fat image": "page_docs_design_images.html#", "rtMallocOptions_t": "structrtMallocOptions__t.html",
}


def search(folder):
    """Sentences about queries whose first result is another page; None without an interpreter."""
    interpreter = next(filter(None, map(shutil.which, ("duk", "node", "nodejs", "qjs"))), None)
    if interpreter is None:
        return None
    script = (folder / "search_index.js").read_text(encoding="utf-8") + (folder / "search.js").read_text(encoding="utf-8")
    script += (f"var found = {json.dumps(list(QUERIES))}.map(function (query) {{\n"
               "  var results = manyrtSearch.find(manyrtSearchIndex, query, 1).results;\n"
               "  return results.length ? results[0].address : 'nothing';\n});\n"
               "(typeof console === 'undefined' ? print : function (text) { console.log(text); })(JSON.stringify(found));\n")
    with tempfile.NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        out = subprocess.run([interpreter, file.name], check=True, capture_output=True, text=True).stdout
    return [f"search for {query}: finds {address} first, not {wanted}"
            for (query, wanted), address in zip(QUERIES.items(), json.loads(out)) if not address.startswith(wanted)]


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
        left = LEFT_OVER.search(path.read_text(encoding="utf-8", errors="replace"))
        if left:
            problems.append(f"{where}: Markdown is left as it was: {left[0]}")
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
    index = json.loads((folder / "search_index.js").read_text(encoding="utf-8").partition("=")[2].rstrip(";\n"))
    found = {(title, index["pages"][page][1]) for page, _, title, _ in index["sections"]}
    for page, anchor, title, _ in index["sections"]:
        address = index["pages"][page][1]
        if anchor and anchor not in pages[folder / address].names:
            problems.append(f"search_index.js: {address}#{anchor} ({title}): no such name")
    titles = set(map(html.unescape, re.findall(r"<title>\w+: (.*?)</title>", everything)))
    problems += [f"{title}: a chapter without a page" for title in prepare.chapters() if title not in titles]
    for name in prepare.functions():
        at = everything.find(f">{name}()</h2>")
        if at < 0:
            problems.append(f"{name}: no reference")
        elif "class=\"section examples\"" not in everything[at:everything.find("<h2 class=\"memtitle\">", at + 1)]:
            problems.append(f"{name}: no example")
        if not any(title == f"{name}()" and address.startswith("group__") for title, address in found):
            problems.append(f"{name}: search does not find it")
    searched = search(folder)
    problems += searched or []
    for problem in problems[:100]:
        print(problem)
    if searched is None:
        print("no JavaScript interpreter (duk, node, qjs): the search is not tried")
    print(f"{len(pages)} pages, {count} links, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
