#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# disk_sector.sh MASING: a sector of finite elements; what is wrong with its boundaries is said.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
cp "$examples"/disk_sector.* .
model=disk_sector.yaml

"$program" check "$model" --csv >modes.csv 2>log
expect "check lists modes" $? 0
report "84 in each nodal diameter" "$(awk -F, 'NR > 1 { n[$1]++ }
    END { for (d = 0; d < 7; d++) if (n[d] != 84) print n[d] + 0 " in " d }' modes.csv)"

swapped() { # PATTERN REPLACEMENT SENTENCE
    sed "s/$1/$2/" disk_sector.yaml >wrong.yaml
    refused "$3" "$3" check wrong.yaml
}
swapped 'sectors: 12' 'sectors: 15' \
    "wrong.yaml:9:11: high: 'HIGH' lies 30 degrees about the axis from 'LOW', expected 24"
swapped '0, 0, 1\]' '0, 0, -1]' "are 'low' and 'high', or the axis, the wrong way round?"
swapped 'low: LOW' 'low: LOWER' "low: the mesh 'disk_sector.inp' has no node set 'LOWER'"
swapped 'high: HIGH' 'high: TIP' "low: node 1 of 'LOW' at (0.0965926, -0.0258819, -0.015)"
swapped 'high: HIGH' 'high: [7.z]' "high: expected a set of nodes, as the other boundary is"
swapped 'axis:.*' 'match: 1e-5' "missing key 'axis'"
swapped 'point: \[0, 0, 0\]' 'point: [0.2, 0.0535898384862, 0]' "axis: node 23 lies on it"
swapped 'low: LOW' 'low: HIGH' "'HIGH' lies 0 degrees about the axis from 'HIGH'"

sed -i 's/^16,0.147378007627/16,0.1474/' disk_sector.inp
refused "a node without partner" "has no partner in 'HIGH' a sector before it about the axis" \
    check "$model"
cp "$examples/disk_sector.inp" .

# --- fields over all sectors ---
points=$(awk '/^\*/ { is_node = /^\*NODE/ && !/PRINT|FILE/; next } is_node { n++ }
    END { print 12 * n }' disk_sector.inp)
"$program" frf "$model" --at 900 --quiet -o f.pvd --frames 2 -o f.vtkhdf >log 2>&1
expect "a response with fields" $? 0
expect "one file for each state" "$(echo f_*)" "f_900hz.pvd f_900hz.vtkhdf f_900hz_0001.vtu \
f_900hz_0002.vtu f_900hz_pairs.vtkhdf f_peak.pvd f_peak.vtkhdf f_peak_0001.vtu \
f_peak_0002.vtu f_peak_pairs.vtkhdf"
expect "with the points of all sectors" \
    "$(grep -ao 'NumberOfPoints="[0-9]*"' f_peak_0001.vtu)" "NumberOfPoints=\"$points\""
"$program" check "$model" --quiet -o c.vtkhdf >log 2>&1
expect "the mesh of all sectors" "$? $(echo c*.vtkhdf)" "0 c.vtkhdf c_pairs.vtkhdf"
sed -e 's/low: LOW/low: [9.z]/' -e 's/high: HIGH/high: [10.z]/' -e '/axis:/d' disk_sector.yaml \
    >lists.yaml
refused "fields" "fields of a sector are written over all of them, turned about the axis" \
    frf lists.yaml -o x.vtkhdf
finish
