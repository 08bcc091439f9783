#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sumali.sh PROGRAM: examples/sumali.yaml against the tables of its paper (Lacayo, Deaner and
# Allen 2017): natural frequencies, modal Iwan models, decays after blows. Where CalculiX is
# installed its matrices are made again, and the stiff springs between averages over node sets
# give the frequencies of the rigid couplings.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
tools=$MASING_SOURCE_ROOT/tools
cp "$MASING_SOURCE_ROOT"/examples/sumali* "$folder"

# frequencies MODEL [OPTION]...: of modes 7 to 9, rad/s: three without the friction, three stuck
frequencies() {
    "$program" check --csv "$@" 2>>err | tee modes.csv | awk -F, '
        $1 >= 7 && $1 <= 9 { free = free " " 8 * atan2(1, 1) * $2
            stuck = stuck " " 8 * atan2(1, 1) * $3 }
        END { print free stuck }' OFMT='%.12g' CONVFMT='%.12g'
}

# within NAME PART "NUMBERS" "NUMBERS"
within() {
    report "$1" "$(echo "$3 $4" | awk -v part="$2" '{
        if (NF < 2 || NF % 2) { print "numbers: " $0 }
        for (i = 1; i <= NF / 2; i++) {
            off = $i / $(i + NF / 2) - 1
            if (off > part || off < -part) { print $i ", expected " $(i + NF / 2) }
        }
    }')"
}

reduced=$(frequencies sumali.yaml)
within "natural frequencies of table 4" 4e-3 "$reduced" "652.2 1297 2713 759.3 1345 3185"

# Table 5: K_inf, K_T, F_S of modes 7 to 9; chi and beta within the intervals of the fit.
fitted() {
    sed -n 's/.*stiffness: \([0-9.e+]*\)}*$/\1/p; s/.*slip_force: \([0-9.e+]*\) .*/\1/p' \
        "$1" | tr '\n' ' '
}
for case in "1 4.235e5 1.802 1.537e5 -0.1369 2.561" "2 1.673e6 1.518 1.340e5 -0.1620 2.000" \
    "3 7.321e6 6.934 2.822e6 -0.1008 1.529"; do
    # shellcheck disable=SC2086 # words
    set -- $case
    "$program" mode sumali.yaml --set mode.number="$1" --quiet -o mode.csv 2>err
    "$program" identify mode.csv --modal-iwan "$1" --model sumali.yaml >modal"$1".yaml 2>err
    within "table 5, mode $(($1 + 6))" 0.025 "$(fitted modal"$1".yaml)" "$2 $3 $4"
    report "its chi and beta" "$(awk -v chi="$5" -v beta="$6" '
        $1 == "chi:" { n += ($2 - chi) ^ 2 <= $5 ^ 2 }
        $1 == "beta:" { n += ($2 - beta) ^ 2 <= $5 ^ 2 }
        END { if (n != 2) print "outside the intervals" }' modal"$1".yaml)"
done

# Section 3.2.4: the modal models know less damping than there is after a blow at a point where
# their mode moves little.
blow() {
    "$program" ringdown sumali.yaml --set ringdown.impulse.dof="$1" --amplitudes "$2" \
        --modal 1=modal1.yaml --modal 2=modal2.yaml -o blow.csv >out 2>&1 || cat out
    sed -n "s/^  mode $3, modal model.*damping \([-+0-9.]*\) % on average.*/\1/p" out
}
between() {
    report "$1" "$(echo "$2" | awk -v low="$3" -v high="$4" \
        'NF != 1 || $1 < low || $1 > high { print "\"" $0 "\"" }')"
}
between "mode 7 after blows at the first bolt" "$(blow 90012.x 0.2669,8.896 1)" -68 -25
between "mode 7 after blows at the second bolt" "$(blow 90022.x 0.2224,8.896 1)" -68 -15
between "mode 8 after blows at the second bolt" "$(blow 90022.x 0.2224,8.896 2)" -66 -15

if ! command -v ccx >/dev/null; then
    echo "# skipped: the matrices by CalculiX, ccx is not installed"
    finish
