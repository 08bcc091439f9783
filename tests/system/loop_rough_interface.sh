#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# loop_rough_interface.sh PROGRAM: loops of examples/rough_interface.yaml against values from
# 30-digit arithmetic, and a path with nested loops against 20,000 sliders.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/examples/rough_interface.yaml
reference=$MASING_SOURCE_ROOT/tests/reference
begin "$1"
slip_displacement=5.30536177634e-7 slip_force=15 stiffness=82352941.17647059

# rows MINE THEIRS PROGRAM: awk over the rows of two tables side by side; mine[] and theirs[]
# are the cells by name, near(a, b, tolerance): |a - b| <= tolerance
rows() {
    sed 1d "$2" >theirs
    sed 1d "$1" | paste -d ';' - theirs | awk -v mine_head="$(head -n 1 "$1")" \
        -v theirs_head="$(head -n 1 "$2")" -v spring="${spring:-0}" \
        -v force_unit=$slip_force '
        function near(a, b, tolerance) {
            return a - b <= tolerance && b - a <= tolerance
        }
        {
            split($0, tables, ";")
            n = split(mine_head, names, ",")
            split(tables[1], cells, ",")
            for (i = 1; i <= n; i++) { mine[names[i]] = cells[i] }
            n = split(theirs_head, names, ",")
            split(tables[2], cells, ",")
            for (i = 1; i <= n; i++) { theirs[names[i]] = cells[i] }
        }
        '"$3"
}

"$program" check "$model" >out 2>err
expect "check of joints without a structure" "$? $(cat err)" "0 "
report "prints the derived constants" "$(grep -q 'Omega  *2.0023' out || cat out)"
"$program" check "$model" --csv >out 2>err
expect "but there are no modes to list" "$? $(cat out)" "2 "

amplitudes=$(awk -F, -v unit=$slip_displacement 'NR > 1 { printf "%s%.15g", comma, $1 * unit
    comma = "," }' "$reference/rough_interface_loops.csv")
for part in 0 0.2 0.4; do
    joint=interface$([ $part = 0 ] || echo "_${part#0.}0")
    spring=$(awk "BEGIN { printf \"%.17g\", $part * $stiffness }")
    "$program" loop "$model" --joint "$joint" --amplitude "$amplitudes" --quiet -o x.csv 2>err
    expect "loops of $joint" "$? $(cat err) $(sed 1d x.summary.csv | wc -l)" "0  7"
    report "forces and losses of $joint" \
        "$(rows x.summary.csv "$reference/rough_interface_loops.csv" '
            !near(mine["max_force"], theirs["Qo_N"] + spring * mine["amplitude"],
                  1e-9 * theirs["Qo_N"]) {
                print "force " mine["max_force"] ", expected " theirs["Qo_N"]
            }
            !near(mine["energy_lost"], theirs["D_closed_J"],
                  1e-9 * theirs["D_closed_J"]) {
                print "loss " mine["energy_lost"] ", expected " theirs["D_closed_J"]
            }
            !near(mine["secant_stiffness"] * mine["amplitude"], mine["max_force"], 1e-11) {
                print "secant " mine["secant_stiffness"]
            }')"
done

# 0.5 sin t + 0.5 sin 3t and 0.8 sin t, two periods from virgin, as points: the reference turns
# at its samples
for path in P1 P4; do
    awk -F, -v name="x $path" -v unit=$slip_displacement '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == name) { n = i } } print "displacement" }
        NR > 1 { printf "%.17g\n", $n * unit }' "$reference/masing_paths.csv" >path.csv
    "$program" loop "$model" --joint interface --points path.csv --quiet -o x.csv
    expect "path $path" "$? $(wc -l <x.csv)" "0 802"
    report "forces along $path" "$(
        rows x.csv "$reference/masing_paths.csv" '
        !near(mine["force"] / force_unit, theirs["J '"$path"'"], 1e-10) {
            print NR ": force " mine["force"] / force_unit ", expected " theirs["J '"$path"'"]
        }
        END { if (NR != 801) { print NR " rows" } }' | head)"
done

# a motion that turns between samples: nested loops of half the width, as large as by themselves
# (sin t + sin 3t has its maximum 2 sin 2t cos t where cos^2 t = 2/3)
half=$(awk -v unit=$slip_displacement 'BEGIN { printf "%.17g", unit * sqrt(4 / 27) }')
whole=$(awk -v half="$half" 'BEGIN { printf "%.17g", 2 * half }')
"$program" loop "$model" --joint interface --amplitude "$half,$whole" --quiet -o x.csv
"$program" loop "$model" --joint interface --amplitude $slip_displacement --quiet -o y.csv \
    --motion 1:0.5,3:0.5
report "losses of nested loops add up" "$(
    awk -F, -v published="$(awk -F, '/^P1,J/ { print $3 }' \
        "$reference/masing_paths_loss.csv")" -v unit=$slip_displacement -v force=$slip_force '
        function differs(a, b, tolerance) {
            return !((a > b ? a - b : b - a) <= tolerance * b)
        }
        FNR > 1 { loss[++n] = $4 }
        END {
            if (differs(loss[3], 2 * loss[1] + loss[2], 1e-10)) { print loss[3] }
            if (differs(loss[3], published * unit * force, 3e-8)) { print "not " published }
        }' x.summary.csv y.summary.csv)"

"$program" loop "$model" --joint interface --amplitude 1e-5 --set F=100 --quiet -o x.csv
expect "twice the preload, twice the slip force" "$(sed 1d x.summary.csv | cut -d , -f 2)" 30
finish
