#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# resume_shared.sh PROGRAM: parts of a run (--shard), samples, maps by several threads and
# processes of mpirun that are killed at any instant, one of them, all, or mpirun itself, go on
# with --resume and end in the bytes of an undisturbed run. MASING_INSTANTS: how often each is
# killed (default 1).
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
. "$MASING_SOURCE_ROOT/tests/same_bytes.sh"
. "$MASING_SOURCE_ROOT/tests/killed.sh"
. "$MASING_SOURCE_ROOT/tests/mpi.sh"
begin "$1"
instants=${MASING_INSTANTS:-1}
cp "$examples/two_mass_damper.yaml" "$examples/uncertain_damper.yaml" .

study='study two_mass_damper.yaml --vary damper.preload=1:60:250 --set harmonics=15'
map='peak two_mass_damper.yaml --minimize --vary damper.preload=5:60:400
    --vary damper.stiffness=2e4:6e4:7 --set harmonics=15'
for threads in 2 4; do
    # shellcheck disable=SC2086
    report "a map of peaks, $threads threads" "$(resumes map $map --threads $threads \
        -o map.csv -o map.svg)"
done
sample='sample uncertain_damper.yaml --samples 600'
# shellcheck disable=SC2086
report "a sample" "$(resumes draws $sample --threads 2 -o draws.csv -o draws.svg)"

# ---- parts ----

# merged N ARGUMENTS...: what is wrong where each of N parts is killed in turn, resumed, and all
# are put together
merged() {
    n=$1
    shift
    undisturbed whole "$@" -o whole.csv
    k=0
    while [ $k -lt "$instants" ]; do
        k=$((k + 1))
        rm -f part*.* whole.*
        list=''
        for part in $(seq "$n"); do
            signal=$([ $(((k + part) % 3)) = 0 ] && echo TERM || echo KILL)
            after=$((1 + took / n * ((k * 7919 + part * 331) % 1009) / 1009))
            killed "$signal" $after "$@" --shard "$part/$n" -o "part$part.csv"
            "$program" "$@" --shard "$part/$n" -o "part$part.csv" --quiet --resume 2>err ||
                { echo "part: status $?"; cat err; }
            list="$list part$part.csv"
        done
        find . -name 'part*.unfinished*' -o -name 'part*.log-*'
        # shellcheck disable=SC2086
        "$program" merge $list -o whole.csv --quiet 2>err || { echo "status $?"; cat err; }
        for file in reference/whole.*; do
            of_whole "$file" >left
            of_whole "${file#reference/}" >right
            cmp left right 2>&1 | sed "s/^/$k: /"
        done
    done
    rm -f part*.* whole.*
}
# shellcheck disable=SC2086
report "a study in two parts" "$(merged 2 $study)"
# shellcheck disable=SC2086
report "a map in three parts" "$(merged 3 $map)"
# shellcheck disable=SC2086
report "a sample in two parts" "$(merged 2 $sample)"

# ---- processes ----

has_mpi || finish
# Each process leaves its number: pid.0, pid.1
cat >start <<END
#!/bin/sh
echo \$\$ >pid.\$OMPI_COMM_WORLD_RANK
exec env --default-signal=INT,TERM "$program" "\$@"
END
chmod +x start
# is_there PROCESS: and not only waited for
is_there() {
    [ -r "/proc/$1/stat" ] && ! grep -q ') [ZX] ' "/proc/$1/stat" 2>/dev/null
}

# all_gone: once a run has ended: those that are left soon see it
all_gone() {
    for file in pid.*; do
        number=$(cat "$file" 2>/dev/null)
        tries=0
        while [ "$number" ] && is_there "$number"; do
            tries=$((tries + 1))
            if [ $tries -gt 200 ]; then
                echo "process ${file#pid.} goes on by itself"
                kill -KILL "$number"
                break
            fi
            sleep 0.05
        done
    done
}

# shared_and_killed N VICTIM SIGNAL MS ARGUMENTS...: N processes, of which one (its number), all
# or mpirun is sent the signal after so long
shared_and_killed() {
    n=$1 victim=$2 signal=$3 after=$4
    shift 4
    rm -f pid.*
    mpirun -n "$n" ./start "$@" --quiet >/dev/null 2>&1 &
    run=$!
    sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
    case $victim in
    mpirun) kill -"$signal" $run ;;
    all) cat pid.* | xargs kill -"$signal" ;;
    *) kill -"$signal" "$(cat "pid.$victim")" ;;
    esac 2>/dev/null
    wait $run 2>/dev/null
    all_gone
}

# shared NAME N VICTIM ARGUMENTS...: what is wrong where N processes are killed and as many, or
# others, go on
shared() {
    name=$1 n=$2 victim=$3
    shift 3
    k=0
    while [ $k -lt "$instants" ]; do
        k=$((k + 1))
        signal=$([ $((k % 3)) = 0 ] && echo TERM || echo KILL)
        rm -f "$name".*
        # mpirun takes some tenths of a second before it starts the processes
        after=$((starting / 2 + (took + starting / 2) * (k * 7919 % 1009) / 1009))
        shared_and_killed "$n" "$victim" "$signal" $after "$@"
        if [ $((k % 2)) = 0 ]; then
            mpirun -n $((5 - n)) "$program" "$@" --quiet --resume >out 2>err ||
                { echo "status $?"; cat err; }
        else
            "$program" "$@" --quiet --resume 2>err || { echo "status $?"; cat err; }
        fi
        differs "$name" | sed "s/^/$k, $victim of $n, $signal after $after of $took ms: /"
    done
}

from=$(date +%s%N)
mpirun -n 2 "$program" study two_mass_damper.yaml --vary damper.preload=10,20 --quiet \
    >/dev/null 2>&1
starting=$((($(date +%s%N) - from) / 1000000)) # ms

# where MASING_INSTANTS says nothing each kind has one of the victims
kind=0
for arguments in "$study" "$map" "$sample"; do
    # shellcheck disable=SC2086
    undisturbed all $arguments --threads 1 -o all.csv
    for victim in 0 1 all mpirun; do
        for n in 2 3; do
            kind=$((kind + 1))
            if [ "${MASING_INSTANTS:-}" ] || [ $((kind % 5)) = 0 ]; then
                # shellcheck disable=SC2086
                report "${arguments%% *}, $victim of $n" "$(shared all $n $victim $arguments \
                    --threads 1 -o all.csv)"
            fi
        done
    done
done
finish
