#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# study.sh PROGRAM: the printed table of a study against two linear models in closed form and
# against the table of peaks; jumps of which there are more one way than the other.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# cell ROW NAME: of the printed table in err.txt; its columns are two spaces or more apart
cell() {
    awk -v row="$1" -v name="$2" '
        /vs stuck/ { n = split($0, heads, /  +/); at = NR }
        at && NR == at + row {
            sub(/^ +/, "")
            split($0, cells, /  +/)
            for (i = 1; i <= n; i++) { if (heads[i] == name) { print cells[i] } }
        }' err.txt
}

# column NAME FILE LINE
column() {
    awk -F, -v name="$1" -v line="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) { n = i } } }
        NR == line + 1 { print $n }' "$2"
}

# calculate EXPRESSION FORMAT
calculate() {
    awk "BEGIN { printf \"$2\", $1 }"
}

# linear_peak STIFFNESS: largest m2 of the two masses under 10 N with such a spring between
# ground and m1; modes of the masses without it damped by 2 % each
linear_peak() {
    awk -v held="$1" '
        function size(hz,    w, ar, ai, br, bi, dr, di, zr, zi) {
            w = 6.28318530717958647692 * hz
            ar = k1 + k2 + held - w * w; ai = w * c11
            br = -k2;                    bi = w * c12
            dr = k2 - w * w;             di = w * c22
            zr = ar * dr - ai * di - br * br + bi * bi
            zi = ar * di + ai * dr - 2 * br * bi
            return 10 * sqrt((ar * ar + ai * ai) / (zr * zr + zi * zi))
        }
        BEGIN {
            k1 = 41339; k2 = 41328
            for (i = -1; i <= 1; i += 2) {
                square = k1 / 2 + k2 + i * sqrt(k1 * k1 / 4 + k2 * k2)
                x = k2; y = k1 + k2 - square
                each = 2 * 0.02 * sqrt(square) / (x * x + y * y)
                c11 += each * x * x; c12 += each * x * y; c22 += each * y * y
            }
            for (hz = 18; hz <= 28; hz += 0.0005) {
                value = size(hz)
                if (value > most) { most = value }
            }
            printf "%.12g", most
        }'
}

"$program" study "$examples/two_mass_damper.yaml" --vary damper.preload=0,30,3000 \
    --columns harmonics --threads 1 -o s.csv 2>err.txt
expect "a study of the damper" $? 0
stuck=$(linear_peak 40000)
free=$(linear_peak 0)
for row in 1 2 3; do
    value=$(column damper.preload s.peaks.csv $row)
    peak=$(column m2_max s.peaks.csv $row)
    for number in "damper.preload %g $value" \
        "peak/Hz %.5f $(column frequency_hz s.peaks.csv $row)" \
        "m2_max/m %.6e $peak" \
        "points %d $(column points s.peaks.csv $row)"; do
        # shellcheck disable=SC2086
        set -- $number
        expect "$1 of row $row" "$(cell $row "$1")" "$(calculate "$3" "$2")"
    done
    expect "reduction against the stuck joint, row $row" \
        "$(cell $row 'vs stuck' | sed 's/^-0.0/0.0/')" \
        "$(calculate "100 * ($peak / $stuck - 1)" '%.1f %%' | sed 's/^-0.0/0.0/')"
    expect "reduction against the free joint, row $row" \
        "$(cell $row 'vs free' | sed 's/^-0.0/0.0/')" \
        "$(calculate "100 * ($peak / $free - 1)" '%.1f %%' | sed 's/^-0.0/0.0/')"
    expect "equivalent damping, row $row" "$(cell $row damping)" \
        "$(calculate "100 * $(column equivalent_damping_ratio s.peaks.csv $row)" '%.3g %%')"
    expect "slip, row $row" "$(cell $row slip)" \
        "$(calculate "100 * $(column slip_share s.peaks.csv $row)" '%.0f %%')"
    expect "no jump, row $row" "$(cell $row 'jumps up/down Hz')" -
done
# the row of the peak with 30 N
third=$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) { n[$i] = i } }
    $1 == 30 && /peak/ { printf "%.2g", 100 * $n["m2_h3"] / $n["m2_h1"] }' s.csv)
