/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a model file becomes: each section, number by number. */
#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "scratch.h"
#include "tap.h"

static const double two_pi = 6.283185307179586476925286766559;
static char folder[SCRATCH_PATH];

#define HEAD "masing: 1\nfrequency: [10, 20]\n"
#define TWO                                                                                    \
    HEAD "structure:\n  masses: {a: 2, b: 3}\n  springs:\n"                                    \
         "    - {from: ground, to: a, stiffness: 100}\n"                                       \
         "    - {from: a, to: b, stiffness: 10}\n"

static void write_file(const char *name, const char *text)
{
    char file[SCRATCH_PATH + 32];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    FILE *stream = fopen(file, "wb");
    if (!stream || fputs(text, stream) < 0 || fclose(stream)) {
        perror(file);
        exit(99);
    }
}

/* Files named in the text lie in the scratch folder. Where no output is named it is DOF a. */
static bool read_spec(const char *given, struct masing_spec *spec)
{
    char file[SCRATCH_PATH + 32], text[4096];
    bool has_output = strstr(given, "outputs:") != NULL;
    snprintf(text, sizeof text, "%s%s", given, has_output ? "" : "outputs: [a]\n");
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    snprintf(file, sizeof file, "%s/m.yaml", folder);
    enum masing_status status =
        masing_document_parse(text, strlen(text), file, &document, &error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, NULL, 0, spec, &error);
    }
    masing_document_destroy(document);
    if (!CHECK(status == MASING_OK)) {
        printf("# %s\n", error.message);
        memset(spec, 0, sizeof *spec);
        return false;
    }
    return true;
}

static bool are(const double *values, int count, const double *expected)
{
    for (int i = 0; values && i < count; i++) {
        if (values[i] != expected[i]) {
            printf("# entry %d is %.17g, not %.17g\n", i, values[i], expected[i]);
            return false;
        }
    }
    return values != NULL;
}

static void lumped_elements_are_assembled(void)
{
    struct masing_spec spec;
    static const double mass[] = {2, 0, 0, 3}, stiffness[] = {110, -10, -10, 10};
    static const double damping[] = {4, -4, -4, 9};
    if (read_spec(TWO "  dampers: [{from: a, to: b, damping: 4}, {from: b, to: ground, "
                      "damping: 5}]\n  damping: {rayleigh: [0.5, 1e-4]}\n",
                  &spec)) {
        const struct masing_structure_spec *s = &spec.structure;
        CHECK(s->n_dofs == 2 && !strcmp(s->dof_names[0], "a") && !strcmp(s->dof_names[1], "b"));
        CHECK(are(s->mass, 4, mass) && are(s->stiffness, 4, stiffness));
        CHECK(are(s->damping, 4, damping) && s->form.kind == MASING_DAMPING_RAYLEIGH);
        CHECK(s->form.alpha == 0.5 && s->form.beta == 1e-4 && !s->n_modes);
    }
    masing_spec_clear(&spec);
}

static void matrices_come_from_rows_and_files(void)
{
    struct masing_spec spec;
    static const double mass[] = {2, 0.5, 0.5, 3}, stiffness[] = {110, -10, -10, 10};
    write_file("dofs.txt", "a\nb\n");
    write_file("K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 110\n"
                        "2 1 -10\n2 2 10\n");
    if (read_spec(HEAD "parameters: {m: 0.5}\nstructure:\n  dofs: dofs.txt\n"
                       "  mass: [[2, $m], [$m, 3]]\n  stiffness: K.mtx\n  damping: K.mtx\n",
                  &spec)) {
        const struct masing_structure_spec *s = &spec.structure;
        CHECK(s->n_dofs == 2 && !strcmp(s->dof_names[1], "b"));
        CHECK(are(s->mass, 4, mass) && are(s->stiffness, 4, stiffness));
        CHECK(are(s->damping, 4, stiffness) && s->form.kind == MASING_DAMPING_NONE);
    }
    masing_spec_clear(&spec);
    if (read_spec(HEAD "structure: {dofs: [a], mass: [[1]], stiffness: [[4]], "
                       "damping: {structural: 0.002}}\n",
                  &spec)) {
        CHECK(spec.structure.form.kind == MASING_DAMPING_STRUCTURAL);
        CHECK(spec.structure.form.loss_factor == 0.002 && !spec.structure.damping);
    }
    masing_spec_clear(&spec);
}

