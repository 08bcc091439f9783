#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# manual_commands.sh MASING: the commands of the manual do as they stand what it says, from a
# folder that has nothing but the examples.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
# with sanitizers the same examples and commands are run by scripts of their own
if [ "${MASING_SANITIZED:-}" ]; then
    echo "1..0 # SKIP the manual's numbers are for the program as released"
    exit
fi
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$program" "$work/bin/masing"
PATH=$work/bin:$PATH
export PATH
cp -r "$MASING_SOURCE_ROOT/examples" "$work/run/examples"
cd "$work/run" || exit 1

# commands PAGE: a line for each, continued lines joined
commands() {
    awk '
        /^```/ { is_fenced = !is_fenced; next }
        {
            line = $0
            is_code = is_fenced || line ~ /^    /
            sub(/^ */, "", line)
            sub(/^build\//, "", line)
        }
        is_continued || (is_code && line ~ /^masing /) {
            text = (is_continued ? text : "") line
            is_continued = sub(/\\$/, "", text)
            if (!is_continued) print text
        }' "$MASING_SOURCE_ROOT/$1"
}

# comparisons that the manual says fail
fails='masing compare examples/two_mass_damper.yaml --tolerance 1e-3 '

# with matrices that CalculiX writes: lap_joint_deck.sh runs them with a coarser mesh
needs_calculix='^masing [a-z]* lap\.yaml '

# run_all PAGE: those that end otherwise than they should, or leave out a file that they name
run_all() {
    page=$(basename "$1")
    commands "$1" | grep -v "$needs_calculix" | while IFS= read -r command; do
        sh -c "$command" </dev/null >"$work/output" 2>"$work/summary"
        status=$?
        case $command in "$fails"*) wanted=1 ;; *) wanted=0 ;; esac
        if [ "$status" -ne "$wanted" ]; then
            echo "$command: exit $status"
            tail -n 3 "$work/summary"
        fi
        for file in $(echo "$command" | grep -oE -- '(-o|>) [^ ]+' | cut -d ' ' -f 2); do
            # as where there is one for each mode, or for each state
            set -- "${file%.*}"[._]*."${file##*.}"
            [ -s "$file" ] || [ -s "$1" ] || echo "$command: no $file"
        done
        cat "$work/summary" >>"$work/$page.said"
    done
}

# as doc/laws.md says
(echo 'masing: 1' && masing law jenkins | sed -n '/^joints:/,/^$/p') >joint.yaml
for page in doc/laws.md doc/jobs.md README.md doc/identification.md doc/tutorial.md \
    doc/tutorial-fe.md doc/formats.md doc/bladed-disks.md; do
    report "commands of $page" "$(run_all "$page" 2>&1)"
done
count=$(commands doc/jobs.md | grep -c .)
expect "the jobs have their commands" "$([ "$count" -ge 12 ] && echo many)" many

# quoted TEXT PATTERN: the page says the number, a summary has it
quoted() {
    grep -qF "$1" "$MASING_SOURCE_ROOT/doc/jobs.md" || echo "doc/jobs.md does not say: $1"
    grep -qE "$2" "$work/jobs.md.said" || echo "no summary says: $2"
}
report "the wedge's force" \
    "$(quoted 'near 75 N, 0.153 mm' '^lowest peak: 0\.000153.* FC = 75$')"
report "its comparison in time" \
    "$(quoted '0.7 % at most in the motion' '^  largest difference +0\.0069[0-9]* of b1')"
report "the lap joint's damping" \
    "$(quoted 'at 60.8 Hz, from 0.13 % at 67.7 Hz' 'most damped .* 60\.7[5-9].* 0\.053'
    quoted 'takes 87 % of it' "microslip only.* 87\.[0-9] % of the loss")"
report "the rub's loads" "$(quoted '1.9 times the load' '^  folds at +1\.89[0-9]*, 0\.58'
    quoted '0.59 times' '^  folds at')"
report "the shaker table's level" \
    "$(quoted 'lowest near 5 m/s' '^lowest peak: 15\.[0-9]* m/m at table.* = 5$')"
report "the speed of the fan" "$(quoted '959 rpm' 'rotor_max = 0\.000199.* at 15\.98')"

# the Python of the last job, where there is one
if command -v python3 >/dev/null; then
    masing frf examples/two_mass_damper.yaml -o out.csv 2>summary
    sed -n '/^```python/,/^```/p' "$MASING_SOURCE_ROOT/doc/jobs.md" | grep -v '^```' >read.py
    peak=$(sed -n 's/^  peak  *m2_max = \(.* Hz\).*/\1/p' summary)
    expect "Python reads the peak" "$(python3 read.py | head -n 1 | cut -c 1-4)" \
        "$(echo "$peak" | cut -c 1-4)"
fi

# the Python of the formats, of which the commands wrote the files
blocks() {
    awk '/^```python/ { n++; is_on = 1; next }
        /^```/ { is_on = 0 }
        is_on { print > "read" n ".py" }' "$MASING_SOURCE_ROOT/doc/formats.md"
}
blocks
for needs in matplotlib pandas; do
    script=$([ $needs = matplotlib ] && echo read1.py || echo read2.py)
    if python3 -c "import h5py, $needs" 2>/dev/null; then
        report "Python with $needs reads .h5" "$(MPLBACKEND=agg python3 $script 2>&1 >out)"
    else
        echo "# skipped: Python with $needs, python3-h5py or python3-$needs is not installed"
    fi
done
finish
