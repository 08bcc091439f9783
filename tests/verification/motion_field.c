/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The motion of all DOFs: of sparse structures that of the same dense ones, at outputs theirs,
 * under each form of damping.
 */
#include "grid_model.h"

enum { N_AT = 5, N_FIELDS = N_AT + 1, MOST_COEFFICIENTS = 12 };

static const double sweep_hz[N_AT] = {2.5, 4.0, 5.5, 7.0, 7.9};

/* What a sink was handed. */
struct taken {
    int n, n_coefficients, harmonics[MOST_COEFFICIENTS], n_harmonics;
    double hz[N_FIELDS], coefficients[N_FIELDS][N][MOST_COEFFICIENTS];
};

static enum masing_status take(void *context, const struct masing_motion_field *field,
                               struct masing_error *error)
{
    struct taken *taken = context;
    (void)error;
    if (!CHECK(taken->n < N_FIELDS && field->n_dofs == N &&
               field->n_coefficients <= MOST_COEFFICIENTS)) {
        return MASING_OK;
    }
    CHECK(field->event == (taken->n < N_AT ? MASING_EVENT_AT : MASING_EVENT_PEAK) ||
          taken->n > 0);
    taken->n_coefficients = field->n_coefficients;
    taken->n_harmonics = field->n_harmonics;
    memcpy(taken->harmonics, field->harmonics,
           (size_t)field->n_harmonics * sizeof *field->harmonics);
    taken->hz[taken->n] = field->frequency_hz;
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        CHECK(strcmp(field->dof_names[i], name) == 0);
        memcpy(taken->coefficients[taken->n][i],
               field->coefficients + i * field->n_coefficients,
               (size_t)field->n_coefficients * sizeof(double));
    }
    taken->n++;
    return MASING_OK;
}

static struct taken *respond(struct run *run, const char *text, bool is_sparse)
{
    struct taken *taken = specimen_array(1, sizeof *taken);
    const struct masing_motion_field_sink fields = {taken, take};
    const struct masing_response_options options = {.n_at = N_AT,
                                                    .at_hz = sweep_hz,
                                                    .columns = MASING_COLUMNS_HARMONICS,
                                                    .stability = MASING_STABILITY_NONE,
                                                    .fields = &fields};
    grid_run(run, text, is_sparse, true, &options);
    CHECK(taken->n == N_FIELDS);
    return taken;
}

/* Worst difference of all coefficients, in parts of the largest one of each field. */
static double difference(const struct taken *a, const struct taken *b)
{
    double worst = 0.0;
    for (int f = 0; f < N_FIELDS; f++) {
        double largest = 0.0, off = 0.0;
        for (int at = 0; at < N * a->n_coefficients; at++) {
            int i = at / a->n_coefficients, c = at % a->n_coefficients;
            double left = a->coefficients[f][i][c], right = b->coefficients[f][i][c];
            largest = fmax(largest, fabs(right));
            off = fmax(off, fabs(left - right));
        }
        CHECK(largest > 0.0);
        worst = fmax(worst, off / largest);
    }
    return worst;
}

/* The row of a field: that of its frequency. */
static int row_of(const struct table *rows, double hz)
{
    int best = 0;
    for (int row = 1; row < rows->n_rows; row++) {
        double nearer = fabs(table_get(rows, best, "frequency_hz") - hz);
        best = fabs(table_get(rows, row, "frequency_hz") - hz) < nearer ? row : best;
    }
    return best;
}

/* Sizes and phases of an output's columns are those of its DOF. */
static double output_difference(const struct run *run, const struct taken *taken,
                                const char *output, int dof)
{
    double worst = 0.0;
    for (int f = 0; f < N_FIELDS; f++) {
        const double *x = taken->coefficients[f][dof];
        int row = row_of(&run->rows, taken->hz[f]);
        double largest = 0.0, off = 0.0;
        for (int k = 0, c = 0; k < taken->n_harmonics; k++) {
            char size[32], phase[48];
            int h = taken->harmonics[k];
            snprintf(size, sizeof size, h ? "%s_h%d" : "%s_mean", output, h);
            snprintf(phase, sizeof phase, "%s_h%d_phase_deg", output, h);
            double amplitude = table_get(&run->rows, row, size);
            double angle = h ? table_get(&run->rows, row, phase) * acos(-1.0) / 180.0 : 0.0;
            angle = isnan(angle) ? 0.0 : angle; /* of no motion */
            off = fmax(off, fabs(x[c++] - amplitude * cos(angle)));
            off = h ? fmax(off, fabs(x[c++] + amplitude * sin(angle))) : off;
            largest = fmax(largest, fabs(amplitude));
        }
        worst = fmax(worst, off / largest);
    }
    return worst;
}

