#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# law_parameters.sh PROGRAM: parameters that are lists, mappings and curves, from the model
# through overrides and check to the record, and from the record to the same numbers again.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
mkdir models

# model NAME: standard input holds the joint's law and its entries
model() {
    {
        echo 'masing: 1'
        echo 'structure:'
        echo '  masses: {m: 1}'
        echo '  springs: [{from: ground, to: m, stiffness: 1e7}]'
        echo '  damping: {modal_ratio: 0.02}'
        echo 'loads: [{dof: m, amplitude: 10}]'
        echo 'frequency: [400, 1800]'
        echo 'outputs: [m]'
        echo 'harmonics: [1, 3, 5]'
        echo 'joints:'
        echo '  - {name: j, from: ground, to: m,'
        cat
        echo '    }'
    } >"models/$1.yaml"
}

# done_with NAME ARGUMENT...: exit status 0
done_with() {
    name=$1
    shift
    "$program" "$@" >out 2>err
    status=$?
    report "$name" "$([ $status -eq 0 ] || { echo "exit status $status" && cat err; })"
}

shows() {
    report "check shows $1" "$(grep -qE -- "^  $1 +$2" out || { echo "$1 $2:" && cat out; })"
}

# again NAME FILE: the model in FILE's record, in the folder of the first, gives the same rows
again() {
    sed '1,/^model: |2$/d; s/^  //' "$2.run.yaml" >models/again.yaml
    done_with "$1: the record is a model" frf --quiet models/again.yaml -o again.csv
    report "$1: of the same rows" "$(cmp "$2" again.csv)"
}

model rough <<'EOR'
    law: rough_interface, friction: 0.3, preload: 50,
    topography: {height_std: [0.3e-6, 0.4e-6], summit_radius: 150e-6, summit_density: 5e8,
                 area: 5e-4, youngs_modulus: 200e9, poisson_ratio: 0.3}
EOR
done_with "a pair of surfaces" check models/rough.yaml
shows topography.height_std '3e-07, 4e-07 m$'
shows topography.youngs_modulus '2e\+11 Pa$'
shows stiffness '82352941.18 N/m  \(tangent at the origin'
set=j.topography.height_std.1
done_with "one of a pair is varied" study --quiet models/rough.yaml \
    --vary $set=0.4e-6,0.8e-6 -o study.csv
done_with "or set" frf --quiet models/rough.yaml --set $set=0.8e-6 -o set.csv
grep '^7.99' study.csv | cut -d , -f 2- >second
report "with the same result" "$(sed 1d set.csv | cmp - second)"
done_with "as it is" frf --quiet models/rough.yaml -o as_it_is.csv
report "and another one than without" "$(cmp -s as_it_is.csv set.csv && echo "the same")"
again "a topography" set.csv

printf '# measured\nforce,displacement\n0,0\n4,1e-6\n5,3e-6\n' >models/curve.csv
model table <<'EOR'
    law: backbone_table, file: curve.csv
EOR
done_with "a curve beside the model" check models/table.yaml
shows file '3 points from \(0, 0\) to \(3e-06, 5\)$'
done_with "is followed" frf --quiet models/table.yaml -o table.csv
again "a curve" table.csv
model pairs <<'EOR'
    law: backbone_table, file: [[0, 0], [1e-6, 4], [3e-6, 5]]
EOR
done_with "pairs in the model" frf --quiet models/pairs.yaml -o pairs.csv
report "give the same rows" "$(cmp table.csv pairs.csv)"
done_with "a point is set" frf --quiet models/pairs.yaml --set j.file.2.1=6 -o point.csv
report "and matters" "$(cmp -s pairs.csv point.csv && echo "the same")"
again "pairs" point.csv
model spring <<'EOR'
    law: elastic_table, file: spring.csv
EOR
printf 'displacement,force\n-1e-6,-3\n0,0\n1e-6,4\n3e-6,6\n' >models/spring.csv
done_with "a spring's curve beside the model" check models/spring.yaml
shows file '4 points from \(-1e-06, -3\) to \(3e-06, 6\)$'
done_with "is followed, too" frf --quiet models/spring.yaml -o spring.csv
again "a spring's curve" spring.csv
model points <<'EOR'
    law: elastic_table, file: [[-1e-6, -3], [0, 0], [1e-6, 4], [3e-6, 6]]
EOR
done_with "a spring's points in the model" frf --quiet models/points.yaml -o points.csv
report "give the same rows, too" "$(cmp spring.csv points.csv)"
done_with "a force of them is varied" peak --quiet models/points.yaml --vary j.file.2.1=3:4 \
    -o varied.csv
report "and its peak is that of the curve" "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) {
        if ($i == "m_max") { column = i } } next }
    FNR == NR { most = $column > most ? $column : most; next }
    FNR == 1 { for (i = 1; i <= NF; i++) { if ($i == "m_max") { column = i } } next }
    { last = $column }
    END { if (!(last / most > 0.9999 && last / most < 1.0001)) { print last, most } }' \
    points.csv varied.csv)"
model powers <<'EOR'
    law: polynomial_damper, coefficients: [-10, 2e3]
EOR
done_with "a list of coefficients" frf --quiet models/powers.yaml \
    --set j.coefficients.1=3e3 -o powers.csv
again "a list of coefficients" powers.csv
model terms <<'EOR'
    law: generalized_valanis, e1: 2e6, e2: 1e6,
    terms: [{coefficient: 4e11, power: 1}, {coefficient: 1e17, power: 2, velocity: sign}]
EOR
done_with "a list of mappings" check models/terms.yaml
shows terms '0: coefficient 4e\+11 .*, power 1, velocity none, rate 0 1/m$'
report "check shows the second one" "$(
    grep -qE "^ +1: coefficient 1e\+17 .* sign" out || cat out
)"
set=j.terms.1.coefficient
done_with "a number inside is varied" study --quiet models/terms.yaml --vary $set=1e17,2e17 \
    -o study.csv
done_with "or set" frf --quiet models/terms.yaml --set $set=2e17 -o set.csv
grep '^2[0e.+]*17,\|^20*,' study.csv | cut -d , -f 2- >second
report "with the same result" "$(sed 1d set.csv | cmp - second)"
again "a list of mappings" set.csv
model branches <<'EOR'
    law: generalized_valanis,
    loading: {e1: 2e6, e2: 1e6, terms: [{coefficient: 4e11, power: 1}]},
    unloading: {e1: 2e6, e2: 1e6, terms: [{coefficient: 3e11, power: 1}]}
EOR
done_with "mappings of mappings" check models/branches.yaml
shows unloading.terms '0: coefficient 3e\+11 .*, power 1'
done_with "and a number in them" frf --quiet models/branches.yaml --set j.loading.e1=3e6 \
    -o branches.csv
again "mappings of mappings" branches.csv
finish
