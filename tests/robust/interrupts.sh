#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# interrupts.sh PROGRAM: Ctrl-C and SIGTERM end whatever is under way within a second and keep
# what was computed; SIGKILL leaves the earlier file byte for byte; with too little memory there
# is a message within seconds.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
field=$MASING_SOURCE_ROOT/tests/reference/field
begin "$1"
cp "$field"/slow_interrupt_*.yaml .
cp "$examples/two_mass_damper.yaml" "$examples/three_masses_iwan.yaml" .
cp "$field/wedge_static_normal.yaml" "$field/lugre.yaml" .

# ends SIGNAL AFTER ARGUMENTS...: what was wrong with the end behind the signal; a second is
# allowed, as much again for a machine under load, and more where sanitizers look on
limit=2000
[ -z "${MASING_SANITIZED-}" ] || limit=5000
ends() {
    signal=$1 after=$2
    shift 2
    env --default-signal=INT,TERM "$program" "$@" >out 2>err &
    process=$!
    sleep "$after"
    before=$(date +%s%N)
    kill -"$signal" $process 2>/dev/null || echo "it had ended by itself"
    (sleep 20; kill -KILL $process) >/dev/null 2>&1 &
    guard=$!
    wait $process
    status=$?
    ms=$((($(date +%s%N) - before) / 1000000))
    kill $guard 2>/dev/null
    [ $status -eq 1 ] || { echo "status $status"; cat err; } # a sanitizer's report may be long
    [ $ms -le $limit ] || echo "it took $ms ms"
    grep -q 'stopped early: .*interrupted' err || [ $status -ne 1 ] || tail -n 2 err
}

few='--set solver.max_points=12'
for after in 0.5 3; do
    points="--set solver.max_points=$([ $after = 3 ] && echo 1000 || echo 12)"
    report "verdicts of stability, after $after s" "$(ends INT $after frf \
        slow_interrupt_frf.yaml --check-harmonics \
        --columns harmonics,energy,joints,slopes,stability $points -o frf.csv)"
    report "a search for a peak, after $after s" "$(ends INT $after peak \
        slow_interrupt_peak.yaml --vary load_factor=0.5:2 $points -o peak.csv)"
done
report "a start that is not found" "$(ends INT 0.5 frf lugre.yaml --set harmonics=11 -o p.csv)"
report "SIGTERM" "$(ends TERM 0.7 peak slow_interrupt_peak.yaml --vary load_factor=0.5:2 $few)"
report "an integration" "$(ends INT 0.5 integrate two_mass_damper.yaml --frequency 22 \
    --set structure.damping.modal_ratio=1e-9 --set damper.preload=0 \
    --set integration.cycles=1000000 -o integrate.csv)"
# chain N EVERY: so many masses in a row, every so many with a cubic spring
chain() {
    awk -v n="$1" -v every="$2" 'BEGIN {
        print "masing: 1\nstructure:\n  masses: {"
        for (i = 1; i <= n; i++) printf "    m%d: 1%s\n", i, i < n ? "," : ""
        print "  }\n  springs:\n    - {from: ground, to: m1, stiffness: 1e5}"
        for (i = 2; i <= n; i++) printf "    - {from: m%d, to: m%d, stiffness: 1e5}\n", i - 1, i
        print "  damping: {modal_ratio: 0.01}\njoints:"
        for (i = 1; i <= n; i += every)
            printf "  - {name: j%d, law: cubic_spring, from: ground, to: m%d,\n%s", i, i,
                "     coefficient: 1e9}\n"
        printf "loads: [{dof: m%d, amplitude: 10}]\nfrequency: [5, 9]\nharmonics: 3\n", n
        printf "outputs: [m%d]\n", n
    }'
}
chain 400 3 >chain.yaml
chain 300 40 >thin.yaml
report "small motions of many unknowns in shooting" "$(ends INT 8 integrate chain.yaml \
    --frequency 7 --set integration.steady=shooting --set integration.modes=all)"
report "and in Hill's equation" "$(ends INT 3 frf thin.yaml --stability hill -o hill.csv)"
report "a study of many values" "$(ends TERM 2 study two_mass_damper.yaml \
    --vary damper.preload=1:60:3000 -o study.csv)"
report "its rows are in place and whole, and the record says so" "$(
    [ "$(wc -l <study.csv)" -gt 1 ] || echo "no rows"
    awk -F, 'NR == 1 { n = NF } NF != n' study.csv
    grep -qx 'complete: false' study.csv.run.yaml || head -n 5 study.csv.run.yaml
    ls | grep -F .unfinished
)"

