#!/usr/bin/env python3
"""Checks what docs and CONTRIBUTING.md promise about the files of this tree: lengths, heads, tabs, paths, plain English."""
import collections
import pathlib
import re
import sys

import comment_text

SOURCES = {".c", ".h", ".cpp", ".hpp", ".py", ".sh", ".cmake", ".inc"}
FOLDERS = ("src", "include", "tests", "examples", "tools", "bindings", "benchmarks", "scripts", "integrations")
MAX_LINES, MAX_CODE_COLUMNS, MAX_COMMENT_COLUMNS = 700, 128, 136
MAX_NULL_BACKEND_LINES = 400
MIN_HEAD_WORDS = 12
THIS = pathlib.Path(__file__).resolve()

# Written in pieces, so that this file does not contain what it looks for.
UNFINISHED = re.compile("|".join(("TO" "DO", "FIX" "ME", "not imple" "mented", "unimple" "mented", "place" "holder",
                                  "for " "now", "st" "ub")), re.IGNORECASE)
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:home|Users|work|mnt)/[A-Za-z.]")
# Words that make a reader stop, and what to write in their places. Parts of the program act; a term is that of the field.
PLAIN = {
    "whoever": "the part that acts: 'the thread that waits', 'the caller'",
    "whomever": "the part that is meant",
    "who": "the part that acts: 'the thread that waits', 'a caller that has the source'",
    "whom": "the part that is meant: 'which stream', 'what the name means'",
    "nobody": "'no thread', 'no call', 'nothing'; or the passive: 'is not used'",
    "somebody": "the part that acts: 'another thread', 'a caller'; or the passive",
    "someone": "the part that acts: 'another thread', 'a caller'; or the passive",
    "anybody": "'any thread', 'any caller'",
    "anyone": "'any thread', 'any caller'",
    "everybody": "'all threads', 'every caller'",
    "everyone": "'all threads', 'every caller'",
    "tenant": "'temporary', 'block'",
    "crowd": "'clique', 'set of temporaries of which no two may share'",
    "taste": "'heuristic', 'order of preference'",
    "lookout": "'watching thread', 'poll'",
}
PLAIN_WORD = re.compile(r"\b(" + "|".join(sorted(PLAIN, key=len, reverse=True)) + r")(?:s|'s)?\b", re.IGNORECASE)
# How often they may occur, by folder; a folder that is not named has none. A number may only fall: lower it with the count.
PLAIN_LIMITS = {}
PLAIN_FOLDERS = FOLDERS + ("docs", "cmake", ".ci")
# "behind" is for one thing that stands for another, and not for time or order ("after"). A sentence of a comment has MOST_WORDS
# words at most, and begins with its subject: not with FIRST_WORDS. Counted by the most specific folder of ENGLISH that a file is
# in; a folder that is not named has none. A number may only fall: lower it with the count.
FIRST_WORDS = ("Of", "What")
ENGLISH = {  # folder: (times of "behind", long sentences, first words)
    ".": (1, 0, 0), "docs": (4, 0, 0), "include": (1, 0, 0), "src/allocator": (1, 0, 0), "src/backends": (10, 0, 0),
    "src/base": (1, 0, 0), "src/comm": (2, 0, 0), "src/compiler": (1, 0, 0),
    "src/manager": (3, 0, 0), "tests": (5, 0, 0),
}
# At least so many percent of the lines of a folder's .cpp files have a comment. Where threads and drivers meet, readers want to
# know why. A number may only rise.
SHARES = {"src/allocator": 11.8, "src/backends": 11.8, "src/comm": 11.8, "src/graph/exec": 12.5}
PLAIN_SUFFIXES = SOURCES | {".md", ".txt", ".cl", ".svg", ""}
RELEASED = "tests/abi/headers/"  # headers of earlier releases, kept as they were
GENERATED = {"bindings/rt.json", "bindings/rt.cdef.h", "bindings/rt_message.h", "bindings/rt_comm.json",
             "bindings/rt_comm.cdef.h", "bindings/rt_comm_message.h"}