expect "third over first harmonic" "$(cell 1 X3/X1) $(cell 2 X3/X1) $(cell 3 X3/X1)" \
    "0 % $third % 0 %"
report "the reductions are those of a damper" "$(
    [ "$(cell 1 'vs free')" = "0.0 %" ] || cat err.txt
    [ "$(cell 3 'vs stuck')" = "0.0 %" ] || cat err.txt
)"

# --- more jumps one way than the other ---
cat >duffing.yaml <<'END'
masing: 1
structure:
  masses: {m: 1}
  springs: [{from: ground, to: m, stiffness: 1}]
  damping: {modal_ratio: 0.05}
joints: [{name: cubic, law: cubic_spring, from: ground, to: m, coefficient: 0.1}]
loads: [{dof: m, amplitude: 0.3}]
frequency_unit: rad_s
frequency: [0.2, 3]
harmonics: [1]
outputs: [m]
END

# few RANGE: as many points as it takes to come past the first fold of the range
few() {
    "$program" frf duffing.yaml --set "frequency=$1" --quiet | awk -F, '
        /fold/ && !found { found = NR }
        END { print found + 2 }'
}

for case in "up [0.2,3]" "down [3,0.2]"; do
    way=${case%% *}
    range=${case#* }
    points=$(few "$range")
    "$program" study duffing.yaml --set "frequency=$range" \
        --vary "solver.max_points=$points,4000" -o d.csv 2>err.txt
    expect "a curve that ends between its folds, $way" $? 1
    if [ "$way" = up ]; then
        expect "its jump, $way" "$(cell 1 'jumps up/down Hz')" 0.19283
    else
        expect "its jump, $way" "$(cell 1 'jumps up/down Hz')" /0.18331
    fi
    expect "both jumps of the whole curve, $way" "$(cell 2 'jumps up/down Hz')" \
        0.19283/0.18331
    expect "points, $way" "$(cell 1 points)" "$points"
    "$program" frf duffing.yaml --set "frequency=$range" --set "solver.max_points=$points" \
        -o d.csv 2>err.txt
    expect "jumps of a single curve, $way" \
        "$(sed -n 's/^ *sweep \([a-z]*\) jumps at *\(.*\) Hz$/\1 \2/p' err.txt | tr '\n' ';')" \
        "$([ "$way" = up ] && echo "upwards 0.192831;" || echo "downwards 0.183312;")"
done
"$program" frf "$examples/two_mass_damper.yaml" \
    --set 'frequency=[15,65]' --set damper.preload=0 -o wide.csv 2>err
expect "a peak and another one" \
    "$(sed -nE 's/^  (peak|other peaks) .* at ([0-9.]+) Hz$/\1 \2/p' err | tr '\n' ' ')" \
    "peak 19.98941 other peaks 52.457 "

# --- the largest point of a curve that broke off is no peak: nothing is told of one ---
"$program" study "$examples/two_mass_damper.yaml" --vary solver.max_points=5,4000 --threads 1 \
    -o d.csv 2>err.txt
expect "a curve that breaks off before its peak" "$?" 1
for name in frequency_hz m2_max at_limit slip_share equivalent_damping_ratio \
    half_power_bandwidth_hz; do
    expect "$name of it" "$(column $name d.peaks.csv 1)" ""
    report "$name of the other one" "$(
        [ -n "$(column $name d.peaks.csv 2)" ] || cat d.peaks.csv)"
done
for name in 'vs stuck' 'vs free' damping slip X3/X1; do
    expect "$name of it" "$(cell 1 "$name")" -
    report "$name of the other one" "$([ "$(cell 2 "$name")" != - ] || cat err.txt)"
done

