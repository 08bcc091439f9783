/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `solver.linear`: the same responses by the Jacobian as a matrix and by iteration, which takes
 * less memory; and no row that is no solution where the iteration does not converge.
 */
#include "pad_model.h"

static const double TOLERANCE = 1e-7, ROUNDING = 1e-7;

static const double PER_RADIAN = 0.15915494309189535; /* Hz of rad/s */

/* A response with some numbers of the model overridden. */
struct question {
    const char *file;
    const struct masing_override *overrides;
    int n_overrides;
    const double *at_hz;
    int n_at, n_threads, max_branches;
};

static void ask(const struct question *question, struct run *run)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    const struct masing_response_options options = {
        .n_at = question->n_at,
        .at_hz = question->at_hz,
        .n_threads = question->n_threads,
        .max_branches = question->max_branches,
        .columns = MASING_COLUMNS_HARMONICS | MASING_COLUMNS_ENERGY | MASING_COLUMNS_FORCES,
        .stability = MASING_STABILITY_NONE};
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->summary, 0, sizeof run->summary);
    memset(&run->error, 0, sizeof run->error);
    run->status = masing_document_read(question->file, &document, &run->error);
    if (run->status == MASING_OK) {
        run->status = masing_document_model(document, question->overrides,
                                            question->n_overrides, &model, &run->error);
    }
    if (run->status == MASING_OK) {
        run->status = masing_frf(model, &options, &sink, NULL, &run->summary, &run->error);
    }
    if (run->status != MASING_OK) {
        printf("# %s: %s\n", masing_status_name(run->status), run->error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
}

/* ---- the same values ---- */

enum { N_AT = 5, MOST_OVERRIDES = 6 };

/* Whether a column holds lengths, forces or energies that are compared: phases are where their
 * amplitude is none. */
static bool is_compared(const char *name)
{
    static const char *const others[] = {"_deg",       "point",  "branch",
                                         "iterations", "stable", "energy_mismatch"};
    bool is = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        is = is && !strstr(name, others[i]);
    }
    return is;
}

/* What belongs together: the columns of an output or axis, or all energies. */
static size_t group_length(const char *name)
{
    static const char *const energies[] = {"energy_", "loss_", "share_", "power_"};
    const char *end = strrchr(name, '_');
    for (size_t i = 0; i < sizeof energies / sizeof *energies; i++) {
        if (strncmp(name, energies[i], strlen(energies[i])) == 0) {
            return strlen(energies[i]);
        }
    }
    return end ? (size_t)(end - name) + 1 : strlen(name);
}

/* Of an output's motion, or of a joint's forces: either have others of their unit. */
static char kind_of(const char *name)
{
    static const char *const others[] = {"energy_", "loss_", "share_",
                                         "power_",  "slip_", "open_"};
    char kind = strncmp(name, "force_", 6) == 0 ? 'f' : 'm';
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kind = strncmp(name, others[i], strlen(others[i])) == 0 ? '\0' : kind;
    }
    return is_compared(name) && strcmp(name, "frequency_hz") != 0 ? kind : '\0';
}

/* What a column's numbers are compared with: the largest one of those that belong together, if
 * they are more than rounding beside others of their unit. */
static double size_of(const struct table *rows, const char *name)
{
    size_t length = group_length(name);
    double largest = 0.0, least = 0.0;
    for (int c = 0; c < rows->n_columns; c++) {
        const char *column = rows->columns[c].name;
        bool is_like = kind_of(name) != '\0' && kind_of(column) == kind_of(name);
        bool is_of = strncmp(column, name, length) == 0 && is_compared(column);
        for (int r = 0; r < rows->n_rows && (is_of || is_like); r++) {
            double value = fabs(table_get(rows, r, column));
            largest = is_of && value > largest ? value : largest;
            least = is_like && ROUNDING * value > least ? ROUNDING * value : least;
        }
    }
    return fmax(largest, least);
}

static bool is_at(const struct table *rows, int row, double hz)
{
    return table_get(rows, row, "frequency_hz") == hz && strstr(rows->events[row], "at");
}

static int count_at(const struct table *rows, double hz)
{
    int count = 0;
    for (int r = 0; r < rows->n_rows; r++) {
        count += is_at(rows, r, hz);
    }
    return count;
}

