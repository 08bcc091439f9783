#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# singular.sh PROGRAM: undamped structures: where a higher harmonic that nothing drives meets a
# mode, where the response is unbounded, and means of rigid-body motions that nothing restrains.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
models=$MASING_SOURCE_ROOT/tests/reference/field
begin "$1"

# off TOLERANCE AMPLITUDE: rows of x.csv whose x_h1 is not AMPLITUDE, of w (rad/s), to a part of
# it
off() {
    awk -F, -v tolerance="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { w = 8 * atan2(1, 1) * $at["frequency_hz"]; x = '"$2"'; if (x < 0) { x = -x }
          if (!(sqrt(($at["x_h1"] / x - 1) ^ 2) <= tolerance)) {
              print $at["frequency_hz"] " Hz: " $at["x_h1"] ", not " x } }' x.csv
}

# ends NAME STATUS TEXT MODEL OPTIONS...: exit status, and what standard error says of the end
ends() {
    name=$1 status=$2 text=$3
    shift 3
    "$program" frf "$@" --search 0 --quiet -o x.csv >out 2>err
    expect "$name: exit status" $? "$status"
    expect "$name: end" "$(sed -n 's/^masing frf: stopped early: //p' err)" "$text"
}

# ends_at: the first and the last frequency, in rad/s
ends_at() {
    awk -F, 'NR == 2 { first = $3 } END { w = 8 * atan2(1, 1)
        printf "%.6g to %.6g", w * first, w * $3 }' x.csv
}

unbounded='undamped and unbounded at 0.159155 Hz, which was stepped over'
for range in 0.5,3 3,0.5 0.3333333333333333,2 2,0.25; do
    ends "linear, $range" 1 "$unbounded" "$models/submultiple.yaml" --set "frequency=[$range]"
    expect "linear, $range: both ends" "$(ends_at)" \
        "$(echo "$range" | sed 's/,/ to /; s/0.3333333333333333/0.333333/')"
    report "linear, $range: amplitude" "$(off 1e-8 '0.1 / (1 - w * w)')"
done
ends "linear, at half the frequency" 0 "" "$models/submultiple.yaml" \
    --set "frequency=[0.4, 0.9]" --at 0.07957747154594767
report "linear, at half the frequency: amplitude" "$(off 1e-8 '0.1 / (1 - w * w)')"
expect "linear, at half the frequency: row" \
    "$(grep -cE '^[0-9]+,1,0\.0795774715459476[0-9]*,.*,at,' x.csv)" 1

# Duffing's equation by one harmonic, the third being small there: the root in x of
# (1 - w^2) x + 3/4 x^3 = 0.1 on the curve from rest
cat >duffing.awk <<'END'
function root(w,    x, i) {
    x = w < 1 ? 0.1 : 2
    for (i = 0; i < 50; i++) {
        x -= ((1 - w * w) * x + 0.75 * x ^ 3 - 0.1) / (1 - w * w + 2.25 * x * x)
    }
    return x
}
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{ x = root(8 * atan2(1, 1) * $at["frequency_hz"])
  if (!(sqrt(($at["x_h1"] / x - 1) ^ 2) <= 1e-8)) {
      print $at["frequency_hz"] " Hz: " $at["x_h1"] ", not " x } }
END
for range in 0.5,0.8 0.8,0.5 1,1.5; do
    ends "Duffing, $range" 0 "" "$models/undamped_duffing.yaml" --set "frequency=[$range]" \
        --set harmonics=1
    report "Duffing, $range: amplitude" "$(awk -F, -f duffing.awk x.csv 2>&1)"
done
ends "Duffing, seven harmonics" 0 "" "$models/undamped_duffing.yaml"
expect "Duffing, seven harmonics: both ends" "$(ends_at)" "0.5 to 3"
sed 's/^loads:/joints: [{name: j, law: LAW, from: ground, to: x}]\n&/' \
    "$models/submultiple.yaml" >joint.yaml
for law in 'unilateral_spring, gap: 5, stiffness: 3' 'linear, stiffness: 0.5' \
    'jenkins, stiffness: 0.5, slip_force: 9'; do
    stiffness=$(echo "$law" | sed -n 's/.*stiffness: 0.5.*/0.5/p')
    sed "s/law: LAW/law: $law/; s/stiffness: 1}/stiffness: $(awk "BEGIN {
        print 1 - 0$stiffness }")}/" joint.yaml >this.yaml
    for options in 'frequency=[0.5,0.9]' 'frequency=[0.9,0.5]' 'frequency=[0.4,0.9]'; do
        ends "$law, $options" 0 "" this.yaml --set "$options" --at 0.07957747154594767
        report "$law, $options: amplitude" "$(off 1e-8 '0.1 / (1 - w * w)')"
    done
done