# Models of so many values do not all fit into memory at once: each is made in its turn.
{
    echo 'masing: 1'
    echo 'structure:'
    echo '  masses: {'
    for i in $(seq 250); do echo "    m$i: 1,"; done
    echo '    m0: 1}'
    echo '  springs:'
    for i in $(seq 250); do
        echo "    - {from: m$((i - 1)), to: m$i, stiffness: 1e6}"
    done
    echo '    - {from: ground, to: m0, stiffness: 1e6}'
    echo '  damping: {rayleigh: [1, 1e-5]}'
    echo "joints: [{name: d, law: jenkins, from: ground, to: m0,"
    echo "          stiffness: 1e5, slip_force: 1}]"
    echo 'loads: [{dof: m0, amplitude: 1}]'
    echo 'frequency: 10'
    echo 'harmonics: 1'
    echo 'outputs: [m0]'
} >chain.yaml
"$program" study chain.yaml --vary d.slip_force=1:2:170 --quiet -o chain.csv 2>err
expect "more models than fit into memory" "$? $(sed 1d chain.peaks.csv | wc -l)" "0 170"

# One condition is told once, its values as ranges; names and their numbers stay as they are.
cat >told.yaml <<'END'
masing: 1
structure:
  masses: {m1: 1, m2: 1}
  springs: [{from: ground, to: m1, stiffness: 1e4}, {from: m1, to: m2, stiffness: 1e4}]
  damping: {modal_ratio: 0.01}
joints:
  - {name: d 7 % 2, law: bouc_wen, from: ground, to: m1, linear_stiffness: 10,
     hysteretic_stiffness: 100, beta: 1, gamma: 1, n: 1}
loads: [{dof: m1, amplitude: 1}]
outputs: [m1]
frequency: [7, 12]
harmonics: 3
END
"$program" study told.yaml --vary 'd 7 % 2.gamma=1.5:3:10' --quiet -o told.csv 2>err
expect "a law's caution over ten values" \
    "$(grep -c 'is outside' err) $(grep 'is outside' err)" \
    "1 warning (d 7 % 2.gamma = 1.5 to 3, 10 of 10 values): joint 'd 7 % 2': gamma = 1.5 to 3 \
is outside [-beta, beta] = [-1, 1]: the law may create energy"

# A value without a static state: the others are computed, its row has no numbers, and a warning
# says why. The joint alone carries the static load of 5 N. Where no value has one, or one is
# out of its range, nothing is computed.
cat >carried.yaml <<'END'
masing: 1
structure: {masses: {m: 1}, springs: [], damping: {modal_ratio: 0.01}}
joints:
  - {name: d, law: jenkins, from: ground, to: m, stiffness: 40000, slip_force: 100}
  - {name: v, law: linear, from: ground, to: m, stiffness: 0, damping: 4}
loads: [{name: s, dof: m, amplitude: 1}]
static_loads: [{dof: m, force: 5}]
frequency: [20, 40]
harmonics: 3
outputs: [m]
END
stuck=$(awk 'BEGIN { print 0.5 * sqrt(4e4) / 3.14159265358979 }')
for values in 3,100,200 100,3,200 100,200,3; do
    "$program" study carried.yaml --vary "d.slip_force=$values" -o carried.csv 2>err
    expect "$values: exit status" $? 1
    expect "$values: rows in the order of the values" \
        "$(cut -d, -f1 carried.peaks.csv | sed 1d | paste -sd,)" "$values"
    expect "$values: no numbers" "$(grep -c '^3,*,0,0,0$' carried.peaks.csv)" 1
    expect "$values: no rows" "$(grep -c '^3,' carried.csv)" 0
    expect "$values: peaks" \
        "$(awk -F, -v at="$stuck" '$1 >= 100 && ($2 - at) ^ 2 < (1e-3 * at) ^ 2' \
            carried.peaks.csv | wc -l)" 2
    expect "$values: a warning" \
        "$(grep -c '^warning (d.slip_force = 3): not computed: .*no static equilibrium' err)" 1
    expect "$values: the record" \
        "$(grep -c 'reason: .*no static equilibrium' carried.csv.run.yaml)" 1
done
for values in 3,4 3,-1,100; do
    rm -f none.csv
    "$program" study carried.yaml --vary "d.slip_force=$values" -o none.csv 2>err
    expect "$values: exit status" "$? $(test -e none.csv && echo file)" "2 "