/* sizes [n_columns] of the first, 0 of those that are not compared */
static double row_difference(const struct table *one, int a, const struct table *other, int b,
                             const double *sizes)
{
    double worst = 0.0;
    for (int c = 0; c < one->n_columns; c++) {
        const char *name = one->columns[c].name;
        double x = table_get(one, a, name), y = table_get(other, b, name);
        bool is_compared_here = sizes[c] > 0.0 && (isfinite(x) || isfinite(y));
        worst = is_compared_here ? fmax(worst, fabs(y - x) / sizes[c]) : worst;
        worst = is_compared_here && isnan(y - x) ? INFINITY : worst;
    }
    return worst;
}

/* Of each row of one at a frequency from the nearest one of the other, the largest: a curve may
 * pass a frequency several times, and in another order. */
static double farthest(const struct table *one, const struct table *other, double hz,
                       const double *sizes)
{
    double worst = 0.0;
    for (int a = 0; a < one->n_rows; a++) {
        double nearest = INFINITY;
        for (int b = 0; b < other->n_rows && is_at(one, a, hz); b++) {
            nearest = is_at(other, b, hz)
                          ? fmin(nearest, row_difference(one, a, other, b, sizes))
                          : nearest;
        }
        worst = is_at(one, a, hz) ? fmax(worst, nearest) : worst;
    }
    return worst;
}

static double *sizes_of(const struct table *rows)
{
    double *sizes = calloc((size_t)rows->n_columns + 1, sizeof *sizes);
    for (int c = 0; c < rows->n_columns; c++) {
        const char *name = rows->columns[c].name;
        sizes[c] = is_compared(name) ? size_of(rows, name) : 0.0;
    }
    return sizes;
}

static double largest_difference(const struct table *dense, const struct table *krylov,
                                 const double *at_hz, int n_at)
{
    double worst = 0.0, *sizes = sizes_of(dense);
    for (int i = 0; i < n_at; i++) {
        int n = count_at(dense, at_hz[i]);
        CHECK(n > 0 && count_at(krylov, at_hz[i]) == n);
        worst = fmax(worst, farthest(dense, krylov, at_hz[i], sizes));
        worst = fmax(worst, farthest(krylov, dense, at_hz[i], sizes));
    }
    free(sizes);
    return worst;
}

/* Linear peaks and what is warned about. */
static void compare_summaries(const struct masing_response_summary *dense,
                              const struct masing_response_summary *krylov)
{
    /* the larger of two maxima among the ripples of samples */
    CHECK_RELATIVE(krylov->peak.max, dense->peak.max, 3e-5);
    CHECK(krylov->has_stuck_peak == dense->has_stuck_peak);
    CHECK(krylov->has_free_peak == dense->has_free_peak);
    if (dense->has_stuck_peak) {
        CHECK_RELATIVE(krylov->stuck_peak, dense->stuck_peak, 1e-6);
    }
    if (dense->has_free_peak) {
        CHECK_RELATIVE(krylov->free_peak, dense->free_peak, 1e-6);
        CHECK_RELATIVE(krylov->free_peak_hz, dense->free_peak_hz, 1e-6);
    }
    if (!CHECK(krylov->n_warnings <= dense->n_warnings)) {
        for (int i = 0; i < krylov->n_warnings; i++) {
            printf("# krylov: %s\n", krylov->warnings[i]);
        }
    }
}

static void compare(const char *what, const char *file, const struct masing_override *given,
                    int n_given, double low_hz, double high_hz)
{
    static const double parts[N_AT] = {0.13, 0.36, 0.52, 0.71, 0.93};
    static const char *const ways[] = {"dense", "krylov"};
    struct masing_override overrides[MOST_OVERRIDES];
    double at_hz[N_AT];
    struct run runs[2];
    for (int i = 0; i < N_AT; i++) {
        at_hz[i] = low_hz + parts[i] * (high_hz - low_hz);
    }
    memcpy(overrides, given, sizeof *given * (size_t)n_given);
    for (int way = 0; way < 2; way++) {
        overrides[n_given] = (struct masing_override){"solver.linear", ways[way]};
        const struct question question = {.file = file,
                                          .overrides = overrides,
                                          .n_overrides = n_given + 1,
                                          .at_hz = at_hz,
                                          .n_at = N_AT};
        ask(&question, &runs[way]);
        CHECK(runs[way].status == MASING_OK && runs[way].summary.is_complete);
        CHECK((runs[way].summary.krylov_solves > 0) == (way == 1));
    }
    double worst = largest_difference(&runs[0].rows, &runs[1].rows, at_hz, N_AT);
    const struct masing_response_summary *krylov = &runs[1].summary;
    printf("# %s: %.1e, %.3g iterations\n", what, worst,
           (double)krylov->krylov_iterations / (double)krylov->krylov_solves);
    CHECK(worst <= TOLERANCE);
    compare_summaries(&runs[0].summary, krylov);
    run_clear(&runs[0]);
    run_clear(&runs[1]);
}

