#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# many_axes.sh PROGRAM: what would take hours with hundreds of joint axes is refused in a
# sentence, before anything is computed.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# chain N: as many masses that rub on the ground
chain() {
    awk -v n="$1" 'BEGIN {
        printf "masing: 1\nstructure:\n  damping: {modal_ratio: 0.02}\n  masses: {m0: 1"
        for (i = 1; i < n; i++) { printf ", m%d: 1", i }
        print "}\n  springs:\n  - {from: ground, to: m0, stiffness: 1e4}"
        for (i = 1; i < n; i++) { print "  - {from: m" i - 1 ", to: m" i ", stiffness: 1e4}" }
        print "joints:"
        for (i = 0; i < n; i++) {
            print "  - {name: j" i ", law: jenkins, from: ground, to: m" i \
                ", stiffness: 1e3, slip_force: 0.1}"
        }
        print "loads: [{dof: m0, amplitude: 1}]\nfrequency: [1, 2]\nharmonics: [1]"
        print "outputs: [{name: m0, dof: m0}]"
    }'
}

# refused NAME WORDS ARGUMENT...: status 2 and these words
refused() {
    name=$1 words=$2
    shift 2
    "$program" "$@" --quiet >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "status $status"
        grep -qF -e "$words" err || cat err
    )"
}

chain 301 >many.yaml
chain 1001 >more.yaml
hours="time integration with 1001 joint axes would take hours"
refused "integrate" "$hours" integrate more.yaml --frequency 1.5 -o x.csv
refused "compare" "$hours" compare more.yaml --frequency 1.5 -o x.csv
refused "branches of many unknowns" "branches are not followed with 5420 unknowns" \
    frf many.yaml --branches --set harmonics=[1,3,5,7,9,11,13,15,17] --set samples=128 -o x.csv
expect "nothing was written" "$(ls x.csv* 2>/dev/null)" ""
"$program" frf many.yaml --set frequency=1.5 --stability floquet -o f.csv >out 2>err
expect "a response by itself is" $? 0
report "without its stability" \
    "$(grep -q 'stability is not determined: 301 joint axes would take hours' err || cat err)"
finish