done
grep -q "slip_force.*must be >= 0" err
expect "the value that is out of range is named" $? 0
for command in "frf carried.yaml --along d.slip_force=200:3 --frequency 30" \
    "peak carried.yaml --vary d.slip_force=200:3"; do
    # shellcheck disable=SC2086
    "$program" $command -o end.csv 2>err
    expect "$command: exit status" $? 1
    expect "$command: rows up to where it ends" "$(awk 'END { print (NR > 5) }' end.csv)" 1
done

# The same at the beginning: the range is followed from its other end. A peak needs a load.
for command in "frf carried.yaml --along d.slip_force=3:200 --frequency 30" \
    "peak carried.yaml --vary d.slip_force=3:200" "peak carried.yaml --vary s.amplitude=0:1"; do
    # shellcheck disable=SC2086
    "$program" $command -o begin.csv >out 2>err
    expect "$command: exit status" $? 1
    expect "$command: rows from the other end" "$(awk 'END { print (NR > 5) }' begin.csv)" 1
done
"$program" peak carried.yaml --set d.slip_force=1e3 --vary s.amplitude=2,1,0 -o begin.csv 2>err
expect "amplitudes with zero: exit status" $? 1
expect "amplitudes with zero: rows in ascending order" \
    "$(cut -d, -f1,2 begin.csv | sed 1d | paste -sd' ')" "0,1 1,2"
expect "amplitudes with zero: why" "$(grep -c 's.amplitude = 0: the response has no' err)" 1
"$program" peak carried.yaml --vary v.damping=3:6 --vary d.slip_force=3,100,200 -o map.csv 2>err
expect "map: exit status" $? 1
expect "map: the other rows" \
    "$(cut -d, -f3 map.csv | sed 1d | sort -u | paste -sd' ')" "100 200"
expect "map: a warning" "$(grep -c 'd.slip_force = 3: rows are missing: .*no static' err)" 1
for command in "frf carried.yaml --along d.slip_force=3:4 --frequency 30" \
    "peak carried.yaml --vary d.slip_force=3:4" \
    "peak carried.yaml --vary v.damping=3:6 --vary d.slip_force=3,4"; do
    rm -f none.csv
    # shellcheck disable=SC2086
    "$program" $command -o none.csv 2>err
    expect "$command: exit status" "$? $(test -e none.csv && echo file)" "2 "
    expect "$command: why" "$(grep -c ': no static equilibrium' err)" 1
done

# Parameters that do not go together in a law are refused likewise, and none is asked for
# between the values of a list: the moment of this patch needs 25 N.
patch=$MASING_SOURCE_ROOT/examples/contact_patch.yaml
for command in study peak; do
    "$program" $command "$patch" --vary patch.preload=1,50 -o patch.csv >out 2>err
    expect "$command of a patch: exit status" $? 1
    expect "$command of a patch: why" "$(grep -c 'patch.preload = 1: .*no static equil' err)" 1
    at=$(head -1 patch.csv | tr , '\n' | grep -n '^patch' | cut -d: -f1)
    expect "$command of a patch: rows" "$(cut -d, -f"$at" patch.csv | sed 1d | sort -u)" 50
done

# The file's own value is not one of the study's.
sed 's/slip_force: 100/slip_force: 3/' carried.yaml >own.yaml
for command in "study own.yaml --vary d.slip_force=100,200 --joint d" \
    "frf own.yaml --along d.slip_force=100:200 --frequency 30" \
    "peak own.yaml --vary d.slip_force=100:200"; do
    # shellcheck disable=SC2086
    "$program" $command -o own.csv >out 2>&1
    expect "$command: exit status" $? 0
    # shellcheck disable=SC2086
    "$program" ${command%%own.yaml*}carried.yaml${command#*own.yaml} -o other.csv >out 2>&1
    expect "$command: rows" "$(cat own.csv)" "$(cat other.csv)"
done
"$program" study own.yaml --vary d.slip_force=100,200 --joint e -o none.csv 2>err
expect "a joint that is not there: exit status" $? 2
expect "a joint that is not there: named" "$(grep -c "no joint 'e'" err)" 1

finish
