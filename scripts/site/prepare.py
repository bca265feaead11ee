#!/usr/bin/env python3
"""Writes what Doxygen reads for the static site: prepare.py FOLDER. prepare.py --layout FILE [LEFT_OUT...] puts the menu into
its layout, prepare.py --header FILE the search box into its header; prepare.py --search-form prints the box for other pages.
Called by scripts/build-site.sh.

Headers get their chapters as groups and the words blocks, capture, errors as titles. Pages get names for their headings, so
that links between pages work in the site. Programs of guides and examples, and tests for functions that no example calls, are
pages of examples: Doxygen lists them under each function that they call. A function that none calls is an error.
"""
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ("include/rt.h", "include/rt_comm.h")
CPP_HEADERS = ("bindings/cpp/rt.hpp", "bindings/cpp/rt_comm.hpp", "bindings/cpp/rt/*.hpp")
EXAMPLES = ("examples/*.c", "examples/digits/*.c", "examples/digits_parallel/*.c", "examples/split_product/*.c",
            "examples/cpp_runtime/*.cpp")
TESTS = ("tests/conformance/*_test.cpp", "tests/comm/*_test.cpp", "tests/comm/operations.h")
FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)^```$", re.MULTILINE)
TITLES = {"blocks": "Blocks", "capture": "In a capture", "errors": "Errors", "thread": "Thread", "called": "Called"}


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def found(patterns):
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def functions():
    """Every function of the two headers."""
    return [name for header in HEADERS for name in re.findall(r"^RT_API [^(;]*?\b(rt\w+)\(", read(header), re.MULTILINE)]


def chapters():
    """The title of every chapter of the two headers, as their pages have it."""
    titles = [title for header in HEADERS for title in re.findall(r"^/\* -{4} (.*?) -{4,}", read(header), re.MULTILINE)]
    return [title[0].upper() + title[1:] for title in titles]


def statuses():
    return re.findall(r"^  RT_ERROR_(\w+) = ", read("include/rt.h"), re.MULTILINE)


def linked(comment, names):
    """Names of functions and constants in a comment become links."""
    name = r"(?<![#\w.])((?:rt[A-Z]|RT_)\w+)(?![\w*.])"
    return re.sub(name, lambda word: "#" + word[1] if word[1] in names else word[1], comment)


def with_titles(comment, names):
    """A comment of a function: its parts become paragraphs with titles, and statuses their whole names."""
    lines, part = [], None
    comment = linked(comment, names)
    for line in comment.split("\n"):
        begin = re.match(r"( \*  )(blocks|capture|errors|thread|called): (.*)", line)
        if begin:
            part = begin[2]
            lines.append(f"{begin[1]}@par {TITLES[part]}")
            line = begin[1] + begin[3]
        elif line.startswith((" *  @", "/**")):
            part = None
        if part == "errors":
            line = re.sub(r"\b(" + "|".join(statuses()) + r")\b(?! \w*_)", r"#RT_ERROR_\1", line)
        lines.append(line.replace("#include", "\\#include"))
    return "\n".join(lines)


def header(path):
    text = read(path)
    constants = re.findall(r"\b(RT_\w+) = -?\d+,? +/\*\*<", read("include/rt.h") + read("include/rt_comm.h"))
    known = set(functions()) | set(constants)
    text = re.sub(r"/\*\*.*?\*/", lambda comment: with_titles(comment[0], known), text, flags=re.DOTALL)
    name = pathlib.Path(path).stem
    opened, chapters = False, []

    def chapter(line):
        nonlocal opened
        first, *more = line[0][len("/* ---- "):].removesuffix("*/").rstrip().split("\n")
        title = re.sub(r" -+$", "", first).strip()
        what = "".join(f"{each}\n" for each in more)
        group = f"{name}_{re.sub(r'[^a-z]+', '_', title.lower()).strip('_')}"
        chapters.append(group)
        end = "/** @} */\n" if opened else ""
        opened = True
        return f"{end}/** @defgroup {group} {title[0].upper() + title[1:]}\n * @ingroup {name}_h\n{what} * @{{ */"

    text = re.sub(r"^/\* ---- .*(?:\*/|-(?:\n \* .*)*\*/)$", chapter, text, flags=re.MULTILINE)
    text = re.sub(r"^(#ifdef __cplusplus\n}\n#endif)", r"/** @} */\n\1", text, flags=re.MULTILINE)
    head = re.match(r"/\*.*?\*/", text, re.DOTALL)[0]
    what = "\n".join(line[3:] for line in head.splitlines()[2:-1])
    return f"/** @file\n * @brief {what.split('.')[0]}.\n */\n" \
           f"/** @defgroup {name}_h {name}.h\n * @verbatim\n{what}\n@endverbatim */\n" + text


def page_name(path):
    return "page_" + re.sub(r"\W", "_", path.relative_to(ROOT).with_suffix("").as_posix())


def anchor_of(heading):
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def outside_of_code(text, change):
    """change() of the text between fenced blocks and, in that, between words of code."""
    parts, at = [], 0
    for block in FENCE.finditer(text):
        parts.append(change(text[at:block.start()]))
        language = block[1].split(" ")[0]
        parts.append(f"```{'' if language in ('console', 'text') else language}\n{block[2]}```")
        at = block.end()
    parts.append(change(text[at:]))
    return "".join(parts)


def as_html(part):
    """Bold text, and code with a quote, as HTML: Doxygen's Markdown knows neither bold code nor a lone quote in code."""
    def change(match):
        if match[1] is None:
            code = match[0][1:-1]
            return match[0] if "'" not in code else "<code>" + html.escape(code).replace("&#x27;", "&apos;") + "</code>"
        return f"<b>{as_html(match[1])}</b>"

    return re.sub(r"`[^`]*`|\*\*(?=[^*\s])((?:`[^`]*`|[^*`])+)\*\*", change, part)


