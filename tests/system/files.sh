#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# files.sh PROGRAM: nothing of the user's is lost: no output goes over an input, a file is put
# in place when it is whole, one that cannot be written does not drop the others, and what names
# and titles hold neither reaches a terminal nor breaks a file.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
field=$MASING_SOURCE_ROOT/tests/reference/field
model=$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml
begin "$1"

# --- no output over an input ---
cp "$MASING_SOURCE_ROOT"/examples/contact_pairs.* "$field/slow_interrupt_pairs.yaml" .
cp "$model" model.yaml
printf 'displacement,force\n' >loop.csv
awk 'BEGIN { for (i = 0; i < 200; i++) { t = i / 100 * 6.283185307179586
    printf "%.10g,%.10g\n", 1e-4 * sin(t), 20 * sin(t + 0.5) } }' >>loop.csv
printf 'time,a\n' >record.csv
awk 'BEGIN { for (i = 0; i < 4000; i++) { t = i / 200
    printf "%.10g,%.10g\n", t, exp(-0.3 * t) * cos(62.83185 * t) } }' >>record.csv
{ cat contact_pairs.yaml; echo 'ringdown: {impulse: {mode: 1, amplitude: 1e-4}}'; } >decay.yaml
mkdir before
cp ./*.csv ./*.yaml before

# refused NAME WORDS COMMAND...: status 2, the words said, and no input changed
refused() {
    name=$1 words=$2
    shift 2
    "$program" "$@" --quiet >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "status $status"
        grep -qF -e "$words" err || cat err
        for file in before/*; do
            cmp "$file" "$(basename "$file")" 2>&1
        done
        ls | grep -F .unfinished
    )"
}
ln -s contact_pairs.csv link.csv
refused "the contacts of the model" "-o contact_pairs.csv would be written over a file of" \
    frf contact_pairs.yaml -o contact_pairs.csv
refused "through a symbolic link" "-o link.csv would be written over a file of the model, " \
    frf contact_pairs.yaml -o link.csv
ln contact_pairs.csv hard.csv
refused "through a hard link" "would be written over a file of the model, contact_pairs.csv" \
    study contact_pairs.yaml --vary clamping=1,2 -o ./hard.csv
mv hard.csv x.contacts.csv
refused "a file derived from the name" "-o x.csv: x.contacts.csv beside it would be written" \
    frf contact_pairs.yaml -o x.csv
rm x.contacts.csv
ln -s contact_pairs.csv x.check.csv
refused "a derived file through a link" "x.check.csv beside it would be written over a file" \
    frf contact_pairs.yaml --check-harmonics -o x.csv
rm x.check.csv
ln -s model.yaml y.csv.run.yaml
refused "the record through a link" "y.csv.run.yaml beside it would be written over MODEL" \
    frf model.yaml -o y.csv
rm y.csv.run.yaml
cp model.yaml model.csv
cp model.csv before
refused "a model that looks like a table" "-o model.csv would be written over MODEL model.csv" \
    peak model.csv --vary damper.preload=20:30 -o model.csv
mkdir -p deep/down
refused "another way to the folder" "would be written over a file of the model, " \
    frf contact_pairs.yaml -o deep/down/../../contact_pairs.csv
refused "the measured loop" "-o loop.csv would be written over DATA loop.csv" \
    identify --law jenkins loop.csv -o loop.csv
refused "the points of a motion" "-o loop.csv would be written over --points loop.csv" \
    loop model.yaml --joint damper --points loop.csv -o loop.csv
refused "the record of a decay" "-o record.csv would be written over --record record.csv" \
    ringdown --record record.csv -o record.csv
sed 's/^joints:/&\
  - {name: backbone, law: backbone_table, from: ground, to: m3, file: curve.csv}/' \
    "$MASING_SOURCE_ROOT/examples/three_masses_iwan.yaml" >modal.yaml
printf 'displacement,force\n0,0\n0.1,0.01\n1,0.05\n' >curve.csv
printf 'amplitude,frequency_hz,damping_ratio\n' >points.csv
awk 'BEGIN { for (a = 0.01; a < 1; a *= 1.3) printf "%g,0.19,%g\n", a, 0.001 + 0.01 * a }' \
    >>points.csv
cp modal.yaml curve.csv points.csv before
refused "the model of a modal Iwan model" "-o curve.csv would be written over a file of" \
    identify points.csv --modal-iwan 2 --model modal.yaml -o curve.csv
refused "a history over the model's own contacts" "--history link.csv would be written over" \
    ringdown decay.yaml --history link.csv
"$program" frf contact_pairs.yaml --quiet >>contact_pairs.yaml 2>err
expect "standard output that is the model" "$?" 2
report "it is as before" "$(cmp contact_pairs.yaml before/contact_pairs.yaml 2>&1)"
rm -rf ./*

# --- put in place when whole ---
cp "$model" model.yaml
"$program" frf model.yaml -o x.csv -o x.svg --quiet
cp x.svg earlier.svg
"$program" frf model.yaml -o x.csv -o x.svg --quiet --set solver.max_points=8 2>err
expect "an early end has status 1" $? 1
expect "its rows are in place, and the record says so" \
    "$(wc -l <x.csv) $(grep '^complete:' x.csv.run.yaml)" "9 complete: false"
report "the earlier picture stays, and the user is told" "$(
    cmp x.svg earlier.svg
    grep -qF 'x.svg stays as it was: the run ended early' err || cat err
)"
"$program" frf model.yaml -o new.svg --quiet --set solver.max_points=8 2>/dev/null
report "where there is none, what was computed is drawn" \
    "$(grep -q '</svg>' new.svg || echo none)"
"$program" frf model.yaml -o x.csv --quiet
expect "a complete run" "$? $(grep '^complete:' x.csv.run.yaml)" "0 complete: true"
printf 'earlier\n' >old.csv
"$program" frf model.yaml -o old.csv --quiet --set "damper.stiffness=nan" 2>/dev/null
expect "nothing computed, nothing touched" "$? $(cat old.csv)" "2 earlier"
printf 'earlier\n' >private.csv
chmod 604 private.csv
"$program" frf "$model" --quiet -o private.csv 2>err
expect "a file that is replaced keeps its permissions" \
    "$? $(stat -c %a private.csv) $(head -c 5 private.csv)" "0 604 point"
report "nothing unfinished is left" "$(ls | grep -F .unfinished)"
rm -rf ./*

# --- one file that cannot be written ---
cp "$model" model.yaml
mkdir x.loops.csv x.csv.run.yaml
"$program" frf model.yaml -o x.csv -o y.csv -o y.svg --quiet 2>err
expect "a side file that cannot be written: status 1" $? 1
report "both are named, the others are there" "$(
    grep -qF 'masing frf: x.loops.csv: cannot write: Is a directory' err || cat err
    grep -qF 'masing frf: x.csv.run.yaml: cannot write: Is a directory' err || cat err
    for file in x.csv y.csv y.svg y.loops.csv y.loops.svg y.csv.run.yaml y.svg.run.yaml; do
        [ -s $file ] || echo "no $file"
    done
    cmp x.csv y.csv
    grep -qx 'complete: false' y.csv.run.yaml || echo "the record does not tell"
)"
printf 'of an earlier run\n' >earlier.svg
cp earlier.svg part.svg
cp earlier.svg part.svg.run.yaml
( # no file may grow beyond half a kilobyte
    trap '' XFSZ
    ulimit -f 1
    exec "$program" frf model.yaml --at 20 -o part.svg --quiet
) 2>err
expect "a picture and a record that do not fit on the disk: status 1" $? 1
report "they are named, the earlier ones stay, and nothing is left beside them" "$(
    grep -qF 'part.svg: cannot write: File too large' err || cat err
    grep -qF 'part.svg.run.yaml: cannot write: File too large' err || cat err
    cmp part.svg earlier.svg
    cmp part.svg.run.yaml earlier.svg
    ls | grep -F unfinished
)"
if [ -w /dev/full ]; then
    ln -s /dev/full full.csv
    "$program" frf model.yaml -o full.csv -o z.csv --quiet 2>err
    report "a full device is found before anything is computed" "$(
        [ $? -eq 2 ] || grep -q 'full.csv: cannot write' err || cat err
    )"
fi
rm -rf ./*

# --- what a terminal must not see ---
controls() { # in any of the files: control characters but line feeds and tabs
    LC_ALL=C grep -l "$(printf '[\001-\010\013-\037\177]')" "$@"
}
cp "$field/title_escape.yaml" "$field/title_fffe.yaml" .
sed -e 's/name: damper/name: "da\\x1b[2Jmper"/; s/m1\([:,]\)/"m\\x9b1"\1/g' \
    -e 's/, m1\]/, "m\\x9b1"]/; s/ m1$/ "m\\x9b1"/' title_escape.yaml >names.yaml
for file in title_escape title_fffe names; do
    "$program" frf $file.yaml -o $file.csv -o $file.svg >$file.out 2>$file.err
    expect "$file: done" $? 0
    "$program" check $file.yaml >$file.check 2>&1
    "$program" frf $file.yaml --set damper.stiffness=-1 >$file.wrong 2>&1
    report "$file: no control character is printed or written" "$(
        controls $file.*.* $file.out $file.err $file.check $file.wrong | grep -v '\.png$'
    )"
done
report "the title is readable" \
    "$(grep -qF '\x1b]0;pwned\x07\x1b[31mred' title_escape.err || head -n 2 title_escape.err)"
report "names as well" "$(grep -qF 'm\u009b1_max' names.csv || head -n 1 names.csv)"
"$program" frf "$(printf 'no\033[31m.yaml')" 2>message
report "names of files in messages" "$(controls message; grep -qF 'no\x1b[31m.yaml' message ||
    cat message)"
report "U+FFFE in no file" "$(LC_ALL=C grep -l "$(printf '\357\277\276')" title_fffe.*.* *.svg)"
if python3 -c 'import xml.dom.minidom' 2>/dev/null; then
    report "pictures are well-formed" "$(
        for file in *.svg; do
            python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' $file 2>&1 |
                tail -n 1
        done
    )"
fi
# the record can be read again: the model in it is a model, of the same title
sed -n '/^model: |2/,$p' title_fffe.csv.run.yaml | sed '1d; s/^  //' >again.yaml
"$program" check again.yaml >again.check 2>&1
report "the model of a record is one" "$(cmp again.check title_fffe.check)"
finish
