/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mistakes in the other ways of giving a structure, and in the files that a model names: the
 * place is in the model or in the file, wherever the mistake stands.
 */
#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "scratch.h"
#include "tap.h"

static char folder[SCRATCH_PATH];

static const struct {
    const char *name, *text;
} files[] = {
    {"names.txt", "a\nb\n"},
    {"names_twice.txt", "a\nb\na\n"},
    {"names_ground.txt", "a\n\nground\n"},
    {"names_long.txt",
     "a\nabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij\n"},
    {"K2.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n2\n-1\n2\n"},
    {"K3.mtx", "%%MatrixMarket matrix array real symmetric\n3 3\n2\n-1\n0\n2\n-1\n2\n"},
    {"skew.mtx", "%%MatrixMarket matrix array real general\n2 2\n2\n-1\n-1.5\n2\n"},
    {"lower.mtx",
     "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n"},
    {"comma.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n2\n-0,5\n2\n"},
    {"B.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n0\n1\n2\n"},
    {"B3.mtx", "%%MatrixMarket matrix array real general\n3 1\n0\n0\n1\n"},
    {"F.csv", "frequency_hz,amplitude\n5,1\n30,2\n"},
    {"F_short.csv", "frequency_hz,amplitude\n5,1\n15,2\n"},
    {"F_one.csv", "frequency_hz,amplitude\n5,1\n"},
    {"F_back.csv", "frequency_hz,amplitude\n5,1\n30,2\n29,2\n"},
    {"F_negative.csv", "frequency_hz,amplitude\n-5,1\n30,2\n"},
    {"F_comma.csv", "frequency_hz,amplitude\n5,1\n30,2,5\n"},
    {"binary.mtx", "\x7F"
                   "ELF\x01\x02"},
};

#define HEAD "masing: 1\nfrequency: [10, 20]\nstructure:\n"
#define MODES HEAD "  modes:\n"
#define GOOD HEAD "  masses: {a: 1, b: 1}\n  springs: [{from: ground, to: a, stiffness: 1}]\n"
#define NAMED HEAD "  dofs: names.txt\n"
#define LACKING NAMED "  mass: nowhere.mtx\n"