static void modes_are_in_hertz_whatever_the_unit(void)
{
    struct masing_spec spec;
    static const double shapes[] = {0.5, 0.75, -0.25, 0.125}, ratios[] = {0.01, 0.02};
    if (read_spec(HEAD "frequency_unit: rad_s\nstructure:\n  modes:\n"
                       "    frequencies: [20, 52.5]\n    damping_ratio: [0.01, 0.02]\n"
                       "    shapes: {a: [0.5, -0.25], b: [0.75, 0.125]}\n",
                  &spec)) {
        const struct masing_structure_spec *s = &spec.structure;
        CHECK(s->n_modes == 2 && s->n_dofs == 2 && !s->mass && !s->stiffness);
        CHECK(s->omega_modes[0] == 20 * two_pi && s->omega_modes[1] == 52.5 * two_pi);
        CHECK(are(s->mode_shapes, 4, shapes));
        CHECK(s->form.kind == MASING_DAMPING_MODAL && s->form.n_ratios == 2);
        CHECK(are(s->form.ratios, 2, ratios) && !s->form.modes_are_stuck);
        CHECK(spec.omega_from == 10 && spec.omega_to == 20);
    }
    masing_spec_clear(&spec);
}

static bool has_terms(const struct masing_combination *axis, int n,
                      const struct masing_term *terms)
{
    bool is_same = axis->n_terms == n;
    for (int i = 0; is_same && i < n; i++) {
        is_same =
            axis->terms[i].dof == terms[i].dof && axis->terms[i].weight == terms[i].weight;
    }
    return is_same;
}

static void axes_are_differences_weights_or_columns(void)
{
    struct masing_spec spec;
    static const struct masing_term difference[] = {{0, -1}, {1, 1}}, to_ground[] = {{1, -1}};
    static const struct masing_term weights[] = {{1, 2}, {0, -0.5}}, column[] = {{0, 7}};
    write_file("B.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n7\n0\n");
    if (read_spec(TWO "joints:\n"
                      "  - {name: p, law: linear, from: a, to: b, stiffness: 1}\n"
                      "  - {name: q, law: linear, from: b, to: ground, stiffness: 1}\n"
                      "  - {name: r, law: linear, axis: {b: 2, a: -0.5}, stiffness: 1}\n"
                      "  - {name: s, law: linear, axis: {file: B.mtx, column: 2}, damping: 1}\n"
                      "  - {name: t, law: linear, axis: {from: a, to: b}, stiffness: 1}\n",
                  &spec) &&
        CHECK(spec.n_joints == 5)) {
        CHECK(has_terms(&spec.joints[0].axes[0], 2, difference));
        CHECK(has_terms(&spec.joints[1].axes[0], 1, to_ground));
        CHECK(has_terms(&spec.joints[2].axes[0], 2, weights));
        CHECK(has_terms(&spec.joints[3].axes[0], 1, column));
        CHECK(has_terms(&spec.joints[4].axes[0], 2, difference));
        CHECK(!strcmp(spec.joints[4].name, "t") && spec.joints[4].place.line == 13);
    }
    masing_spec_clear(&spec);
}

static double field(const struct masing_joint_spec *joint, const char *name)
{
    int index = masing_field_find(joint->law->fields, joint->law->n_fields, name);
    return index < 0 ? NAN : masing_field_value(&joint->law->fields[index], joint->parameters);
}

static void laws_take_numbers_booleans_and_lists(void)
{
    struct masing_spec spec;
    if (read_spec(TWO
                  "parameters: {N: 30}\njoints:\n"
                  "  - {name: p, law: jenkins, from: a, to: b, stiffness: $N*1300, friction: "
                  "0.5, preload: $N}\n"
                  "  - {name: q, law: unilateral_spring, from: a, to: b, stiffness: 1, gap: "
                  "1e-3, two_sided: true}\n"
                  "  - {name: r, law: polynomial_spring, from: a, to: b, coefficients: [1, "
                  "$N/4]}\n",
                  &spec) &&
        CHECK(spec.n_joints == 3)) {
        CHECK(field(&spec.joints[0], "stiffness") == 39000);
        CHECK(field(&spec.joints[0], "friction") == 0.5);
        CHECK(field(&spec.joints[0], "preload") == 30);
        CHECK(isnan(field(&spec.joints[0], "slip_force")));
        CHECK(field(&spec.joints[1], "gap") == 1e-3 &&
              field(&spec.joints[1], "two_sided") == 1);
        const struct masing_law *law = spec.joints[2].law;
        const struct masing_list *list =
            (const void
                 *)((const char *)spec.joints[2].parameters +
                    law->fields[masing_field_find(law->fields, law->n_fields, "coefficients")]
                        .offset);
        CHECK(list->count == 2 && list->values[0] == 1 && list->values[1] == 7.5);
    }
    masing_spec_clear(&spec);
}