static void example(char file[4096], const char *name)
{
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(file, 4096, "%s/examples/%s", root ? root : ".", name);
}

/* All laws, structures and kinds of joints; harmonics that differ from point to point. */
static void examples_are_the_same(void)
{
    static const struct {
        const char *name, *harmonics;
        double low, high;
        bool is_in_radians;
    } all[] = {{"two_mass_damper.yaml", NULL, 18, 28, false},
               {"normal_motion.yaml", "auto", 18, 30, false},
               {"lift_off.yaml", NULL, 18, 45, false},
               {"normal_motion.yaml", NULL, 18, 30, false},
               {"contact_patch.yaml", NULL, 18, 28, false},
               {"underplatform_damper.yaml", NULL, 300, 480, false},
               {"rub.yaml", NULL, 50, 100, false},
               {"rough_block.yaml", NULL, 60, 70, false},
               {"rough_damper.yaml", NULL, 18, 28, false},
               {"valanis_oscillator.yaml", NULL, 9.5, 11.5, true},
               {"generalized_valanis_3.yaml", NULL, 8, 9.9, true},
               {"friction_oscillator.yaml", NULL, 0.15, 0.16, true},
               {"contact_circle.yaml", "5", 20, 30, false},
               {"contact_pairs.yaml", "3", 45, 60, false},
               {"lap_joint.yaml", NULL, 50, 80, false},
               {"friction_beam.yaml", NULL, 18, 30, false},
               {"leaf_springs.yaml", NULL, 100, 130, false},
               {"three_mass_chain.yaml", NULL, 10, 20, false},
               {"three_masses_iwan.yaml", NULL, 1.15, 1.25, true},
               {"damper_bracket.yaml", NULL, 18, 28, false},
               {"shaker_table.yaml", NULL, 60, 120, false},
               {"sumali.yaml", NULL, 100, 120, false},
               {"overlap.yaml", NULL, 110, 125, false}};
    int n_cases = (int)(sizeof all / sizeof *all);
    for (int i = 0; i < tap_most(n_cases, 6); i++) {
        char file[4096], range[64];
        example(file, all[i].name);
        snprintf(range, sizeof range, "[%g, %g]", all[i].low, all[i].high);
        const struct masing_override own[] = {{"frequency", range},
                                              {"harmonics", all[i].harmonics}};
        double unit = all[i].is_in_radians ? PER_RADIAN : 1.0;
        compare(all[i].name, file, own, all[i].harmonics ? 2 : 1, unit * all[i].low,
                unit * all[i].high);
    }
}

/* ---- pads ---- */

static const struct pad_form alike = {0.0, 0.0, 0.0};

static void pad_file_of(int n, struct pad_form form, char folder[SCRATCH_PATH],
                        char file[SCRATCH_PATH + 32])
{
    scratch_make(folder);
    pad_write_form(folder, n, form);
    snprintf(file, SCRATCH_PATH + 32, "%s/pad.yaml", folder);
}

static void pad_remove(const char *folder)
{
    static const char *const files[] = {"pad.yaml", "stiffness.mtx", "mass.mtx",
                                        "load.mtx", "dofs.txt",      "pairs.csv"};
    char file[SCRATCH_PATH + 32];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, files[i]);
        remove(file);
    }
    rmdir(folder);
}

/* Contacts that slip; that open, under more load; that gape at rest; that are preloaded
 * unevenly; beside static loads; with all harmonics and odd ones. */
