/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A structure of sparse matrices responds as the same one of dense matrices does: a grid of
 * masses and springs, with joints between parts of it, under each form of damping.
 */
#include "grid_model.h"

enum { N_AT = 5 };

static void run_grid(struct run *run, const char *text, bool is_sparse, const double *at_hz)
{
    const struct masing_response_options options = {
        .n_at = N_AT,
        .at_hz = at_hz,
        .columns = MASING_COLUMNS_HARMONICS | MASING_COLUMNS_ENERGY | MASING_COLUMNS_JOINTS,
        .stability = MASING_STABILITY_NONE};
    grid_run(run, text, is_sparse, false, &options);
}

/* Row at a frequency that was asked for. */
static int row_at(const struct table *table, double hz)
{
    int row = 0;
    while (row + 1 < table->n_rows &&
           fabs(table_get(table, row, "frequency_hz") - hz) > 1e-9 * hz) {
        row++;
    }
    return row;
}

/* The size that differences of a column are parts of: of outputs the output's own. */
static double size_of(const struct table *table, const char *name, const double *at_hz)
{
    double largest = 0.0;
    const char *column = strncmp(name, "a_h", 3) == 0 ? "a_max" : name;
    for (int i = 0; i < N_AT; i++) {
        largest = fmax(largest, fabs(table_get(table, row_at(table, at_hz[i]), column)));
    }
    return largest;
}

static bool is_compared(const char *name)
{
    static const char *const names[] = {"a_max",     "a_h1",        "a_h3",        "a_h5",
                                        "energy_in", "energy_lost", "j_force_amp", "j_loss"};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is = is || strcmp(name, names[i]) == 0;
    }
    return is;
}

/* The rows asked for, and the peak, agree; to the last bit with a tolerance of 0. */
static void check_same(const char *text, const double *at_hz, double tolerance)
{
    struct run dense, sparse;
    run_grid(&dense, text, false, at_hz);
    run_grid(&sparse, text, true, at_hz);
    double worst = 0.0;
    bool is_solved = dense.status == MASING_OK && sparse.status == MASING_OK;
    for (int c = 0; is_solved && c < dense.rows.n_columns; c++) {
        const char *name = dense.rows.columns[c].name;
        double size = is_compared(name) ? size_of(&dense.rows, name, at_hz) : 0.0;
        for (int i = 0; size > 0.0 && i < N_AT; i++) {
            double a = table_get(&dense.rows, row_at(&dense.rows, at_hz[i]), name);
            double b = table_get(&sparse.rows, row_at(&sparse.rows, at_hz[i]), name);
            worst = fmax(worst, fabs(a - b) / size);
        }
    }
    printf("# largest difference %.2g\n", worst);
    CHECK(worst <= tolerance && (worst > 0.0) == (tolerance > 0.0));
    CHECK_RELATIVE(sparse.summary.peak.max, dense.summary.peak.max, tolerance);
    CHECK_RELATIVE(sparse.summary.peak.frequency_hz, dense.summary.peak.frequency_hz,
                   tolerance);
    run_clear(&dense);
    run_clear(&sparse);
}

static const char sliders[] =
    "joints:\n"
    "  - {name: j, law: jenkins, from: m8, to: m35, stiffness: 3e4, slip_force: 0.5}\n"
    "  - {name: k, law: jenkins, from: ground, to: m53, stiffness: 2e4, slip_force: 0.7}\n"
    "loads:\n  - {dof: m26, amplitude: 5}\n"
    "frequency: [2, 9]\n"
    "harmonics: [1, 3, 5]\n"
    "outputs: [{name: a, dof: m26}]\n";
static const double sweep_hz[N_AT] = {2.5, 4.0, 5.5, 7.0, 8.5};