/* @ stands for the folder of the files. */
static const struct {
    const char *text, *message;
} cases[] = {
    {HEAD "  modes: 3\n", "@/m.yaml:4:10: modes: expected a mapping"},
    {MODES "    frequencies: []\n    shapes: {a: [1]}\n",
     "@/m.yaml:5:18: frequencies: expected at least one"},
    {MODES "    frequencies: [1, -2]\n    shapes: {a: [1, 1]}\noutputs: [a]\n",
     "@/m.yaml:5:22: frequencies: cannot be negative, found -2"},
    {MODES "    frequencies: [1, 2]\n    shapes: {a: [1]}\n",
     "@/m.yaml:6:17: a: expected 2 numbers, one for each mode, found 1"},
    {MODES "    frequencies: [1]\n    shapes: [1]\n",
     "@/m.yaml:6:13: shapes: expected a mapping"},
    {MODES "    frequencies: [1]\n", "@/m.yaml:5:5: missing key 'shapes'"},
    {MODES "    frequencies: [1]\n    shape: {a: 1}\n",
     "@/m.yaml:6:5: unknown key 'shape' (did you mean 'shapes'?)"},
    {MODES "    frequencies: [1, 2]\n    shapes: {a: [1, 1]}\n    damping_ratio: [1, 2, 3]\n",
     "@/m.yaml:7:20: damping_ratio: expected one number or 2, one for each mode, found 3"},
    {MODES "    frequencies: [1]\n    shapes: {a: 1}\n    damping_ratio: -0.1\noutputs: [a]\n",
     "@/m.yaml:7:20: damping_ratio: cannot be negative, found -0.1"},
    {MODES "    frequencies: [1]\n    shapes: {a: 1}\n    damping_ratio: 0.1\n"
           "  damping: {modal_ratio: 1}\n",
     "@/m.yaml:8:12: damping: is given already by modes.damping_ratio"},
    {MODES "    frequencies: [1]\n    shapes: {a: 1}\n  damping: [[1]]\n",
     "@/m.yaml:7:12: damping: beside modes give damping_ratio"},
    {MODES "    frequencies: [1]\n    shapes: {a: 1}\n  damping: {modal_ratio: -1}\n"
           "outputs: [a]\n",
     "@/m.yaml:7:26: modal_ratio: cannot be negative"},
    {HEAD "  dofs: {a: 1}\n  mass: [[1]]\n", "@/m.yaml:4:9: dofs: expected a list of names"},
    {HEAD "  dofs: [a, a]\n", "@/m.yaml:4:13: DOF 'a' stands here twice (1 and 2)"},
    {HEAD "  dofs: [a, ground]\n", "@/m.yaml:4:13: 'ground' cannot be a DOF"},
    {HEAD "  dofs: [a, [b]]\n", "@/m.yaml:4:13: dofs: expected a text, found a list"},
    {HEAD "  dofs: [' a']\n", "@/m.yaml:4:10: ' a' cannot be a DOF: a name neither begins"},
    {HEAD "  dofs: nowhere.txt\n",
     "@/m.yaml:4:9: dofs: no file '@/nowhere.txt' that can be read"},
    {HEAD "  dofs: names_twice.txt\n", "@/m.yaml:4:9: DOF 'a' stands here twice (1 and 3)"},
    {HEAD "  dofs: names_ground.txt\n", "@/names_ground.txt:3:1: 'ground' cannot be a DOF"},
    {HEAD "  dofs: names_long.txt\n", "@/names_long.txt:2:1: 'abcdefghij"},
    {HEAD "  dofs: binary.mtx\n", "@/binary.mtx:1:1: not a text file"},
    {NAMED "  mass: [[1, 0], [0, 1]]\n", "@/m.yaml:4:3: missing key 'stiffness'"},
    {NAMED "  mass: [[1, 0]]\n",
     "@/m.yaml:5:9: mass: expected 2 rows, one for each DOF, found 1"},
    {NAMED "  mass: [[1, 0], [0]]\n",
     "@/m.yaml:5:18: mass: row 2: expected 2 numbers, one column for each DOF, found 1"},
    {NAMED "  mass: [[1, 0], 5]\n", "@/m.yaml:5:18: mass: row 2: expected 2 numbers"},
    {NAMED "  mass: [[1, 0], [0, x]]\n", "@/m.yaml:5:22: mass: 'x' is not a number"},
    {NAMED "  mass: [[1, 0.5], [0, 1]]\n",
     "@/m.yaml:5:21: the matrix is not symmetric: entry (2, 1) is 0 but entry (1, 2) is 0.5"},
    {NAMED "  mass: 2.5\n",
     "@/m.yaml:5:9: mass: expected rows ([[...], [...]]) or the name of"},
    {NAMED "  mass: {a: 1}\n",
     "@/m.yaml:5:9: mass: expected rows ([[...], [...]]) or the name"},
    {LACKING "frequency_unit: Hz\n", "@/m.yaml:6:17: frequency_unit: "},
    {LACKING "solver: {max_point: 3}\n", "@/m.yaml:6:10: unknown key 'max_point'"},
    {LACKING "mode: {number: 1}\n", "@/m.yaml:6:7: missing key 'amplitude'"},
    {LACKING "joints:\n  - {law: jenkins, from: a, to: b}\n",
     "@/m.yaml:7:5: missing key 'name'"},
    {LACKING "joints:\n  - {name: j, law: jenkns}\n", "@/m.yaml:7:20: unknown law 'jenkns'"},
    {LACKING "joints:\n  - {name: j, law: jenkins, frm: a}\n",
     "@/m.yaml:7:29: unknown key 'frm'"},
    {LACKING, "@/m.yaml:5:9: mass: no file '@/nowhere.mtx' that can be"},
    {NAMED "  mass: K3.mtx\n",
     "@/K3.mtx:2:1: the matrix is 3 x 3; expected 2 x 2, one row and"},
    {NAMED "  mass: skew.mtx\n", "@/skew.mtx:4:1: the matrix is not symmetric: entry (2, 1) is "
                                 "-1 but entry (1, 2) is -1.5"},
    {NAMED "  mass: lower.mtx\n", "@/lower.mtx:4:5: the matrix is not symmetric"},
    {NAMED "  mass: comma.mtx\n",
     "@/comma.mtx:4:1: value: '-0,5' is not a number: expected a dec"},
    {NAMED "  mass: binary.mtx\n", "@/binary.mtx:1:1: not a text file"},
    {NAMED "  mass: names.txt\n", "@/names.txt:1:1: expected a Matrix Market file"},
    {NAMED "  mass: [[-1, 0], [0, 1]]\n  stiffness: K2.mtx\noutputs: [a]\n",
     "@/m.yaml:5:9: mass: "},
    {NAMED "  mass: K2.mtx\n  stiffness: K2.mtx\n  damping: K3.mtx\n",
     "@/K3.mtx:2:1: the matrix is 3 x 3"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: {file: B.mtx}}]\n",
     "@/m.yaml:6:53: missing key 'column' (1 to 2)"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: {file: B.mtx, column: 3}}]\n",
     "@/m.yaml:6:75: column: expected a whole number from 1 to 2, found 3"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: {file: B.mtx, column: 1}}]\n",
     "@/m.yaml:6:53: axis: column 1 of the matrix is zero"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: {file: B3.mtx}}]\n",
     "@/B3.mtx:2:1: the matrix has 3 rows; expected 2, one for each DOF"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: {file: no.mtx}}]\n",
     "@/m.yaml:6:60: file: no file '@/no.mtx' that can be read"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1}]\n",
     "@/m.yaml:6:10: missing keys 'from' and 'to' (or 'axis')"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: {from: a}}]\n",
     "@/m.yaml:6:53: missing key 'to'"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: {c: 1}}]\n",
     "@/m.yaml:6:54: axis: unknown DOF 'c'"},
    {GOOD "joints: [{name: j, law: linear, stiffness: 1, axis: a}]\n",
     "@/m.yaml:6:53: axis: expected a mapping"},
    {GOOD "joints: [{name: j, law: polynomial_spring, from: a, to: b, coefficients: []}]\n",
     "@/m.yaml:6:74: coefficients: expected 1 to 16 numbers, found 0"},
    {GOOD "joints: [{name: j, law: unilateral_spring, from: a, to: b, stiffness: 1, gap: 0, "
          "two_sided: yes}]\n",
     "@/m.yaml:6:93: two_sided: expected one of false, true; found 'yes'"},
    {GOOD "loads: [{dof: a, table: F_short.csv}]\noutputs: [a]\n",
     "@/m.yaml:6:25: load 1: the table covers 5 to 15 Hz, expected the whole frequency range "
     "10 "
     "to 20 Hz"},
    {GOOD "loads: [{dof: a, table: F_one.csv}]\noutputs: [a]\n",
     "@/m.yaml:6:25: load 1: the table has 1 row, expected at least two"},
    {GOOD "loads: [{dof: a, table: F_back.csv}]\noutputs: [a]\n",
     "@/F_back.csv:4:1: load 1: frequency 29 Hz follows 30 Hz in the table, expected ascending "
     "frequencies"},
    {GOOD "loads: [{dof: a, table: F_negative.csv}]\noutputs: [a]\n",
     "@/F_negative.csv:2:1: load 1: frequency -5 Hz in the table, expected none below 0"},
    {GOOD "loads: [{dof: a, table: F_comma.csv}]\n",
     "@/F_comma.csv:3:6: more fields than the 2 of the header"},
    {GOOD "loads: [{dof: a, table: F.csv, amplitude: 2}]\n",
     "@/m.yaml:6:32: unknown key 'amplitude', expected one of name, dof, table, harmonic, ph"},
    {GOOD "loads: [{pattern: K2.mtx, amplitude: 2}]\n",
     "@/K2.mtx:2:1: the matrix is 2 x 2; expected 2 x 1, one row for each DOF"},
    {GOOD "loads: [{pattern: {c: 1}, amplitude: 2}]\n",
     "@/m.yaml:6:20: pattern: unknown DOF 'c'"},
    {GOOD "mode: {number: 1, amplitude: 3}\n", "@/m.yaml:6:30: amplitude: expected [from, to]"},
    {GOOD "mode: {number: 1, amplitude: [0, 1]}\n",
     "@/m.yaml:6:31: amplitude: must be greater than 0, found 0"},
    {GOOD "ringdown: {step: 1}\n",
     "@/m.yaml:6:11: ringdown: expected one of impulse and initial"},
    {GOOD "ringdown: {initial: {}}\n",
     "@/m.yaml:6:21: initial: expected displacements or velocities"},
    {GOOD "ringdown: {impulse: {mode: 0, amplitude: 1}}\n",
     "@/m.yaml:6:28: mode: expected a whole number from 1"},
    {GOOD "ringdown: {impulse: {dof: c, amplitude: 1, frequency: 3}}\n",
     "@/m.yaml:6:27: dof: unknown DOF 'c'"},
    {GOOD "outputs: [a]\npeak: {output: [a]}\n",
     "@/m.yaml:7:16: output: expected a text, found a list"},
};

