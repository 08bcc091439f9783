#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# warnings.sh PROGRAM: the whole text of each warning that a run of the program leads to. It
# stands on standard error and, word by word, in the record beside the result.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# warns NAME STATUS PATTERNS COMMAND...: a run ends with this exit status; each of its warnings
# is one of the patterns, a line each (extended, of the whole text), and each pattern one of
# the warnings
warns() {
    name=$1 status=$2 patterns=$3
    shift 3
    rm -f x.csv.run.yaml
    "$program" "$@" --quiet -o x.csv >out 2>err
    expect "$name: exit status" $? "$status"
    sed -n 's/^warning\( ([^)]* = [^)]*)\)\{0,1\}: //p' err >found
    report "$name: text" "$(printf '%s\n' "$patterns" | while read -r pattern; do
        [ "$(grep -cxE -- "$pattern" found)" -eq 1 ] || echo "not once: $pattern"
    done
    if [ "$(wc -l <found)" -ne "$(printf '%s\n' "$patterns" | wc -l)" ]; then
        echo "warnings:"
        cat found
    fi)"
    expect "$name: record" "$(recorded)" "$(sort -u found)"
}

# the warnings of the record, each once
recorded() {
    awk '/^ *warnings:/ { is_in = 1; next }
        is_in && !/^ *- "/ { is_in = 0 }
        is_in { sub(/^ *- "/, ""); sub(/"$/, ""); gsub(/\\"/, "\""); print }' x.csv.run.yaml |
        sort -u
}

# silent NAME COMMAND...: a run that warns of nothing
silent() {
    name=$1
    shift
    report "$name" "$("$program" "$@" --quiet -o x.csv 2>&1)"
}

number='[-+0-9.e]+'
damper=$examples/two_mass_damper.yaml
duffing=$examples/duffing.yaml
field=$MASING_SOURCE_ROOT/tests/reference/field

# --- frequency responses ---

warns "a joint that never slips" 0 "joint 'damper' never slips \($number % of its limit; slips \
from $number times the load\)" frf "$damper" --set load_factor=0.01
times=$(sed -n 's/.*slips from \([0-9.e+-]*\) times the load.*/\1/p' found)
report "share and factor belong together" "$(awk -v times="$times" \
    -v share="$(sed 's/.*slips (\([0-9.e+-]*\) %.*/\1/' found)" 'BEGIN {
        if (!(times * share > 99 && times * share < 101)) { print share " %, " times } }')"
larger=$(awk -v times="$times" 'BEGIN { printf "%.6g", 0.0102 * times }')
report "it slips with that load" "$(
    "$program" frf "$damper" --set load_factor="$larger" --quiet -o x.csv 2>&1)"
warns "a contact that never slips" 0 "joint 'contact' never slips \($number % of its limit\)" \
    frf "$examples/normal_motion.yaml" --set load_factor=0.01
warns "contacts of which none slips" 0 "none of the 8 joints of 'foot' ever slips \(the \
nearest comes to $number % of its limit\)" frf "$examples/contact_pairs.yaml" \
    --set load_factor=0.001

sed 's/preload: .N/gap: 1/' "$examples/normal_motion.yaml" >open.yaml
warns "an open contact" 0 "joint 'contact' is open all the time at the peak" frf open.yaml

sed 's/^frequency:.*/frequency: [18, 19]/' "$damper" >low.yaml
warns "an Iwan joint below its limit" 0 "joint 'bolt' is in microslip only \($number % of its \
limit, $number % of the loss at the peak; slips from $number times the load\)
3 times the peak's frequency \(201\.[0-9]* Hz\) meets mode 3 \(201\.091 Hz free, 201\.115 Hz \
stuck\)" frf "$field/lap_joint.yaml" --set load_factor=0.1
expect "most of the loss is the joint's" "$(sed -n \
    's/.*limit, \(8[5-9]\|9[0-5]\)[.0-9]* % of the loss.*/yes/p' found)" "yes"

