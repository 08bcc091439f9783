#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# resume.sh PROGRAM: studies and maps that are killed or interrupted at any instant go on with
# --resume and end in the bytes of an undisturbed run, whatever of the last line of their log
# is there; a run of something else is refused. MASING_INSTANTS: how often each is killed
# (default 3).
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
. "$MASING_SOURCE_ROOT/tests/same_bytes.sh"
. "$MASING_SOURCE_ROOT/tests/killed.sh"
begin "$1"
instants=${MASING_INSTANTS:-3}
cp "$examples/two_mass_damper.yaml" .

study='study two_mass_damper.yaml --vary damper.preload=1:60:40'
for threads in 1 2; do
    # shellcheck disable=SC2086
    report "a study, $threads threads" "$(resumes study $study --threads $threads \
        -o study.csv -o study.svg)"
    report "a map of peaks, $threads threads" "$(resumes map peak two_mass_damper.yaml \
        --vary damper.preload=5:60:9 --vary damper.stiffness=2e4:6e4:9 --minimize \
        --threads $threads -o map.csv -o map.png)"
done
report "a study with all of its tables" "$(resumes all study \
    "$examples/lift_off.yaml" --vary harmonics=3,5,7 --check-harmonics \
    --columns energy,joints -o all.csv -o all.svg)"

# --- curves that take long: within them, from where a checkpoint is ---
chain 26 >chain.yaml
export MASING_CHECKPOINT_SECONDS=1e-9 # at each place where there may be one
report "a curve" "$(resumes curve frf chain.yaml --at 6,8 --columns energy,joints \
    -o curve.csv -o curve.svg)"
report "a study of such curves" "$(resumes curves study chain.yaml \
    --vary j1.slip_force=1,2 --threads 2 -o curves.csv)"
"$program" frf chain.yaml -o place.csv --quiet 2>/dev/null
mv place.* reference/
# beyond POINTS: a run that is killed behind so many
beyond() {
    "$program" frf chain.yaml -o place.csv --quiet 2>/dev/null &
    process=$!
    until [ "$(cat place.csv.unfinished-* 2>/dev/null | wc -l)" -gt "$1" ] ||
        ! kill -0 $process 2>/dev/null; do
        sleep 0.01
    done
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
}
beyond 110
report "there is a place to go on from" "$([ -s place.csv.log-0 ] || ls)"
report "and it is taken" "$(
    "$program" frf chain.yaml -o place.csv --quiet --resume 2>/dev/null
    differs place
)"
beyond 110
printf 'state 0' >place.csv.log-0
report "a place that is damaged is not" "$(
    "$program" frf chain.yaml -o place.csv --quiet --resume 2>/dev/null
    differs place
)"
unset MASING_CHECKPOINT_SECONDS

# --- killed, but still in the list of processes ---
study='study two_mass_damper.yaml --vary damper.preload=1:60:300 -o rows.csv --threads 1'
# shellcheck disable=SC2086
undisturbed rows $study
# shellcheck disable=SC2016
sh -c '"$@" --quiet 2>/dev/null & echo $! >number; exec sleep 60' sh "$program" $study &
parent=$!
until [ "$(cat rows.csv.unfinished-* 2>/dev/null | wc -l)" -gt 50 ]; do
    sleep 0.01
done
kill -KILL "$(cat number)"
report "resumed at once; rows of a process that nobody waits for go as well" "$(
    # shellcheck disable=SC2086
    "$program" $study --quiet --resume 2>err || cat err
    differs rows
)"
kill $parent
wait $parent 2>/dev/null

