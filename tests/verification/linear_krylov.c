/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `solver.linear`: the same responses by the Jacobian as a matrix and by iteration, which takes
 * less memory; and no row that is no solution where the iteration does not converge.
 */
#include "pad_model.h"

static const double TOLERANCE = 1e-7;

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

/* What a column's numbers are compared with: the largest one of it and of those that belong to
 * the same output, axis or balance of energies. */
static double size_of(const struct table *rows, const char *name)
{
    const char *end = strrchr(name, '_');
    size_t length = end ? (size_t)(end - name) + 1 : strlen(name);
    double largest = 0.0;
    for (int c = 0; c < rows->n_columns; c++) {
        const char *column = rows->columns[c].name;
        bool is_of = strncmp(column, name, length) == 0 && is_compared(column);
        for (int r = 0; r < rows->n_rows && is_of; r++) {
            double value = fabs(table_get(rows, r, column));
            largest = value > largest ? value : largest;
        }
    }
    return largest;
}

/* The row at a frequency that was asked for, and how often the curve passes there. */
static int find_at(const struct table *rows, double hz, int *count)
{
    int found = -1;
    *count = 0;
    for (int r = 0; r < rows->n_rows; r++) {
        if (table_get(rows, r, "frequency_hz") == hz && strstr(rows->events[r], "at")) {
            found = found < 0 ? r : found;
            ++*count;
        }
    }
    return found;
}

static double largest_difference(const struct run *dense, const struct run *krylov, double hz)
{
    int n[2], a = find_at(&dense->rows, hz, &n[0]), b = find_at(&krylov->rows, hz, &n[1]);
    double worst = 0.0;
    if (!CHECK(a >= 0 && b >= 0 && n[0] == n[1])) {
        return INFINITY;
    }
    for (int c = 0; c < dense->rows.n_columns; c++) {
        const char *name = dense->rows.columns[c].name;
        double x = is_compared(name) ? table_get(&dense->rows, a, name) : NAN;
        double size = isfinite(x) ? size_of(&dense->rows, name) : 0.0;
        if (size > 0.0) {
            worst = fmax(worst, fabs(table_get(&krylov->rows, b, name) - x) / size);
        }
    }
    return worst;
}

