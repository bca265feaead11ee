#!/usr/bin/env python3
"""The comments of a file as sentences, and their share of its lines. check_style.py has limits of both; this prints them."""
import argparse
import collections
import pathlib
import re

SLASHES = {".c", ".h", ".cpp", ".hpp", ".inc"}
HASHES = {".py", ".sh", ".cmake"}
MOST_WORDS = 25
# A sentence ends at a full stop, a question mark or a semicolon before a space. A colon does not end one.
END = re.compile(r"(?<=[.?!;])(?<!e\.g\.)(?<!i\.e\.)\)?\s+(?=[A-Z`'\"(a-z0-9@])")
WORD = re.compile(r"[^\s]*[A-Za-z0-9][^\s]*")
# Code and tables in comments are no sentences.
CODE = re.compile(r"```.*?```|@code.*?@endcode", re.DOTALL)
TABLE = re.compile(r"\S {3,}\S")  # columns; a list of errors, too, is no sentence
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'')

Sentence = collections.namedtuple("Sentence", "line text words")


def blocks_of_slashes(lines):
    """(first line, text) of each run of // lines, each /* */ and each comment at the end of a line of code."""
    block, first, inside = [], 0, False

    def ended():
        nonlocal block
        if block:
            yield first, "\n".join(block)
        block = []

    for number, line in enumerate(lines, 1):
        text = line.strip()
        if inside:
            end = text.find("*/")
            block.append((text if end < 0 else text[:end]).lstrip("*"))
            inside = end < 0
            if not inside:
                yield from ended()
            continue
        if text.startswith("//"):
            if not block:
                first = number
            block.append(text.lstrip("/!<"))
            continue
        yield from ended()
        bare = STRING.sub(lambda match: " " * len(match.group()), line)
        at = min((place for place in (bare.find("//"), bare.find("/*")) if place >= 0), default=-1)
        if at < 0:
            continue
        first = number
        if bare.startswith("//", at):
            yield first, line[at:].lstrip("/!<")
            continue
        end = line.find("*/", at + 2)
        block.append(line[at:end if end >= 0 else None].lstrip("/*!<"))
        inside = end < 0
        if not inside:
            yield from ended()
    yield from ended()


def blocks_of_hashes(lines):
    block, first = [], 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("#") and not text.startswith(("#!", "##", "# shellcheck")):
            if not block:
                first = number
            block.append(text.lstrip("#"))
            continue
        if block:
            yield first, "\n".join(block)
        block = []
    if block:
        yield first, "\n".join(block)


def sentences(name, lines):
    """The sentences of a file's comments. A blank line, a list's item and a tag such as @param begin another one."""
    suffix = pathlib.PurePath(name).suffix
    blocks = blocks_of_slashes if suffix in SLASHES else blocks_of_hashes if suffix in HASHES else None
    if not blocks:
        return
    for first, text in blocks(lines):
        text = CODE.sub(" ", text)
        for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*|] |@|\\|[0-9]+\. |[a-z]+:  ?))", text):
            if part.strip().startswith("errors:") or TABLE.search(part):
                continue
            for sentence in END.split(" ".join(part.split())):
                words = len(WORD.findall(sentence))
                if words:
                    yield Sentence(first, sentence, words)


def comment_lines(lines):
    """How many lines are comments alone, and how many hold code with a comment at their end; blank lines are neither."""
    alone = trailing = 0
    inside = False
    for line in lines:
        text = line.strip()
        if inside or text.startswith(("//", "/*")):
            alone += 1
            inside = "*/" not in text if inside or text.startswith("/*") else False
        else:
            trailing += "//" in STRING.sub("", line)
    return alone, trailing


def share(texts):
    """Percent of the lines of `texts` that have a comment. Blank lines count as lines."""
    lines = comments = 0
    for text in texts:
        lines += len(text)
        comments += sum(comment_lines(text))
    return 100.0 * comments / lines if lines else 0.0


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments.add_argument("--words", type=int, default=MOST_WORDS, help="print sentences with more words than this")
    arguments.add_argument("--share", action="store_true", help="print the share of comments of each folder's .cpp files")
    options = arguments.parse_args()
    for path in options.paths:
        files = sorted(file for file in ([path] if path.is_file() else path.rglob("*")) if file.suffix in SLASHES | HASHES)
        texts = {file: file.read_text(encoding="utf-8").splitlines() for file in files}
        if options.share:
            print(f"{share(text for file, text in texts.items() if file.suffix == '.cpp'):5.1f} {path}")
            continue
        for file, text in texts.items():
            for sentence in sentences(file.name, text):
                first = sentence.text.split()[0]
                if sentence.words > options.words or first in ("Of", "What"):
                    print(f"{file}:{sentence.line}: {sentence.words}: {sentence.text}")


if __name__ == "__main__":
    main()
