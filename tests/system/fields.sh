#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fields.sh PROGRAM: the motion of all nodes as files for ParaView: names, what VTK itself reads
# from them, what is refused before anything is computed, and no output over the deck.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
cp "$MASING_SOURCE_ROOT"/examples/overlap* "$folder"
model=overlap_surfaces.yaml
few="--set harmonics=[0,1] --set samples=64 --quiet"

# refused NAME WORDS ARGUMENT...: status 2 and these words; no field is written
refused() {
    name=$1 words=$2
    shift 2
    "$program" "$@" --quiet >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 2 ] || echo "status $status"
        grep -qF -e "$words" err || cat err
        ls | grep -E '^no.*(vtkhdf|vtu|pvd)$'
    )"
}

# --- names ---
"$program" frf $model $few --at 140,152.5 -o f.vtkhdf -o f.pvd --frames 3 -o f.csv 2>err
expect "a response with fields" "$? $(cat err)" "0 "
expect "one file for each state" "$(echo f*.vtkhdf f*.pvd f*.vtu)" \
    "f_140hz.vtkhdf f_140hz_pairs.vtkhdf f_152.5hz.vtkhdf f_152.5hz_pairs.vtkhdf f_peak.vtkhdf \
f_peak_pairs.vtkhdf f_140hz.pvd f_152.5hz.pvd f_peak.pvd f_140hz_0001.vtu f_140hz_0002.vtu \
f_140hz_0003.vtu f_152.5hz_0001.vtu f_152.5hz_0002.vtu f_152.5hz_0003.vtu f_peak_0001.vtu \
f_peak_0002.vtu f_peak_0003.vtu"
report "the record lists them" "$(
    for file in f_peak_pairs.vtkhdf f_140hz.pvd; do
        grep -qF -- "- file: \"$file\"" f.vtkhdf.run.yaml || echo "lacks $file"
    done)"
expect "a collection names its instants" \
    "$(grep -o 'file="[^"]*"' f_140hz.pvd | tr '\n' ' ')" \
    'file="f_140hz_0001.vtu" file="f_140hz_0002.vtu" file="f_140hz_0003.vtu" '
expect "over a period" "$(grep -o 'timestep="[^"]*"' f_140hz.pvd | tail -n 1 |
    awk -F'"' '{ printf "%.9f", $2 * 140 * 3 }')" 2.000000000
"$program" frf $model $few --at 140 -o g.vtkhdf 2>err
report "the same bytes again" "$(cmp f_140hz.vtkhdf g_140hz.vtkhdf 2>&1)"
"$program" frf $model --set harmonics=[0,1] --set samples=64 -o g.vtkhdf 2>err >out
report "the summary names them" "$(grep -qE '^ *fields  *g_peak.vtkhdf' err || cat err)"
"$program" frf $model $few --at 126 --set solver.max_points=8 -o early.vtkhdf 2>err
expect "a run that ends early keeps what is whole" "$? $(echo early_*.vtkhdf | cut -c 1-21)" \
    "1 early_126hz.vtkhdf ea"
report "and says that it is not all" "$(grep -q '^complete: false' early.vtkhdf.run.yaml ||
    cat err)"

# --- modes, and the mesh alone ---
sed -e 's/calculix: overlap/&\n  mesh: overlap.inp/' overlap.yaml >m.yaml
echo 'mode: {number: 1, amplitude: [1e-4, 2e-3]}' >>m.yaml
"$program" mode m.yaml --at 0.001 --quiet -o s.vtkhdf -o s.csv 2>err
expect "a mode at an amplitude" "$? $(echo s_*.vtkhdf)" "0 s_0.001.vtkhdf"
"$program" check $model -o c.vtkhdf >out 2>err
expect "check writes the mesh under its name" "$? $(echo c*.vtkhdf)" "0 c.vtkhdf c_pairs.vtkhdf"
sed 's/preload: 5e6.*/preload: 0/' $model >bolted.yaml
cat >>bolted.yaml <<'END'
static_loads:
  - {set: LAPB, direction: z, force: -316}
  - {set: TIP, direction: z, force: 16}
  - {set: TIP, direction: y, force: 6}
END
"$program" check bolted.yaml -o bolted.vtkhdf -o bolted.svg >out 2>err
expect "and the static state" "$? $(cat err)" "0 "
report "which check tells" "$(
    grep -qE '^ +[1-6] stick, [1-6] slip, [1-6] open$' out &&
        grep -qE '^ +normal force 300 N in all, pressure 0 to [0-9.e+]+ Pa$' out || cat out)"
expect "and draws" "$(grep -oE '>([^<]*pressure[^<]*|[0-9]+ open)<' bolted.svg | tr -d '\n')" \
    ">lap: 6 pairs, static pressure (10³ Pa)<>2 open<"

# --- as VTK reads them ---
python=/usr/bin/python3
if "$python" -c 'import vtk' 2>/dev/null; then
    cat >read.py <<'END'
import csv, math, vtk

def arrays(name):
    is_frame = name.endswith("vtu")
    reader = vtk.vtkXMLUnstructuredGridReader() if is_frame else vtk.vtkHDFReader()
    reader.SetFileName(name)
    reader.Update()
    grid = reader.GetOutput()
    data = grid.GetPointData()
    n = data.GetNumberOfArrays()
    return grid, {data.GetArrayName(i): data.GetArray(i) for i in range(n)}

def row(name, column, value):
    return next(r for r in csv.DictReader(open(name)) if r[column] and
                abs(float(r[column]) - value) < 1e-9 * value)

