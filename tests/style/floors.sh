#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Includes never climb: each folder of src/, and each room that floors.txt lists, includes only
# what floors.txt permits.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
floors="$MASING_SOURCE_ROOT/tests/style/floors.txt"
cd "$MASING_SOURCE_ROOT/src" || exit 1

# prints "FOLDER FILE INCLUDE" for each include of src/
includes() {
    grep -rE --include='*.[ch]' '^ *# *include' . |
        sed -E 's|^\./(([^/]+)/[^:]*): *# *include *([<"][^>"]*[>"]).*|\2 \1 \3|'
}

climbing() {
    includes | awk '
        # of FLOOR/ROOM/FILE: the room where it is listed, else the floor
        function place(path, part, n) {
            n = split(path, part, "/")
            return n > 2 && known[part[1] "/" part[2]] ? part[1] "/" part[2] : part[1]
        }
        FILENAME == rules && /^[a-z_\/]+:/ {
            floor = substr($1, 1, length($1) - 1)
            known[floor] = 1
            for (i = 2; i <= NF; i++) {
                may[floor, $i] = 1
            }
            may[floor, floor] = may[floor, "masing"] = 1
        }
        FILENAME != rules && $3 ~ /^"/ {
            from = place($2)
            to = place(substr($3, 2, length($3) - 2))
            if (!known[from]) {
                print $2 ": the floor " from " is not in floors.txt"
            } else if (!may[from, to]) {
                print $2 ": " from " may not include " $3
            }
        }
    ' rules="$floors" "$floors" -
}

misplaced() {
    includes | awk '
        FILENAME == rules && /^</ {
            header = substr($1, 2, length($1) - 2)
            foreign[header] = 1
            for (i = 2; i <= NF; i++) {
                may[header, $i] = 1
            }
        }
        FILENAME != rules && $3 ~ /^</ {
            header = substr($3, 2, length($3) - 2)
            sub(/\/.*/, "/", header)
            if (foreign[header] && !may[header, $1]) {
                print $2 ": " $1 " may not include " $3
            }
        }
    ' rules="$floors" "$floors" -
}

# the C library and POSIX; anything else in angle brackets must be listed in floors.txt
unknown() {
    standard='assert complex ctype errno fcntl fenv float inttypes langinfo limits
        locale math pthread stdatomic
        setjmp signal stdalign stdarg stdbool stddef stdint stdio stdlib string
        strings time unistd dirent
        sys/stat sys/types sys/ioctl sys/time sys/resource'
    includes | awk -v standard="$standard" '
        BEGIN {
            n = split(standard, name, /[ \n]+/)
            for (i = 1; i <= n; i++) {
                permitted[name[i] ".h"] = 1
            }
        }
        FILENAME == rules && /^</ { permitted[substr($1, 2, length($1) - 2)] = 1 }
        FILENAME != rules && $3 ~ /^</ {
            header = directory = substr($3, 2, length($3) - 2)
            sub(/\/.*/, "/", directory)
            if (!permitted[header] && !permitted[directory]) {
                print $2 ": " $3 " is not listed in floors.txt"
            }
        }
    ' rules="$floors" "$floors" -
}

public_headers() {
    grep -nE '^ *# *include *"' ../include/masing/*.h | grep -v '"masing/'
}

expect "there are includes to look at" "$([ "$(includes | wc -l)" -gt 10 ] && echo yes)" yes
report "no include climbs" "$(climbing 2>&1)"
report "foreign headers stay on their floor" "$(misplaced 2>&1)"
report "every foreign header is known" "$(unknown 2>&1)"
report "public headers include public headers only" "$(public_headers 2>&1)"
finish
