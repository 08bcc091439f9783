#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# exports.sh LIBRARY: the shared library shows public names only.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"

names() {
    # the address sanitizer marks each public variable with a symbol of its own
    nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//; s/^__odr_asan\.//'
}

expect "the library shows something" "$([ "$(names "$1" | wc -l)" -ge 3 ] && echo yes)" yes
report "only masing_ names" "$(names "$1" 2>&1 | grep -v '^masing_')"
finish