def near(what, a, b):
    if not abs(a - b) <= 1e-9 * abs(b):
        print(what, a, "instead of", b)

grid, data = arrays("f_140hz.vtkhdf")
if (grid.GetNumberOfPoints(), grid.GetNumberOfCells(), grid.GetCellType(0)) != (48, 10, 12):
    print("another grid")
if sorted(data) != ["u_h1_imag", "u_h1_real", "u_mean"]:
    print("arrays", sorted(data))
first = ("u_h1_real", "u_h1_imag")
tip = [sum(data[a].GetTuple3(i)[1] for i in range(44, 48)) / 4 for a in first]
near("tip", math.hypot(*tip), float(row("f.csv", "frequency_hz", 140.0)["tip_h1"]))
if any(data[a].GetTuple3(i) != (0.0, 0.0, 0.0) for a in data for i in range(4)):
    print("held nodes move")
for k in range(3):
    _, frame = arrays("f_140hz_000%d.vtu" % (k + 1))
    t = 2 * math.pi * k / 3
    for d in range(3):
        u = [data[a].GetTuple3(40)[d] for a in ("u_mean",) + first]
        now = u[0] + u[1] * math.cos(t) - u[2] * math.sin(t)
        if abs(frame["u"].GetTuple3(40)[d] - now) > 1e-12 * max(map(abs, u)):
            print("frame", k, frame["u"].GetTuple3(40)[d], now)
grid, data = arrays("f_140hz_pairs.vtkhdf")
names = ["loss", "open", "pressure", "slip", "status"]
if grid.GetNumberOfPoints() != 6 or sorted(data) != names:
    print("pairs", sorted(data))
area = [1.875e-4, 1.875e-4, 3.75e-4, 3.75e-4, 1.875e-4, 1.875e-4]
near("pressure", sum(data["pressure"].GetTuple1(i) * area[i] for i in range(6)), 7500)
_, data = arrays("s_0.001.vtkhdf")
tip = [data[a].GetTuple3(47)[2] for a in first]
near("mode", math.hypot(*tip), float(row("s.csv", "amplitude", 0.001)["tip_h1"]))
_, data = arrays("c.vtkhdf")
near("set", sum(data["LAPA"].GetTuple1(i) for i in range(48)), 6)
if "u_static" in data:
    print("a mesh at rest moves")
_, data = arrays("c_pairs.vtkhdf")
near("pressure at rest", sum(data["pressure"].GetTuple1(i) for i in range(6)), 3e7)
_, data = arrays("bolted_pairs.vtkhdf")
names = ["approach", "area", "joint", "normal", "normal_force", "pressure", "status",
         "tangential_force"]
if sorted(data) != names:
    print("static pairs", sorted(data))
force, state, gap, friction = ([data[name].GetTuple1(i) for i in range(6)] for name in
                               ("normal_force", "status", "approach", "tangential_force"))
near("weight", sum(force), 300.0)
for i in range(6):
    near("stiffness", force[i], max(0.0, gap[i]) * 2e11 * area[i])
    near("on the area", data["pressure"].GetTuple1(i), force[i] / area[i])
    limit = 0.3 * force[i]
    if (state[i] == 3) != (gap[i] <= 0) or friction[i] > limit * (1 + 1e-9) or \
            (state[i] == 1) != (0 < limit <= friction[i] * (1 + 1e-9)):
        print("state", i, state[i], gap[i], friction[i], limit)
if len(set(state)) < 2:
    print("all alike", state)
_, data = arrays("bolted.vtkhdf")
if max(abs(data["u_static"].GetTuple3(i)[2]) for i in range(48)) == 0:
    print("nothing moves")
END
    report "VTK reads what was computed" "$("$python" read.py 2>&1)"
else
    echo "# skipped: VTK's own reader, python3-vtk9 is not installed"
fi

# --- what is refused ---
refused "a model without a mesh" "fields are written over the nodes of a mesh" \
    frf overlap.yaml -o no.vtkhdf
refused "another ending" "known endings: .csv, .svg, .png, .vtkhdf, .pvd" frf $model -o no.vtk
refused "instants without a place" "--frames: instants of a period go to a file -o NAME.pvd" \
    frf $model -o no.vtkhdf --frames 4
refused "fields of a study" "there are no fields of these results" \
    study $model --vary lap.preload=1e6,2e6 -o no.vtkhdf
refused "a mode without amplitudes" "--at is missing" mode m.yaml -o no.vtkhdf
refused "instants of a mesh alone" "check writes no instants" check $model -o no.pvd
refused "check without a mesh" "the model has no mesh" check overlap.yaml -o no.vtkhdf
"$program" frf $model $few -o nowhere/no.vtkhdf 2>err
expect "a folder that is not there, before anything is computed" "$? $(cat err)" \
    "2 masing frf: nowhere/no.vtkhdf: cannot write: No such file or directory"
ln -s overlap.inp link_peak_pairs.vtkhdf
ln overlap.inp link_9hz_0001.vtu
refused "a deck by the name of a field" \
    "link_peak_pairs.vtkhdf beside it would be written over a file of the model" \
    frf $model -o link.vtkhdf
rm link_peak_pairs.vtkhdf
refused "or of an instant" "link_9hz_0001.vtu beside it would be written over a file" \
    frf $model -o link.pvd
report "the deck stays" "$(cmp overlap.inp "$MASING_SOURCE_ROOT/examples/overlap.inp" 2>&1)"
finish
