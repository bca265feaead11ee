#!/bin/sh
# Threads of the library may work to the last moment of a process, so their objects are never destroyed. No object file
# registers a destructor. Usage: static_objects.sh libmanyrt_static.a
set -eu
[ $# -eq 1 ] && [ -f "$1" ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
found=$(nm -A --undefined-only "$1" | awk '$NF == "__cxa_atexit" { print $1 }' | sort -u)
[ -z "$found" ] && exit 0
echo "Static objects with destructors (take constexpr data, or a pointer to an object that stays):" >&2
echo "$found" >&2
exit 1