# a chain of 24 equal joints: one condition, told once
chain() {
    awk -v law="$1" 'BEGIN {
        print "masing: 1\nstructure:\n  damping: {modal_ratio: 0.01}\n  masses:"
        for (i = 0; i < 24; i++) { print "    m" i ": 1" }
        print "  springs:"
        for (i = 0; i < 24; i++) {
            print "    - {from: " (i ? "m" i - 1 : "ground") ", to: m" i ", stiffness: 1e6}"
        }
        print "joints:"
        for (i = 0; i < 24; i++) {
            print "  - {name: j" i ", from: " (i ? "m" i - 1 : "ground") ", to: m" i "," law "}"
        }
        print "loads: [{dof: m23, amplitude: 0.01}]\nfrequency: [5, 20]\nharmonics: 3"
        print "outputs: [m23]"
    }'
}
chain ' law: jenkins, stiffness: 1e5, slip_force: 1' >chain.yaml
of_all="'j0', 'j1', 'j2' and 21 more \(the nearest comes to $number % of its limit"
warns "24 joints that never slip" 0 "24 joints never slip: $of_all; slips from $number times \
the load\)" frf chain.yaml
chain ' law: iwan4, stiffness: 1e5, slip_force: 1, chi: -0.5, beta: 1' >chain.yaml
warns "24 joints in microslip" 0 "24 joints are in microslip only: $of_all; $number % of the \
loss at the peak in all; slips from $number times the load\)" frf chain.yaml
pad='tangential_stiffness: 100, friction: 0.3, gap: 1}'
cat >pads.yaml <<END
masing: 1
structure:
  masses: {x: 1, y: 1}
  springs: [{from: ground, to: x, stiffness: 1e4}, {from: ground, to: y, stiffness: 2e4}]
  damping: {modal_ratio: 0.02}
