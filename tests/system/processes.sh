#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# processes.sh PROGRAM: a study and a map that processes of mpirun share are the bytes of one
# process, also where one is killed on the way; what cannot be shared is refused.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
. "$MASING_SOURCE_ROOT/tests/same_bytes.sh"
. "$MASING_SOURCE_ROOT/tests/mpi.sh"
begin "$1"
export SOURCE_DATE_EPOCH=1
cp "$examples/two_mass_damper.yaml" .

for name in OMPI_COMM_WORLD_SIZE PMI_SIZE; do
    report "nothing to share: $name, refused" "$(
        env $name=2 OMPI_COMM_WORLD_RANK=0 PMI_RANK=0 "$program" frf two_mass_damper.yaml \
            >out 2>err && echo "status 0"
        [ ! -s out ] || echo "rows"
        grep -q 'masing frf: several processes .*--no-mpi' err || cat err
    )"
done
report "the second of them is silent" "$(
    export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1
    "$program" frf two_mass_damper.yaml 2>&1 &&
        echo "status 0"
)"
report "--no-mpi has it run" "$(
    env OMPI_COMM_WORLD_SIZE=2 "$program" frf two_mass_damper.yaml --no-mpi --quiet 2>&1 \
        >out || echo "status $?"
    [ -s out ] || echo "no rows"
)"
report "one process has nobody to share with" "$(
    env OMPI_COMM_WORLD_SIZE=1 "$program" frf two_mass_damper.yaml --quiet 2>&1 >out ||
        echo "status $?"
)"
study='study two_mass_damper.yaml --vary damper.preload=1:60:9'
report "a scheduler's variables start nothing" "$(
    # shellcheck disable=SC2086
    env SLURM_PROCID=1 SLURM_NTASKS=2 "$program" $study -o slurm.csv --quiet 2>/dev/null ||
        echo "status $?"
    [ -s slurm.csv ] || echo "no rows"
)"
# shellcheck disable=SC2086
env PMIX_RANK=0 "$program" $study --help >help
expect "help in any process" "$(grep -c -- --no-mpi help)" 1

if ! has_mpi; then
    if grep -q 'built without MPI' mpi.err; then
        expect "a build without MPI refuses" "$(grep -c '; --no-mpi has each' mpi.err)" 1
    fi
    finish
fi