def source_files(root, folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in SOURCES and "__pycache__" not in path.parts:
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8").splitlines()


def is_comment(line):
    return line.lstrip().startswith(("//", "/*", "*", "#"))


def head_words(lines):
    """How many words the comment at the top of a file has."""
    words = 0
    for line in lines:
        if not line.strip() and words == 0:
            continue
        if not line.lstrip().startswith(("//", "/*", "*", " *")):
            break
        words += len(re.findall(r"[A-Za-z0-9_./:]{2,}|a|I", line))
    return words


def check_lengths(root, problems):
    for name, lines in source_files(root, FOLDERS):
        if name in GENERATED or name.startswith(RELEASED):
            continue
        if len(lines) > MAX_LINES and name != "include/rt.h":
            problems.append(f"{name}: {len(lines)} lines; {MAX_LINES} are the limit")
        for number, line in enumerate(lines, 1):
            limit = MAX_COMMENT_COLUMNS if is_comment(line) else MAX_CODE_COLUMNS
            if len(line) > limit:
                problems.append(f"{name}:{number}: {len(line)} columns; {limit} are the limit")
            if "\t" in line:
                problems.append(f"{name}:{number}: a tab")


def check_heads(root, problems):
    for name, lines in source_files(root, ("src",)):
        if head_words(lines) < MIN_HEAD_WORDS:
            problems.append(f"{name}: the head comment has fewer than {MIN_HEAD_WORDS} words")
    total = sum(len(lines) for _, lines in source_files(root, ("src/backends/null",)))
    if total > MAX_NULL_BACKEND_LINES:
        problems.append(f"src/backends/null: {total} lines in all; {MAX_NULL_BACKEND_LINES} are the limit")


def check_words(root, problems):
    for name, lines in source_files(root, ("src", "include", "bindings", "scripts", "examples")):
        for number, line in enumerate(lines, 1):
            found = UNFINISHED.search(line)
            if found:
                problems.append(f"{name}:{number}: sounds unfinished: '{found.group()}'")
    texts = list(source_files(root, FOLDERS + ("cmake",)))
    for path in sorted(list(root.glob("*.md")) + list(root.glob("docs/**/*.md")) + list(root.glob("docs/**/*.json"))):
        texts.append((path.relative_to(root).as_posix(), path.read_text(encoding="utf-8").splitlines()))
    for name, lines in texts:
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                problems.append(f"{name}:{number}: names a path of one machine")


def plain_files(root):
    """What a reader reads: sources, texts, documents and the lists of tests, but generated files and this one."""
    paths = [path for path in root.iterdir() if path.is_file() and path.suffix in (".md", ".txt")]
    for folder in PLAIN_FOLDERS:
        paths += [path for path in (root / folder).rglob("*") if path.is_file() and path.suffix in PLAIN_SUFFIXES]
    for path in sorted(paths):
        name = path.relative_to(root).as_posix()
        if "__pycache__" not in path.parts and name not in GENERATED and not name.startswith(RELEASED) and path != THIS:
            yield name, path.read_text(encoding="utf-8", errors="replace").splitlines()


def check_plain_english(root, problems):
    """Counts the words of PLAIN by folder, and complains of a folder that has more than its limit."""
    found = {}
    for name, lines in plain_files(root):
        for number, line in enumerate(lines, 1):
            for match in PLAIN_WORD.finditer(line):
                found.setdefault(name.split("/")[0], []).append((f"{name}:{number}", match.group(1).lower()))
    for folder, places in sorted(found.items()):
        limit = PLAIN_LIMITS.get(folder, 0)
        if len(places) > limit:
            problems += [f"{place}: '{word}': write {PLAIN[word]}" for place, word in places]
            problems.append(f"{folder}: {len(places)} of the words above; {limit} are the limit (PLAIN_LIMITS)")
    counts = ", ".join(f"{folder} {len(places)}" for folder, places in sorted(found.items()))
    print(f"words to avoid: {counts or 'none'}")
    for folder, limit in PLAIN_LIMITS.items():
        if len(found.get(folder, ())) < limit:
            print(f"PLAIN_LIMITS: {folder} has {len(found.get(folder, ()))} by now; lower its limit of {limit}")


def english_of(name, lines):
    """How often a file has "behind", long sentences of comments, and first words that put off the subject."""
    found = collections.Counter(behind=sum(len(re.findall(r"\bbehind\b", line, re.IGNORECASE)) for line in lines))
    for sentence in comment_text.sentences(name, lines):
        found["long"] += sentence.words > comment_text.MOST_WORDS
        found["first"] += sentence.text.split()[0] in FIRST_WORDS
    return found


def check_english(root, problems):
    counts = collections.defaultdict(collections.Counter)
    for name, lines in plain_files(root):
        inside = [folder for folder in ENGLISH if name.startswith(folder + "/")]
        folder = max(inside, key=len) if inside else name.split("/")[0] if "/" in name else "."
        counts[folder].update(english_of(name, lines))
    said = ('times "behind"', f"sentences of more than {comment_text.MOST_WORDS} words", "sentences that begin with Of or What")
    for folder in sorted(set(counts) | set(ENGLISH)):
        for what, words, limit in zip(("behind", "long", "first"), said, ENGLISH.get(folder, (0, 0, 0))):
            count = counts[folder][what]
            if count > limit:
                problems.append(f"{folder}: {count} {words}; {limit} are the limit (see scripts/comment_text.py)")
            elif count < limit:
                print(f"ENGLISH: {folder} has {count} {words} by now; lower its limit of {limit}")


def check_shares(root, problems):
    for folder, least in SHARES.items():
        files = sorted((root / folder).rglob("*.cpp"))
        share = comment_text.share(path.read_text(encoding="utf-8").splitlines() for path in files)
        if files and share < least:
            problems.append(f"{folder}: comments in {share:.2f} percent of the lines of its .cpp files; {least} are the least")


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    problems = []
    check_lengths(root, problems)
    check_heads(root, problems)
    check_words(root, problems)
    check_plain_english(root, problems)
    check_english(root, problems)
    check_shares(root, problems)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} findings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
