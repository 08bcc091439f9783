#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mesh.sh PROGRAM: a mesh beside matrices: contacts of its surfaces as check tells and writes
# them, node sets, what is said of DOFs that are not there, of wrong decks and of units.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
cp "$MASING_SOURCE_ROOT"/examples/overlap* "$folder"
model=overlap_surfaces.yaml

# says TEXT...: each stands in the output of check
says() {
    for text; do
        grep -qF -- "$text" out || echo "output lacks '$text'"
    done
}

# refused NAME MESSAGE: check m.yaml ends with status 2 and this message
refused() {
    "$program" check m.yaml >out 2>err
    status=$?
    report "$1" "$(
        [ $status -eq 2 ] || echo "status $status"
        grep -qF -- "$2" err || cat err
    )"
}

# --- pairs ---
"$program" check $model --pairs pairs.csv >out 2>err
expect "check accepts the model" "$? $(cat err)" "0 "
report "the pairs are counted" "$(says '6 pairs' '0.0015 m^2 in all')"
expect "and written as nodes that lie on each other" "$(sed 1d pairs.csv | cut -d, -f 1-5)" \
    "14,25,0,0,-1
16,27,0,0,-1
18,29,0,0,-1
20,31,0,0,-1
22,33,0,0,-1
24,35,0,0,-1"
sed 's/surfaces: .*/pairs: pairs.csv/' $model >read.yaml
few="--set harmonics=[0,1] --set samples=64 --quiet"
"$program" frf $model ${few% --quiet} -o surfaces.csv 2>err
report "the summary says what damps farther modes" "$(
    grep -q 'damping of the structure ratio 0.002 .* of all farther ones' err || cat err
)"
"$program" frf read.yaml $few -o pairs_read.csv 2>err
report "read again they give the same curve" "$(cmp surfaces.csv pairs_read.csv 2>&1)"
sed -n '/^model: |/,$p' surfaces.csv.run.yaml | sed -e 1d -e 's/^  //' >again.yaml
"$program" frf again.yaml $few -o again.csv 2>err
report "so does the record's model" "$(cmp surfaces.csv again.csv 2>&1)"
"$program" study $model --vary lap.preload=5e6,1e7 $few -o study.csv 2>err
expect "a study reaches all pairs" \
    "$(sed 1d study.peaks.csv | cut -d, -f 3 | sort -u | wc -l)" 2

report "DOFs are counted as given and as condensed" \
    "$(says '132 DOFs condensed to 22, 24 modes')"
report "what damps farther modes is said" \
    "$(says 'damping ratio 0.002 of the 24 modes, up to 14084.1 Hz, and of all farther ones')"

"$program" check overlap.yaml --pairs none.csv >out 2>err
expect "without surfaces there is nothing to write" "$? $(cat err)" \
    "2 masing check: --pairs: no joint has 'surfaces', whose pairs could be written"
"$program" check $model --pairs overlap.inp.csv -o overlap.inp.csv >out 2>err
expect "one file for two things is refused" $? 2
cp overlap.inp deck.csv
sed 's/overlap.inp/deck.csv/' $model >m.yaml
refused_file=$("$program" check m.yaml --pairs deck.csv 2>&1)
report "no output over the deck" "$(
    echo "$refused_file" | grep -q 'deck.csv would be written over a file of the model' ||
        echo "$refused_file"
    cmp overlap.inp deck.csv 2>&1
)"

# The upper beam 10 mm along: its nodes lie between those of the lower one, some beyond its end.
awk -F, '$1 == "*NODE" { on = 1 } /^\*EL/ { on = 0 }
    on && $1 > 24 { $2 = $2 + 0.01; print $1 "," $2 "," $3 "," $4; next } { print }' \
    overlap.inp >moved.inp
sed -e 's/overlap.inp/moved.inp/' -e 's/from: LOWER, to: UPPER/from: UPPER, to: LOWER/' \
    $model >moved.yaml
