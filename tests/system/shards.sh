#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shards.sh PROGRAM: parts of a study and of a map, each computed by itself, make the bytes of
# one run; what is no whole set of parts is refused.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
. "$MASING_SOURCE_ROOT/tests/same_bytes.sh"
begin "$1"
export SOURCE_DATE_EPOCH=1
cp "$examples/two_mass_damper.yaml" .

# parts N ARGUMENTS...: what is wrong with so many parts put together, in files part1.csv ...
parts() {
    n=$1
    shift
    "$program" "$@" -o all.csv -o all.svg --quiet 2>/dev/null || echo "one run: status $?"
    rm -rf one
    mkdir one
    mv all.* one
    list=''
    for k in $(seq "$n"); do
        "$program" "$@" --shard "$k/$n" -o "part$k.csv" --quiet 2>/dev/null ||
            echo "part $k: status $?"
        list="part$k.csv $list"
    done
    # shellcheck disable=SC2086
    "$program" merge $list -o all.csv -o all.svg --quiet 2>err || { echo "status $?"; cat err; }
    for file in one/*; do
        of_whole "$file" >left
        of_whole "${file#one/}" >right
        cmp left right || echo "$file"
    done
    [ "$(ls one)" = "$(ls | grep '^all')" ] || ls
}

study='study two_mass_damper.yaml --vary damper.preload=1:60:7'
# shellcheck disable=SC2086
report "a map in two parts" "$(parts 2 peak two_mass_damper.yaml --minimize \
    --vary damper.preload=5:60:5 --vary damper.stiffness=2e4:6e4:5)"
report "a study of words in two parts" "$(parts 2 study two_mass_damper.yaml \
    --vary forces=exact,sampled --set harmonics=3)"
# shellcheck disable=SC2086
report "a study in as many parts as values" "$(parts 7 $study)"
# shellcheck disable=SC2086
report "a study in three parts" "$(parts 3 $study --columns harmonics --at 20,22)"
expect "the rows of a part" "$(cut -d, -f1 part2.peaks.csv | tr '\n' ' ')" \
    "damper.preload 10.833333333333332 40.333333333333329 "
# shellcheck disable=SC2086
report "nothing is left to do of a part" "$("$program" $study --columns harmonics --at 20,22 \
    --shard 2/3 -o part2.csv --resume 2>&1 | grep -v 'nothing is left to do')"

report "the whole as a file of another kind" "$(
    # shellcheck disable=SC2086
    "$program" $study --columns harmonics --at 20,22 -o one.h5 -o one.mat --quiet 2>/dev/null
    "$program" merge part1.csv part2.csv part3.csv -o all.h5 -o all.mat --quiet 2>/dev/null ||
        echo "status $?"
    for format in h5 mat; do # but for the command, a text in it
        [ $((($(wc -c <one.$format) - $(wc -c <all.$format)) / 1000)) = 0 ] || ls -l
    done
    if command -v h5dump >/dev/null; then
        for file in one all; do
            h5dump -d /curves/0001/coefficients -d /curves/0000/frequency_hz -d /peaks/m2_max \
                $file.h5 | sed 1d >$file.text
        done
        cmp one.text all.text
    fi
    rm -f one.* all.*
)"

refused "a part that is missing" "part 2/3 is missing" merge part1.csv part3.csv -o none.csv
refused "one whose log is missing" "part 2/3 is missing: none.csv.log: cannot be read" \
    merge part1.csv none.csv part3.csv -o none.csv
refused "no log at all" "none.csv.log: cannot be read" merge none.csv -o none.csv
refused "a part that stands twice" "part1.csv: part 1/3 stands twice" \
    merge part1.csv part2.csv part1.csv -o none.csv
refused "no file for the whole" "-o FILE is missing" merge part1.csv part2.csv part3.csv
refused "the whole over a part" "would be written over the part part1.csv" \
    merge part1.csv part2.csv part3.csv -o part1.csv
refused "and over its peaks" "would be written over the part part1.peaks.csv" \
    merge part1.csv part2.csv part3.csv -o part1.peaks.csv
ln -s part3.csv.log link.csv
refused "and over a log, through a link" "would be written over the part part3.csv.log" \
    merge part1.csv part2.csv part3.csv -o link.csv
cp part2.csv.log kept
sed '$d' kept >part2.csv.log
refused "a part that is not finished" "part 2/3 is not finished" \
    merge part1.csv part2.csv part3.csv -o none.csv
sed 's/Haswell/Prescott/; s/^kernels OpenBLAS/kernels Other/' kept >part2.csv.log
refused "a damaged log" "part2.csv.log: the lines that say what it belongs to are damaged" \
    merge part1.csv part2.csv part3.csv -o none.csv
# shellcheck disable=SC2086
refused "to go on by it" "part2.csv.log: the lines that say what it belongs to are damaged" \
    $study --columns harmonics --at 20,22 --shard 2/3 -o part2.csv --resume
cp kept part2.csv.log
# shellcheck disable=SC2086
"$program" $study --shard 2/3 -o other.csv --quiet 2>/dev/null
refused "a part of another run" "then option --at: 20,22, now nothing" \
    merge part1.csv other.csv part3.csv -o none.csv
# shellcheck disable=SC2086
"$program" $study --columns harmonics --at 20,22 --shard 2/4 -o other.csv --quiet 2>/dev/null
refused "a part of other parts" "it is part 2/4, the others are of 3" \
    merge part1.csv other.csv part3.csv -o none.csv
OPENBLAS_CORETYPE=Prescott "$program" $study --columns harmonics --at 20,22 --shard 2/3 \
    -o part2.csv --quiet 2>/dev/null
"$program" merge part1.csv part2.csv part3.csv -o all.csv --quiet 2>err
expect "parts of other kernels: status 0" $? 0
report "a warning tells" "$(
    grep -q 'warning: parts 1/3 and 2/3 come from different numerical kernels' err ||
        "$program" --version | grep -q Prescott || cat err)"
echo '# a comment' >>two_mass_damper.yaml
refused "a model that has changed" "MODEL two_mass_damper.yaml has changed" \
    merge part1.csv part2.csv part3.csv -o none.csv

report "a model whose name is two lines, an option with a backslash" "$(
    name='two
lines\.yaml'
    cp two_mass_damper.yaml "$name"
    few='study --vary damper.preload=10,20 --set title=a\nb --quiet'
    # shellcheck disable=SC2086
    "$program" $few "$name" -o all.csv 2>/dev/null
    rm -rf one
    mkdir one
    mv all.* one
    for k in 1 2; do
        # shellcheck disable=SC2086
        "$program" $few "$name" --shard $k/2 -o part$k.csv 2>/dev/null
    done
    "$program" merge part1.csv part2.csv -o all.csv --quiet 2>err || cat err
    for file in one/*; do
        of_whole "$file" >left
        of_whole "${file#one/}" >right
        cmp left right
    done
)"

refused "more parts than values" "damper.preload has 7 values, expected at most as many parts" \
    study two_mass_damper.yaml --vary damper.preload=1:60:7 --shard 8/8 -o none.csv
for wrong in 0/2 3/2 2 1/2/3 x/2 1/; do
    refused "--shard $wrong" "'$wrong': expected K/N" study two_mass_damper.yaml \
        --vary damper.preload=1:60:7 --shard $wrong -o none.csv
done
refused "a part of one line" "--shard goes with a map" peak two_mass_damper.yaml \
    --vary damper.preload=5:60 --shard 1/2 -o none.csv
finish
