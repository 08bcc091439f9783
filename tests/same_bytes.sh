# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests of runs that are to end in the bytes of another one.

# comparable FILE: a table of peaks without the column `seconds`, other files as they are
comparable() {
    case $1 in
    *.peaks.csv)
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i }
                 { if (at) $at = ""; print }' OFS=, "$1"
        ;;
    *) cat "$1" ;;
    esac
}

# of_whole FILE: of a record all but the command, which is that of merge
of_whole() {
    case $1 in
    *.run.yaml) awk '/^command:/ { skip = 1; next } /^[a-z]/ { skip = 0 } !skip' "$1" ;;
    *) comparable "$1" ;;
    esac
}

# chain N: the model of so many masses with friction, of which curves take some ms a point
chain() {
    awk -v n="$1" 'BEGIN {
        print "masing: 1\nstructure:\n  masses: {"
        for (i = 1; i <= n; i++) printf "    m%d: 1%s\n", i, i < n ? "," : ""
        print "  }\n  springs:\n    - {from: ground, to: m1, stiffness: 1e5}"
        for (i = 2; i <= n; i++) printf "    - {from: m%d, to: m%d, stiffness: 1e5}\n", i - 1, i
        print "  damping: {modal_ratio: 0.01}\njoints:"
        for (i = 1; i <= n; i++)
            printf "  - {name: j%d, law: jenkins, from: ground, to: m%d,\n%s", i, i,
                "     stiffness: 1e4, slip_force: 2}\n"
        printf "loads: [{dof: m%d, amplitude: 10}]\nfrequency: [5, 9]\n", n
        printf "harmonics: [1, 3, 5, 7, 9]\noutputs: [m%d]\n", n
    }'
}