static void pads_are_the_same(void)
{
    static const struct {
        int n;
        const char *harmonics, *load, *start;
        double from_hz, to_hz;
        struct pad_form form;
    } all[] = {{2, "[0, 1, 2, 3, 4, 5]", "1", "zero", 480, 640, {0.0, 0.0, 0.0}},
               {2, "[0, 1, 2, 3, 4, 5]", "1", "zero", 480, 640, {0.4, 2e-6, 60.0}},
               {2, "[0, 1, 2, 3, 4, 5]", "6", "zero", 480, 540, {0.4, 0.0, 60.0}},
               {3, "[1, 3, 5]", "1", "zero", 480, 640, {0.4, 0.0, 0.0}},
               {3, "[0, 1, 2, 3]", "3", "zero", 480, 640, {0.0, 0.0, 0.0}},
               {4, "[0, 1, 2, 3]", "1", "previous", 480, 640, {0.0, 0.0, 0.0}},
               {4, "[0, 1, 2, 3]", "2.5", "static", 480, 640, {0.0, 0.0, 0.0}},
               {4, "[0, 1, 2, 3]", "2", "static", 500, 540, {0.4, 2e-6, 60.0}},
               {6, "[0, 1, 2]", "1", "static", 480, 640, {0.0, 0.0, 0.0}},
               {6, "[0, 1]", "2", "zero", 500, 530, {0.4, 2e-6, 0.0}},
               {8, "[0, 1]", "1", "zero", 510, 520, {0.4, 0.0, 60.0}},
               {10, "[0, 1]", "1", "zero", 480, 490, {0.0, 0.0, 0.0}}};
    int n_cases = (int)(sizeof all / sizeof *all);
    for (int i = 0; i < tap_most(n_cases, 5); i++) {
        char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
        char what[64], range[64];
        const struct masing_override overrides[] = {{"harmonics", all[i].harmonics},
                                                    {"load_factor", all[i].load},
                                                    {"start", all[i].start},
                                                    {"frequency", range}};
        snprintf(range, sizeof range, "[%g, %g]", all[i].from_hz, all[i].to_hz);
        pad_file_of(all[i].n, all[i].form, folder, file);
        snprintf(what, sizeof what, "%d contacts, load %s", all[i].n * all[i].n, all[i].load);
        compare(what, file, overrides, 4, all[i].from_hz, all[i].to_hz);
        pad_remove(folder);
    }
}

/* ---- what cannot be had ---- */

/* Tangents as coarse as may be, or finer than rounding allows: rows are solutions all the same,
 * or none. */
static void an_iteration_that_fails_accepts_nothing_wrong(void)
{
    static const char *const tolerances[] = {"0.1", "1e-30"};
    static const double at_hz[] = {500, 537, 600};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct run right;
    pad_file_of(2, alike, folder, file);
    struct masing_override overrides[] = {{"harmonics", "[0, 1, 2, 3]"},
                                          {"solver.linear", "dense"},
                                          {"solver.krylov_tolerance", "1e-6"}};
    struct question question = {
        .file = file, .overrides = overrides, .n_overrides = 3, .at_hz = at_hz, .n_at = 3};
    ask(&question, &right);
    CHECK(right.status == MASING_OK);
    overrides[1].value = "krylov";
    double *sizes = sizes_of(&right.rows);
    for (int i = 0; i < 2; i++) {
        struct run run;
        overrides[2].value = tolerances[i];
        ask(&question, &run);
        CHECK(run.status == MASING_OK || run.status == MASING_STOPPED);
        CHECK(i > 0 || run.status == MASING_OK);
        CHECK(run.status == MASING_OK || run.error.message[0] != '\0');
        for (int a = 0; a < 3; a++) {
            CHECK(farthest(&run.rows, &right.rows, at_hz[a], sizes) <= TOLERANCE);
        }
        CHECK(run.rows.n_rows == 0 || run.summary.residual <= 1e-9);
        printf("# tolerance %s: %d rows\n", tolerances[i], run.rows.n_rows);
        run_clear(&run);
    }
    free(sizes);
    run_clear(&right);
    pad_remove(folder);
}