"$program" check moved.yaml --pairs moved.csv >out 2>err
report "nodes without an opposite are named" \
    "$(says '4 pairs' '2 nodes that found none: 33 35')"
"$program" check moved.yaml -o moved.svg >out 2>err
expect "a picture of the pairs" "$? $(cat err)" "0 "
expect "with their number and the nodes that found none" \
    "$(grep -oE '>(lap: [^<]*|[xy] \([^<]*|33|35|[^<]*found none)<' moved.svg | tr -d '\n')" \
    ">x (m)<>y (10⁻³ m)<>33<>35<>lap: 4 pairs<>2 found none<"
"$program" check overlap.yaml -o none.svg >out 2>err
expect "without surfaces there is none" "$? $(cat err)" \
    "2 masing check: -o none.svg: there is no picture: check draws the pairs of joints with \
'surfaces', and no joint has these; frequencies over nodal diameters of a 'cyclic' structure; \
over the speed with 'frequency_of: shaft'"
expect "others lie on faces" "$(sed -n 2p moved.csv | cut -d, -f 1)" 25
expect "with two nodes' weights" "$(sed -n 2p moved.csv | cut -d, -f 2 |
    awk '{ for (i = 1; i <= NF; i++) { split($i, a, ":"); printf "%s %.6f ", a[1], a[2] } }')" \
    "14 0.666667 18 0.333333 "
expect "and the normal out of the upper beam" "$(sed -n 2p moved.csv | cut -d, -f 3-5)" 0,0,1
sed 's/surfaces: .*/pairs: moved.csv/' moved.yaml >read.yaml
"$program" check moved.yaml --csv >one 2>err
"$program" check read.yaml --csv >two 2>err
report "such pairs are read again" "$(cmp one two 2>&1)"

# Plane elements as gmsh writes them for a physical surface: two quadrangles of 8 nodes.
awk 'BEGIN {
    print "*NODE" >"plane.inp"
    printf "masing: 1\nstructure:\n  mesh: plane.inp\n  masses: {" >"plane.yaml"
    for (side = 0; side < 2; side++) {
        for (i = 0; i < 5; i++) {
            for (j = 0; j < 3; j++) {
                if (i % 2 && j % 2) { continue }
                n = 100 * side + 3 * i + j + 1
                print n "," i "," j ",0" >"plane.inp"
                all = all (all ? "," : "") n
                split("x y z", axis, " ")
                for (k = 1; k <= 3; k++) {
                    masses = masses (masses ? ", " : "") n "." axis[k] ": 1"
                    springs = springs "    - {from: ground, to: " n "." axis[k] \
                        ", stiffness: 1e4}\n"
                }
            }
        }
        print "*ELEMENT, TYPE=CPS8, ELSET=SIDE" side >"plane.inp"
        for (e = 0; e < 2; e++) {
            a = 100 * side + 6 * e + 1
            print 10 * side + e + 1 "," a "," a + 6 "," a + 8 "," a + 2 ",\n" \
                a + 3 "," a + 7 "," a + 5 "," a + 1 >"plane.inp"
        }
        print "*NODE" >"plane.inp"
    }
    print "*NSET,NSET=ALL\n1\n*ELEMENT, TYPE=T3D2, ELSET=Line1\n99, 1, 101" >"plane.inp"
    print masses "}\n  springs:\n" springs "joints:\n  - {name: pad, law: contact, surfaces: " \
        "{from: SIDE0, to: SIDE1, match: 1e-6, normal: [0, 0, 2]}, per_area: true, " \
        "normal_stiffness: 100, tangential_stiffness: 50, friction: 0.4, preload: 1}\n" \
        "loads: [{dof: 1.x, amplitude: 1}]\nfrequency: [10, 20]\noutputs: [1.x]" >"plane.yaml"
}' </dev/null
"$program" check plane.yaml --pairs plane.csv >out 2>err
expect "plane elements serve as a surface" "$? $(cat err)" "0 "
report "of all their nodes" "$(says '13 pairs' '8 m^2 in all')"
expect "with positive areas" "$(awk -F, 'NR > 1 && !($6 > 0)' plane.csv)" ""
sed 's/, normal: \[0, 0, 2\]//' plane.yaml >m.yaml
refused "without a body the normal is asked for" \
    "m.yaml:85:48: from: no face says where the normal points at node 1 of 'SIDE0', give"