static void compare(const char *what, const char *file, const struct masing_override *given,
                    int n_given, double low, double high)
{
    static const double parts[N_AT] = {0.13, 0.36, 0.52, 0.71, 0.93};
    static const char *const ways[] = {"dense", "krylov"};
    struct masing_override overrides[MOST_OVERRIDES];
    double at_hz[N_AT];
    struct run runs[2];
    for (int i = 0; i < N_AT; i++) {
        at_hz[i] = low + parts[i] * (high - low);
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
    double worst = 0.0;
    for (int i = 0; i < N_AT; i++) {
        worst = fmax(worst, largest_difference(&runs[0], &runs[1], at_hz[i]));
    }
    const struct masing_response_summary *krylov = &runs[1].summary;
    printf("# %s: %.1e, %.3g iterations\n", what, worst,
           (double)krylov->krylov_iterations / (double)krylov->krylov_solves);
    CHECK(worst <= TOLERANCE);
    CHECK_RELATIVE(krylov->peak.max, runs[0].summary.peak.max, 1e-6);
    if (isfinite(runs[0].summary.stuck_peak)) {
        CHECK_RELATIVE(krylov->stuck_peak, runs[0].summary.stuck_peak, 1e-6);
    }
    run_clear(&runs[0]);
    run_clear(&runs[1]);
}

static void example(char file[4096], const char *name)
{
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(file, 4096, "%s/examples/%s", root ? root : ".", name);
}

static void examples_are_the_same(void)
{
    static const struct {
        const char *name;
        double low, high;
    } all[] = {{"two_mass_damper.yaml", 18, 28},        {"lift_off.yaml", 18, 45},
               {"normal_motion.yaml", 18, 30},          {"contact_patch.yaml", 18, 28},
               {"underplatform_damper.yaml", 300, 480}, {"rub.yaml", 50, 100}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char file[4096], range[64];
        example(file, all[i].name);
        snprintf(range, sizeof range, "[%g, %g]", all[i].low, all[i].high);
        const struct masing_override own = {"frequency", range};
        compare(all[i].name, file, &own, 1, all[i].low, all[i].high);
    }
}

/* ---- pads ---- */

static void pad_file_of(int n, char folder[SCRATCH_PATH], char file[SCRATCH_PATH + 32])
{
    scratch_make(folder);
    pad_write(folder, n);
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

/* Contacts that slip; that open, under more load; that gape at rest, beside static loads. */
static void pads_are_the_same(void)
{
    static const struct {
        int n;
        const char *harmonics, *load, *start;
        double to_hz;
    } all[] = {
        {2, "[0, 1, 2, 3, 4, 5]", "1", "zero", 640}, {3, "[0, 1, 2, 3]", "3", "zero", 640},
        {4, "[0, 1, 2, 3]", "1", "previous", 640},   {4, "[0, 1, 2, 3]", "2.5", "static", 640},
        {6, "[0, 1, 2]", "1", "static", 640},        {10, "[0, 1]", "1", "zero", 490}};
    int n_cases = (int)(sizeof all / sizeof *all);
    for (int i = 0; i < tap_most(n_cases, 4); i++) {
        char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
        char what[64], range[64];
        const struct masing_override overrides[] = {{"harmonics", all[i].harmonics},
                                                    {"load_factor", all[i].load},
                                                    {"start", all[i].start},
                                                    {"frequency", range}};
        snprintf(range, sizeof range, "[480, %g]", all[i].to_hz);
        pad_file_of(all[i].n, folder, file);
        snprintf(what, sizeof what, "%d contacts", all[i].n * all[i].n);
        compare(what, file, overrides, 4, 480, all[i].to_hz);
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
    pad_file_of(3, folder, file);
    struct masing_override overrides[] = {{"harmonics", "[0, 1, 2, 3]"},
                                          {"solver.linear", "dense"},
                                          {"solver.krylov_tolerance", "1e-6"}};
    struct question question = {
        .file = file, .overrides = overrides, .n_overrides = 3, .at_hz = at_hz, .n_at = 3};
    ask(&question, &right);
    CHECK(right.status == MASING_OK);
    overrides[1].value = "krylov";
    for (int i = 0; i < 2; i++) {
        struct run run;
        overrides[2].value = tolerances[i];
        ask(&question, &run);
        CHECK(run.status == MASING_OK || run.status == MASING_STOPPED);
        CHECK(i > 0 || run.status == MASING_OK);
        CHECK(run.status == MASING_OK || run.error.message[0] != '\0');
        for (int a = 0; a < 3; a++) {
            int n;
            if (find_at(&run.rows, at_hz[a], &n) >= 0) {
                CHECK(largest_difference(&right, &run, at_hz[a]) <= TOLERANCE);
            }
        }
        CHECK(run.rows.n_rows == 0 || run.summary.residual <= 1e-9);
        printf("# tolerance %s: %d rows\n", tolerances[i], run.rows.n_rows);
        run_clear(&run);
    }
    run_clear(&right);
    pad_remove(folder);
}

static void any_number_of_threads(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct run runs[2];
    pad_file_of(6, folder, file);
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
    pad_file_of(6, folder, file);
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
    pad_file_of(2, folder, file);
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

static const struct tap_test tests[] = {
    {"examples are the same", examples_are_the_same},
    {"pads are the same", pads_are_the_same},
    {"an iteration that fails accepts nothing wrong",
     an_iteration_that_fails_accepts_nothing_wrong},
    {"any number of threads", any_number_of_threads},
    {"many unknowns are solved for by iteration", many_unknowns_are_solved_for_by_iteration},
    {"contacts are landed on where that is asked for",
     contacts_are_landed_on_where_that_is_asked_for},
};

TAP_MAIN(tests)
