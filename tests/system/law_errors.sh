#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# law_errors.sh PROGRAM TABLE: wrong parameters of every law, each refused with the place, the
# key, the value and the permitted range. The table says how it is written.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
program=$(realpath "$1")
table=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# The cases as files N.yaml and N.expected
awk '
    /^#/ { next }
    /^$/ { law = ""; next }
    /^=> / { print "model.yaml:" substr($0, 4) >(n ".expected"); next }
    /^>> / { print substr($0, 4) >(n ".expected"); next }
    /^  / { print "  " $0 >(n ".yaml"); next }
    {
        law = $0
        file = ++n ".yaml"
        print "masing: 1" >file
        print "structure: {masses: {m: 1}, springs: [{from: ground, to: m, stiffness: 1e4}]}" >file
        print "frequency: [10, 20]\noutputs: [m]\njoints:\n  - name: j" >file
        print "    law: " law "\n    from: ground\n    to: m" >file
    }' "$table"

printf 'displacement,force\n0,0\n1,two\n' >word.csv
printf 'displacement,force\n0,0\n1,1\n2,3\n' >steeper.csv

n=0
while [ -e $((n + 1)).yaml ]; do
    n=$((n + 1))
    mv $n.yaml model.yaml
    "$program" check --quiet model.yaml >out 2>err
    status=$?
    report "$(sed -n 's/^    law: //p' model.yaml): $(sed 1,9d model.yaml | tr -s ' \n' ' ')" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        [ ! -s out ] || echo "standard output is not empty"
        expected=$(tr '\n' ' ' <$n.expected | sed 's/ $//')
        [ "$(cat err)" = "$expected" ] || printf 'got      %s\nexpected %s\n' "$(cat err)" \
            "$expected"
    )"
done

report "there are at least 60" "$([ $n -ge 60 ] || echo "only $n")"
missing=$("$program" law | sed 1d | cut -d ' ' -f 1 | while read -r law; do
    grep -qx "$law" "$table" || echo "$law"
done)
report "every law is among them" "$missing"
finish