def page(path, pages, names):
    def link(match):
        words = " ".join(match[1].replace("`", "").split())  # Doxygen takes no link over two lines
        target, _, anchor = match[2].partition("#")
        if re.match(r"[a-z]+:", match[2]):
            return match[0]
        file = (path.parent / target).resolve() if target else path
        if file in pages:
            return f"[{words}](@ref {page_name(file)}{'_' + anchor if anchor else ''})"
        relative = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else match[2]
        if relative in HEADERS:
            return f"[{words}](@ref {pathlib.Path(relative).stem}_h)"
        if file.suffix == ".svg":
            return f"[{words}]({file.name})"
        if file in set(found(EXAMPLES)):
            return f"[{words}](@ref {file.name})"
        return match[1]  # what the site does not have is named

    seen = {}

    def text_of(part):
        def heading(match):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[2]).replace("`", "")
            name = page_name(path)
            if match[1] == "#":
                return f"# {words} {{#{name}}}"
            anchor = anchor_of(match[2])
            seen[anchor] = seen.get(anchor, 0) + 1  # as GitHub numbers headings that are alike
            return f"{match[1]} {words} {{#{name}_{anchor}{f'-{seen[anchor] - 1}' if seen[anchor] > 1 else ''}}}"

        part = re.sub(r"^(#+) (.*)$", heading, part, flags=re.MULTILINE)
        part = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, part)
        if path.name == "environment.md":  # a link and a search lead to a variable's row
            part = re.sub(r"^\| `(RT_\w+)`", r"| @anchor variable_\1 `\1`", part, flags=re.MULTILINE)
        part = as_html(part).replace("`#include`", "<code>\\#include</code>")  # no name that Doxygen knows
        # A function in code is a link to its reference.
        return re.sub(r"`(rt[A-Z]\w+)`",
                      lambda word: f'<code>@ref {word[1]} "{word[1]}"</code>' if word[1] in names else word[0], part)

    return outside_of_code(path.read_text(encoding="utf-8"), text_of)


def guide_programs():
    """{name: text} of the programs in guides, without what they share."""
    programs = {}
    for guide in sorted((ROOT / "docs/guide").glob("*.md")):
        for info, text in FENCE.findall(guide.read_text(encoding="utf-8")):
            name = info.partition(" ")[2]
            if name.endswith((".c", ".cpp")):
                key = f"{guide.stem}_{name}"
                programs[key] = programs.get(key, "") + text
    return programs