# a slipping joint of which the stiffness counts for nothing takes 4 R / pi off, a quarter of a
# period behind
for range in 0.7,2.1 2.1,0.7; do
    ends "runaway, $range" 1 "$unbounded" "$models/runaway.yaml" --set kt=1e5 --set R=0.1 \
        --set "frequency=[$range]" --set harmonics=7 --stability none
    expect "runaway, $range: both ends" "$(ends_at)" "$(echo "$range" | sed 's/,/ to /')"
    report "runaway, $range: amplitude" \
        "$(off 1e-2 'sqrt(1 - (0.4 / atan2(0, -1)) ^ 2) / (1 - w * w)')"
done
ends "a joint that holds it" 0 "" "$models/runaway.yaml" --set kt=10 --set R=1.2 \
    --set "frequency=[0.7, 1.5]" --set harmonics=1 --stability none

# one mass on a spring, hardly damped and without a joint: the last digit of the frequency
# changes what a resonance amplifies a thousand times. F / (2 z k sqrt(1 - z^2)) at
# w sqrt(1 - 2 z^2)
for damping in 1e-3 1e-4 1e-5; do
    cat >light.yaml <<END
masing: 1
structure: {masses: {m: 1}, springs: [{from: ground, to: m, stiffness: 1e4}],
  damping: {modal_ratio: $damping}}
loads: [{dof: m, amplitude: 1}]
outputs: [m]
harmonics: 1
END
    for range in 1,300 300,1; do
        name="damping $damping, $range Hz"
        ends "$name" 0 "" light.yaml --set "frequency=[$range]" --stability none
        report "$name: the peak" "$(awk -F, -v z="$damping" 'function off(a, b) {
            return sqrt((a / b - 1) ^ 2) > 1e-9 }
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["event"] == "peak" { n++; f = $at["frequency_hz"]; x = $at["m_max"] }
            END { pi = 4 * atan2(1, 1); p = 100 * sqrt(1 - 2 * z * z) / (2 * pi)
                  a = 1 / (2e4 * z * sqrt(1 - z * z))
                  if (n != 1 || off(f, p) || off(x, a)) {
                      print n " peaks, " f " Hz, " x } }' x.csv)"
    done
done

# a free beam with a rotation held by a spring whose stiffness vanishes at rest: what nothing
# restrains has no mean. With other harmonics its slider comes to rest where its mean is off by
# more than the step behind the corner is long, unless that is clear of round-off.
for case in rigid_mean:1 rigid_mean:3 rigid_mean:4 rigid_mean:5 rigid_mean:7 rigid_mean_2:1 \
    rigid_mean_2:3 rigid_mean_2:5 rigid_mean_2:9; do
    model=${case%:*}
    ends "$case" 0 "" "$models/$model.yaml" --stability none --set "harmonics=${case#*:}"
    report "$case: means" "$(awk -F, 'function abs(x) { return x < 0 ? -x : x }
        NR == 1 { for (i = 1; i <= NF; i++) { name[i] = $i; at[$i] = i } next }
        { for (i = 1; i <= NF; i++) {
            output = name[i]
            if (sub(/_mean$/, "", output) && !(abs($i) <= 1e-6 * $at[output "_max"])) {
                print $at["frequency_hz"] " Hz: " name[i] " " $i } } }' x.csv | head)"
done

# a block that friction alone holds along x and a load presses in step with its motion: where it
# slips both ways it walks, and only the spring of the mean stops that, far from where it stood
cat >walk.yaml <<'EOF'
masing: 1
structure: {dofs: [x, z], mass: [[1, 0], [0, 1]], stiffness: [[0, 0], [0, 0]]}
joints:
  - {name: pad, law: contact, normal: {from: z, to: ground},
     tangential: [{from: ground, to: x}], normal_stiffness: 1e6, tangential_stiffness: 4e5,
     friction: 0.5, preload: 100}
loads: [{name: shaker, dof: x, amplitude: 5}, {dof: z, amplitude: 20}]
frequency: [40, 140]
harmonics: 5
outputs: [x]
EOF
for load in 5 10 20; do
    name="a walking block, $load N"
    ends "$name" 0 "" walk.yaml --set "shaker.amplitude=$load" --stability none
    report "$name: points" "$(awk -F, -v load="$load" 'NR == 1 {
        for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n++; f = $at["frequency_hz"]; x = $at["x_mean"]; x = x < 0 ? -x : x
          far = x > far ? x : far }
        # the mean force is less than that of friction at its most, which is 60 N
        END { if (n > 200 || f != 140 || !(far > 1e-3 && 4e5 * 1e-6 * far < 60)) {
            print n " points, last " f " Hz, mean up to " far } }' x.csv)"
done
# stuck, it is a mass on the spring of the contact
ends "a block that sticks" 0 "" walk.yaml --set shaker.amplitude=1 --set 'frequency=[40,60]'
report "a block that sticks: amplitude" "$(off 1e-6 '1 / (4e5 - w * w)')"

finish
