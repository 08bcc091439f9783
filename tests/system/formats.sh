#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# formats.sh PROGRAM: results as HDF5 and for MATLAB are those of the CSV files, whoever reads
# them.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
model=$examples/two_mass_damper.yaml

# run COMMAND MODEL [OPTION...]: x.csv, x.h5, x.mat and what is beside them
run() {
    rm -f x.*
    "$program" "$@" --quiet -o x.csv -o x.h5 -o x.mat >out 2>err || cat err
}

run study "$model" --vary damper.preload=5,30,100 --columns harmonics --at 22
report "a study is written" "$(for file in x.h5 x.mat x.h5.run.yaml x.mat.run.yaml; do
    [ -s $file ] || echo "there is no $file"
done)"
report "the record names them" "$(grep -qF 'file: "x.h5"' x.csv.run.yaml || cat x.csv.run.yaml)"
"$program" study "$model" --vary damper.preload=5,30,100 --columns harmonics --at 22 --quiet \
    --threads 1 -o y.csv
report "CSV lacks what fits in no table" "$(head -n 1 x.csv | grep coefficients)"
report "CSV is as without them" "$(cmp x.csv y.csv)"

python=/usr/bin/python3
if ! "$python" -c 'import h5py' 2>/dev/null; then
    echo "# skipped: reading HDF5, python3-h5py is not installed"
fi
if ! "$python" -c 'import scipy.io' 2>/dev/null; then
    echo "# skipped: reading files of MATLAB, python3-scipy is not installed"
fi
if ! command -v octave-cli >/dev/null; then
    echo "# skipped: Octave is not installed"
fi
if ! command -v h5dump >/dev/null; then
    echo "# skipped: h5dump is not installed"
fi

cat >compare.py <<'END'
import csv, glob, math, sys
import numpy as np

def rows_of(name):
    with open(name) as stream:
        rows = list(csv.DictReader(stream))
    return rows

def same(text, value):
    if isinstance(value, str):
        return text == value
    return math.isnan(value) if text == "" else float(text) == value

def compare(table, rows, column_of, what):
    for name in rows[0] if rows else []:
        values = column_of(table, name)
        if len(values) != len(rows):
            print(what, name, "has", len(values), "rows, not", len(rows))
            return
        for row, value in zip(rows, values):
            if not same(row[name], value):
                print(what, name, "is", repr(value), "not", row[name])
                return

def parts():
    return [(name.split(".")[1], rows_of(name)) for name in glob.glob("x.*.csv")]

def check_signals(column, signals, orders, c, first, end, what):
    """x(t) = Re sum c_h exp(i h t) has the measures that stand in the columns"""
    angle = np.linspace(0, 2 * np.pi, 4001)
    for s, name in enumerate(signals):
        motion = np.real(np.exp(1j * np.outer(angle, orders)) @ c[:, s, :].T)
        most, one = np.abs(motion).max(axis=0), list(orders).index(1)
        first = np.abs(c[:, s, one])
        for measure, is_as in (("_max", lambda v: np.abs(most / v - 1).max() < 1e-5),
                               ("_h1", lambda v: np.abs(first / v - 1).max() < 1e-12)):
            values = column(name + measure)
            if values is not None and not is_as(values):
                print(what, name + measure, "is not that of the coefficients")
        phase = column(name + "_h1_phase_deg")
        if phase is not None:
            phase = np.remainder(np.degrees(np.angle(c[:, s, one])) - phase + 180, 360) - 180
            if np.nanmax(np.abs(phase)) > 1e-9:
                print(what, name, "has another phase:", phase)
END

cat >hdf5.py <<'END'
from compare import *
import h5py

def column(table, name):
    data = table[name.replace("/", "_")]
    return list(data.asstr()[:]) if data.dtype == object else list(data[:])

with h5py.File("x.h5", "r") as f:
    for key in ("masing", "command", "model"):
        if not isinstance(f.attrs[key], str) or not f.attrs[key]:
            print("no text", key)
    rows, first = rows_of("x.csv"), 0
    for number, key in enumerate(f["curves"]):
        if key != "%04d" % number:
            print("a curve is called", key)
        curve = f["curves"][key]
        end = first + len(curve[next(iter(rows[0])).replace("/", "_")])
        compare(curve, rows[first:end], column, key)
        for name, value in curve.attrs.items():
            if {float(row[name]) for row in rows[first:end]} != {value}:
                print(key, "belongs to", name, "=", value)
        if "coefficients" in curve:
            check_signals(lambda n: curve[n.replace("/", "_")][:]
                          if n.replace("/", "_") in curve else None, f["signals"].asstr()[:],
                          curve["harmonics"][:], curve["coefficients"][:], first, end, key)
        first = end
    if first != len(rows):
        print(first, "rows of", len(rows))
    for part, rows in parts():
        compare(f[part], rows, column, part)
END

cat >matlab.py <<'END'
from compare import *
import scipy.io

m = scipy.io.loadmat("x.mat", squeeze_me=False, struct_as_record=False, chars_as_strings=True)
fields = {part: {str(c.name[0]) if c.name.size else "": str(c.field[0])
                 for c in getattr(m["columns"][0, 0], part)[0]}
          for part in m["columns"][0, 0]._fieldnames}
