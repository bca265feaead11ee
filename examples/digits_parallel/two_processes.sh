#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Starts digits_parallel as processes of this host, without MPI: two_processes.sh PROGRAM [RANKS [OPTIONS...]], RANKS is 2 where it
# is left out. The ranks find each other by an id, which rank 0 writes to a file. Ends with 0 if all processes do.
set -eu
program=$1
ranks=${2:-2}
[ $# -lt 2 ] && shift 1 || shift 2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
others=
rank=1
while [ "$rank" -lt "$ranks" ]; do
  "$program" --id-file "$folder/id" --rank "$rank" --ranks "$ranks" "$@" &
  others="$others $!"
  rank=$((rank + 1))
done
status=0
"$program" --id-file "$folder/id" --rank 0 --ranks "$ranks" "$@" || status=$?
for process in $others; do
  wait "$process" || status=$?
done
exit "$status"
