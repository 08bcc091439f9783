/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stability along responses, and what branches off: a symmetric oscillator that loses its
 * symmetry, both mirror images followed and found again by time integration; folds of a
 * Duffing oscillator with the middle branch unstable; period doublings of a stop and beats of
 * two modes, on either side of which time integration becomes periodic or not.
 */
#include <string.h>

#include "masing/integrate.h"
#include "response.h"

static const char symmetric[] = "masing: 1\n"
                                "structure:\n"
                                "  masses: {x: 0.2}\n"
                                "  springs: [{from: ground, to: x, stiffness: 3158.27}]\n"
                                "  damping: {modal_ratio: 0.01}\n"
                                "joints: [{name: j, law: cubic_spring, from: ground, to: x,\n"
                                "  coefficient: 8.0e+7}]\n"
                                "loads: [{dof: x, amplitude: %g}]\n"
                                "frequency: [%g, %g]\n"
                                "harmonics: 11\n"
                                "outputs: [x]\n";

/* The row of a branch at a frequency; -1: none. */
static int row_at(const struct table *rows, int branch, double hz)
{
    for (int r = 0; r < rows->n_rows; r++) {
        if (table_get(rows, r, "branch") == branch &&
            fabs(table_get(rows, r, "frequency_hz") - hz) < 1e-9) {
            return r;
        }
    }
    return -1;
}

static int count_events(const struct table *rows, int branch, const char *name)
{
    int count = 0;
    for (int r = 0; r < rows->n_rows; r++) {
        count += table_get(rows, r, "branch") == branch && strstr(rows->events[r], name);
    }
    return count;
}

/* Mean and largest value of what a time integration from rest, or nearly so, settles to. */
static double integrated_mean(const char *text, double hz, double *largest)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    struct masing_integrate_summary summary = {0};
    double mean = NAN;
    *largest = NAN;
    if (CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) ==
                  MASING_OK &&
              masing_document_model(document, NULL, 0, &model, &error) == MASING_OK &&
              masing_integrate(model, hz, NULL, NULL, &summary, &error) == MASING_OK)) {
        mean = summary.outputs[0].mean;
        *largest = summary.outputs[0].max;
    } else {
        printf("# %s\n", error.message);
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
    return mean;
}

static void mirror_images_branch_off(void)
{
    const double at = 16.5;
    const struct masing_response_options options = {
        .n_at = 1, .at_hz = &at, .max_branches = 20, .columns = MASING_COLUMNS_HARMONICS};
    struct run run;
    char *text = text_of(symmetric, 40.0, 14.0, 21.0);
    run_with(&run, text, &options);
    const struct table *rows = &run.rows;
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    CHECK(run.summary.branch_points.n == 2 && run.summary.n_branches == 2);
    CHECK(run.summary.residual < 1e-8 && run.summary.energy_mismatch < 1e-6);
    for (int branch = 1; branch <= 3; branch++) {
        CHECK(count_events(rows, branch, "branch point") == 2);
    }
    int row[4] = {0, row_at(rows, 1, at), row_at(rows, 2, at), row_at(rows, 3, at)};
    if (CHECK(row[1] >= 0 && row[2] >= 0 && row[3] >= 0)) {
        double mean = table_get(rows, row[2], "x_mean");
        double largest = table_get(rows, row[2], "x_max"), settled;
        CHECK(table_get(rows, row[1], "stable") == 0.0);
        CHECK(table_get(rows, row[2], "stable") == 1.0);
        CHECK(table_get(rows, row[3], "stable") == 1.0);
        CHECK_SCALED(table_get(rows, row[1], "x_mean"), 0.0, largest, 1e-9);
        CHECK(fabs(mean) > 0.05 * largest && table_get(rows, row[2], "x_h2") > 0.0);
        CHECK_RELATIVE(table_get(rows, row[3], "x_mean"), -mean, 1e-7);
        CHECK_RELATIVE(table_get(rows, row[3], "x_max"), largest, 1e-8);
        double found = integrated_mean(text, at, &settled);
        CHECK_RELATIVE(fabs(found), fabs(mean), 5e-3);
        CHECK_RELATIVE(settled, largest, 1e-3);
    }
    /* the curve itself: unstable between its branch points, and there alone */
    double low = run.summary.branch_points.at[0], high = run.summary.branch_points.at[1];
    for (int r = 0; r < rows->n_rows && table_get(rows, r, "branch") == 1; r++) {
        double hz = table_get(rows, r, "frequency_hz");
        bool is_clear = fabs(hz - low) > 0.02 && fabs(hz - high) > 0.02;
        CHECK(!is_clear || table_get(rows, r, "stable") == (hz > low && hz < high ? 0.0 : 1.0));
    }
    run_clear(&run);
    free(text);
}