printf '*EQUATION\n2\n101,3,1.,102,3,-1.\n' >>plane.inp
sed 's/101.z: 1, //; /to: 101.z/d' plane.yaml >m.yaml
refused "a node that depends on others meets nothing" \
    "m.yaml:84:41: to: DOF '101.z' depends on others (*EQUATION, *TIE or *RIGID BODY in"
report "and what to do is said" "$(
    grep -q 'where that glues the faces of a joint, export the matrices without it' err ||
        cat err
)"
sed -i 's/outputs: .*/outputs: [101.z]/; /pad/d' m.yaml
refused "nor is it an output" "outputs: DOF '101.z' depends on others (*EQUATION, *TIE or *RIG"

# the upper beam stands on the clamped end too: the pairs of fixed nodes are left out
printf '*INCLUDE, INPUT=overlap.inp\n*NSET, NSET=BOTH\n2, 4, LAPA\n' >both.inp
sed -e 's/overlap.inp/both.inp/' -e 's/from: LOWER, to: UPPER/from: BOTH, to: ground/' \
    -e 's/match: 1e-4/normal: [0, 0, 1], area: 8/' $model >m.yaml
"$program" check m.yaml --pairs both.csv >out 2>err
report "fixed nodes on the ground are no pairs" "$(says '6 pairs')"
expect "each has its share of the whole area" "$(sed -n 2p both.csv)" "14,ground,0,0,-1,1"

# --- DOFs and sets ---
# dof NAME MESSAGE
dof() {
    sed "s/{name: tip, .*}/{name: tip, dof: $1}/" $model >m.yaml
    refused "$1" "$2"
}
dof 99.z "m.yaml:31:28: dof: DOF '99.z' is of node 99, which the mesh 'overlap.inp' does not"
dof 2.z "m.yaml:31:28: dof: DOF '2.z' is constrained (*BOUNDARY in 'overlap.inp'): it does not"
dof 48.rx "m.yaml:31:28: dof: DOF '48.rx' is of a node of the mesh, but not among those of"
dof 'tip' "m.yaml:31:28: dof: unknown DOF 'tip'"
dof '{set: TOP, direction: z}' \
    "m.yaml:31:34: set: the mesh 'overlap.inp' has no node set 'TOP' (did you mean 'TIP'?)"
dof '{set: FIX, direction: z}' "m.yaml:31:34: set: no node of 'FIX' moves in this direction"
dof '{set: TIP, direction: u}' "m.yaml:31:50: direction: expected x, y, z or [dx, dy, dz]"
dof '{set: TIP, direction: [0, 0, 0]}' "m.yaml:31:50: direction: expected a direction, found a"
dof '{set: TIP}' "m.yaml:31:28: missing key 'direction'"

# nodes with axes of their own: CalculiX's matrices are along x, y and z there, too
turned() { # MODEL with turned.inp as m.yaml
    sed -e 's/overlap.inp/turned.inp/' $1 >m.yaml
}
printf '*INCLUDE, INPUT=overlap.inp\n*TRANSFORM, NSET=TIP\n0,1,0,0,0,1\n' >turned.inp
turned $model
"$program" check $model >plain 2>err
"$program" check m.yaml >out 2>err
expect "directions of nodes that the deck turns are as without" "$? $(cat err)" "0 "
report "in every line" "$(diff plain out)"
printf '*INCLUDE, INPUT=turned.inp\n*BOUNDARY\n45,1\n' >held.inp
sed -e 's/overlap.inp/held.inp/' $model >m.yaml
refused "but not of one that is held in axes of its own" "m.yaml:28:31: set: node 45 is held \
in axes of its own (*BOUNDARY with *TRANSFORM in 'held.inp'): one of its displacements is a sum"
for part in sti mas; do # as Abaqus writes them, whose axes are not known
    awk 'NR == FNR { split($1, at, "."); name[NR] = at[1] "," at[2]; next }
        { print name[$1] "," name[$2] "," $3 }' overlap.dof overlap.$part >abaqus_$part.mtx
