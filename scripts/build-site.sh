#!/usr/bin/env bash
# Makes the reference and the guides as a static site: build-site.sh [--no-install] [FOLDER], by default build/site. Doxygen reads
# rt.h, rt_comm.h, rt.hpp and the pages; pydoc, rustdoc and `go doc` read the layers of their languages, where they are found. The
# site needs no network and no server: open FOLDER/index.html. Ends with a check of all links and of every function.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

install=yes
if [[ ${1:-} == --no-install ]]; then
  install=no
  shift
fi
site=$(realpath -m "${1:-build/site}")
[[ $install == no ]] || scripts/install-packages.sh site
command -v doxygen >/dev/null || { echo "build-site.sh: doxygen is missing: scripts/install-packages.sh site" >&2; exit 1; }

# Only a folder that this script has made is replaced.
if [[ -e $site && ! -e $site/.made-by-build-site && -n $(ls -A "$site") ]]; then
  echo "build-site.sh: $site is there and is no site of this script." >&2
  exit 2
fi
input=$(mktemp -d)
trap 'rm -rf "$input"' EXIT
python3 scripts/site/prepare.py "$input"
rm -rf "$site"
mkdir -p "$site/bindings"
touch "$site/.made-by-build-site"
absent=()  # in the menu
python3 -c 'import _cffi_backend' 2>/dev/null || absent+=(bindings/python)
command -v cargo >/dev/null || absent+=(bindings/rust)
command -v go >/dev/null || absent+=(bindings/go)
doxygen -l "$input/layout.xml"
python3 scripts/site/prepare.py --layout "$input/layout.xml" "${absent[@]}"
doxygen -w html "$input/header.html" "$input/footer.html" "$input/doxygen.css"
python3 scripts/site/prepare.py --header "$input/header.html"
{
  cat scripts/site/Doxyfile
  echo "LAYOUT_FILE = \"$input/layout.xml\""
  echo "PROJECT_NUMBER = $(sed -n 's/^project(manyrt VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
  echo "OUTPUT_DIRECTORY = \"$site\""
  echo "INPUT = \"$input/headers\" \"$input/pages\" \"$input/examples.dox\""
  echo "STRIP_FROM_PATH = \"$input/headers\" \"$input/pages\""
  echo "EXAMPLE_PATH = \"$input/examples\""
  echo "IMAGE_PATH = \"$input/images\""
  echo "USE_MDFILE_AS_MAINPAGE = \"$input/pages/page_README.md\""
  echo "HTML_EXTRA_STYLESHEET = scripts/site/style.css"
  echo "HTML_EXTRA_FILES = scripts/site/search.js scripts/site/search_box.js"
  echo "HTML_HEADER = \"$input/header.html\""
  echo "WARN_LOGFILE = \"$input/warnings\""
} >"$input/Doxyfile"
doxygen "$input/Doxyfile"
sed "s|$input/||" "$input/warnings" | sort -u | head -20
cp "$input"/images/*.svg "$site"

# The layers of other languages, in the words of their own tools. The text of a tool is a page: text_page FILE TITLE NAMES
# COMMAND... NAMES is a script of sed that marks the names which a search finds; `named` makes its commands.
text_page() {
  local file=$site/bindings/$1 title=$2 names=$3
  shift 3
  "$@" >"$input/text" 2>"$input/error" || { sed "s/^/$title: /" "$input/error" | head -5; return 0; }
  {
    echo "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width, initial-scale=1'>"
    echo "<title>$title</title><link rel=stylesheet href=../style.css>"
    echo "<body><div id=titlearea><a id=projectname href=../index.html>manyrt</a>"
    python3 scripts/site/prepare.py --search-form
    echo "</div><div class=contents><h1>$title</h1><pre class=fragment>"
    sed 's/&/\&amp;/g; s/</\&lt;/g' "$input/text" | sed -E "$names"
    echo "</pre></div></body></html>"
  } >"$file"
}
# A command of sed: in lines that begin with $1, the name after it is one that links and searches find.
named() { printf '%s\n' "s|^($1)([A-Za-z_]+)|\1<b class=\"fieldname\" id=\"\2\">\2</b>|"; }
python_help() {
  MANYRT_LIBRARY=${MANYRT_LIBRARY:-$PWD/build/release/lib/libmanyrt.so.0} PYTHONPATH=bindings/python/src \
    PYTHONDONTWRITEBYTECODE=1 python3 -m pydoc "$1"
}
go_help() { (cd bindings/go && go doc -all "$1"); }
if python3 -c 'import _cffi_backend' 2>/dev/null; then
  text_page python.html "Python: manyrt" "$(named '    class ')
    /^FUNCTIONS/,/^DATA/$(named '    ')" python_help manyrt
fi
if command -v go >/dev/null; then
  go_names="$(named 'type '); $(named 'func ')"
  text_page go.html "Go: manyrt" "$go_names" go_help .
  text_page go_comm.html "Go: manyrt/comm" "$go_names" go_help ./comm
fi
if command -v cargo >/dev/null; then
  export MANYRT_LIB_DIR=${MANYRT_LIB_DIR:-$PWD/build/release/lib}
  if cargo doc --quiet --offline --no-deps --manifest-path bindings/rust/Cargo.toml \
    --target-dir "$input/rust" >"$input/rustdoc.log" 2>&1; then
    cp -r "$input/rust/doc" "$site/bindings/rust"
  else
    sed 's/^/rustdoc: /' "$input/rustdoc.log" | head -5
  fi
fi
python3 scripts/site/search_index.py "$site"
python3 scripts/site/check.py "$site"
echo "$site/index.html"