# differences: of the files all.* from those in one/; rows of a process that was killed stay
# where it is not gone yet when the run is resumed
differences() {
    for file in one/*; do
        comparable "$file" >left
        comparable "${file#one/}" >right
        cmp left right || echo "$file"
    done
    [ "$(ls one)" = "$(ls | grep '^all' | grep -v unfinished)" ] || ls
    rm -f all.*
}

# alone ARGUMENTS...: the files of one process, in one/
alone() {
    rm -rf one
    mkdir one
    "$program" "$@" --quiet 2>one.err || echo "one process: status $?"
    mv all.* one
}

# shared N ARGUMENTS...: what N processes have different
shared() {
    n=$1
    shift
    mpirun -n "$n" "$program" "$@" --quiet >out 2>err || echo "status $?"
    cmp one.err err
    [ ! -s out ] || cat out
    differences
}

study="$study --columns harmonics --at 20,22"
# shellcheck disable=SC2086
alone $study -o all.csv -o all.svg
for n in 1 2 3 4; do
    # shellcheck disable=SC2086
    report "a study by $n" "$(shared $n $study -o all.csv -o all.svg)"
done
map="peak two_mass_damper.yaml --minimize --vary damper.preload=5:60:5
    --vary damper.stiffness=2e4:6e4:5"
# shellcheck disable=SC2086
alone $map -o all.csv -o all.svg -o all.h5 -o all.html
for n in 2 3; do
    # shellcheck disable=SC2086
    report "a map by $n" "$(shared $n $map -o all.csv -o all.svg -o all.h5 -o all.html)"
done
# shellcheck disable=SC2086
report "rows on standard output come once" "$(
    "$program" $map --quiet >left 2>/dev/null
    mpirun -n 3 "$program" $map --quiet >right 2>/dev/null || echo "status $?"
    cmp left right
)"
report "words, of which one is refused" "$(
    words="study two_mass_damper.yaml --vary forces=exact,sampled --set harmonics=3"
    # shellcheck disable=SC2086
    alone $words -o all.csv
    # shellcheck disable=SC2086
    shared 2 $words -o all.csv
)"
cp "$examples/uncertain_damper.yaml" .
report "a sample by 3" "$(
    draws="sample uncertain_damper.yaml --samples 40"
    # shellcheck disable=SC2086
    alone $draws -o all.csv
    # shellcheck disable=SC2086
    shared 3 $draws -o all.csv
)"

report "a value sought by 3, told to the others" "$(
    sought="sample uncertain_damper.yaml --samples 20 --minimize damper.preload=20:60"
    # shellcheck disable=SC2086
    alone $sought -o all.csv
    # shellcheck disable=SC2086
    shared 3 $sought -o all.csv
)"

# ---- ends on the way ----

# Each process leaves its number: pid.0, pid.1
cat >start <<END
#!/bin/sh
echo \$\$ >pid.\$OMPI_COMM_WORLD_RANK
exec "$program" "\$@"
END
chmod +x start
long="study two_mass_damper.yaml --vary damper.preload=1:60:120 --set harmonics=30 --threads 1"
# shellcheck disable=SC2086
alone $long -o all.csv

# has_few: whether the log has a few results
has_few() {
    [ -s all.csv.log ] && [ "$(grep -c '^task' all.csv.log)" -ge 5 ]
}

# ended SIGNAL PROCESS: the run ends so once it has a few results
ended() {
    rm -f pid.*
    # shellcheck disable=SC2086
    mpirun -n 3 ./start $long -o all.csv --quiet >out 2>err &
    run=$!
    while kill -0 $run 2>/dev/null && ! has_few; do
        sleep 0.05
    done
    kill "-$1" "$(cat "pid.$2")"
    wait $run && echo "status 0"
}

for victim in 0 2; do
    report "process $victim is killed, and the run resumed" "$(
        ended KILL $victim
        [ -s all.csv.log ] || echo "no log"
        # shellcheck disable=SC2086
        shared 2 $long -o all.csv --resume
    )"
done
report "a request to end, and one process goes on" "$(
    ended TERM 0
    grep -q '^complete: false' all.csv.run.yaml || echo "complete, or no record"
    [ -s all.csv ] || echo "no rows"
    # shellcheck disable=SC2086
    "$program" $long -o all.csv --quiet --resume 2>/dev/null || echo "status $?"
    differences
)"
report "another process that is asked to end ends a sample" "$(
    draws="sample uncertain_damper.yaml --samples 600 --threads 1"
    # shellcheck disable=SC2086
    alone $draws -o all.csv
    rm -f pid.*
    # shellcheck disable=SC2086
    mpirun -n 3 ./start $draws -o all.csv --quiet >out 2>err &
    run=$!
    while kill -0 $run 2>/dev/null && ! has_few; do
        sleep 0.05
    done
    kill -TERM "$(cat pid.1)"
    wait $run && echo "status 0"
    grep -q '^complete: false' all.csv.run.yaml || echo "complete, or no record"
    # shellcheck disable=SC2086
    shared 2 $draws -o all.csv --resume
)"
report "nothing is left to do" "$(
    # shellcheck disable=SC2086
    mpirun -n 2 "$program" $study -o all.csv --quiet 2>/dev/null
    # shellcheck disable=SC2086
    mpirun -n 2 "$program" $study -o all.csv --resume 2>&1 | grep -v 'nothing is left to do'
    rm -f all.*
)"
# a chain of masses with friction, of which a curve has places to go on from
chain 26 >chain.yaml
report "where long curves stand is kept by the first process, and gone on from" "$(
    chain="study chain.yaml --vary j1.slip_force=1,2 --stability none --threads 1"
    export MASING_CHECKPOINT_SECONDS=1e-9
    # shellcheck disable=SC2086
    alone $chain -o all.csv
    rm -f pid.*
    # shellcheck disable=SC2086
    mpirun -n 2 ./start $chain -o all.csv --quiet >out 2>err &
    run=$!
    while kill -0 $run 2>/dev/null && ! { [ -s all.csv.log-0 ] && [ -s all.csv.log-1 ]; }; do
        sleep 0.02
    done
    kill -KILL "$(cat pid.1)"
    wait $run && echo "status 0"
    # shellcheck disable=SC2086
    shared 2 $chain -o all.csv --resume
)"

# ---- refused ----

mkdir other
sed '$a # a comment' two_mass_damper.yaml >other/two_mass_damper.yaml
cat >apart <<END
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 0 ] || cd other
exec "$program" "\$@"
END
chmod +x apart
# told COMMAND...: messages of two processes that are refused
told() {
    mpirun -n 2 "$@" >out 2>err && echo "status 0"
    [ ! -s out ] || cat out
    grep '^masing\|^process' err
}
# shellcheck disable=SC2086
report "another model there" "$(
    told ./apart $study -o all.csv | grep -v "^process 2 of 2 has 'file MODEL two_mass_damper"
    grep -q 'first one .file MODEL' err || cat err
    rm -f all.*
)"
rm other/two_mass_damper.yaml
# shellcheck disable=SC2086
report "no model there" "$(
    told ./apart $study -o all.csv | grep -vF 'process 2 of 2: two_mass_damper.yaml: cannot be'
    grep -q 'process 2 of 2' err || cat err
    rm -f all.*
)"
expect "a model from standard input" "$(told "$program" study - --vary damper.preload=1,2 \
    <two_mass_damper.yaml)" \
    "masing study: processes cannot share a model from standard input: expected a file"
expect "a wrong option is told once" "$(told "$program" study two_mass_damper.yaml)" \
    "$("$program" study two_mass_damper.yaml 2>&1)"
finish
