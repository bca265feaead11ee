#!/usr/bin/env python3
"""scripts/check_style.py counts words, sentences and comments by folder. It fails above a folder's limit, not at it."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_style.py"
LIMIT_OF_SRC = 3
WORD = "no" "body"  # in two pieces: this file is counted, too


def run(script, files):
    """What the script says of a tree with these files: exit status and lines."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, script, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


def expect(condition, text):
    if not condition:
        sys.exit(f"check_style.py does not count as it says:\n{text}")


with tempfile.TemporaryDirectory() as folder:
    text = SCRIPT.read_text(encoding="utf-8")
    for table, limits in (("PLAIN_LIMITS", f'{{"src": {LIMIT_OF_SRC}}}'), ("SHARES", '{"src/comm": 50.0}'),
                          ("ENGLISH", '{"src/base": (1, 1, 1)}')):
        text, times = re.subn(rf"^{table} = {{.*?}}$", f"{table} = {limits}", text, count=1, flags=re.MULTILINE | re.DOTALL)
        expect(times == 1, f"{table} is not there")
    script = pathlib.Path(folder) / "check_style.py"
    script.write_text(text, encoding="utf-8")
    shutil.copy(SCRIPT.with_name("comment_text.py"), folder)

    status, said = run(script, {"docs/page.md": "A stream waits.\n"})
    expect(status == 0 and "words to avoid: none" in said, said)
    status, said = run(script, {"docs/page.md": f"Then {WORD} waits.\n"})
    expect(status == 1 and "docs/page.md:1" in said and "write '" in said, said)
    status, said = run(script, {"docs/page.md": f"It is {WORD}'s turn.\n"})
    expect(status == 1 and "docs/page.md:1" in said, said)
    head = "// This head has more than enough words to be taken for the head of a file.\n"
    status, said = run(script, {"src/base/a.h": head + f"// {WORD}\n" * LIMIT_OF_SRC})
    expect(status == 0 and f"src {LIMIT_OF_SRC}" in said, said)
    status, said = run(script, {"src/base/a.h": head + f"// {WORD}\n" * (LIMIT_OF_SRC + 1)})
    expect(status == 1 and f"src: {LIMIT_OF_SRC + 1} of the words above" in said, said)
    status, said = run(script, {"src/base/a.h": head + f"// {WORD}\n" * (LIMIT_OF_SRC - 1)})
    expect(status == 0 and "lower its limit" in said, said)

    # One of each is the limit of src/base: a file with one passes, two fail, and so does one in any other folder.
    late, long, first = "// It comes be" "hind.\n", "// It has" + " one" * 24 + ".\n", "// What it does.\n"
    none = "ENGLISH: src/base has 0"
    for line, of_two in ((late, "times"), (long, "sentences of more"), (first, "sentences that begin")):
        status, said = run(script, {"src/base/a.h": head + line})
        expect(status == 0 and said.count(none) == 2, said)
        status, said = run(script, {"src/base/a.h": head + line + "\n" + line})
        expect(status == 1 and f"src/base: 2 {of_two}" in said, said)
        status, said = run(script, {"src/ops/a.h": head + line})
        expect(status == 1 and "src: 1 " in said, said)
    # Comments that end within a sentence, lists and code in comments are read as they are meant.
    status, said = run(script, {"src/ops/a.h": head + "// It has" + " one" * 20 + ":\n// - and" + " one" * 20 + "\n"})
    expect(status == 0, said)
    lines = "// Why.\nint a;  // what for\n" + "int b;\n" * 3
    status, said = run(script, {"src/comm/a.cpp": head + lines})
    expect(status == 0, said)
    status, said = run(script, {"src/comm/a.cpp": head + lines + "int c;\n"})
    expect(status == 1 and "src/comm: comments in 42.86 percent" in said, said)
print("words are counted as check_style.py says")