static void none_is_followed_unless_asked(void)
{
    const struct masing_response_options options = {.stability = MASING_STABILITY_NONE};
    struct run run;
    char *text = text_of(symmetric, 40.0, 14.0, 21.0);
    run_with(&run, text, &options);
    CHECK(run.status == MASING_OK && run.summary.branch_points.n == 2);
    CHECK(run.summary.n_branches == 0 && run.summary.stability.n_points == 0);
    for (int r = 0; r < run.rows.n_rows; r++) {
        CHECK(table_get(&run.rows, r, "branch") == 1.0);
        CHECK(isnan(table_get(&run.rows, r, "stable")));
    }
    run_clear(&run);
    free(text);
}

/* Both ways lead over the same curve; between its folds it is unstable. */
static void the_middle_branch_is_unstable(void)
{
    static const enum masing_stability_method methods[] = {MASING_STABILITY_FLOQUET,
                                                           MASING_STABILITY_HILL};
    for (int m = 0; m < 2; m++) {
        const struct masing_response_options options = {.stability = methods[m],
                                                        .columns = MASING_COLUMNS_STABILITY};
        struct run run;
        char *text = text_of(symmetric, 0.5, 15.0, 30.0);
        run_with(&run, text, &options);
        int n_folds = 0, n_unstable = 0;
        CHECK(run.status == MASING_OK && run.summary.branch_points.n == 0);
        for (int r = 0; r < run.rows.n_rows; r++) {
            double stable = table_get(&run.rows, r, "stable");
            double modulus = table_get(&run.rows, r, "multiplier");
            n_folds += strcmp(run.rows.events[r], "fold") == 0;
            if (strcmp(run.rows.events[r], "fold") == 0) {
                CHECK_SCALED(modulus, 1.0, 1.0, 1e-3);
                continue;
            }
            n_unstable += stable == 0.0;
            CHECK(stable == (n_folds == 1 ? 0.0 : 1.0));
            CHECK((modulus > 1.0) == (n_folds == 1));
        }
        const struct masing_stability_summary *told = &run.summary.stability;
        CHECK(n_folds == 2 && n_unstable > 3 && told->n_unstable == n_unstable);
        CHECK(told->n_ranges == 1 && run.summary.n_jumps_up == 1);
        CHECK_RELATIVE(told->from[0], run.summary.jump_down_hz[0], 1e-12);
        CHECK_RELATIVE(told->to[0], run.summary.jump_up_hz[0], 1e-12);
        run_clear(&run);
        free(text);
    }
}

/* Whether a time integration from rest becomes periodic, with the period of the load. */
static bool is_periodic(const char *text, double hz)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    struct masing_integrate_summary summary = {0};
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK &&
          masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    if (model) {
        enum masing_status status = masing_integrate(model, hz, NULL, NULL, &summary, &error);
        CHECK(status == (summary.is_steady ? MASING_OK : MASING_STOPPED));
    }
    bool is_steady = summary.is_steady && summary.order == 1;
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
    return is_steady;
}