joints:
  - {name: pad, law: contact, normal: {from: ground, to: y},
     tangential: [{from: ground, to: x}], normal_stiffness: 1000, $pad
  - {name: pin, law: contact, normal: {from: ground, to: y},
     tangential: [{from: ground, to: x}], normal_stiffness: 2000, $pad
loads: [{dof: x, amplitude: 1}]
frequency: [10, 20]
outputs: [x]
END
warns "two open contacts" 0 "2 joints are open all the time at the peak: 'pad', 'pin'" \
    frf pads.yaml

warns "a peak at the end" 0 "the peak lies at the end of the range, 19 Hz \(stuck mode at \
24\.6637 Hz, free mode at 19\.9985 Hz\)
joint 'damper' never slips \($number % of its limit; slips from $number times the load\)" \
    frf low.yaml
warns "few harmonics" 0 "the last harmonics \(up to 3\) of 'y' are $number % of the first at \
the peak: take more harmonics" frf "$examples/lift_off.yaml" --set harmonics=3
# the motion hardly has the last harmonics; where it sticks, a bristle's force hangs on them
lugre=$MASING_SOURCE_ROOT/tests/reference/field/lugre.yaml
creates="joint 'j': sigma2 = 0\.4 N s/m is below sigma1 .*: the law may create energy"
ends="the peak lies at the end of the range, 0\.1 Hz \(stuck mode at 50\.3297 Hz, free mode at \
0\.225079 Hz\)"
for highest in 15 $([ "${MASING_SANITIZED:-}" ] || echo 41); do
    warns "few harmonics for forces, $highest" 0 "$creates
$ends
the last harmonics \(up to $highest\) change the forces of the joints by $number % at the \
peak: take more harmonics" frf "$lugre" --set harmonics=$highest --stability none
done
warns "few harmonics for forces of bolts" 0 "5 of 6 rigid-body modes .*
the last harmonics \(up to 5\) change the forces of the joints by $number % at the peak: take \
more harmonics" frf "$examples/bolted_beams.yaml"
sed 's/^harmonics:.*/harmonics: {tolerance: 1e-8, max: 5}/' "$examples/lift_off.yaml" >few.yaml
warns "few harmonics to choose from" 0 "harmonics up to 5, the most allowed, may not give the \
outputs to 1e-06 % at $number Hz: a larger harmonics.max may be needed" frf few.yaml
warns "a curve that is not complete" 1 "the curve is not complete: its largest point, at \
$number Hz, need not be the peak" frf "$duffing" --set solver.max_points=20
warns "modes that harmonics meet" 0 "3 times the peak's frequency \(157\.104 Hz\) meets mode 3 \
\(142\.473 Hz free, 153\.389 Hz stuck\)
4 times the peak's frequency \(209\.471 Hz\) meets mode 6 \(215\.864 Hz free, 215\.876 Hz \
stuck\)" frf "$examples/contact_pairs.yaml"

sed 's/{modal_ratio: 0.02}/{structural: 0.02}/' "$damper" >lossy.yaml
# a second harmonic that meets a mode: symmetric friction makes none, a stop to one side does
cat >even.yaml <<'END'
masing: 1
structure:
  masses: {a: 1, b: 1}
  springs:
    - {from: ground, to: a, stiffness: 10000}
    - {from: a, to: b, stiffness: 2000}
    - {from: ground, to: b, stiffness: 49000}
  damping: {modal_ratio: 0.01}
joints: [{name: d, law: jenkins, from: ground, to: a, stiffness: 2000, slip_force: 1}]
loads: [{dof: a, amplitude: 1}]
frequency: [10, 25]
harmonics: 7
outputs: [a]
END
silent "a harmonic that joints do not make meets no mode" frf even.yaml
sed 's/jenkins.*/unilateral_spring, from: ground, to: a, stiffness: 2000, gap: 1e-4}]/' \
    even.yaml >stop.yaml
warns "a harmonic that joints do make" 0 "2 times the peak's frequency \(36\.0206 Hz\) meets \
mode 2 \(35\.9783 Hz free, 35\.9783 Hz stuck\)" frf stop.yaml

# joints that do not move, of which the same is said once
cat >still.yaml <<'END'
masing: 1
structure:
  modes: {frequencies: [10], shapes: {x: [1], y: [0]}, damping_ratio: 0.01}
joints:
  - {name: a, law: linear, from: ground, to: y, stiffness: 10}
  - {name: b, law: linear, from: ground, to: y, stiffness: 20}
  - {name: c, law: linear, from: ground, to: y, stiffness: 30}
  - {name: d, law: linear, from: ground, to: y, stiffness: 40}
loads: [{dof: x, amplitude: 1}]
frequency: [5, 15]
outputs: [x]
END
warns "joints that move in no mode" 0 "4 joints move in no mode of the structure: 'a', 'b', \
'c' and 1 more" frf still.yaml
grep -v 'name: [bcd]' still.yaml >one.yaml
warns "a joint that moves in no mode" 0 "joint 'a' moves in no mode of the structure" \
    frf one.yaml

# models without a load
sed '/^loads:/d' even.yaml >bare.yaml
for command in frf 'study --vary d.slip_force=1,2' 'peak --vary d.slip_force=1:2' \
    'frf --frequency 20 --along d.slip_force=1:2'; do
    "$program" ${command%% *} bare.yaml $(expr "$command " : '[a-z]* \(.*\)') -o none.csv \
        >out 2>err
    expect "without loads, $command" "$? $(cat out err) $(ls none.csv 2>&1 | grep -c '^none')" \
        "2 bare.yaml: the model has no loads, expected at least one under 'loads:': nothing \
drives it 0"
done
warns "loads that are zero" 0 "nothing moves: the loads are zero, or do not reach 'a'" \
    frf even.yaml --set load_factor=0

text="stability is not determined: structural damping \(a loss factor\) has no causal form in \
time"
warns "stability that was asked for" 0 "$text" frf lossy.yaml --stability floquet
"$program" frf lossy.yaml --along load_factor=1:2 --frequency 20 --stability floquet --quiet \
    -o x.csv 2>err
expect "along a number: text" "$(grep -cxE "warning: $text" err)" 1

sed '/damping:/d; s/^frequency:.*/frequency: [21, 28]/' "$damper" >undamped.yaml
warns "an undamped structure, stuck" 0 "the linear structure is undamped and its response \
unbounded at 24\.6637 Hz with the joints stuck
the peak lies at the end of the range, 21 Hz .*" frf undamped.yaml
sed '/damping:/d; s/^frequency:.*/frequency: [23.5, 19.5]/' "$damper" >undamped.yaml
"$program" frf undamped.yaml --quiet -o x.csv 2>err
expect "an undamped structure, in full slip: text" "$(grep -cxE "warning: the linear structure \
is undamped and its response unbounded at 19\.9985 Hz with the joints in full slip" err)" 1

sed '/damping:/d; s/jenkins.*/cubic_spring, from: ground, to: a, coefficient: 1e8}]/
    s/^frequency:.*/frequency: [15, 20]/' even.yaml >cubic.yaml
warns "an undamped structure with a spring" 0 "the peak lies at the end of the range, 20 Hz .*
the linear structure is undamped and its response unbounded at 17\.3601 Hz with the joints' \
tangents at rest" frf cubic.yaml
sed '/damping:/d; /^joints:/d; s/^frequency:.*/frequency: [15, 20]/' even.yaml >alone.yaml
"$program" frf alone.yaml --quiet -o x.csv 2>err
expect "an undamped structure alone: text" "$(grep -cxE "warning: the linear structure is \
undamped and its response unbounded at 17\.3601 Hz" err)" 1

warns "a coarse tolerance" 0 "energy input and loss differ by up to $number of the work \
exchanged: a law creates energy or the balance is not resolved" \
    frf "$damper" --set solver.tolerance=1e-3
warns "harmonics that cannot be checked" 0 "joint 'contact': law 'contact' creates energy, up \
to $number J per cycle \(at $number Hz\)
harmonics are not checked where sliders of contacts are carried along a curve \(start: \
previous\)" frf "$examples/normal_motion.yaml" --set start=previous --check-harmonics
warns "harmonics that do not suffice" 0 "harmonics up to 1 with [0-9]+ samples: m[12]_max is \
wrong by about $number % at $number Hz \(tolerance 1 %\); harmonics up to [0-9]+ with [0-9]+ \
samples were solved to see it" frf "$damper" --set harmonics=1 --check-tolerance 0.01

cat >drift.yaml <<'END'
masing: 1
structure: {masses: {m: 1}}
joints: [{name: j, from: ground, to: m, law: jenkins, stiffness: 100, slip_force: 1}]
loads: [{dof: m, amplitude: 1.2}, {dof: m, amplitude: 0.6, harmonic: 2, phase: 40}]
frequency: [4, 0.5]
harmonics: 9
outputs: [m]
END
"$program" frf drift.yaml --quiet -o x.csv 2>err
expect "a body that drifts: text" "$(grep -cxE "warning: the joints' mean force pushes the \
structure along a rigid-body motion that nothing holds, by up to $number of the loads \(at \
$number Hz\): it drifts, and the mean given is no equilibrium" err)" 1

# --- studies ---

warns "the lowest peak at the end of a list" 0 "the lowest peak is at the end of the list, \
damper\.preload = 40: extend it" study "$damper" --vary damper.preload=40,60
expect "which value it belongs to" "$(grep -c '^warning (damper\.preload = 40): ' err)" 1
"$program" study low.yaml --vary damper.preload=100,30,40 --quiet -o x.csv 2>err
expect "an equal warning is told once, with its values" "$(grep -c 'the peak lies at' err) \
$(grep -c '^warning (damper\.preload = 100, 30, 40): the peak lies at the end' err)" "1 1"

"$program" study "$damper" --vary damper.preload=600:3000:30 --quiet -o x.csv 2>err
expect "a condition with other numbers is told once, with their ranges" "$(cat err)" \
    "warning (damper.preload = 600 to 3000, 30 of 30 values): joint 'damper' never slips \
(11.7 to 58.7 % of its limit; slips from 1.7 to 8.52 times the load)"
"$program" study chain.yaml --vary load_factor=1:5:10 --quiet -o x.csv 2>err
expect "24 joints over 10 values are one line" "$(wc -l <err)$(
    grep -c '^warning (load_factor = 1 to 5, 10 of 10 values): 24 joints are in' err)" "11"
for name in load_factor shaker.amplitude harmonics samples solver.tolerance; do
    values=0.5,1,2
    case $name in
    harmonics) values=5,7 ;;
    samples) values=256,512 ;;
    solver.tolerance) values=1e-9,1e-8 ;;
    esac
    "$program" study "$damper" --vary "$name=$values" --quiet -o x.csv 2>err
    expect "no best value of $name is looked for" "$? $(grep 'extend it' err)" "0 "
