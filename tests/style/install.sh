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
    for example in "$MASING_SOURCE_ROOT"/examples/*.*[lxt]; do
        [ -n "$(installed "masing/examples/${example##*/}")" ] ||
            echo "${example##*/} is not installed"
    done
}

# compile and run a program of somebody else's
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
    PKG_CONFIG_PATH=$(dirname "$(installed pkgconfig/masing.pc)")
    PKG_CONFIG_SYSROOT_DIR=$root
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    # shellcheck disable=SC2046,SC2086 # lists of words
    $CC $SANITIZERS -o "$root/client" "$root/client.c" $(pkg-config --cflags --libs masing)
}

run() {
    LD_LIBRARY_PATH=$(dirname "$(installed 'lib*/libmasing.so')") "$@"
}

log=$(meson install -C "$1" --no-rebuild --destdir "$root" 2>&1) || absent_log=$log
report "meson install" "${absent_log:-}"
report "everything is installed" "$(absent)"
report "a program compiles against it" "$(build_client 2>&1)"
version=$(sed -n "s/^ *version: '\(.*\)',$/\1/p" "$MASING_SOURCE_ROOT/meson.build")
expect "the program runs" "$(run "$root/client" 2>&1)" "$version"
expect "the installed command runs" \
    "$(run "$(installed bin/masing)" --version 2>&1)" "masing $version"
finish
