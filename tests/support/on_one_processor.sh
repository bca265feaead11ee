#!/bin/sh
# Runs a program on one of the processors that this process may use: on_one_processor.sh PROGRAM [ARGUMENT...]
set -eu
one=$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')
exec taskset -c "$one" "$@"
