#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# options.sh PROGRAM: every command's options, right and wrong, before anything is computed.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
model=$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml
manual=$MASING_SOURCE_ROOT/doc/masing.1.scd
begin "$1"

# refused NAME MESSAGE ARGUMENT...: exit status 2, MESSAGE on standard error, no output, no file
refused() {
    name=$1 message=$2
    shift 2
    "$program" "$@" >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        [ ! -s out ] || echo "standard output is not empty"
        [ "$(find . -type f | sort | tr '\n' ' ')" = "./err ./out " ] || find . -type f
        grep -qF -- "$message" err || { echo "the message lacks '$message':" && cat err; }
    )"
}

options_of() {
    "$program" "$1" --help | sed -n 's/^  \(-[a-z-]*\).*/\1/p' | grep -vx -- '--help'
}

# what the interface promises for each command
expect "options of frf" "$(options_of frf | sort | tr '\n' ' ')" \
    "--along --at --branches --check-harmonics --check-tolerance --columns --frames \
--frequency --joint --log-y --quiet --resume --search --seed --set --stability --starts \
--threads -o "
expect "options of study" "$(options_of study | sort | tr '\n' ' ')" \
    "--at --branches --check-harmonics --check-tolerance --columns --joint --log-y \
--no-mpi --quiet --resume --set --shard --stability --starts --threads --vary -o "
expect "options of peak" "$(options_of peak | sort | tr '\n' ' ')" \
    "--columns --guards --measure --minimize --no-mpi --number --quiet --resume \
--set --shard --threads --vary -o "
expect "options of merge" "$(options_of merge | sort | tr '\n' ' ')" "--quiet -o "
expect "options of mode" "$(options_of mode | sort | tr '\n' ' ')" \
    "--at --branches --columns --frames --log-y --quiet --response --response-tolerance \
--resume --set --threads -o "
expect "options of check" "$(options_of check | sort | tr '\n' ' ')" \
    "--csv --pairs --quiet --set --threads -o "
expect "options of integrate" "$(options_of integrate | sort | tr '\n' ' ')" \
    "--all --columns --frequency --quiet --set --threads -o "
expect "options of compare" "$(options_of compare | sort | tr '\n' ' ')" \
    "--cold --errors --frequency --points --quiet --set --threads --tolerance -o "
expect "options of loop" "$(options_of loop | sort | tr '\n' ' ')" \
    "--amplitude --cycles --equivalent-bouc-wen --frequency --joint \
--motion --path --points --quiet --samples --set --threads -o "

expect "options of ringdown" "$(options_of ringdown | sort | tr '\n' ' ')" \
    "--amplitudes --from --history --log-y --modal --modes --quantity --quiet \
--record --segments --set --shapes --threads --to --uncorrected -o "

# what help names, the parser knows and the man page explains
for command in check frf study peak mode integrate compare ringdown loop law; do
    for option in $(options_of "$command"); do
        "$program" "$command" "$option" >out 2>err
        report "$command knows $option" "$(grep 'unknown option' err)"
        report "the man page explains $option" "$(
            grep -q -- "^\*$option\*" "$manual" || echo "it does not"
        )"
    done
done

for command in check frf study peak mode integrate compare loop; do
    refused "$command without a model" "MODEL is missing" $command
    refused "$command: no such file" "nowhere.yaml" $command nowhere.yaml \
        $([ $command = study ] && echo "--vary a=1,2") \
        $([ $command = peak ] && echo "--vary a=1:2") \
        $([ $command = integrate ] && echo "--frequency 20") \
        $([ $command = loop ] && echo "--amplitude 1")
done

refused "misspelt option" "did you mean '--columns'?" frf "$model" --colums energy
refused "unknown short option" "unknown option '-x'" frf "$model" -x
refused "option without its value" "--at needs a value" frf "$model" --at
refused "word in --at" "'abc' is not a number" frf "$model" --at 20,abc
refused "empty place in --at" "'' is not a number" frf "$model" --at 20,
refused "nan in --at" "'nan' is not a number" frf "$model" --at nan
refused "infinity in --at" "is not a number" frf "$model" --at 1e999
refused "along what" "expected NAME=FROM:TO" \
    frf "$model" --along damper.preload=5 --frequency 22
refused "along without a frequency" "--frequency is missing" \
    frf "$model" --along damper.preload=5:9
refused "a frequency along nothing" "goes with --along" frf "$model" --frequency 22
refused "a check along a number" "--check-harmonics does not go with it" \
    frf "$model" --along damper.preload=5:9 --frequency 22 --check-harmonics
refused "other starts along a number" "--starts does not go with it" \
    frf "$model" --along damper.preload=5:9 --frequency 22 --starts 3
refused "loops along a number" "--joint does not go with it" \
    frf "$model" --along damper.preload=5:9 --frequency 22 --joint damper
refused "rows at a value outside" "damper.preload = -7 lies outside of the range, 5 to 9" \
    frf "$model" --along damper.preload=9:5 --frequency 22 --at 6,-7
refused "a tolerance of nothing" "--check-tolerance" frf "$model" --check-tolerance 0
refused "a stability of no kind" "unknown method 'flokett' (did you mean 'floquet'?)" \
    frf "$model" --stability flokett
refused "branches where sliders carry over" "start: previous" \
    frf "$model" --set start=previous --branches
refused "no starts" "--starts" frf "$model" --starts 0
for number in 0.5 -1 x; do
    refused "a search from $number starts" "--search" frf "$model" --search $number