done
sed 's/^frequency:.*/frequency: [23, 60]/' "$field/no_peak_in_range.yaml" >aside.yaml
"$program" study aside.yaml --vary d.slip_force=0.1,1,10 --quiet -o x.csv 2>err
expect "values without a peak in the range are no list to extend" "$(grep -c . err) $(
    grep 'lowest' err)" "1 "

# --- laws ---

cat >laws.yaml <<'END'
masing: 1
joints:
  - {name: bristles, law: lugre, from: ground, to: x, sigma0: 1e6, sigma1: 100, sigma2: 3,
     coulomb_force: 20, static_force: 24, stribeck_velocity: 1e-3}
  - {name: hysteresis, law: bouc_wen, from: ground, to: x, linear_stiffness: 1e4,
     hysteretic_stiffness: 1e6, a: 1, beta: 1e4, gamma: 4e4, n: 1}
  - {name: terms, law: generalized_valanis, from: ground, to: x, e1: 10, e2: 20,
     terms: [{coefficient: 30, power: 1}, {coefficient: 1400, power: 2, velocity: sign}]}
  - {name: slider, law: dahl, from: ground, to: x, stiffness: 1e6, slip_force: 10, exponent: 1}
END
warns "bristles" 0 "sigma2 = 3 N s/m is below sigma1 \(static_force - coulomb_force\) / \
coulomb_force = 20: the law may create energy" loop laws.yaml --joint bristles --amplitude 1e-4
warns "a negative loop" 0 "gamma = 40000 is outside \[-beta, beta\] = \[-10000, 10000\]: the \
law may create energy" loop laws.yaml --joint hysteresis --amplitude 1e-4
warns "beyond what a law is made for" 0 "amplitude 0\.1: the law can create energy beyond a \
displacement of 0\.0607143 m, this motion reaches 0\.1 m" \
    loop laws.yaml --joint terms --amplitude 0.1
