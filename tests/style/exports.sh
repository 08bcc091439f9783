#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# exports.sh LIBRARY: the shared library shows public names only, and every name that a
# public header promises; what few files need is loaded for them, not linked.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"

names() {
    # the address sanitizer marks each public variable with a symbol of its own
    nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//; s/^__odr_asan\.//'
}

promised() {
    cat "$MASING_SOURCE_ROOT"/include/masing/*.h | grep -v '^ *#' | tr '\n' ' ' |
        grep -oE 'MASING_API [^;(]*' | sed -E 's/\[\]//; s/ *$//; s/.*[ *]//' | sort -u
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
names "$1" >"$list"
expect "the headers promise something" "$([ "$(promised | wc -l)" -gt 20 ] && echo yes)" yes
report "only masing_ names" "$(grep -v '^masing_' "$list")"
report "nothing that the headers promise is missing" "$(promised | grep -vxF -f "$list")"
report "HDF5 and matio are not linked" "$(readelf -d "$1" | grep -E 'NEEDED.*(hdf5|matio)')"
finish