done
sed 's/calculix: overlap$/abaqus: {stiffness: abaqus_sti.mtx, mass: abaqus_mas.mtx}/' \
    $model >abaqus.yaml
"$program" check abaqus.yaml >out 2>err
expect "matrices of another program" "$? $(cat err)" "0 "
turned abaqus.yaml
refused "may be along the nodes' own axes" "m.yaml:28:31: set: node 45 has axes of its own \
(*TRANSFORM in 'turned.inp'), and the matrices may be along these or not: name its DOFs one by"
sed -e 's/- {name: shaker.*/- {base_acceleration: 1, direction: z}/' \
    -e 's/{name: tip, .*}/48.x/' m.yaml >base.yaml
cp base.yaml m.yaml
refused "also for a direction of all nodes" "(*TRANSFORM in 'turned.inp'), and the matrices"
turned abaqus.yaml
sed -i -e 's/{name: tip, .*}/48.x/' -e 's/dof: {set: TIP, direction: y}/dof: 48.x/' m.yaml
"$program" check m.yaml >out 2>err
expect "where DOFs go by their names" "$? $(cat err)" "0 "

# --- sets wherever DOFs are named ---
# Two beams joined by springs: every quantity is that of the nodes written out.
printf '*INCLUDE, INPUT=overlap.inp\n*NSET, NSET=ONE\n48\n' >sets.inp
for node in 14 16 18 20 22 24; do
    for axis in x y z; do
        echo "  - {name: $axis$node, law: linear, from: $node.$axis, to: $((node + 11)).$axis,"
        echo "     stiffness: 5e6, damping: 3}"
    done
done >springs
linear() {
    printf 'masing: 1\nstructure: {calculix: overlap, mesh: sets.inp,\n'
    printf '  damping: {modal_ratio: 0.01}}\n'
    printf 'joints:\n%s\n%s\n' "$(cat springs)" "${2:-}"
    printf 'frequency: [100, 160]\nharmonics: 1\n%s\n' "$1"
    case $1 in *outputs*) ;; *) echo 'outputs: [48.y, 20.y]' ;; esac
}
# same NAME COMMAND SETS NODES [JOINT JOINT]: with both the command has the same rows
same() {
    linear "$3" "${5:-}" >m.yaml
    linear "$4" "${6:-}" >n.yaml
    "$program" $2 m.yaml --quiet >one 2>err
    status=$?
    "$program" $2 n.yaml --quiet >two 2>>err
    report "$1" "$(
        [ $status -eq 0 ] && [ "$(wc -l <one)" -gt 3 ] || { echo "status $status" && cat err; }
        cmp one two 2>&1
    )"
}
each='{45.y: 1e-4, 46.y: 1e-4, 47.y: 1e-4, 48.y: 1e-4}'
short='step: 2e-5, steps: 8000, segments: 5, modes: [4]}'
same "an impulse on a set of one node" ringdown \
    "ringdown: {impulse: {set: ONE, direction: y, amplitude: 1, frequency: 500}, $short" \
    "ringdown: {impulse: {dof: 48.y, amplitude: 1, frequency: 500}, $short"
same "a decay from a displacement of each node of a set" ringdown \
    "ringdown: {initial: {displacements: {set: TIP, direction: y, value: 1e-4}}, $short" \
    "ringdown: {initial: {displacements: $each}, $short"