warns "a slow approach to the steady cycle" 0 "amplitude 1e-07: the motion from the virgin \
state is still 1\.7e-06 of the largest force from the steady cycle after 200 cycles; the last \
cycle written, 201, is the steady one itself" loop laws.yaml --joint slider --amplitude 1e-7

# --- laws that are there to put energy in ---

silent "a van der Pol oscillator" check "$examples/self_excited.yaml"
silent "a ring that rubs" check "$examples/annular_rub.yaml"
silent "and its loops" loop "$examples/annular_rub.yaml" --joint seal --amplitude 3e-4 \
    --path circle

# --- beside time integration ---

warns "periods that do not suffice" 1 "at 18 Hz, from rest: no steady state within 3 cycles: \
still far from one
at 28 Hz: no steady state within 3 cycles: still about $number from it \
\(integration\.tolerance is 1e-07\)
at 28 Hz, from rest: no steady state within 3 cycles: still far from one" \
    compare "$damper" --points 2 --cold --set integration.cycles=3

# --- nonlinear modes ---

cat >mode.yaml <<'END'
masing: 1
structure:
  masses: {x: 0.2}
  springs: [{from: ground, to: x, stiffness: 3158.27}]
  damping: {modal_ratio: 0.01}
joints: [{name: stiffening, law: cubic_spring, from: ground, to: x, coefficient: 8e7}]
loads:
  - {name: shaker, dof: x, amplitude: 0.5}
  - {name: second, dof: x, amplitude: 0, harmonic: 3}
frequency: [15, 60]
harmonics: 3
outputs: [x]
mode: {number: 1, amplitude: [1e-4, 3e-3]}
END
last="harmonic 3, the last one, still has $number % of the first one's amplitude at 0\.003: \
more harmonics may change the result"
warns "few harmonics of a mode" 0 "$last" mode mode.yaml
# what friction loses is known no better than the equations are solved: some thousand times the
# limit of the warning
iwan=$examples/three_masses_iwan.yaml
silent "a well-solved mode of friction" mode "$iwan" --set mode.amplitude.1=40
warns "loose ends of a mode" 0 "what the artificial damping puts in and what is lost differ by \
up to $number of it: a smaller solver.tolerance may be needed" \
    mode "$iwan" --set mode.amplitude.1=40 --set solver.tolerance=1e-3 --columns energy
