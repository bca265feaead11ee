#!/usr/bin/env python3
"""scripts/check_style.py counts the words of its table by folder and fails above a folder's limit, not at it."""
import pathlib
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
    start = text.index("PLAIN_LIMITS = {")
    end = text.index("\n", start)
    script = pathlib.Path(folder) / "check_style.py"
    script.write_text(text[:start] + f'PLAIN_LIMITS = {{"src": {LIMIT_OF_SRC}}}' + text[end:], encoding="utf-8")

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
print("words are counted as check_style.py says")
