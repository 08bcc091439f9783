#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What every text of the project keeps to: licence line, line length, file and function length,
# no path of somebody's machine, no search in texts where there are kinds.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
cd "$MASING_SOURCE_ROOT" || exit 1
longest_line=96
longest_file=800
longest_function=70
folders="src include python tests examples benchmarks doc tools .ci"

code() {
    find $folders \( -name '*.[ch]' -o -name '*.sh' -o -name 'meson.build' \
        -o -path 'tools/*' ! -name '*.txt' -o -path '.ci/*' \) -type f
    find python tests \( -name '*.py' -o -name '*.toml' \) -type f
    echo meson.build
}

texts() {
    code
    find . -maxdepth 1 -type f ! -name LICENSE ! -name .git
    find $folders \( -name '*.md' -o -name '*.yaml' -o -name '*.scd' -o -name '*.txt' \) -type f
}

no_licence() {
    code | xargs awk '
        FNR == 1 { seen[FILENAME] += 0 }
        FNR <= 3 && /SPDX-License-Identifier: GPL-2.0-or-later/ { seen[FILENAME] = 1 }
        END {
            for (file in seen) {
                if (!seen[file]) {
                    print file
                }
            }
        }'
}

# generated tables of the manual have lines as long as their cells
long_lines() {
    texts | grep -v '\.md$' | sort -u | xargs awk -v most="$longest_line" '
        length($0) > most { print FILENAME ":" FNR ": " length($0) " characters" }'
}

long_files() {
    find src include tests -name '*.[ch]' | xargs wc -l |
        awk -v most="$longest_file" '$2 != "total" && $1 > most { print $2 ": " $1 " lines" }'
}

long_functions() {
    find src benchmarks -name '*.c' | xargs awk -v most="$longest_function" '
        /^\{/ { start = FNR }
        /^\}/ && start {
            if (FNR - start + 1 > most) {
                print FILENAME ":" start ": a function of " FNR - start + 1 " lines"
            }
            start = 0
        }'
}

machine_paths() {
    texts | sort -u | grep -vx 'tests/style/text.sh' |
        xargs grep -nE '(^|[^[:alnum:]_.])/(home|root|work|Users)/|/tmp/wt-'
}

# tabs are part of scdoc's language
spaces() {
    texts | sort -u | grep -v '\.scd$' | xargs grep -nE "$(printf '[ \t]$|\t')" | cut -c 1-100
}

# events have kinds: a joint may be called like one
event_texts() {
    find src -name '*.[ch]' | xargs grep -nE '\<str(str|chr|n?cmp|n?casecmp|casestr)\(.*event'
}

conflicts() {
    texts | sort -u | xargs grep -nE '^(<<<<<<<|>>>>>>>) '
}

expect "there are files to look at" "$([ "$(code | wc -l)" -gt 30 ] && echo yes)" yes
report "every source has its licence line" "$(no_licence 2>&1)"
report "no line above $longest_line characters" "$(long_lines 2>&1)"
report "no file above $longest_file lines" "$(long_files 2>&1)"
report "no function above $longest_function lines" "$(long_functions 2>&1)"
report "no path of a machine" "$(machine_paths 2>&1)"
report "nobody looks for words in an event's text" "$(event_texts 2>&1)"
report "no mark of a merge" "$(conflicts 2>&1)"
report "no tab, no space at the end of a line" "$(spaces 2>&1)"
finish
