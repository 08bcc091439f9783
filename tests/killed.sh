# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced, behind same_bytes.sh, by tests of runs that are killed and resumed. $instants: how
# often each is.
export SOURCE_DATE_EPOCH=1

# differs NAME: what differs between files of that name here and in reference/
differs() {
    for file in reference/"$1".*; do
        name=${file#reference/}
        comparable "$file" >left
        comparable "$name" >right
        cmp left right || echo "$file"
    done 2>&1
    find . -name '*.unfinished*' -o -name '*.log' -o -name '*.log-*'
}

# undisturbed NAME ARGUMENTS...: runs it, moves what it writes to reference/
undisturbed() {
    name=$1
    shift
    mkdir -p reference
    rm -f "$name".* reference/"$name".*
    from=$(date +%s%N)
    "$program" "$@" --quiet 2>/dev/null || echo "status $? of $name"
    took=$((($(date +%s%N) - from) / 1000000)) # ms
    mv "$name".* reference/
}

# killed SIGNAL MS ARGUMENTS...: runs and is sent the signal after so long, or ends
killed() {
    signal=$1 after=$2
    shift 2
    env --default-signal=INT,TERM "$program" "$@" --quiet 2>/dev/null &
    process=$!
    sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
    kill -"$signal" $process 2>/dev/null
    wait $process 2>/dev/null
}

# resumes NAME ARGUMENTS...: at so many instants, by both signals and with one and two threads;
# some are killed twice
resumes() {
    name=$1
    shift
    undisturbed "$name" "$@"
    k=0
    while [ $k -lt "$instants" ]; do
        k=$((k + 1))
        signal=$([ $((k % 3)) = 0 ] && echo TERM || echo KILL)
        rm -f "$name".*
        echo 'of an earlier run' >"$name.csv"
        after=$((1 + (took * (k * 7919 % 1009)) / 1009))
        killed "$signal" $after "$@"
        if [ "$signal" = KILL ] && [ "$(cat "$name.csv")" != 'of an earlier run' ] &&
            ! cmp -s "$name.csv" reference/"$name.csv"; then
            echo "$k: the earlier file is not there after $after ms"
        fi
        [ $((k % 2)) = 0 ] && killed KILL $((after / 2 + 1)) "$@" --resume
        "$program" "$@" --quiet --resume 2>err || { echo "status $?"; cat err; }
        differs "$name" | sed "s/^/$k, $signal after $after of $took ms: /"
    done
}