stated=$(sed -n 's/.*differ by up to \([0-9.e+-]*\) of it.*/\1/p' found)
report "the difference is that of the columns" "$(awk -F, -v stated="$stated" '
    /^#/ { next }
    !n++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        put = $at["energy_in"]
        lost = $at["loss_structure"] + $at["loss_joint"]
        # a damping ratio below 0.001 counts as 0.001
        size = 0.001 * put / $at["damping_ratio"]
        size = put > size ? put : size
        size = lost > size ? lost : size
        difference = (put > lost ? put - lost : lost - put) / size
        most = difference > most ? difference : most
    }
    END { if (!(most > 1e-5 && stated > 0.9 * most && stated < 1.1 * most)) {
        print "stated " stated ", columns " most } }' x.csv)"
left_out="the load of harmonic 3 is left out of the mode's response"
warns "loads beyond the mode's amplitudes" 0 "$last
the loads drive the mode beyond mode\.amplitude, 0\.003: the estimate ends there, its peak is \
not reached
$left_out" mode mode.yaml --response --set load_factor=4
warns "loads below the mode's amplitudes" 0 "$last
the mode gives no response between 15 and 60 Hz: loads, range of frequencies and \
mode\.amplitude \(from 0\.0001 to 0\.003\) do not meet
$left_out" mode mode.yaml --response --set load_factor=0.0001

# --- identification ---

loop=$examples/friction_loop.csv
valanis=$examples/valanis_loop.csv
alike="neighbouring misfits are alike \(correlation $number\): the model leaves more than \
noise, and the true numbers may lie outside of the intervals"
warns "the end of a range" 0 "chi = 0 stands at the end of its range" \
    identify "$loop" --law iwan4
warns "a law that does not follow" 0 "$alike
'linear' does not follow the data: the misfit is 60 % of the largest value
not fitted: damping; name all numbers to fit with --vary" identify "$valanis" --law linear
grep -v '^#' "$loop" | head -n 120 >cut.csv
warns "an open loop" 0 "$alike
'jenkins' does not follow the data: the misfit is 19 % of the largest value
cut\.csv neither closes nor begins at the unloaded joint \(force $number of $number N\): its \
past is taken for none" identify cut.csv --law jenkins
awk -F, '/^#/ || NF < 2 || $1 == "displacement" { next }
    NR == FNR && !n++ { print "displacement,force" }
    { printf "%.9g,%.9g\n", 0.1 * $1, 4e3 * $1 }' "$loop" >stuck.csv
warns "numbers that act alike" 0 "chi = 0 stands at the end of its range
the data hardly tell slip_force from beta \(correlation -1\.0000\)" \
    identify stuck.csv --law iwan4
warns "a minimum that one start led to" 0 "exponent = $number stands at the end of its range
only one of 16 starts led to this minimum: there may be a lower one; give --start values or \
more --trials" identify stuck.csv --law dahl
warns "a number that the data do not hold" 0 "the data do not determine slip_force: other \
values fit as well; fix what is known" identify stuck.csv --law jenkins
warns "defaults that do not matter" 0 "the data hardly tell gamma from n \(correlation $number\)
linear_stiffness was held at its default: the data do not tell it from the other numbers
a was held at its default: the data do not tell it from the other numbers" \
    identify stuck.csv --law bouc_wen --trials 4