static void forms_of_damping_agree(void)
{
    static const struct {
        const char *damping;
        double tolerance;
    } cases[] = {{"rayleigh: [1.5, 2e-4]", 1e-8},
                 {"structural: 0.03", 1e-8},
                 {"modal_ratio: 0.02", 1e-7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = grid_text(true, -1, cases[i].damping, sliders);
        printf("# %s\n", cases[i].damping);
        check_same(text, sweep_hz, cases[i].tolerance);
        free(text);
    }
}

static void a_free_structure_agrees(void)
{
    char *text = grid_text(false, -1, "rayleigh: [0, 2e-4]", sliders);
    check_same(text, sweep_hz, 1e-8);
    free(text);
}

static void static_and_base_loads_agree(void)
{
    char direction[N * 10] = "", base[2048];
    for (int i = 0; i < N; i++) {
        sprintf(direction + strlen(direction), "%sm%d: 1", i ? ", " : "", i);
    }
    snprintf(base, sizeof base,
             "joints:\n"
             "  - {name: j, law: unilateral_spring, from: ground, to: m35, stiffness: 1e4, "
             "gap: 1e-5}\n"
             "loads:\n  - {name: b, base_acceleration: 2, direction: {%s}}\n"
             "static_loads: [{dof: m35, force: 0.7}]\n"
             "frequency: [2, 9]\n"
             "harmonics: 5\n"
             "outputs: [{name: a, dof: m26, frame: absolute}]\n",
             direction);
    char *text = grid_text(true, -1, "rayleigh: [1.5, 2e-4]", base);
    check_same(text, sweep_hz, 1e-8);
    free(text);
}

static void masses_may_vanish(void)
{
    char *text = grid_text(true, 20, "structural: 0.03", sliders);
    check_same(text, sweep_hz, 1e-8);
    free(text);
}

/* Most of the modes lie below the highest harmonic: it is handled as a dense one. */
static void many_modes_agree(void)
{
    static const char rest[] =
        "joints:\n"
        "  - {name: j, law: jenkins, from: m8, to: m35, stiffness: 3e4, slip_force: 0.5}\n"
        "loads:\n  - {dof: m26, amplitude: 5}\n"
        "frequency: [2, 9]\n"
        "harmonics: [1, 3, 5, 41]\n"
        "outputs: [{name: a, weights: {m1: 1, m2: 1, m3: 1, m4: 1, m5: 1, m6: 1, m26: 1}}]\n";
    char *text = grid_text(true, -1, "rayleigh: [1.5, 2e-4]", rest);
    check_same(text, sweep_hz, 0.0);
    free(text);
}

/* [n] of the lowest frequencies with the joints stuck, rad/s */
static void find_stuck(const char *text, bool is_sparse, int n, double *omega)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_spec spec;
    struct masing_error error = {0};
    CHECK(masing_document_parse(text, strlen(text), "m", &document, &error) == MASING_OK);
    CHECK(masing_document_spec(document, NULL, 0, &spec, &error) == MASING_OK);
    if (is_sparse) {
        make_structure_sparse(&spec.structure);
    }
    if (CHECK(masing_model_create(&spec, &model, &error) == MASING_OK)) {
        CHECK((model->structure->n_far > 0) == is_sparse);
        memcpy(omega, model->structure->omega_stuck, (size_t)n * sizeof *omega);
    } else {
        printf("# %s\n", error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
}

enum { N_STUCK = 6 };

/* They do not depend on the range, though higher modes are not found. */
static void check_stuck(const char *joints)
{
    double dense[N_STUCK] = {0.0}, sparse[N_STUCK] = {0.0}, worst = 0.0;
    char *rest = malloc(1 << 14);
    sprintf(rest,
            "joints:\n%s"
            "loads:\n  - {dof: m26, amplitude: 5}\n"
            "frequency: [2, 9]\n"
            "harmonics: [1, 3]\n"
            "outputs: [{name: a, dof: m26}]\n",
            joints);
    char *text = grid_text(true, -1, "rayleigh: [1.5, 2e-4]", rest);
    find_stuck(text, false, N_STUCK, dense);
    find_stuck(text, true, N_STUCK, sparse);
    for (int k = 0; k < N_STUCK; k++) {
        CHECK_RELATIVE(sparse[k], dense[k], 1e-8);
        worst = fmax(worst, fabs(sparse[k] / dense[k] - 1.0));
    }
    printf("# largest difference %.2g\n", worst);
    free(text);
    free(rest);
}

static void stuck_frequencies_agree(void)
{
    check_stuck(
        "  - {name: j, law: jenkins, from: m12, to: m40, stiffness: 3e5, slip_force: 0.4}\n"
        "  - {name: k, law: jenkins, from: ground, to: m53, stiffness: 2e5, slip_force: "
        "0.7}\n");
}

/* More axes than modes: the joints' displacements are sought in a space of fewer. */
static void stuck_frequencies_of_many_joints_agree(void)
{
    char joints[1 << 13] = "";
    for (int i = 0; i + COLUMNS + 2 < N; i++) {
        sprintf(joints + strlen(joints),
                "  - {name: j%d, law: jenkins, from: m%d, to: m%d, stiffness: %g, "
                "slip_force: 0.4}\n",
                i, i, i + COLUMNS + 2, i % 5 == 0 ? 3e5 : 2e3);
    }
    check_stuck(joints);
}

/* A rigid-body motion on a soft spring, however far below the next frequency. */
static void suspended_bodies_swing(void)
{
    static const double STIFFNESS = 4.0;
    char text[1 << 14] = "masing: 1\nstructure:\n  masses:\n";
    double omega = 0.0;
    for (int i = 1; i <= N; i++) {
        sprintf(text + strlen(text), "    m%d: %.17g\n", i, 1.0 / N);
    }
    strcat(text, "  springs:\n");
    for (int i = 1; i < N; i++) {
        sprintf(text + strlen(text), "    - {from: m%d, to: m%d, stiffness: 2e12}\n", i, i + 1);
    }
    sprintf(text + strlen(text),
            "joints: [{name: j, law: linear, from: ground, to: m1, stiffness: %g}]\n"
            "loads: [{dof: m9, amplitude: 1}]\nfrequency: [0.2, 5e4]\nharmonics: [1]\n"
            "outputs: [{name: a, dof: m9}]\n",
            STIFFNESS);
    find_stuck(text, true, 1, &omega);
    CHECK_RELATIVE(omega, sqrt(STIFFNESS), 1e-9);
}

static const struct tap_test tests[] = {
    {"each form of damping", forms_of_damping_agree},
    {"a free structure", a_free_structure_agrees},
    {"static loads and a moving base", static_and_base_loads_agree},
    {"a singular mass", masses_may_vanish},
    {"most of the modes", many_modes_agree},
    {"frequencies with the joints stuck", stuck_frequencies_agree},
    {"frequencies with many joints stuck", stuck_frequencies_of_many_joints_agree},
    {"a suspended body", suspended_bodies_swing},
};

TAP_MAIN(tests)