/* Unstable between the events and there alone; time integration agrees on either side. */
static void check_events(const char *text, const char *event, const double places[2],
                         const double periodic[2], double other)
{
    const struct masing_response_options options = {.columns = MASING_COLUMNS_STABILITY};
    struct run run;
    int n_events = 0, n_unstable = 0;
    run_with(&run, text, &options);
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double hz = table_get(&run.rows, r, "frequency_hz");
        bool is_event = strstr(run.rows.events[r], event) != NULL;
        if (is_event && CHECK(n_events < 2)) {
            double angle = table_get(&run.rows, r, "multiplier_angle_deg");
            CHECK_RELATIVE(hz, places[n_events], 0.01);
            double error = table_get(&run.rows, r, "multiplier_error");
            CHECK_SCALED(table_get(&run.rows, r, "multiplier"), 1.0, fmax(error, 1e-3), 1.0);
            CHECK(error < 0.01);
            CHECK(strstr(event, "period") ? angle == 180.0 : angle > 1.0 && angle < 179.0);
        } else if (!is_event) {
            CHECK(table_get(&run.rows, r, "stable") == (n_events == 1 ? 0.0 : 1.0));
            n_unstable += n_events == 1;
        }
        n_events += is_event;
    }
    CHECK(n_events == 2 && n_unstable > 0);
    CHECK(run.summary.stability.n_ranges == 1);
    CHECK(is_periodic(text, periodic[0]) && is_periodic(text, periodic[1]));
    CHECK(!is_periodic(text, other));
    run_clear(&run);
}

/* A stop at rest makes two springs of one, with a natural frequency in between; at twice that
 * every other period is different. */
static void a_stop_doubles_the_period(void)
{
    const double places[] = {34.02, 41.74}, periodic[] = {33.5, 42.3};
    check_events("masing: 1\n"
                 "structure:\n"
                 "  masses: {x: 1}\n"
                 "  springs: [{from: ground, to: x, stiffness: 10000}]\n"
                 "  damping: {modal_ratio: 0.05}\n"
                 "joints: [{name: stop, law: unilateral_spring, from: ground, to: x,\n"
                 "  stiffness: 10000, gap: 0}]\n"
                 "loads: [{dof: x, amplitude: 1}]\n"
                 "frequency: [30, 45]\n"
                 "harmonics: 15\n"
                 "integration: {cycles: 400}\n"
                 "outputs: [x]\n",
                 "period doubling", places, periodic, 37.0);
}

/* Two modes of which one takes from the other and gives back, in a rhythm of their own. */
static void two_modes_beat(void)
{
    const double places[] = {21.12, 21.32}, periodic[] = {20.9, 21.6};
    check_events("masing: 1\n"
                 "structure:\n"
                 "  masses: {m1: 1, m2: 1}\n"
                 "  springs:\n"
                 "    - {from: ground, to: m1, stiffness: 41339}\n"
                 "    - {from: m1, to: m2, stiffness: 60000}\n"
                 "  damping: {modal_ratio: 0.005}\n"
                 "joints: [{name: c, law: cubic_spring, from: ground, to: m1,\n"
                 "  coefficient: 4.0e+8}]\n"
                 "loads: [{dof: m2, amplitude: 20}]\n"
                 "frequency: [20.5, 22]\n"
                 "harmonics: 9\n"
                 "integration: {cycles: 1000}\n"
                 "outputs: [m2]\n",
                 "Neimark-Sacker", places, periodic, 21.2);
}

static const struct tap_test tests[] = {
    {"mirror images branch off", mirror_images_branch_off},
    {"none is followed unless asked", none_is_followed_unless_asked},
    {"the middle branch is unstable", the_middle_branch_is_unstable},
    {"a stop doubles the period", a_stop_doubles_the_period},
    {"two modes beat", two_modes_beat},
};

TAP_MAIN(tests)
