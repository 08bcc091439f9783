#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each public header compiles alone, as C11 and as C++. $CC and $CXX are the compilers.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
cd "$MASING_SOURCE_ROOT/include" || exit 1
warnings="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I."

# shellcheck disable=SC2086 # compilers and warnings are lists of words
for header in masing/*.h; do
    report "$header as C11" "$(echo "#include \"$header\"" |
        $CC -std=c11 $warnings -x c - 2>&1)"
    report "$header as C++" "$(echo "#include \"$header\"" |
        $CXX -std=c++11 $warnings -x c++ - 2>&1)"
done
finish