# --- a log that is cut, damaged, of something else ---
study='study two_mass_damper.yaml --vary damper.preload=10:40:6 -o cut.csv --threads 1'
# shellcheck disable=SC2086
undisturbed cut $study
rm -f cut.*
# shellcheck disable=SC2086
{ (ulimit -f 500; exec "$program" $study --quiet); } 2>err # 512 bytes each
report "a process that is killed within a line of its log" "$(
    [ "$(tail -c 1 cut.csv.log | tr -d '\n' | wc -c)" = 1 ] || echo "the last line is whole"
    grep -c '^task' cut.csv.log | grep -qx '[2-5]' || grep -c '^task' cut.csv.log
    [ ! -e cut.csv ] || echo "there is a result"
)"
cp cut.csv.log log
size=$(wc -c <log) whole=$(sed '$d' log | wc -c)
cuts="0 20 100 $whole $((whole - 1)) $((whole + 1)) $((whole + 5)) $((whole + 8))"
# shellcheck disable=SC2086
report "its log cut anywhere" "$(
    for cut in $cuts $((whole - 17)) $((whole - 18)) $((size - 1)) $size; do
        head -c "$cut" log >cut.csv.log
        "$program" $study --resume --quiet 2>err || { echo "$cut: status $?"; cat err; }
        differs cut | sed "s/^/cut at $cut: /"
    done
)"
# others VALUE MESSAGE ARGUMENTS...: what is wrong with the refusal of another run, which is to
# leave everything as it is
others() {
    message=$1
    shift
    before=$(find . -type f ! -name err -exec cksum {} +)
    "$program" "$@" --quiet --resume 2>err
    [ $? = 2 ] || echo "status $?"
    grep -qF -- "$message" err || cat err
    [ "$(find . -type f ! -name err -exec cksum {} +)" = "$before" ] || echo "files changed"
}
cp two_mass_damper.yaml kept.yaml
for state in unfinished complete; do
    if [ $state = unfinished ]; then
        cp log cut.csv.log
    else
        # shellcheck disable=SC2086
        "$program" $study --quiet 2>/dev/null
    fi
    # shellcheck disable=SC2086
    report "another option, $state" "$(others 'then nothing, now option --set: harmonics=3' \
        $study --set harmonics=3)"
    report "other values, $state" "$(others \
        'option --vary: damper.preload=10:40:6, now option --vary: damper.preload=10:40:5' \
        study two_mass_damper.yaml --vary damper.preload=10:40:5 -o cut.csv)"
    report "another command, $state" "$(others 'then command: study, now command: peak' peak \
        two_mass_damper.yaml --vary damper.preload=10:40:6 -o cut.csv)"
    echo '# a comment' >>two_mass_damper.yaml
    # shellcheck disable=SC2086
    report "another model, $state" "$(others 'MODEL two_mass_damper.yaml has changed' $study)"
    cp kept.yaml two_mass_damper.yaml
done
before=$(find . -name 'cut.*' -exec ls -l --time-style=full-iso {} +)
# shellcheck disable=SC2086
"$program" $study --resume 2>err
expect "all is done: status 0" $? 0
report "nothing is changed" "$(
    [ "$(find . -name 'cut.*' -exec ls -l --time-style=full-iso {} +)" = "$before" ] || ls -l
    grep -q 'nothing is left to do' err || cat err
)"
rm cut.peaks.csv
# shellcheck disable=SC2086
report "but where a file has gone" "$("$program" $study --resume --quiet 2>err; differs cut)"

cp "$examples"/cantilever* .
data='study cantilever.yaml --vary structure.damping.modal_ratio=0.01,0.02 -o data.csv'
# shellcheck disable=SC2086
"$program" $data --quiet 2>/dev/null
echo '% a comment' >>cantilever_mass.mtx
# shellcheck disable=SC2086
report "another file of the model" "$(others 'cantilever_mass.mtx has changed' $data)"
refused "--resume without a file" '--resume: there is no log beside standard output' \
    study two_mass_damper.yaml --vary damper.preload=10,20 --resume
# shellcheck disable=SC2086
( trap '' XFSZ; ulimit -f 500; exec "$program" $study --quiet ) 2>err
expect "a log that does not fit on the disk: status 0" $? 0
report "the result is whole, and a warning tells" "$(
    differs cut
    grep -qF 'warning: cut.csv.log: cannot write: File too large' err || cat err
)"
for input in cut.csv.log cut.csv.run.yaml cut.peaks.csv cut.csv.log-0 \
    cut.loops.csv.unfinished-999999999-0; do
    rm -f cut.*
    cp two_mass_damper.yaml $input
    refused "an input called $input" "would be written over MODEL $input" study $input \
        --vary damper.preload=10,20 -o cut.csv
    ln -s $input link.yaml
    refused "and through a link" "would be written over MODEL link.yaml" study link.yaml \
        --vary damper.preload=10,20 -o cut.csv
    rm link.yaml $input
done
finish