same "and from such velocities, with a DOF beside them" ringdown \
    "ringdown: {initial: {velocities: [{dof: 20.y, value: 2}, {dof: {set: TIP, \
direction: y}, value: 1e-4}]}, $short" \
    "ringdown: {initial: {velocities: {20.y: 2, 45.y: 1e-4, 46.y: 1e-4, 47.y: 1e-4, \
48.y: 1e-4}}, $short"
push='loads: [{dof: 48.z, amplitude: 1}]'
same "integration from a displacement of a set" "integrate --frequency 120 --set \
integration.tolerance=0.1 --set integration.steps_per_cycle=32" \
    "$push
initial: {displacements: [{set: TIP, direction: y, value: 1e-4}]}" \
    "$push
initial: {displacements: $each}"
same "a pattern of sets has its weight in equal shares" frf \
    'loads: [{amplitude: 1, pattern: [{dof: 20.y, weight: 2}, {set: TIP, direction: y}]}]' \
    'loads: [{amplitude: 1, pattern: {20.y: 2, 45.y: .25, 46.y: .25, 47.y: .25, 48.y: .25}}]'
same "a base moves each node of a set" frf \
    'loads: [{base_acceleration: 1, direction: {set: TIP, direction: y, value: 1e-4}}]' \
    "loads: [{base_acceleration: 1, direction: $each}]"
same "gravity of a set" "check --csv" \
    'static_loads: [{acceleration: 9, direction: [{set: TIP, direction: y, value: 1e-4}]}]' \
    "static_loads: [{acceleration: 9, direction: $each}]"
gauge='outputs: [{name: o, weights:'
same "weights of an output" frf \
    "$push
$gauge [{dof: 20.y, weight: -1}, {set: TIP, direction: y}]}]" \
    "$push
outputs: [{name: o, from: 20.y, to: {set: TIP, direction: y}}]"
spring='  - {name: s, law: linear, stiffness: 1e3, axis:'
same "an axis of weights" frf "$push" "$push" "$spring [{dof: 20.y, weight: -1}, {set: TIP, \
direction: y, weight: 1}]}" "$spring {from: 20.y, to: {set: TIP, direction: y}}}"
same "an axis against the ground" frf "$push" "$push" "$spring {set: TIP, direction: y}}" \
    "$spring {from: ground, to: {set: TIP, direction: y}}}"
linear "ringdown: {impulse: {set: TIP, direction: y, amplitude: 4, frequency: 500}, $short" \
    >m.yaml
"$program" ringdown m.yaml --quiet -o set.csv 2>err
sed -n '/^model: |/,$p' set.csv.run.yaml | sed -e 1d -e 's/^  //' >again.yaml
"$program" ringdown again.yaml --quiet -o again.csv 2>>err
report "the record's model has the set, too" "$(cmp set.csv again.csv 2>&1)"
for node in 45 46 47 48; do
    sed "s/set: TIP, direction: y, amplitude: 4/dof: $node.y, amplitude: 1/" m.yaml >n.yaml
    "$program" ringdown n.yaml --quiet -o $node.csv 2>>err
done
expect "an impulse on a set is shared equally" "$(cat 45.csv 46.csv 47.csv 48.csv set.csv |
    awk -F, '$1 != 4 { file++ } $1 == 4 { sum[file == 5] += $3; n++ }
        END { print (n == 15 && sum[1] > 0 && (sum[1] - sum[0])^2 < 1e-12 * sum[1]^2) }'
)" 1

# wrong NAME MESSAGE SECTION
wrong() {
    linear "$3" >m.yaml
    refused "$1" "$2"
}
wrong "a value is missing" "m.yaml:44:26: missing key 'value'" \
    'initial: {displacements: {set: TIP, direction: y}}'
wrong "a weight is no value" "m.yaml:44:52: unknown key 'weight', expected one of dof, value" \
    'initial: {displacements: [{set: TIP, direction: y, weight: 1}]}'
wrong "a node that is held" "set: no node of 'FIX' moves in this direction" \
    'initial: {displacements: {set: FIX, direction: y, value: 1}}'
wrong "a direction is missing" "missing key 'direction'" \
    'ringdown: {impulse: {set: TIP, amplitude: 1, frequency: 9}}'
