#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# laboratory_files.sh MASING: files as laboratories write them are read alike, and bad ones are
# refused with the place, what stands there and what is expected.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# A loop of 20 rows, a decay of 80, a response of 9: numbers with three digits behind the point
awk 'BEGIN {
    pi = atan2(0, -1)
    print "time,displacement,force" >"loop.csv"
    for (i = 0; i < 20; i++) {
        x = cos(pi * i / 10)
        f = 12 * x + (i < 10 ? -3 : 3)
        printf "%.3f,%.3f,%.3f\n", i / 10, x, f >"loop.csv"
    }
    print "time,tip" >"decay.csv"
    for (i = 0; i < 80; i++) printf "%.3f,%.3f\n", i / 10, cos(i) + 2 >"decay.csv"
    print "frequency,amplitude" >"response.csv"
    for (i = 0; i < 9; i++) {
        printf "%.3f,%.3f\n", 20 + i / 2, 1 / (2 + (i - 4) ^ 2) >"response.csv"
    }
}'

# --- the same numbers ---

fit() {
    "$program" identify "$@" --law linear 2>/dev/null | grep stiffness
}
right=$(fit loop.csv)
expect "the loop itself" "$(echo "$right" | awk '{ printf "%.2f", $2 }')" 11.40 # 12 - 6/10

# alike NAME ARGUMENT...: the file x.csv gives the same
alike() {
    name=$1
    shift
    expect "read alike: $name" "$(fit x.csv "$@")" "$right"
}
(printf '\357\273\277' && cat loop.csv) >x.csv
alike "a byte order mark"
sed 's/$/\r/' loop.csv >x.csv
alike "line ends of Windows"
tr '\n' '\r' <loop.csv >x.csv
alike "line ends of old"
tr ',' ';' <loop.csv | tr '.' ',' >x.csv
alike "semicolons and decimal commas"
tr ',' '\t' <loop.csv | tr '.' ',' >x.csv
alike "tabulators and decimal commas"
sed '1a s,m,N' loop.csv >x.csv
alike "a row of units"
sed '1a [s],[m],[N]' loop.csv >x.csv
alike "a row of units in brackets"
(echo 'sep=;' && tr ',' ';' <loop.csv) >x.csv
alike "a separator that is named"
sed 's/$/,/' loop.csv >x.csv
alike "separators at the ends of lines"
sed 's/^/"/; s/,/","/g; s/$/"/' loop.csv >x.csv
alike "quotes"
sed 's/^\([^,]*\),\([^,]*\),\(.*\)/\3,\1,\2/; s/displacement/Weg [m]/; s/force/Kraft (N)/' \
    loop.csv >x.csv
alike "other names in another order"
sed 1d loop.csv >x.csv
alike "no header" --columns t=1,x=2,f=3
(echo '# lap joint, test 17' && cat loop.csv) >x.csv
alike "a comment above"

# --- what is refused ---

# refused NAME MESSAGE COMMAND...: of x.csv, what stands behind its name
refused() {
    name=$1 message=$2
    shift 2
    "$program" "$@" >out 2>err
    status=$?
    report "refused: $name" "$(
        [ $status -eq 2 ] || echo "exit status $status instead of 2"
        grep -qxF -- "x.csv:$message" err || tail -n 1 err
    )"
}
loop() { refused "$1" "$2" identify x.csv --law linear; }
decay() { refused "$1" "$2" ringdown --record x.csv --quantity displacement; }
response() {
    refused "$1" "$2" identify --model "$MASING_SOURCE_ROOT/examples/two_mass_damper.yaml" \
        --response x.csv:1
}
columns='displacement or x, force or f, time or t (optional), amplitude (optional), cycle'
columns="$columns (optional), steady (optional), angle_deg (optional)"
choose='; --columns x=1,f=2 says which columns hold what'
number='is not a number: expected a decimal number such as 0.3 or 2e4'

# 7: the sixth row of data
in_row() { sed "7s|$1|$2|" "$3" >x.csv; }
in_row '[^,]*$' '' loop.csv
loop "a missing cell" "7:13: force: the field is empty, expected a number"
in_row ',[^,]*$' '' loop.csv
loop "a missing column" "7:12: expected 3 fields as in the header, found 2"
in_row '[^,]*$' NaN loop.csv
loop "NaN" "7:13: force: 'NaN' is not a number: expected a finite number"
in_row '[^,]*$' -inf loop.csv
loop "infinity" "7:13: force: '-inf' is not a number: expected a finite number"
in_row '[^,]*$' overload loop.csv
loop "a text" "7:13: force: 'overload' $number"
in_row '[^,]*$' '1 234.5' loop.csv
loop "blanks between thousands" \
    "7:13: force: '1 234.5' is not a number: expected nothing between thousands"