static void all_kinds_of_loads(void)
{
    struct masing_spec spec;
    static const double on_a[] = {1, 0}, on_b[] = {0, 1}, both[] = {1, -2},
                        imaginary[] = {0, 3};
    static const double table[] = {5, 1, 0, 25, 2, 90};
    write_file("F.mtx", "%%MatrixMarket matrix array complex general\n2 1\n1 0\n-2 3\n");
    write_file("F.csv", "frequency_hz, amplitude, phase_deg\n5, 1, 0\n25, 2, 90\n");
    if (read_spec(TWO "load_factor: 2.5\nloads:\n"
                      "  - {name: s, dof: b, amplitude: 10, harmonic: 3, phase: -90}\n"
                      "  - {dof: a, imbalance: 1e-3}\n"
                      "  - {base_acceleration: 9.81, direction: {a: 1, b: -2}}\n"
                      "  - {pattern: F.mtx, amplitude: 4}\n"
                      "  - {pattern: [1, -2], amplitude: 0}\n"
                      "  - {dof: a, table: F.csv, phase: 180}\n",
                  &spec) &&
        CHECK(spec.n_loads == 6)) {
        const struct masing_load_spec *l = spec.loads;
        CHECK(spec.load_factor == 2.5);
        CHECK(l[0].kind == MASING_LOAD_FORCE && l[0].amplitude == 10 && l[0].harmonic == 3);
        CHECK(!strcmp(l[0].name, "s") && are(l[0].pattern, 2, on_b));
        CHECK_RELATIVE(l[0].phase, -two_pi / 4, 1e-16);
        CHECK(l[1].kind == MASING_LOAD_IMBALANCE && l[1].amplitude == 1e-3 && l[1].phase == 0);
        CHECK(are(l[1].pattern, 2, on_a) && !l[1].name && l[1].harmonic == 1);
        CHECK(l[2].kind == MASING_LOAD_BASE_ACCELERATION && l[2].amplitude == 9.81);
        CHECK(are(l[2].pattern, 2, both) && are(l[3].pattern, 2, both));
        CHECK(are(l[3].pattern_imaginary, 2, imaginary) && l[3].amplitude == 4);
        CHECK(are(l[4].pattern, 2, both) && !l[4].pattern_imaginary && l[4].amplitude == 0);
        CHECK(l[5].kind == MASING_LOAD_TABLE && l[5].n_table == 2);
        CHECK(are(l[5].table, 6, table) && are(l[5].pattern, 2, on_a) && l[5].amplitude == 1);
        CHECK(l[5].phase == two_pi / 2);
    }
    masing_spec_clear(&spec);
}

static void static_loads_are_forces_and_accelerations(void)
{
    struct masing_spec spec;
    static const double force[] = {0, -1.5}, down[] = {1, 1};
    if (read_spec(TWO "static_loads:\n  - {dof: b, force: -1.5}\n  - {dof: a, force: 0}\n"
                      "  - {acceleration: -9.81, direction: {a: 1, b: 1}}\n",
                  &spec) &&
        CHECK(spec.n_static_loads == 2)) {
        CHECK(!spec.static_loads[0].is_acceleration &&
              are(spec.static_loads[0].pattern, 2, force));
        CHECK(spec.static_loads[1].is_acceleration &&
              are(spec.static_loads[1].pattern, 2, down));
        CHECK(spec.static_loads[1].acceleration == -9.81);
    }
    masing_spec_clear(&spec);
}

static void all_kinds_of_outputs(void)
{
    struct masing_spec spec;
    static const struct masing_term b[] = {{1, 1}}, difference[] = {{0, -1}, {1, 1}};
    static const struct masing_term strain[] = {{0, 0.5}, {1, -3}};
    if (read_spec(TWO "outputs:\n  - b\n  - {name: gap, from: a, to: b}\n"
                      "  - {name: strain, weights: {a: 0.5, b: -3}, quantity: velocity}\n"
                      "  - {name: a, quantity: acceleration}\n  - {name: b2, dof: b}\n"
                      "peak: {output: strain, measure: h1}\n",
                  &spec) &&
        CHECK(spec.n_outputs == 5)) {
        CHECK(has_terms(&spec.outputs[0].combination, 1, b));
        CHECK(has_terms(&spec.outputs[1].combination, 2, difference));
        CHECK(has_terms(&spec.outputs[2].combination, 2, strain));
        CHECK(spec.outputs[2].quantity == MASING_VELOCITY);
        CHECK(spec.outputs[3].quantity == MASING_ACCELERATION);
        CHECK(spec.outputs[0].quantity == MASING_DISPLACEMENT);
        CHECK(has_terms(&spec.outputs[4].combination, 1, b));
        CHECK(!strcmp(spec.outputs[4].name, "b2"));
        CHECK(spec.peak_output == 2 && spec.peak_measure == MASING_MEASURE_H1);
    }
    masing_spec_clear(&spec);
}