report "a curve along a parameter" "$(ends INT 0.5 frf slow_interrupt_frf.yaml \
    --along load_factor=0.1:5 --frequency 20 -o along.csv)"
report "a nonlinear mode" "$(ends TERM 0.5 mode slow_interrupt_frf.yaml --set mode.number=1 \
    --set 'mode.amplitude=[1e-9,1e-3]' -o mode.csv)"
report "a comparison" "$(ends INT 0.7 compare slow_interrupt_frf.yaml -o compare.csv)"
report "a comparison of many points" "$(ends TERM 1.5 compare wedge_static_normal.yaml \
    --points 300 --set integration.steps_per_cycle=16384 -o points.csv)"
report "a long decay" "$(ends INT 0.5 ringdown three_masses_iwan.yaml \
    --set ringdown.steps=50000000 -o decay.csv)"
report "many decays" "$(ends TERM 3 ringdown three_masses_iwan.yaml \
    --amplitudes 1:3400:5000 -o decays.csv)"
report "rows of those that ended are in place" "$(
    [ "$(wc -l <decays.csv)" -gt 1 ] || echo "no rows"
    grep -qx 'complete: false' decays.csv.run.yaml || head -n 5 decays.csv.run.yaml
    ls | grep -F .unfinished
)"

# --- identification: nothing is known before its end, and the earlier file stays ---
awk 'BEGIN {
    print "displacement,force" >"loop.csv"
    print "amplitude,frequency_hz,damping_ratio" >"modal.csv"
    for (i = 0; i < 60000; i++) {
        x = sin(i * 6.283185307179586 / 7500)
        z = z < x - 0.4 ? x - 0.4 : z > x + 0.4 ? x + 0.4 : z
        printf "%.9g,%.9g\n", x, 5 * (x - z) + 0.5 * x >"loop.csv"
    }
    for (i = 0; i < 120000; i++) {
        a = 10 ^ (-3 + i / 24000)
        d = 0.001 + 0.02 * sqrt(a) / (1 + a ^ 1.5)
        printf "%.9g,%.9g,%.9g\n", a, 20 - 1.5 * a / (1 + a), d >"modal.csv"
    }
}'
printf 'of an earlier run\n' >fit.csv
report "a fit of laws" "$(ends INT 2 identify loop.csv --law bouc_wen+linear --trials 9000 \
    -o fit.csv)"
report "a fit to responses" "$(ends TERM 1.5 identify --model two_mass_damper.yaml \
    --response "$examples/damper_response_10N.csv:1" --trials 9000 -o fit.csv)"
report "a modal Iwan model" "$(ends INT 1.5 identify modal.csv --modal-iwan 1 -o fit.csv)"
expect "the earlier file" "$(cat fit.csv)" 'of an earlier run'

# --- killed ---
printf 'of an earlier run\n' >killed.csv
printf 'of an earlier run\n' >killed.svg
cp killed.csv earlier
"$program" study two_mass_damper.yaml --vary damper.preload=1:60:3000 -o killed.csv \
    -o killed.svg --quiet &
process=$!
tries=0
until [ "$(cat killed.csv.unfinished-* 2>/dev/null | wc -l)" -gt 50 ] || [ $tries -gt 200 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -KILL $process
wait $process 2>/dev/null
report "SIGKILL leaves the earlier files" "$(cmp killed.csv earlier; cmp killed.svg earlier)"
report "and the rows beside them" "$(
    [ "$(cat killed.csv.unfinished-* | wc -l)" -gt 50 ] || echo "none")"

# --- too little memory (OpenBLAS would try for ever); a sanitizer takes terabytes ---
if (ulimit -v 2000000 && "$program" --version) >/dev/null 2>&1; then
    for kib in 40000 60000 80000 100000 120000 140000 160000; do
        for command in frf 'study --vary damper.preload=20,30 --threads 2'; do
            # shellcheck disable=SC2086
            (ulimit -v $kib
             exec timeout -s KILL 10 "$program" ${command%% *} two_mass_damper.yaml \
                 $(expr "$command " : '[a-z]* \(.*\)') --quiet -o small.csv) >/dev/null 2>err
            status=$?
            report "$kib KiB, ${command%% *}: a message or the result, in time" "$(
                case $status in
                0) [ -s small.csv ] || echo "no result" ;;
                1) grep -q 'out of memory' err || cat err ;;
                127) ;; # not even the program could be loaded
                *) echo "status $status"; cat err ;;
                esac
            )"
        done
    done
    (ulimit -v 100000; exec timeout -s KILL 10 "$program" frf two_mass_damper.yaml) \
        >/dev/null 2>err
    expect "100 MB are too little" "$? $(cat err)" "1 masing frf: out of memory"
fi
finish