awk 'BEGIN {
    print "displacement,force,time"
    for (i = 0; i < 200; i++) {
        x = 1e-3 * sin(0.044 * i) + 1e-5 * (i * i % 7 - 3) / 3
        printf "%.9g,%.9g,%.9g\n", x, 100 * x + 3e-3 * cos(0.044 * i), 0.01 * i
    }
}' >noisy.csv
warns "velocities from noisy displacements" 0 "noisy\.csv: velocities come from differences of \
displacements and are noisy, [0-9]+ % of their mean: smooth the displacements before, or take \
whole steady cycles" identify noisy.csv --law linear --vary stiffness,damping --open
weak="[^ ]+ = $number \+- $number is hardly determined"
"$program" identify "$valanis" --terms 'x,x^2,x^3,x^5,exp(x),exp(2*x)' --quiet >out 2>err
expect "terms that are too many: text" "$(grep -cxE "warning: ill-conditioned: condition \
number $number, above 1e\+05 \(Jalali 2022, eq\. 15, in SI units; $number with columns of \
equal length\): coefficients of small terms are weakly determined; fewer terms or --tikhonov \
help" \
    err) $(grep -cxE "warning: $weak" err)" "1 5"

iwan=$examples/three_masses_iwan.yaml
"$program" mode "$iwan" --set harmonics=1 --quiet | cut -d, -f2-4 >rows.csv
# rows CONDITION: those of the mode in which it holds, the damping ratio changed as it may
rows() {
    awk -F, -v OFS=, "NR == 1 { print; next } $1 { print }" rows.csv >some.csv
}
rows 1
warns "ends that are guessed" 0 "the frequencies of the joints stuck and free are taken from \
the smallest and the largest amplitude; --model, or --stuck and --free, tell them" \
    identify some.csv --modal-iwan 2
rows '$1 < 10 && ($1 >= 0.01 || $3 *= -1)'
warns "microslip alone" 0 "[0-9]+ of [0-9]+ rows have no positive damping ratio and are passed \
over
the data, without macroslip far beyond its onset, do not determine slip_force and beta: other \
values fit as well; beta = 1 is assumed" identify some.csv --modal-iwan 2 --model "$iwan"
rows '$1 > 100'
warns "macroslip alone" 0 "the data, without microslip, do not determine chi and beta: other \
values fit as well; chi = -0\.5 is assumed" identify some.csv --modal-iwan 2 --model "$iwan"
rows '($1 < 1 || $1 > 20 || $3 *= 1.5)'
warns "several joints in one mode" 0 "microslip damping is no power law of the amplitude up to \
the onset of full slip, as where several joints begin one after another: \+$number % off at \
$number; --leave-out $number,$number would fit smaller amplitudes better" \
    identify some.csv --modal-iwan 2 --model "$iwan"
rows '$3 > 2e-4 && ($3 *= NR % 2 ? 1.4 : 0.7)'
warns "a mode that is no Iwan element" 0 "the model follows the damping within $number % \
\(rms\) only: more than noise usually makes" identify some.csv --modal-iwan 2 --model "$iwan"

# --- a curve that jumps, where harmonics are chosen ---

# What lies between the ends of a jump is no resonance.
"$program" frf "$MASING_SOURCE_ROOT/examples/bolted_beams.yaml" --set harmonics=auto \
    --set load_factor=0.9 --set solver.max_points=60 -o jump.csv 2>err
report "a jump passes no resonance" "$(
    grep -q 'needed jump over a singular point' jump.csv.run.yaml || echo "no jump"
    grep 'too narrow' err
)"

# --- peaks over a parameter ---

warns "a peak that nothing changes" 0 "the peak does not depend on damper\.preload: $number to \
$number in the whole range" peak "$damper" --vary damper.preload=1000:2000
without='no peak in the frequency range'
warns "no peak in the range" 0 "$without, whatever d\.slip_force: the largest response lies at \
its end, 23 Hz" peak "$field/no_peak_in_range.yaml" --vary d.slip_force=0.1:10 --minimize \
    --set 'frequency=[23,60]'
warns "no peak in the range at some values" 0 "the lowest peak, 0\.000297[0-9]* at \
d\.slip_force = 1\.27[0-9]*, is beside values without one in the frequency range: extend that \
beyond 19 Hz
$without in [0-9]+ of [0-9]+ rows, d\.slip_force = 1\.[34][0-9]* to 10: the largest response \
lies at its end, 19 Hz" peak "$field/no_peak_in_range.yaml" --vary d.slip_force=0.1:10 \
    --minimize --set 'frequency=[10,19]'
silent "a load has no best value" peak "$damper" --vary load_factor=0.5:2 --minimize
finish
