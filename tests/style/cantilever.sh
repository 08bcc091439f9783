#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The matrices of the cantilever are what the script in tools/ writes.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

sh "$MASING_SOURCE_ROOT/tools/make-cantilever" "$directory"
for name in dofs.txt mass.mtx stiffness.mtx; do
    report "cantilever_$name is current" \
        "$(cmp "$directory/cantilever_$name" \
            "$MASING_SOURCE_ROOT/examples/cantilever_$name" 2>&1)"
done
finish
