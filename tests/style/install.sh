#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# install.sh BUILD_DIRECTORY: what `meson install` puts in place is complete, and a program
# can be built against it with nothing but pkg-config.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# one of the installed files, by the end of its path
installed() {
    find "$root" -path "*/$1" | head -n 1
}

absent() {
    for file in bin/masing include/masing/model.h pkgconfig/masing.pc lib*/libmasing.so \
        man/man1/masing.1* masing/examples/two_mass_damper.yaml; do
        [ -n "$(installed "$file")" ] || echo "$file is not installed"
    done
    for header in "$MASING_SOURCE_ROOT"/include/masing/*.h; do
        [ -n "$(installed "include/masing/${header##*/}")" ] ||
            echo "${header##*/} is not installed"
    done
    for example in "$MASING_SOURCE_ROOT"/examples/*.*[lxtc5]; do
        [ -n "$(installed "masing/examples/${example##*/}")" ] ||
            echo "${example##*/} is not installed"
    done
}

# compile a program of somebody else's
compile() {
    PKG_CONFIG_PATH=$(dirname "$(installed pkgconfig/masing.pc)")
    PKG_CONFIG_SYSROOT_DIR=$root
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    # shellcheck disable=SC2046,SC2086 # lists of words
    $CC -Wall -Wextra $SANITIZERS -o "$root/$1" "$root/$1.c" \
        $(pkg-config --cflags --libs masing)
}

build_client() {
    cat >"$root/client.c" <<'END'
#include <masing/law.h>
#include <masing/model.h>
#include <masing/response.h>
#include <masing/table.h>
#include <stdio.h>
int main(void)
{
    return printf("%s\n", masing_version()) < 0;
}
END
    compile client
}

run() {
    LD_LIBRARY_PATH=$(dirname "$(installed 'lib*/libmasing.so')") "$@"
}

# the example of doc/embedding.md, from where it was installed
build_embed() {
    cp "$(installed masing/examples/embed.c)" "$root/embed.c" && compile embed
}

# frequency and size of the peak that the command finds
peak_of_command() {
    run "$(installed bin/masing)" frf "$(installed masing/examples/two_mass_damper.yaml)" \
        --set harmonics=7 --quiet -o "$root/frf.csv" 2>&1
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR > 1 && $column["m2_max"] > most {
            most = $column["m2_max"]; hz = $column["frequency_hz"] }
        END { printf "%.15g %.15g\n", hz, most }' "$root/frf.csv"
}

# what differs between two lines "peak HZ SIZE" and "HZ SIZE"
compare_peaks() {
    printf '%s\n%s\n' "$1" "$2" | awk 'NR == 1 { word = $1; hz = $2; most = $3; n = NF }
        END { if (NR != 2 || word != "peak" || n != 3 || NF != 2 || hz < 18 ||
                  (hz / $1 - 1)^2 > 1e-20 || (most / $2 - 1)^2 > 1e-20)
              print word, hz, most, "is not", $0 }'
}

log=$(meson install -C "$1" --no-rebuild --destdir "$root" 2>&1) || absent_log=$log
report "meson install" "${absent_log:-}"
report "everything is installed" "$(absent)"
report "a program compiles against it" "$(build_client 2>&1)"
version=$(sed -n "s/^ *version: '\(.*\)',$/\1/p" "$MASING_SOURCE_ROOT/meson.build")
expect "the program runs" "$(run "$root/client" 2>&1)" "$version"
expect "the installed command runs" \
    "$(run "$(installed bin/masing)" --version 2>&1 | sed '$d')" "masing $version"
report "the example compiles without a warning" "$(build_embed 2>&1)"
run "$root/embed" >"$root/embed.txt" 2>&1
expect "it ends well" "$?" 0
expect "it prints the response" "$([ "$(wc -l <"$root/embed.txt")" -gt 20 ] && echo yes)" yes
report "its last line is the peak of the command" \
    "$(compare_peaks "$(tail -n 1 "$root/embed.txt")" "$(peak_of_command)")"
finish