def examples(names):
    """{file name: text}: every example, and as few tests as call what no example does."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in found(EXAMPLES)}
    texts.update(guide_programs())
    missing = {name for name in names if not any(re.search(rf"\b{name}\(", text) for text in texts.values())}
    tests = {path.name: path.read_text(encoding="utf-8") for path in found(TESTS)}
    calls = {name: {each for each in missing if re.search(rf"\b{each}\(", text)} for name, text in tests.items()}
    while missing:
        best = max(calls, key=lambda name: len(calls[name] & missing))
        if not calls[best] & missing:
            sys.exit("No example and no test calls " + ", ".join(sorted(missing)))
        texts[best] = tests[best]
        missing -= calls[best]
    return texts


NAVIGATION = """<navindex>
    <tab type="mainpage" visible="yes" title="Start"/>
    <tab type="user" url="@ref page_docs_guide_README" title="Guides"/>
    <tab type="modules" visible="yes" title="C" intro="The functions of the two headers, by chapter."/>
    <tab type="classlist" visible="yes" title="Structs and classes" intro="Structs of rt.h, and rt.hpp in the namespace rt."/>
    <tab type="usergroup" title="Languages">
      <tab type="user" url="@ref page_docs_bindings" title="Which there are"/>
      <tab type="user" url="bindings/python.html" title="Python: help"/>
      <tab type="user" url="bindings/rust/manyrt/index.html" title="Rust: rustdoc"/>
      <tab type="user" url="bindings/go.html" title="Go: doc"/>
      <tab type="user" url="bindings/go_comm.html" title="Go: comm"/>
    </tab>
    <tab type="examples" visible="yes" title="Examples" intro="Of the guides, the examples, and tests."/>
    <tab type="user" url="@ref page_docs_README" title="All pages"/>
  </navindex>"""


def layout(path):
    """Puts the site's own menu into Doxygen's layout; what this build does not have is left out."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    left_out = sys.argv[3:]
    menu = "\n".join(line for line in NAVIGATION.splitlines() if not any(word in line for word in left_out))
    pathlib.Path(path).write_text(re.sub(r"<navindex>.*</navindex>", menu, text, flags=re.DOTALL), encoding="utf-8")


SEARCH_PAGE = """# Search {#search}
\\htmlonly
<noscript><p>The search is made of JavaScript, which this browser does not run.</p></noscript>
<div id="search-results"></div>
\\endhtmlonly
"""


def search_form(base):
    """The box as HTML, and the scripts that it needs; `base` leads to the folder of the site."""
    form = read("scripts/site/search_form.html").replace("@BASE@", base)
    return form, "".join(f'<script src="{base}{name}"></script>\n' for name in ("search.js", "search_box.js"))


def page_header(path):
    """Puts the search box into the header that Doxygen has made."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    form, scripts = search_form("$relpath^")
    title_end, head_end = "</table>\n</div>\n<!--END TITLEAREA-->", "</head>"
    if text.count(title_end) != 1 or text.count(head_end) != 1:
        sys.exit("Doxygen's header has no place for the search box: it is of a version that prepare.py does not know.")
    text = text.replace(title_end, "</table>\n" + form + "</div>\n<!--END TITLEAREA-->").replace(head_end, scripts + head_end)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def main():
    if sys.argv[1] == "--layout":
        layout(sys.argv[2])
        return
    if sys.argv[1] == "--header":
        page_header(sys.argv[2])
        return
    if sys.argv[1] == "--search-form":  # of a page in a folder of the site
        print(*reversed(search_form("../")), sep="")
        return
    folder = pathlib.Path(sys.argv[1])
    names = set(functions())
    pages = set([ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + found(("docs/**/*.md",)))
    for name in ("headers", "pages", "examples", "images"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for path in HEADERS:
        (folder / "headers" / pathlib.Path(path).name).write_text(header(path), encoding="utf-8")
    for path in found(CPP_HEADERS):
        target = folder / "headers" / path.relative_to(ROOT / "bindings/cpp")
        target.parent.mkdir(exist_ok=True)
        target.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    for path in pages:
        (folder / "pages" / (page_name(path) + ".md")).write_text(page(path, pages, names), encoding="utf-8")
    (folder / "pages" / "search.md").write_text(SEARCH_PAGE, encoding="utf-8")
    for path in found(("docs/**/*.svg",)):
        (folder / "images" / path.name).write_bytes(path.read_bytes())
    texts = examples(names)
    lines = []
    for name, text in sorted(texts.items()):
        (folder / "examples" / name).write_text(text, encoding="utf-8")
        lines.append(f"/** @example {name} */")
    (folder / "examples.dox").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(names)} functions, {len(pages)} pages, {len(texts)} examples")


if __name__ == "__main__":
    main()