/* As the manual has them. */
static void harmonics_that_are_chosen(void)
{
    struct masing_spec spec;
    if (read_spec(TWO "harmonics: auto\n", &spec)) {
        CHECK(spec.harmonics_tolerance == 1e-3);
        CHECK(spec.n_harmonics == 32 && spec.harmonics[31] == 31);
    }
    masing_spec_clear(&spec);
    if (read_spec(TWO "harmonics: {tolerance: 2e-5, max: 7}\n", &spec)) {
        CHECK(spec.harmonics_tolerance == 2e-5 && spec.n_harmonics == 8);
    }
    masing_spec_clear(&spec);
    if (read_spec(TWO "harmonics: 7\n", &spec)) {
        CHECK(spec.harmonics_tolerance == 0.0 && spec.n_harmonics == 8);
    }
    masing_spec_clear(&spec);
}

static void ranges_and_settings(void)
{
    struct masing_spec spec;
    static const int harmonics[] = {0, 1, 3, 5};
    if (read_spec(
            "masing: 1\nfrequency: [28, 18]\nharmonics: [5, 3, 1, 0]\nsamples: 1024\n"
            "forces: exact\nstart: previous\ntitle: T\n"
            "solver: {tolerance: 1e-9, step: {max: 0.05, min: 1e-8}, max_points: 500}\n"
            "integration: {steps_per_cycle: 256, cycles: 40}\n"
            "structure: {masses: {a: 1}, springs: [{from: a, to: ground, stiffness: 1}]}\n"
            "mode: {number: 1, amplitude: [0.01, 1000]}\n"
            "ringdown: {impulse: {dof: a, amplitude: 3, frequency: 20}, step: 0.02, "
            "steps: 2000, segments: 20, modes: [1]}\n",
            &spec)) {
        CHECK(spec.omega_from == 28 * two_pi && spec.omega_to == 18 * two_pi);
        CHECK(spec.n_harmonics == 4 && !memcmp(spec.harmonics, harmonics, sizeof harmonics));
        CHECK(spec.n_samples == 1024 && !strcmp(spec.title, "T"));
        CHECK(spec.forces == MASING_FORCES_EXACT && spec.start == MASING_START_PREVIOUS);
        CHECK(spec.solver.tolerance == 1e-9 && spec.solver.step_max == 0.05);
        CHECK(spec.solver.step_min == 1e-8 && spec.solver.max_points == 500);
        CHECK(spec.integration.steps_per_cycle == 256 && spec.integration.cycles == 40);
        CHECK(spec.frequency_place.line == 2 && spec.samples_place.line == 4);
    }
    masing_spec_clear(&spec);
    if (read_spec(TWO "harmonics: 3\n", &spec)) {
        CHECK(spec.n_harmonics == 4 && spec.harmonics[0] == 0 && spec.harmonics[3] == 3);
    }
    masing_spec_clear(&spec);
    if (read_spec(TWO, &spec)) {
        CHECK(spec.n_harmonics == 8 && spec.load_factor == 1 && spec.n_samples == 0);
        CHECK(!spec.n_joints && !spec.n_loads && spec.n_outputs == 1 && !spec.title);
    }
    masing_spec_clear(&spec);
}

static void names_may_be_numbers_and_letters_of_any_script(void)
{
    struct masing_spec spec;
    if (read_spec(HEAD "structure:\n  masses: {1: 1, node.x: 2, größe: 3, 'm 4': 4}\n"
                       "  springs: [{from: 1, to: node.x, stiffness: 5}]\n"
                       "outputs: [1, 'm 4', größe]\n",
                  &spec)) {
        CHECK(!strcmp(spec.structure.dof_names[0], "1") && spec.structure.stiffness[0] == 5);
        CHECK(spec.outputs[1].combination.terms[0].dof == 3);
        CHECK(spec.outputs[2].combination.terms[0].dof == 2);
    }
    masing_spec_clear(&spec);
}

static const struct tap_test tests[] = {
    {"lumped elements are assembled", lumped_elements_are_assembled},
    {"matrices come from rows and files", matrices_come_from_rows_and_files},
    {"modes are in hertz whatever the unit", modes_are_in_hertz_whatever_the_unit},
    {"axes are differences, weights or columns", axes_are_differences_weights_or_columns},
    {"laws take numbers, booleans and lists", laws_take_numbers_booleans_and_lists},
    {"all kinds of loads", all_kinds_of_loads},
    {"static loads are forces and accelerations", static_loads_are_forces_and_accelerations},
    {"all kinds of outputs", all_kinds_of_outputs},
    {"harmonics that are chosen", harmonics_that_are_chosen},
    {"ranges and settings", ranges_and_settings},
    {"names may be numbers and letters of any script",
     names_may_be_numbers_and_letters_of_any_script},
};

int main(void)
{
    static const char *const files[] = {"dofs.txt", "K.mtx", "B.mtx", "F.mtx", "F.csv"};
    scratch_make(folder);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char file[SCRATCH_PATH + 32];
        snprintf(file, sizeof file, "%s/%s", folder, files[i]);
        remove(file);
    }
    rmdir(folder);
    return result;
}
