#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# law_errors.sh PROGRAM TABLE: wrong parameters of every law, each refused with the place, the
# key, the value and the permitted range. The table says how it is written.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
table=$(realpath "$2")
begin "$1"

# The cases as folders N with the model, and the law with what is expected in N/expected
mkdir $(seq "$(grep -c '^=> ' "$table")")
awk '
    function end_case() {
        if (n > 0 && expected != "") {
            print name >(n "/expected")
            print expected >(n "/expected")
            close(model)
            close(n "/expected")
        }
        expected = ""
    }
    /^#/ || /^$/ { next }
    /^=> @/ { expected = substr($0, 5); next }
    /^=> / { expected = "model.yaml:" substr($0, 4); next }
    /^>> / { expected = expected " " substr($0, 4); next }
    /^  / {
        name = name $0
        count = split($0, entries, "; ")
        for (i = 1; i <= count; i++) {
            print (i == 1 ? "  " : "    ") entries[i] >model
        }
        next
    }
    {
        end_case()
        name = $0 ":"
        model = ++n "/model.yaml"
        print "masing: 1" >model
        print "structure: {masses: {m: 1, m.x: 1, m.y: 1, m.ry: 1}, springs: []}" >model
        print "frequency: [10, 20]\noutputs: [m]\njoints:\n  - name: j" >model
        print "    law: " $0 >model
        if ($0 == "contact") {
            print "    normal: {from: ground, to: m.x}" >model
            print "    tangential: [{from: ground, to: m.y}]" >model
        } else {
            print "    from: ground\n    to: m" >model
        }
    }
    END { end_case() }' "$table"

n=0
while [ -d $((n + 1)) ]; do
    n=$((n + 1))
    cd $n || exit 1
    printf 'displacement,force\n0,0\n1,two\n' >word.csv
    printf 'displacement,force\n0,0\n1,1\n2,3\n' >steeper.csv
    { read -r name && read -r expected; } <expected
    "$program" check --quiet model.yaml >out 2>err
    status=$?
    read -r message <err || message=
    findings=
    [ $status -eq 2 ] || findings="exit status $status instead of 2"
    [ ! -s out ] || findings="$findings; standard output is not empty"
    [ "$message" = "$expected" ] || findings="$findings
got      $message
expected $expected"
    report "$name" "$findings"
    cd ..
done

report "there are at least 60" "$([ $n -ge 60 ] || echo "only $n")"
missing=$("$program" law | sed 1d | cut -d ' ' -f 1 | while read -r law; do
    grep -qx "$law" "$table" || echo "$law"
done)
report "every law is among them" "$missing"
finish
