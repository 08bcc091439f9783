#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contact_pairs.sh PROGRAM: eight contacts of one entry: told of as one, read again from the
# record beside a result, reached by the entry's name from outside.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
mkdir "$folder/models"
cp "$MASING_SOURCE_ROOT/examples/contact_pairs.yaml" \
    "$MASING_SOURCE_ROOT/examples/contact_pairs.csv" "$folder/models"
model=models/contact_pairs.yaml

# says TEXT...: each stands in the output of check
says() {
    for text; do
        grep -qF -- "$text" out || echo "output lacks '$text'"
    done
}

# The structure has no forces at rest; a weight of 24 N presses the last node down.
sed 's/^loads:/static_loads: [{dof: n4.x, force: -24}, {dof: n4.y, force: 3}]\nloads:/' \
    $model >models/loaded.yaml
"$program" check models/loaded.yaml >out 2>err
expect "check accepts the model" "$? $(cat err)" "0 "
report "contacts of one entry are told of as one" "$(says \
    '1 joint of 8 contacts' \
    'joint foot: 8 joints of law contact' \
    '0.0003 m^2 in all' \
    'normal_stiffness          30000 to 40000 N/m' \
    'preload                   3 to 12 N' \
    'static state              normal: displacement ' \
    'tangential_2: displacement ' \
    ' stick, ' 'N in all, pressure ')"
expect "in few lines" "$(sed -n '/^joint foot/,$p' out | wc -l)" 15

"$program" frf $model --set samples=64 --quiet -o curve.csv 2>err
sed -n '/^model: |/,$p' curve.csv.run.yaml | sed -e 1d -e 's/^  //' >models/again.yaml
"$program" frf models/again.yaml --quiet -o again.csv 2>err
expect "the resolved model is read again" $? 0
report "and gives the same curve" "$(cmp curve.csv again.csv 2>&1)"

# 5e4 Pa on 4e-5 m^2 in the rows that have no pressure of their own
smallest() {
    "$program" check $model "$@" 2>&1 | awk '$1 == "preload" { print $2, $4 }'
}
expect "a parameter reaches the rows" "$(smallest --set clamping=0.25)" "2 12"
expect "so does the entry's name" "$(smallest --set foot.preload=5e4)" "2 12"
"$program" study $model --vary foot.preload=3e5,4e5 \
    --set 'harmonics=[0,1]' --set samples=64 --quiet -o study.csv 2>err
expect "and a study" "$(sed 1d study.peaks.csv | cut -d, -f 3 | sort -u | wc -l)" 2

# --- how many do what ---
# some open for a part of the period and slip in another: they are counted as open
"$program" frf $model --set samples=64 --set press.amplitude=60 --columns joints \
    -o count.csv >out 2>&1
report "each point says how many stick, slip and open" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } }
    NR > 1 {
        stick = $at["n_stick_foot"]; slip = $at["n_slip_foot"]; open = $at["n_open_foot"]
        sum = stick + slip + open
        if (sum != 8 || ($at["open_foot"] > 0) != (open > 0)) { print "point " NR ": " $0 }
        if ($at["slip_foot"] > 0) { some = 1 } else if (slip > 0) { print "slip " $0 }
    }
    END { if (!some) { print "none slips" } }' count.csv)"
report "some open and slip" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } }
    NR > 1 { some += $at["open"] > 0 && $at["slip"] > 0 }
    END { if (!some) { print "none" } }' count.contacts.csv)"
expect "as the contacts at the peak have it" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } }
    $at["event"] ~ /peak/ {
        print $at["n_stick_foot"], $at["n_slip_foot"], $at["n_open_foot"]; exit
    }' count.csv)" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i } }
    $at["event"] == "peak" {
        open += $at["open"] > 0; slip += $at["open"] == 0 && $at["slip"] > 0
    }
    END { print 8 - open - slip, slip, open }' count.contacts.csv)"
changes=$(sed -n 's/^  contact changes *//p' out)
report "changes are counted" "$(echo "$changes" | awk '
    { n++; if ($1 < 1 || $1 != $5 + $9 + $12 + $14) { print } }
    END { if (n != 1) { print n + 0 " lines" } }')"
expect "in the record, too" "$(grep -c '^    contact_changes: {slip: ' count.csv.run.yaml)" 1
"$program" frf $model --set samples=64 --set solver.landed_contacts=8 -o landed.csv >out 2>&1
expect "but not where the curve has them" "$(grep -c 'contact changes' out)" 0

printf 'ground, n9, 1, 0, 0, 1e-4,\n' >>models/contact_pairs.csv
"$program" check $model >out 2>err
expect "a wrong row is refused" $? 2
report "with its place" \
    "$(grep -q "^models/contact_pairs.csv:11:9: to: node 'n9' has no DOF" err || cat err)"
finish