def reader(part):
    def column(table, name):
        data = getattr(table, fields[part][name])
        return [str(v[0]) if v.size else "" for v in data[:, 0]] if data.dtype == object \
            else list(data[:, 0])
    return column

rows, first = rows_of("x.csv"), 0
for curve in m["curves"][0]:
    end = first + len(reader("curves")(curve, next(iter(rows[0]))))
    compare(curve, rows[first:end], reader("curves"), "curve")
    if hasattr(curve, "coefficients"):
        signals = [str(v[0]) for v in m["signals"][:, 0]]
        check_signals(lambda n: np.array(reader("curves")(curve, n))
                      if n in fields["curves"] else None, signals,
                      curve.harmonics[:, 0], curve.coefficients, first, end, "curve")
    first = end
if first != len(rows):
    print(first, "rows of", len(rows))
for part, rows in parts():
    compare(m[part][0, 0], rows, reader(part), part)
for part in fields.values():
    for field in part.values():
        if not field.isidentifier() or len(field) > 63:
            print("no name of MATLAB:", field)
END

# both NAME: both files against x.csv
both() {
    if "$python" -c 'import h5py' 2>/dev/null; then
        report "$1: HDF5 is as CSV" "$("$python" hdf5.py 2>&1)"
    fi
    if "$python" -c 'import scipy.io' 2>/dev/null; then
        report "$1: a file of MATLAB is as CSV" "$("$python" matlab.py 2>&1)"
    fi
}

both "a study"
if command -v octave-cli >/dev/null; then
    expect "Octave reads it" "$(octave-cli --quiet --eval "
        load x.mat
        [most, at] = max(curves(2).m2_max);
        printf('%d %g %d %s', numel(curves), curves(2).attributes.damper_preload, ...
               abs(curves(2).coefficients(at, 1, 2)) == curves(2).m2_h1(at), ...
               columns.curves(3).name)" 2>/dev/null)" "3 30 1 damper.preload"
fi
if command -v h5dump >/dev/null; then
    expect "h5dump reads it" "$(h5dump -d /curves/0002/harmonics x.h5 |
        sed -n 's/.*(0): //p')" "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
fi

run frf "$model" --along damper.preload=5:300 --frequency 24 --at 50
both "a response along a number"
run peak "$model" --vary damper.preload=5:300
both "a peak"
run peak "$model" --vary damper.preload=10,20,40 --vary damper.stiffness=20000,40000
both "peaks over two numbers"
run integrate "$model" --frequency 24
both "a motion in time"
run compare "$model" --frequency 21,24
both "a comparison"
run loop "$model" --joint damper --amplitude 1e-3,2e-3
both "loops"
run mode "$examples/three_masses_iwan.yaml" --columns harmonics
both "a mode"
run ringdown "$examples/three_masses_mode2.yaml"
both "a decay"
run check "$model"
both "a check"
run identify "$examples/friction_loop.csv" --law jenkins
both "an identification"
sed 's/m1/a\/1/g; s/m2/\xc3\xbc/g' "$model" >named.yaml
run frf named.yaml --columns energy
both "names with slashes and letters"

# the motion of all DOFs holds that of the outputs
if "$python" -c 'import h5py' 2>/dev/null; then
    sed 's/outputs:.*/outputs: [m2]/' "$model" >one.yaml
    "$program" frf one.yaml --columns dofs --quiet -o all.h5
    "$program" frf one.yaml --quiet -o one.h5
    expect "all DOFs" "$("$python" -c '
import h5py, numpy as np
a, b = h5py.File("all.h5"), h5py.File("one.h5")
c, d = (f["curves/0000/coefficients"][:] for f in (a, b))
names = list(a["signals"].asstr())
print(names, c.shape[1], np.abs(c[:, names.index("m2")] - d[:, 0]).max() < 1e-15)' 2>&1)" \
        "['m1', 'm2'] 2 True"
fi

# an early end keeps what was computed; an earlier page stays
printf 'earlier' >x.html
"$program" frf "$model" --set solver.max_points=5 -o x.h5 -o x.html --quiet >out 2>err
expect "an early end" "$?" 1
expect "an earlier page stays" "$(cat x.html)" "earlier"
if "$python" -c 'import h5py' 2>/dev/null; then
    report "rows so far" "$("$python" -c '
import h5py
f = h5py.File("x.h5")
if len(f["curves/0000/point"]) == 0 or not f.attrs["ended"].startswith("early: "):
    print(dict(f.attrs))' 2>&1)"
fi
# a full disk
for ending in h5 html; do
    ln -sf /dev/full full.$ending
    "$program" frf "$model" -o full.$ending --quiet >out 2>err
    expect "a full disk and .$ending" "$? $(cat err)" \
        "1 masing frf: full.$ending: cannot write: No space left on device"
done
ln -sf /dev/full full.mat
refused "a device for a file that is sought in" "full.mat: cannot write: it needs a regular" \
    frf "$model" -o full.mat

cp "$model" model.mat.h5
refused "a file beside that is the model" "would be written over" frf model.mat.h5 -o model.mat
report "nothing is left over" "$(find . -name '*unfinished*')"
finish