done
refused "a search where sliders carry over" "start: previous" \
    frf "$model" --set start=previous --search 10
refused "a search along a parameter" "--search does not go with it" frf "$model" \
    --along damper.preload=5:300 --frequency 20 --search 10
refused "peak along nothing" "--vary is missing" peak "$model"
refused "peak along three numbers" "two numbers can vary at a time" peak "$model" \
    --vary damper.preload=5:9 --vary damper.stiffness=1e4:2e4 --vary damper.friction=0.1:0.2
refused "peak along one number twice" "damper.preload is given twice" peak "$model" \
    --vary damper.preload=5:9 --vary damper.preload=5:9
refused "peak at one value" "expected NAME=FROM:TO" peak "$model" --vary damper.preload=5
refused "peak of what" "expected max, amp or h1" peak "$model" --vary damper.preload=5:9 \
    --measure h2
refused "peak along no number" "prelod" peak "$model" --vary damper.prelod=5:9
refused "a peak that is not there" "the response has 1 peak" peak "$model" \
    --vary damper.preload=5:9 --number 2
refused "two lowest peaks" "one peak can be lowest" peak "$model" --vary damper.preload=5:9 \
    --number 1,2 --minimize
refused "one peak of a map" "not along two numbers" peak "$model" --vary damper.preload=5:9 \
    --vary damper.stiffness=1e4:2e4 --number 1
refused "along the structure" "the structure depends on it" frf "$model" \
    --along structure.springs.0.stiffness=4e4:5e4 --frequency 22
refused "hexadecimal in --at" "is not a number" frf "$model" --at 0x14
refused "negative --at" "is not above zero" frf "$model" --at -20
refused "--at outside the range" "outside the range 18 .. 28 Hz" frf "$model" --at 20,30
refused "unknown columns" "did you mean 'energy'?" frf "$model" --columns enrgy
refused "no threads" "--threads: '0'" study "$model" --vary damper.preload=1,2 --threads 0
refused "many threads too many" "--threads:" frf "$model" --threads 99999999999
refused "unknown joint" "did you mean 'damper'?" frf "$model" --joint dampr

refused "--set without a value" "is not NAME=VALUE" frf "$model" --set damper.preload
refused "--set of nothing" "is not NAME=VALUE" frf "$model" --set =3
refused "--set of an unknown number" "damper.prelaod" frf "$model" --set damper.prelaod=3
refused "--set of a word" "--set damper.preload" frf "$model" --set damper.preload=abc
refused "--set out of range" "preload" frf "$model" --set damper.preload=-1

refused "study without --vary" "--vary is missing" study "$model"
refused "two that vary" "one number can vary" study "$model" --vary a=1,2 --vary b=1,2
refused "--vary without values" "is not NAME=VALUE" study "$model" --vary damper.preload
refused "--vary of an unknown number" "damper.prelaod" \
    study "$model" --vary damper.prelaod=1,2
refused "--vary with a bad value" "preload" study "$model" --vary damper.preload=1,-2
refused "a range without a count" "from:to:count" study "$model" --vary damper.preload=1:2
refused "a range of one" "2 to" study "$model" --vary damper.preload=1:2:1
refused "a range of half" "is not a whole number" study "$model" --vary damper.preload=1:2:2.5
refused "a range of another kind" "from:to:count:log" \
    study "$model" --vary damper.preload=1:2:3:lin
refused "a logarithm of zero" "above zero" study "$model" --vary damper.preload=0:2:3:log
"$program" study "$model" --vary damper.preload=30:120:3:log --quiet -o r.csv >out 2>err
expect "a logarithmic range" "$(sed 1d r.peaks.csv | cut -d, -f1 | tr '\n' ' ')" "30 60 120 "
"$program" study "$model" --vary damper.preload=30:120:3 --quiet -o r.csv >out 2>err
expect "a linear one" "$(sed 1d r.peaks.csv | cut -d, -f1 | tr '\n' ' ')" "30 75 120 "
rm -f r.*
refused "a value twice" "stands twice" study "$model" --vary damper.preload=1,2,1

refused "unknown ending" "known endings: .csv, .svg, .png" frf "$model" -o x.txt
refused "no ending" "known endings" frf "$model" -o x
refused "all DOFs in a table" "--columns dofs: the motion of all DOFs goes to files" \
    frf "$model" -o x.csv --columns dofs
refused "the same file twice" "stands twice" frf "$model" -o x.csv -o x.csv
refused "a file beside another" "x.peaks.csv is written beside -o x.csv" \
    study "$model" --vary damper.preload=1,2 -o x.peaks.csv -o x.csv
refused "a file beside another, of checked harmonics" \
    "x.check.csv is written beside -o x.csv" frf "$model" -o x.csv -o x.check.csv
refused "no such folder" "no/such/x.csv: cannot write" frf "$model" -o no/such/x.csv
refused "no such folder for a picture" "no/such/x.svg: cannot write" \
    frf "$model" -o no/such/x.svg
for ending in h5 mat html; do
    refused "no such folder for .$ending" "no/such/x.$ending: cannot write" \
        frf "$model" -o no/such/x.$ending
done
refused "no picture of a check" "there is no picture" check "$model" -o x.svg

refused "integrate without a frequency" "--frequency is missing" integrate "$model"
refused "integrate at no frequency" "--frequency: 0 is not above zero" \
    integrate "$model" --frequency 0
refused "compare outside the range" "--frequency: 30 Hz lies outside the range" \
    compare "$model" --frequency 20,30
refused "compare at no points" "--points: '0'" compare "$model" --points 0
finish
