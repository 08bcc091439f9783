/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Harmonics chosen along the curve against a fixed list of many: peaks and points to the
 * tolerance, folds, linear structures, and what does not go together.
 */
#include "example.h"

static const double TOLERANCE = 1e-3;

static const char damper[] = "masing: 1\n"
                             "structure:\n"
                             "  masses: {m1: 1.0, m2: 1.0}\n"
                             "  springs:\n"
                             "    - {from: ground, to: m1, stiffness: 41339}\n"
                             "    - {from: m1, to: m2, stiffness: 41328}\n"
                             "  damping: {modal_ratio: 0.02}\n"
                             "joints: [{name: damper, law: jenkins, from: ground, to: m1,\n"
                             "  stiffness: 40000, slip_force: 15}]\n"
                             "loads: [{dof: m2, amplitude: 10}]\n"
                             "frequency: [18, 28]\n"
                             "outputs: [m2, m1]\n";

/* A mass that lifts off its spring. */
static const char stop[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m: 1}\n"
    "  springs: [{from: ground, to: m, stiffness: 1e4}]\n"
    "  dampers: [{from: ground, to: m, damping: 12}]\n"
    "joints: [{name: stop, law: unilateral_spring, from: ground, to: m,\n"
    "  stiffness: 6e3, gap: 2e-4}]\n"
    "loads: [{dof: m, amplitude: 1}]\n"
    "frequency: [12, 26]\n"
    "outputs: [m]\n";

static const char duffing[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m: 1}\n"
    "  springs: [{from: ground, to: m, stiffness: 1.6e4}]\n"
    "  dampers: [{from: ground, to: m, damping: 0.5}]\n"
    "joints: [{name: cubic, law: cubic_spring, from: ground, to: m, coefficient: 1e9}]\n"
    "loads: [{dof: m, amplitude: 0.4}]\n"
    "frequency: [15, 35]\n"
    "outputs: [m]\n";