/* @ becomes the folder. */
static void expand(const char *message, char *text, size_t size)
{
    size_t used = 0;
    for (; *message && used + 1 < size; message++) {
        if (*message == '@') {
            used += (size_t)snprintf(text + used, size - used, "%s", folder);
        } else {
            text[used++] = *message;
        }
    }
    text[used < size ? used : size - 1] = 0;
}

static void every_case(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[SCRATCH_PATH + 32], expected[2048];
        struct masing_document *document = NULL;
        struct masing_model *model = NULL;
        struct masing_error error = {0};
        snprintf(file, sizeof file, "%s/m.yaml", folder);
        expand(cases[i].message, expected, sizeof expected);
        enum masing_status status = masing_document_parse(cases[i].text, strlen(cases[i].text),
                                                          file, &document, &error);
        if (status == MASING_OK) {
            status = masing_document_model(document, NULL, 0, &model, &error);
        }
        bool is_refused = CHECK(status == MASING_INVALID && !model);
        bool says_why = CHECK(!strncmp(error.message, expected, strlen(expected)));
        if (!is_refused || !says_why) {
            printf("# expected %s\n# got      %s\n", expected, error.message);
        }
        masing_model_destroy(model);
        masing_document_destroy(document);
    }
}

static const struct tap_test tests[] = {
    {"every mistake is refused where it stands", every_case},
};

static void for_each_file(bool is_written)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[SCRATCH_PATH + 32];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *stream = is_written ? fopen(path, "wb") : NULL;
        if (is_written && (!stream || fputs(files[i].text, stream) < 0 || fclose(stream))) {
            perror(path);
            exit(99);
        }
        if (!is_written) {
            remove(path);
        }
    }
}

int main(void)
{
    scratch_make(folder);
    for_each_file(true);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    for_each_file(false);
    rmdir(folder);
    return result;
}
