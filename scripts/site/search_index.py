#!/usr/bin/env python3
"""Writes the index of the static site's search: search_index.py FOLDER makes FOLDER/search_index.js from the pages there.
Called by scripts/build-site.sh.

The index is a script, which a page may load from a file. It has the text of each section with its title and its place, as
search.js reads them. Sections are headings of pages, functions, types, and constants. Programs of the examples have a title
alone: guides show most of them, and the reference links to them. Tables of the laboratory are left out: they are numbers.
"""
import html.parser
import json
import pathlib
import re
import sys

# Ranks of pages: search.js adds to the score of a section by these. OBJECT: structs, and the classes of C++.
GUIDE, REFERENCE, OBJECT, PAGE, EXAMPLE, LAB = range(6)
VARIABLES = "page_docs_environment.html"  # its tables have a variable in each row
SKIPPED_TAGS = {"script", "style", "iframe", "button"}
SKIPPED_CLASSES = {"memberdecls", "summary", "permalink", "lineno", "navpath", "mlabels-right", "footer", "groupheader", "ttc",
                   "ingroups"}
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
BLOCKS = HEADINGS | {"p", "div", "td", "th", "tr", "li", "dt", "dd", "br", "pre", "table"}


def rank_of(name):
    if name.startswith(("page_docs_guide_", "index.")):
        return GUIDE
    if name.startswith(("page_docs_lab_", "page_CHANGELOG")):
        return LAB
    if name.endswith("-example.html"):
        return EXAMPLE
    if name.startswith("group__"):
        return REFERENCE
    return OBJECT if name.startswith(("struct", "class", "namespace")) else PAGE


def is_indexed(name):
    """Not lists of what other pages have."""
    return not (name.endswith("-members.html") or name.startswith(("dir_", "usergroup", "search."))
                or name in ("annotated.html", "modules.html", "examples.html"))


class Sections(html.parser.HTMLParser):
    """The sections of a page of Doxygen, or of a page with a text: [anchor, title, text]. `rows`: each row of a table is a
    section too, with its first cell as the title."""

    def __init__(self, text, rows=False):
        super().__init__()
        self.rows, self.cells, self.above_rows = rows, 0, None
        self.title, self.sections = "", [["", "", []]]
        self.open_tags, self.skipped_from = [], None  # depth of the element that is left out
        self.inside, self.contents_from = False, None
        self.anchor, self.heading, self.heading_from = "", None, None
        self.feed(text)
        self.close()
        kind = r" (?:Struct|Class|Namespace)(?: Template)? Reference(?: ?final)?$"
        self.sections[0][1] = self.title = re.sub(kind, "", " ".join(self.title.split()))
        self.sections = [[anchor, " ".join(title.split()), " ".join("".join(words).split())]
                         for anchor, title, words in self.sections]

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        classes = set((given.get("class") or "").split())
        if tag in VOID:
            self.handle_data("\n" if tag == "br" else "")
            return
        self.open_tags.append(tag)
        depth = len(self.open_tags)
        is_skipped = tag in SKIPPED_TAGS or classes & SKIPPED_CLASSES or {"section", "examples"} <= classes
        if self.skipped_from is None and is_skipped:
            self.skipped_from = depth
        if self.skipped_from is not None:
            return
        if "contents" in classes and self.contents_from is None:
            self.contents_from = depth
        if "title" in classes and self.contents_from is None:  # the page's own, above its contents
            self.heading, self.heading_from = "page", depth
        if self.contents_from is None:
            return
        name = given.get("id") or ""
        if tag == "a" and name:
            self.anchor = name
            if self.heading is not None and self.heading != "page":
                self.sections[-1][0] = name
        if tag in HEADINGS or "fieldname" in classes:
            # A function's name stands in front of its heading, a heading's own and a constant's inside.
            before = self.anchor if "memtitle" in classes else name
            is_first = tag == "h1" and not self.title  # of a page with a text
            self.heading, self.heading_from = ("page" if is_first else "section"), depth
            if not is_first:
                self.sections.append([before, "", []])
        elif tag in BLOCKS:
            self.handle_data("\n")
        if self.rows and tag == "table":
            self.above_rows = self.sections[-1]
        if self.rows and tag == "tr":
            self.cells = 0
        if self.rows and tag == "td" and self.above_rows:
            self.cells += 1
            if self.cells == 1:
                self.heading, self.heading_from = "section", depth
                self.sections.append([self.above_rows[0], "", []])

    def handle_endtag(self, tag):
        if tag not in self.open_tags:
            return
        while self.open_tags:
            depth, last = len(self.open_tags), self.open_tags.pop()
            if self.skipped_from == depth:
                self.skipped_from = None
            elif self.contents_from == depth:
                self.contents_from = None
            if self.heading_from == depth:
                self.heading = self.heading_from = None
            if last == "table" and self.above_rows:  # the text after the table is the heading's again
                self.sections.append([self.above_rows[0], self.above_rows[1], []])
                self.above_rows = None
            if last == tag:
                break
        if tag in BLOCKS:
            self.handle_data("\n")

    def handle_data(self, data):
        if self.skipped_from is not None or data == "More...":
            return
        if self.heading == "page":
            self.title += data
        elif self.heading == "section":
            self.sections[-1][1] += data
        elif self.contents_from is not None:
            self.sections[-1][2].append(data)


def index_of(folder):
    """{"pages": [[title, address, rank]], "sections": [[page, anchor, title, text]]}"""
    pages, sections = [], []
    for path in sorted(folder.glob("*.html")) + sorted(folder.glob("bindings/*.html")):
        address = path.relative_to(folder).as_posix()
        if not is_indexed(address):
            continue
        rank = rank_of(address)
        text = path.read_text(encoding="utf-8", errors="replace")
        text = re.sub(r"<table.*?</table>", " ", text, flags=re.DOTALL) if rank == LAB else text
        page = Sections(text, rows=address == VARIABLES)
        pages.append([page.title, address, rank])
        if rank == REFERENCE and not page.sections[0][2]:  # a chapter says nothing but what it has
            page.sections[0][2] = ", ".join(title for _, title, _ in page.sections[1:])
        for anchor, title, text in page.sections[:1] if rank == EXAMPLE else page.sections:
            text = "" if rank == EXAMPLE else re.sub(r"(?<=[\w)]) (?=[,.;:)](?:\s|$))|(?<=\() ", "", text)
            if address.startswith("bindings/"):  # the lines that pydoc draws
                text = " ".join(word for word in text.split() if word != "|")
            if title and (text or address != VARIABLES):
                sections.append([len(pages) - 1, anchor, title, text])
    return {"pages": pages, "sections": sections}


def main():
    folder = pathlib.Path(sys.argv[1])
    index = index_of(folder)
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("\u2028", " ").replace("\u2029", " ")  # ends of lines in a script
    text = f"var manyrtSearchIndex = {text};\n"
    target = folder / "search_index.js"
    target.write_text(text, encoding="utf-8")
    print(f"search: {len(index['sections'])} sections of {len(index['pages'])} pages, {target.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