fi
# Structures of smaller decks are read with sanitizers by lap_joint_deck.sh.
[ "${MASING_SANITIZED:-}" ] && finish

sh "$tools/make-sumali" rigid.inp rigid
sh "$tools/make-sumali" sets.inp
for deck in rigid sets; do
    ccx $deck >out 2>&1
    report "CalculiX writes the matrices of $deck.inp" "$([ -s $deck.sti ] || tail -n 5 out)"
done

# full FILE.yaml STRUCTURE: the example with this structure
full() {
    sed "/^  dofs:/d; /^  mass:/d; s|^  stiffness: .*|  calculix: $2|
        s/, modes: stuck//; s/^frequency: .*/frequency: [100, 2000]/
        /^# .masing mode/,\$d" sumali.yaml >"$1"
}
full rigid.yaml rigid
rigid=$(frequencies rigid.yaml)
within "the reduced structure is as good as it says" 1.3e-3 "$reduced" "$rigid"
keep=1964
for bolt in 1 2 3 4; do
    keep=$keep,900${bolt}0.x,900${bolt}0.y,900${bolt}1.x,900${bolt}1.y,900${bolt}2
done
sed -i 's/^frequency: .*/frequency: [100, 125]/' rigid.yaml
"$program" reduce rigid.yaml --keep $keep --modes 10 --quiet -o sumali.mtx 2>err
expect "reduced again" "$(head -n 2 sumali_mass.mtx | tail -n 1)" "41 41"
within "it is the example" 1e-6 "$(frequencies sumali.yaml)" "$reduced"

# averaged STIFFNESS: sets.yaml, squares joined by averages over them; those that were rigid by
# springs, N/m, and 1e-4 of it, N m/rad, between mean rotations
averaged() {
    full sets.yaml sets
    sed -i 's/dof: 1964.z/set: P1, direction: z/; /^joints:/,/^loads:/{/^loads:/!d}
        s/calculix: sets/&\n  mesh: sets.inp/' sets.yaml
    awk -v stiffness="$1" '
        function node(beam, i, j, k) {
            return 1 + k + 2 * (j + 9 * (i + 81 * beam))
        }
        function rotation(about, beam, i, j, text, arm) {
            for (beam = 0; beam < 2; beam++) {
                for (i = -2; i <= 2; i++) {
                    for (j = -2; j <= 2; j++) {
                        arm = about == "x" ? j : -i
                        text = text (arm ? sprintf("%s%d.z: %.17g", text ? ", " : "",
                            node(beam, (beam ? 10 : 34) + 12 * (bolt - 1) + i, 4 + j, !beam),
                            (2 * beam - 1) * arm / (50 * 0.00635)) : "")
                    }
                }
            }
            return text
        }
        function join(name, law, direction, more) {
            printf "  - {name: %s%d, law: %s, from: {set: PATCH%dA, direction: %s},\n", name,
                bolt, law, bolt, direction
            printf "     to: {set: PATCH%dB, direction: %s}, %s}\n", bolt, direction, more
        }
        function turn(about) {
            printf "  - {name: r%s%d, law: linear, axis: {%s}, stiffness: %g}\n", about, bolt,
                rotation(about), 1e-4 * stiffness
        }
        BEGIN {
            print "joints:"
            for (bolt = 1; bolt <= 4; bolt++) {
                join("along", "linear", "x", "stiffness: $along")
                join("across", "linear", "y", "stiffness: $across")
                join("normal", "linear", "z", "stiffness: " stiffness)
                turn("x")
                turn("y")
                join("bolt", "iwan4", "x",
                    "slip_force: $F_S, stiffness: $K_T, chi: $chi, beta: $beta")
            }
        }' >>sets.yaml
}
averaged 1e13
within "averages over sets, springs of 1e13 N/m" 1e-6 "$(frequencies sets.yaml)" "$rigid"
expect "six rigid-body motions" "$(awk -F, '$1 <= 6 && $2 == 0 && $3 == 0' modes.csv | wc -l)" 6
finish