static void any_number_of_threads(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct run runs[2];
    pad_file_of(4, alike, folder, file);
    const struct masing_override overrides[] = {{"harmonics", "[0, 1, 2, 3]"},
                                                {"solver.linear", "krylov"}};
    for (int i = 0; i < 2; i++) {
        const struct question question = {
            .file = file, .overrides = overrides, .n_overrides = 2, .n_threads = i + 1};
        ask(&question, &runs[i]);
        CHECK(runs[i].status == MASING_OK);
    }
    size_t n = (size_t)runs[0].rows.n_rows * (size_t)runs[0].rows.n_columns;
    CHECK(runs[0].rows.n_rows > 20 && runs[0].rows.n_rows == runs[1].rows.n_rows);
    CHECK(memcmp(runs[0].rows.numbers, runs[1].rows.numbers, n * sizeof(double)) == 0);
    run_clear(&runs[0]);
    run_clear(&runs[1]);
    pad_remove(folder);
}

/* By itself from many unknowns on; branches are refused then. */
static void many_unknowns_are_solved_for_by_iteration(void)
{
    static const char *const harmonics[] = {"[0, 1]", "[0, 1, 2, 3, 4, 5]"};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    pad_file_of(6, alike, folder, file);
    for (int i = 0; i < 2; i++) {
        struct run run;
        const struct masing_override overrides[] = {{"harmonics", harmonics[i]},
                                                    {"frequency", "[480, 480.2]"},
                                                    {"solver.linear", "krylov"}};
        struct question question = {.file = file, .overrides = overrides, .n_overrides = 2};
        ask(&question, &run);
        CHECK(run.status == MASING_OK && (run.summary.krylov_solves > 0) == (i == 1));
        run_clear(&run);
        question.max_branches = 2;
        ask(&question, &run);
        CHECK(run.status == MASING_OK && run.summary.krylov_solves == 0);
        run_clear(&run);
        question.n_overrides = 3;
        ask(&question, &run);
        CHECK(run.status == MASING_UNSUPPORTED);
        CHECK(strstr(run.error.message, "solver.linear: krylov"));
        run_clear(&run);
    }
    pad_remove(folder);
}

/* Each change of state of few contacts may be landed on. */
static void contacts_are_landed_on_where_that_is_asked_for(void)
{
    static const char *const numbers[] = {"1", "4"};
    static const char *const ways[] = {"dense", "krylov"};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    int n_onsets[2][2] = {{0}};
    pad_file_of(2, alike, folder, file);
    for (int i = 0; i < 4; i++) {
        struct run run;
        const struct masing_override overrides[] = {{"harmonics", "[0, 1]"},
                                                    {"solver.linear", ways[i % 2]},
                                                    {"solver.landed_contacts", numbers[i / 2]}};
        const struct question question = {
            .file = file, .overrides = overrides, .n_overrides = 3};
        ask(&question, &run);
        CHECK(run.status == MASING_OK);
        for (int r = 0; r < run.rows.n_rows; r++) {
            n_onsets[i / 2][i % 2] += strstr(run.rows.events[r], "slip onset") != NULL;
        }
        run_clear(&run);
    }
    CHECK(n_onsets[0][0] == 0 && n_onsets[0][1] == 0);
    CHECK(n_onsets[1][0] > 0 && n_onsets[1][1] == n_onsets[1][0]);
    pad_remove(folder);
}

/* With the stuck joints of the beginning a system takes 8.5 iterations here, not 5. */
static void the_preconditioner_follows_contacts_that_slip(void)
{
    char file[4096];
    struct run run;
    const struct masing_override overrides[] = {
        {"load_factor", "4"}, {"frequency", "[40, 60]"}, {"solver.linear", "krylov"}};
    const struct question question = {.file = file, .overrides = overrides, .n_overrides = 3};
    example(file, "contact_pairs.yaml");
    ask(&question, &run);
    CHECK(run.status == MASING_OK && run.summary.krylov_solves > 0);
    double mean = (double)run.summary.krylov_iterations / (double)run.summary.krylov_solves;
    printf("# %.3g iterations\n", mean);
    CHECK(mean < 6.5);
    run_clear(&run);
}

static const struct tap_test tests[] = {
    {"examples are the same", examples_are_the_same},
    {"pads are the same", pads_are_the_same},
    {"an iteration that fails accepts nothing wrong",
     an_iteration_that_fails_accepts_nothing_wrong},
    {"any number of threads", any_number_of_threads},
    {"many unknowns are solved for by iteration", many_unknowns_are_solved_for_by_iteration},
    {"contacts are landed on where that is asked for",
     contacts_are_landed_on_where_that_is_asked_for},
    {"the preconditioner follows contacts that slip",
     the_preconditioner_follows_contacts_that_slip},
};

TAP_MAIN(tests)