static void respond(const char *text, const char *harmonics, const double *at, int n_at,
                    double check_tolerance, struct run *run)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    const struct masing_override overrides[] = {{"harmonics", harmonics}};
    if (!CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_model(document, overrides, 1, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    const struct masing_response_options options = {.n_search = -1,
                                                    .n_at = n_at,
                                                    .at_hz = at,
                                                    .n_threads = 1,
                                                    .check_tolerance = check_tolerance,
                                                    .stability = MASING_STABILITY_NONE,
                                                    .columns = MASING_COLUMNS_HARMONICS};
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->summary, 0, sizeof run->summary);
    memset(&run->error, 0, sizeof run->error);
    run->status = masing_frf(model, &options, &sink, NULL, &run->summary, &run->error);
    if (!CHECK(run->status == MASING_OK)) {
        printf("# %s: %s\n", masing_status_name(run->status), run->error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
}

/* Largest relative difference of a column at the frequencies that were asked for, in the order
 * in which the curves pass them. */
static double worst_of(const struct run *a, const struct run *b, const char *column, int *n)
{
    double worst = 0.0;
    int rows[2] = {0, 0};
    *n = 0;
    for (;;) {
        const struct run *runs[2] = {a, b};
        double values[2] = {0.0, 0.0};
        for (int side = 0; side < 2; side++) {
            const struct table *table = &runs[side]->rows;
            while (rows[side] < table->n_rows && !strstr(table->events[rows[side]], "at")) {
                rows[side]++;
            }
            if (rows[side] == table->n_rows) {
                CHECK(side == 0 || rows[0] == a->rows.n_rows);
                return worst;
            }
            values[side] = table_get(table, rows[side]++, column);
        }
        worst = fmax(worst, fabs(values[0] / values[1] - 1.0));
        ++*n;
    }
}

static void agree(const char *name, const char *text, const double *at, int n_at)
{
    struct run chosen = {0}, all = {0};
    int n_max, n_h1;
    respond(text, "auto", at, n_at, 0.0, &chosen);
    respond(text, tap_most(1, 0) ? "61" : "31", at, n_at, 0.0, &all);
    const struct masing_response_summary *summary = &chosen.summary;
    const char *output = strstr(text, "outputs: [m2") ? "m2" : "m";
    char max[16], h1[16];
    snprintf(max, sizeof max, "%s_max", output);
    snprintf(h1, sizeof h1, "%s_h1", output);
    double worst_max = worst_of(&chosen, &all, max, &n_max);
    double worst_h1 = worst_of(&chosen, &all, h1, &n_h1);
    double peak = summary->peak.max / all.summary.peak.max - 1.0;
    printf("# %s: harmonics up to %d to %d; max to %.1e, h1 to %.1e, peak to %.1e; %d points\n",
           name, summary->harmonics_low, summary->harmonics_high, worst_max, worst_h1, peak,
           n_max);
    CHECK(n_max >= n_at && n_h1 == n_max);
    CHECK(worst_max < TOLERANCE && worst_h1 < TOLERANCE && fabs(peak) < TOLERANCE);
    CHECK(summary->harmonics_low < summary->harmonics_high);
    CHECK(summary->energy_mismatch < 1e-6 && summary->is_complete);
    CHECK(summary->n_jumps_up == all.summary.n_jumps_up);
    CHECK(summary->n_jumps_down == all.summary.n_jumps_down);
    run_clear(&chosen);
    run_clear(&all);
}

static void two_masses(void)
{
    const double at[] = {18.5, 19.6, 20.2, 20.6, 21, 21.5, 22, 23, 24, 26};
    agree("damper", damper, at, 10);
}

/* Where the range begins the third harmonic is at the second mode, and one harmonic is half
 * wrong. */
static void the_first_point_takes_what_it_needs(void)
{
    const double at[] = {18, 18.2, 18.6, 19, 20, 20.5, 21, 22, 24, 26};
    char text[sizeof damper];
    memcpy(text, damper, sizeof damper);
    memcpy(strstr(text, "slip_force: 15"), "slip_force: 10", strlen("slip_force: 10"));
    struct run run = {0};
    respond(text, "auto", NULL, 0, 0.0, &run);
    CHECK(table_get(&run.rows, 0, "harmonics") > 3 && run.summary.is_complete);
    run_clear(&run);
    agree("damper that slips early", text, at + 1, 9);
}

static void a_mass_that_meets_a_stop(void)
{
    const double at[] = {13, 15, 16.5, 17, 17.5, 18, 19, 20, 22, 25};
    agree("stop", stop, at, 10);
}

static void folds_are_passed(void)
{
    const double at[] = {18, 20, 22, 25, 27.5, 30};
    agree("Duffing", duffing, at, 6);
}

/* The column tells what each row has, and what it has not is empty. */
static void rows_tell_their_harmonics(void)
{
    struct run run = {0};
    int lowest = 1000, highest = 0;
    respond(damper, "auto", NULL, 0, 0.0, &run);
    for (int r = 0; r < run.rows.n_rows; r++) {
        int h = (int)table_get(&run.rows, r, "harmonics");
        lowest = h < lowest ? h : lowest;
        highest = h > highest ? h : highest;
        CHECK(isnan(table_get(&run.rows, r, "m2_h3")) == (h < 3));
        CHECK(isnan(table_get(&run.rows, r, "m2_h31")) == (h < 31));
    }
    CHECK(lowest == run.summary.harmonics_low && highest == run.summary.harmonics_high);
    run_clear(&run);
}

static void a_linear_structure_takes_one(void)
{
    static const char text[] = "masing: 1\n"
                               "structure:\n"
                               "  masses: {m: 1}\n"
                               "  springs: [{from: ground, to: m, stiffness: 1.6e4}]\n"
                               "  dampers: [{from: ground, to: m, damping: 2}]\n"
                               "loads: [{dof: m, amplitude: 1}]\n"
                               "frequency: [15, 25]\n"
                               "outputs: [m]\n";
    struct run run = {0};
    respond(text, "auto", NULL, 0, 0.0, &run);
    CHECK(run.summary.harmonics_low == 1 && run.summary.harmonics_high == 1);
    run_clear(&run);
}

/* The check, whose harmonics are many more, finds the tolerance kept. */
static void the_check_agrees(void)
{
    struct run run = {0};
    respond(damper, "auto", NULL, 0, TOLERANCE, &run);
    printf("# checked: peak to %.1e, points to %.1e\n", run.summary.check.peak_error,
           run.summary.check.worst_error);
    CHECK(run.summary.check.n_points > 5 && run.summary.check.n_unsolved == 0);
    CHECK(run.summary.check.worst_error < 2.0 * TOLERANCE);
    run_clear(&run);
}

static void refuse(const char *lines, const char *message)
{
    char text[2048];
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    const struct masing_response_options options = {0};
    snprintf(text, sizeof text, "%s%s\n", damper, lines);
    CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
          MASING_OK);
    enum masing_status status = masing_document_model(document, NULL, 0, &model, &error);
    if (status == MASING_OK) {
        status = masing_frf(model, &options, NULL, NULL, &summary, &error);
    }
    if (!CHECK(status == MASING_INVALID && strstr(error.message, message))) {
        printf("# %s: %s\n", lines, error.message);
    }
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
}

static void what_does_not_go_is_refused(void)
{
    refuse("harmonics: auto\nstart: previous", "does not go with start: previous");
    refuse("harmonics: {tolerance: 2}", "expected a part between 0 and 1, found 2");
    refuse("harmonics: {tolerance: 0}", "expected a part between 0 and 1, found 0");
    refuse("harmonics: {most: 9}", "unknown key 'most'");
    refuse("harmonics: {max: 0}", "max");
    refuse("harmonics: often", "harmonics");
}

static const struct tap_test tests[] = {
    {"two masses and a damper", two_masses},
    {"the first point takes what it needs", the_first_point_takes_what_it_needs},
    {"a mass that meets a stop", a_mass_that_meets_a_stop},
    {"folds are passed", folds_are_passed},
    {"rows tell their harmonics", rows_tell_their_harmonics},
    {"a linear structure takes one", a_linear_structure_takes_one},
    {"the check agrees", the_check_agrees},
    {"what does not go is refused", what_does_not_go_is_refused},
};

TAP_MAIN(tests)