/* Both paths; outputs a and b are m26, which is loaded, and m14, which nothing touches. */
static void check_fields(const char *text, double tolerance)
{
    struct run dense, sparse;
    struct taken *of_dense = respond(&dense, text, false);
    struct taken *of_sparse = respond(&sparse, text, true);
    double off = difference(of_sparse, of_dense);
    double a = output_difference(&dense, of_dense, "a", 26);
    double b = output_difference(&dense, of_dense, "b", 14);
    double c = output_difference(&sparse, of_sparse, "a", 26);
    double d = output_difference(&sparse, of_sparse, "b", 14);
    printf("# sparse %.2g; outputs %.2g %.2g, sparse %.2g %.2g\n", off, a, b, c, d);
    CHECK(off > 0.0 && off <= tolerance);
    CHECK(fmax(fmax(a, b), fmax(c, d)) <= 1e-9);
    run_clear(&dense);
    run_clear(&sparse);
    free(of_dense);
    free(of_sparse);
}

#define SLIDERS                                                                                \
    "joints:\n"                                                                                \
    "  - {name: j, law: jenkins, from: m8, to: m35, stiffness: 3e4, slip_force: 0.5}\n"        \
    "  - {name: k, law: jenkins, from: ground, to: m53, stiffness: 2e4, slip_force: 0.7}\n"    \
    "loads:\n  - {dof: m26, amplitude: 5}\n"                                                   \
    "frequency: [2, 8]\n"                                                                      \
    "outputs: [{name: a, dof: m26}, {name: b, dof: m14}]\n"

static void each_damping(void)
{
    static const struct {
        const char *damping;
        double tolerance;
    } cases[] = {{"rayleigh: [1.5, 2e-4]", 1e-8},
                 {"rayleigh: [0, 0]", 1e-8},
                 {"structural: 0.03", 1e-8},
                 {"modal_ratio: 0.02", 1e-5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = grid_text(true, -1, cases[i].damping, SLIDERS "harmonics: [1, 3, 5]\n");
        printf("# %s\n", cases[i].damping);
        check_fields(text, cases[i].tolerance);
        free(text);
    }
}

static void a_free_structure(void)
{
    char *text =
        grid_text(false, -1, "rayleigh: [0, 2e-4]", SLIDERS "harmonics: [0, 1, 2, 3]\n");
    check_fields(text, 1e-8);
    free(text);
}

static void a_singular_mass(void)
{
    char *text = grid_text(true, 20, "structural: 0.03", SLIDERS "harmonics: [1, 3]\n");
    check_fields(text, 1e-8);
    free(text);
}

/* Motions are relative to the base, whatever an output is. */
static void static_loads_and_a_moving_base(void)
{
    char direction[N * 10] = "", rest[2048];
    for (int i = 0; i < N; i++) {
        sprintf(direction + strlen(direction), "%sm%d: 1", i ? ", " : "", i);
    }
    snprintf(rest, sizeof rest,
             "joints:\n"
             "  - {name: j, law: unilateral_spring, from: ground, to: m35, stiffness: 1e4, "
             "gap: 1e-5}\n"
             "loads:\n  - {name: b, base_acceleration: 2, direction: {%s}}\n"
             "static_loads: [{dof: m35, force: 0.7}]\n"
             "frequency: [2, 8]\n"
             "harmonics: 3\n"
             "outputs: [{name: a, dof: m26}, {name: b, dof: m14}]\n",
             direction);
    char *text = grid_text(true, -1, "rayleigh: [1.5, 2e-4]", rest);
    check_fields(text, 1e-8);
    free(text);
}

static const struct tap_test tests[] = {
    {"under each form of damping", each_damping},
    {"of a free structure, with means", a_free_structure},
    {"with a mass that vanishes", a_singular_mass},
    {"under static loads and on a moving base", static_loads_and_a_moving_base},
};

TAP_MAIN(tests)