tr '.' ',' <loop.csv >x.csv
loop "commas for both" \
    "2:9: more fields than the 3 of the header (write decimal points, not commas)"
tr ',' ';' <loop.csv | sed '7s/\./,/' >x.csv
loop "points and commas" "7:1: numbers with points and numbers with commas: expected one \
decimal sign and nothing between thousands"
sed '1a s,furlong,N' loop.csv >x.csv
loop "a unit below the header" "2:3: unknown unit 'furlong' of displacement; expected one of \
m, cm, mm, um, µm, μm, nm, in"
sed '1s/force/force [kgf]/' loop.csv >x.csv
loop "a unit in the header" \
    "1:26: unknown unit 'kgf' of force; expected one of N, mN, kN, MN, lbf"
in_row '^[^,]*' 0.400 loop.csv
loop "a time twice" "7:1: time must increase, not go from 0.4 to 0.4"
cut -d , -f 3 loop.csv >x.csv
loop "one column" "1:1: column 'displacement' is missing; expected $columns$choose"
sed 1d loop.csv >x.csv
loop "no header" \
    "1:1: numbers without a header line; the columns need names, as 'displacement'$choose"
sed 6q loop.csv >x.csv
loop "too short" "2:1: a loop has at least 8 rows, found 5"
sed 1q loop.csv >x.csv
loop "nothing but a header" "1:1: a loop has at least 8 rows, found 0"
: >x.csv
loop "nothing" "1:1: the file is empty"
(echo 'lap joint' && echo 'test 17' && cat loop.csv) >x.csv
loop "lines above the header" "1:1: unknown column 'lap joint'; expected $columns; begin the \
lines above the header, line 3, with #"
sed '1s/force/Cell/' loop.csv >x.csv
loop "a name of its own" "1:19: unknown column 'Cell'; expected $columns$choose"
sed '1s/time/force/' loop.csv >x.csv
loop "a column twice" "1:20: column 'force' stands here twice"
sed '1s/displacement/Weg [\xB5m]/' loop.csv >x.csv
loop "a byte of Latin-1" "1:11: not a text file: not UTF-8 (byte 0xB5); save it as UTF-8"
printf '\377\376t\0' >x.csv
loop "UTF-16" "1:1: the text is UTF-16; save it as UTF-8"
awk -F, -v OFS=, 'NR > 1 { $3 = 5 } 1' loop.csv >x.csv
loop "a force that stands still" "2:1: the force never changes"

sed '50,53d' decay.csv >x.csv
decay "samples that are missing" "50:1: time goes from 4.7 to 5.2, where steps are 0.105333 s \
in the mean: samples are missing; resample the record"
awk -F, -v OFS=, 'NR == 42 { $1 = 4.025 } 1' decay.csv >x.csv
decay "a time beside its step" "42:1: time 4.025 is not where equal steps of 0.1 s would place \
it (4); resample the record"
in_row '^[^,]*' 0.400 decay.csv
decay "a time of a decay twice" "7:1: time must increase, not go from 0.4 to 0.4"
in_row '[^,]*$' '' decay.csv
decay "a missing sample" "7:7: tip: the field is empty, expected a number"
sed '1a s,V' decay.csv >x.csv
decay "a unit of a channel" "2:3: unknown unit 'V'; expected one of m, mm, um, µm, μm, m/s, \
mm/s, m/s^2, m/s2, m/s², mm/s^2, mm/s2, mm/s², g"
cut -d , -f 1 decay.csv >x.csv
decay "time alone" "1:1: expected the column 'time' and at least one channel"
sed 11q decay.csv >x.csv
decay "a short decay" "1:1: a decay has at least 64 rows, found 10"

in_row '[^,]*$' n/a response.csv
response "no amplitude" "7:8: amplitude: 'n/a' $number"
in_row '^' - response.csv
response "a frequency below zero" "7:1: a frequency is above zero, not -22.5 Hz"
sed 2q response.csv >x.csv
response "a point alone" "1:1: a response has at least 2 rows and an amplitude above zero"
(echo 'Sweep 3' && tr ',' ';' <response.csv) >x.csv
response "a line above the header" "1:1: unknown column 'Sweep 3'; expected frequency_hz or \
frequency, amplitude, phase_deg or phase (optional); begin the lines above the header, line 2, \
with #"

finish