wrong "weights that cancel" "weights: expected at least one weight that is not zero" \
    "$gauge [{dof: 48.y}, {set: ONE, direction: y, weight: -1}]}]"
wrong "the ground has no weight" "dof: the ground does not move" "$gauge [{dof: ground}]}]"

# a mesh alone, as gmsh writes it: what is missing is fixed, and said
sed -e '/^\*BOUNDARY/,$d' overlap.inp >alone.inp
printf '*NSET, NSET=ALL\nNALL\n' >>alone.inp
sed -e 's/overlap.inp/alone.inp/' -e 's/^outputs: .*/outputs: [{set: ALL, direction: z}]/' \
    $model >m.yaml
"$program" check m.yaml >out 2>err
expect "without constraints in the deck they are taken from the matrices" "$? $(cat err)" \
    "0 warning: DOFs that the matrices do not have, as those of node 4, are taken as fixed: \
the mesh does not say whether they are constrained or depend on others"

# rule SCRIPT NAME MESSAGE: the model changed by sed
rule() {
    sed "$1" $model >m.yaml
    refused "$2" "$3"
}
rule 's/UPPER/UPPR/' "unknown surface" \
    "m.yaml:20:33: to: the mesh has no surface or node set 'UPPR' (did you mean 'UPPER'?)"
rule 's/, match: 1e-4//' "match is missing" "m.yaml:20:15: missing key 'match'"
rule 's/match: 1e-4/match: -1/' "match is negative" "m.yaml:20:47: match: must be greater than"
rule 's/to: UPPER/to: LOWER/' "a surface on itself" \
    "m.yaml:20:33: to: node 14 is of both 'LOWER' and 'LOWER': where they meet the bodies need"
rule 's/to: UPPER/to: FIX/' "nothing within reach" \
    "m.yaml:20:33: to: no node of 'LOWER' finds one of 'FIX' within 0.0001"
rule 's/LOWER/LAPA/' "areas of a node set" \
    "m.yaml:21:15: per_area: a node set has no area, give 'area:' of all of it"
rule 's/match: 1e-4/match: 1e-4, area: 2/' "areas twice" \
    "m.yaml:20:59: area: 'LOWER' has faces, whose areas are taken"
rule '/mesh:/d' "no mesh" "surfaces: are those of a mesh, expected 'structure: mesh'"
rule 's/overlap.inp/overlap.sti/' "no deck" "overlap.sti:1:1: the file has no nodes"
rule 's/overlap.inp/other.inp/' "no file" "mesh: no file 'other.inp' that can be read"
printf '*INCLUDE, INPUT=overlap.inp\n*NSET, NSET=WRONG\n1, 2,\n** none\n77\n' >wrong.inp
rule 's/overlap.inp/wrong.inp/' "a line of the deck" \
    "wrong.inp:5:1: 'WRONG': the mesh has no node 77"

# --- units ---
awk -F, '$1 == "*NODE" { on = 1 } /^\*EL/ { on = 0 }
    on && NF == 4 { print $1 "," 1000 * $2 "," 1000 * $3 "," 1000 * $4; next } { print }' \
    overlap.inp >millimetres.inp
sed -e 's/overlap.inp/millimetres.inp/' -e 's/match: 1e-4/match: 0.1/' \
    -e 's/^loads:/static_loads: [{acceleration: 9.81, direction: z}]\nloads:/' $model >m.yaml
soft="--set lap.normal_stiffness=2e5 --set lap.tangential_stiffness=1e5 --set lap.preload=5"
"$program" check m.yaml $soft >out 2>err
report "9.81 beside a mesh in mm is doubted" "$(grep -q \
    'warning: the mesh is 540 units long and a static acceleration is 9.81: nothing is' err ||
    { echo 'no such warning' && cat err; })"
sed 's/millimetres.inp/overlap.inp/; s/match: 0.1/match: 1e-4/' m.yaml >n.yaml
"$program" check n.yaml >out 2>err
expect "in metres it is not" "$? $(cat err)" "0 "
finish
