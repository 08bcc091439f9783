/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long curves that are cancelled somewhere and resumed from where their log has them are those
 * of undisturbed runs: rows, warnings, numbers of the summary, lines of the log. */
#include <unistd.h>

#include "masing/journal.h"
#include "masing/mode.h"
#include "masing/peak.h"
#include "response.h"
#include "scratch.h"

/* Joints of one axis, and so many harmonics that there are 256 unknowns and more. */
static const char damper[] = "masing: 1\n"
                             "structure:\n"
                             "  masses: {m1: 1.0, m2: 1.0}\n"
                             "  springs:\n"
                             "    - {from: ground, to: m1, stiffness: 41339}\n"
                             "    - {from: m1, to: m2, stiffness: 41328}\n"
                             "  damping: {modal_ratio: 0.02}\n"
                             "joints:\n"
                             "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                             "     stiffness: 40000, friction: 0.5, preload: 60}\n"
                             "loads: [{dof: m2, amplitude: 10}]\n"
                             "frequency: [18, 28]\n"
                             "outputs: [m2, m1]\n"
                             "solver: {step: {max: 0.012, initial: 0.01}}\n";
/* It loses its symmetry, which two others have that branch off (symmetry_breaking.yaml). */
static const char duffing[] = "masing: 1\n"
                              "structure:\n"
                              "  masses: {x: 0.2}\n"
                              "  springs: [{from: ground, to: x, stiffness: 3158.27}]\n"
                              "  damping: {modal_ratio: 0.01}\n"
                              "joints: [{name: stiffening, law: cubic_spring, from: ground,\n"
                              "          to: x, coefficient: 8.0e+7}]\n"
                              "loads: [{dof: x, amplitude: 40}]\n"
                              "frequency: [14, 21]\n"
                              "outputs: [x]\n"
                              "solver: {step: {max: 0.01, initial: 0.01}}\n";

struct question {
    const char *text, *more; /* of the model */
    struct masing_response_options options;
};

/* ---- what is told on the way ---- */

struct told {
    int points, first;      /* as reported last, and at first */
    int until;              /* cancelled from so many points on; 0: never */
    unsigned long long sum; /* of the lines of the log */
};

static void report(void *context, double fraction, int points)
{
    struct told *told = context;
    (void)fraction;
    told->points = points;
    told->first = told->first > 0 ? told->first : points;
}

static void log_line(void *context, const char *line)
{
    struct told *told = context;
    for (const char *c = line; *c; c++) {
        told->sum = 31 * told->sum + (unsigned char)*c;
    }
}

static bool is_cancelled(void *context)
{
    const struct told *told = context;
    return told->until > 0 && told->points >= told->until;
}

/* ---- runs ---- */

/* With a log where a file is given. */
static void run(const struct question *question, const char *file, bool is_resumed,
                struct told *told, struct run *run)
{
    const struct masing_journal_request request = {.file = file,
                                                   .header = "a: test\n",
                                                   .is_resumed = is_resumed,
                                                   .checkpoint_seconds = 1e-9};
    const struct masing_progress progress = {told, report, log_line, is_cancelled};
    struct masing_response_options options = question->options;
    struct masing_model *model = model_of_text(text_of("%s%s", question->text, question->more));
    struct masing_sink sink = table_sink(&run->rows);
    run->summary = (struct masing_response_summary){0};
    run->error = (struct masing_error){0};
    options.progress = &progress;
    options.n_threads = 1;
    CHECK(!file || masing_journal_open(&request, &options.journal, &run->error) == MASING_OK);
    run->status = masing_frf(model, &options, &sink, NULL, &run->summary, &run->error);
    masing_journal_close(options.journal);
    masing_model_destroy(model);
}

static bool have_same_rows(const struct table *a, const struct table *b)
{
    size_t size = sizeof(double) * (size_t)a->n_rows * (size_t)a->n_columns;
    bool have = a->n_rows == b->n_rows && memcmp(a->numbers, b->numbers, size) == 0;
    for (int r = 0; have && r < a->n_rows; r++) {
        have = strcmp(a->events[r], b->events[r]) == 0;
    }
    return have;
}

static bool are_equal(const struct run *a, const struct run *b)
{
    const struct masing_response_summary *x = &a->summary, *y = &b->summary;
    bool are = a->status == b->status && have_same_rows(&a->rows, &b->rows) &&
               x->n_warnings == y->n_warnings && x->residuals == y->residuals &&
               x->event_residuals == y->event_residuals &&
               memcmp(&x->stability, &y->stability, sizeof x->stability) == 0 &&
               memcmp(&x->branch_points, &y->branch_points, sizeof x->branch_points) == 0 &&
               memcmp(&x->peak, &y->peak, sizeof x->peak) == 0 &&
               x->n_branches == y->n_branches && x->harmonics_low == y->harmonics_low &&
               x->harmonics_high == y->harmonics_high &&
               x->check.worst_error == y->check.worst_error;
    for (int w = 0; are && w < x->n_warnings; w++) {
        are = strcmp(x->warnings[w], y->warnings[w]) == 0;
    }
    return are;
}

/* Behind the first place to go on from, and behind the last one. */
static void ask(const struct question *question)
{
    enum { PAUSE_EVERY = 50 };
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 8], place[SCRATCH_PATH + 16];
    struct told told = {0};
    struct run whole, part;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/log", folder);
    snprintf(place, sizeof place, "%s-0", file);
    run(question, NULL, false, &told, &whole);
    int n = told.points;
    CHECK(whole.status == MASING_OK);
    CHECK(n > 2 * PAUSE_EVERY);
    for (int k = 0; k < 2; k++) {
        int until = k == 0 ? PAUSE_EVERY + 20 : n - 5;
        struct told first = {.until = until}, second = {0};
        run(question, file, false, &first, &part);
        CHECK(part.status == MASING_STOPPED && part.rows.n_rows < whole.rows.n_rows);
        run_clear(&part);
        CHECK(access(place, R_OK) == 0);
        run(question, file, true, &second, &part);
        if (!CHECK(are_equal(&part, &whole) && second.sum == told.sum)) {
            printf("# cancelled behind %d of %d points: %d rows of %d\n", until, n,
                   part.rows.n_rows, whole.rows.n_rows);
        }
        CHECK(access(place, R_OK) != 0);
        run_clear(&part);
    }
    unlink(file);
    run_clear(&whole);
    rmdir(folder);
}

static void verdicts_of_stability(void)
{
    ask(&(struct question){
        duffing,
        "harmonics: 127\n",
        {.stability = MASING_STABILITY_FLOQUET, .columns = MASING_COLUMNS_STABILITY}});
}

static void branches(void)
{
    ask(&(struct question){
        duffing, "harmonics: 127\n", {.stability = MASING_STABILITY_NONE, .max_branches = 4}});
}

static void sliders_that_are_carried_along(void)
{
    ask(&(struct question){damper,
                           "harmonics: 127\nstart: previous\n",
                           {.stability = MASING_STABILITY_NONE,
                            .columns = MASING_COLUMNS_ENERGY | MASING_COLUMNS_SLOPES}});
}

static void harmonics_of_each_point(void)
{
    ask(&(struct question){damper,
                           "harmonics: {tolerance: 1e-5, max: 127}\n",
                           {.stability = MASING_STABILITY_NONE}});
}

static void a_check_of_the_harmonics(void)
{
    ask(&(struct question){damper,
                           "harmonics: 127\n",
                           {.stability = MASING_STABILITY_NONE, .check_tolerance = 1e-3}});
}

/* ---- nonlinear modes ---- */

struct mode_run {
    struct table rows;
    struct masing_mode_summary summary;
    enum masing_status status;
};

static void run_mode(const char *more, const char *file, bool is_resumed, struct told *told,
                     struct mode_run *run)
{
    struct masing_error error = {0};
    const struct masing_journal_request request = {.file = file,
                                                   .header = "a: test\n",
                                                   .is_resumed = is_resumed,
                                                   .checkpoint_seconds = 1e-9};
    const struct masing_progress progress = {told, report, log_line, is_cancelled};
    struct masing_mode_options options = {.columns = MASING_COLUMNS_ENERGY,
                                          .progress = &progress};
    struct masing_model *model = model_of_text(
        text_of("%smode: {number: 1, amplitude: [1e-4, 1e-1]}\n%s", damper, more));
    struct masing_sink sink = table_sink(&run->rows);
    run->summary = (struct masing_mode_summary){0};
    CHECK(!file || masing_journal_open(&request, &options.journal, &error) == MASING_OK);
    run->status = masing_mode(model, &options, &sink, &run->summary, &error);
    masing_journal_close(options.journal);
    masing_model_destroy(model);
}

static bool are_equal_modes(const struct mode_run *a, const struct mode_run *b)
{
    const struct masing_mode_summary *x = &a->summary, *y = &b->summary;
    bool are = a->status == b->status && have_same_rows(&a->rows, &b->rows) &&
               x->n_warnings == y->n_warnings &&
               memcmp(&x->most_damped, &y->most_damped, sizeof x->most_damped) == 0 &&
               memcmp(&x->first, &y->first, sizeof x->first) == 0 &&
               memcmp(&x->first_event, &y->first_event, sizeof x->first_event) == 0 &&
               x->energy_mismatch == y->energy_mismatch && x->points == y->points &&
               x->last_harmonic == y->last_harmonic;
    for (int w = 0; are && w < x->n_warnings; w++) {
        are = strcmp(x->warnings[w], y->warnings[w]) == 0;
    }
    return are;
}

static void clear_mode(struct mode_run *run)
{
    table_clear(&run->rows);
    masing_mode_summary_clear(&run->summary);
}

static void ask_mode(const char *more)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 8], place[SCRATCH_PATH + 16];
    struct told told = {0}, first = {0}, second = {0};
    struct mode_run whole, part;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/log", folder);
    snprintf(place, sizeof place, "%s-0", file);
    run_mode(more, NULL, false, &told, &whole);
    CHECK(whole.status == MASING_OK && told.points > 100);
    first.until = told.points - 5;
    run_mode(more, file, false, &first, &part);
    CHECK(part.status == MASING_STOPPED && part.rows.n_rows < whole.rows.n_rows);
    CHECK(access(place, R_OK) == 0);
    clear_mode(&part);
    run_mode(more, file, true, &second, &part);
    CHECK(are_equal_modes(&part, &whole) && second.sum == told.sum);
    CHECK(access(place, R_OK) != 0);
    clear_mode(&part);
    clear_mode(&whole);
    unlink(file);
    rmdir(folder);
}

static void a_mode(void)
{
    ask_mode("harmonics: 127\n");
}

static void a_mode_with_carried_sliders(void)
{
    ask_mode("harmonics: 127\nstart: previous\n");
}

/* ---- a line of peaks ---- */

struct peak_run {
    struct table rows;
    struct masing_peak_summary summary;
    enum masing_status status;
};

static void run_peak(const char *parameter, double from, double to, const char *file,
                     bool is_resumed, struct told *told, struct peak_run *run)
{
    struct masing_error error = {0};
    const struct masing_journal_request request = {.file = file,
                                                   .header = "a: test\n",
                                                   .is_resumed = is_resumed,
                                                   .checkpoint_seconds = 1e-9};
    const struct masing_progress progress = {told, report, log_line, is_cancelled};
    struct masing_response_options options = {.n_threads = 1, .progress = &progress};
    struct masing_document *document = NULL;
    char *text = text_of("%sharmonics: 127\n", damper);
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    const struct masing_peak_request question = {.document = document,
                                                 .parameter = parameter,
                                                 .from = from,
                                                 .to = to,
                                                 .n_guards = 1,
                                                 .is_minimized = true};
    struct masing_sink sink = table_sink(&run->rows);
    run->summary = (struct masing_peak_summary){0};
    CHECK(!file || masing_journal_open(&request, &options.journal, &error) == MASING_OK);
    run->status = masing_peak_follow(&question, &options, &sink, &run->summary, &error);
    masing_journal_close(options.journal);
    masing_document_destroy(document);
    free(text);
}

static bool are_equal_peaks(const struct peak_run *a, const struct peak_run *b)
{
    const struct masing_peak_summary *x = &a->summary, *y = &b->summary;
    bool are = a->status == b->status && have_same_rows(&a->rows, &b->rows) &&
               x->n_warnings == y->n_warnings && x->n_sweeps == y->n_sweeps &&
               x->n_crossings == y->n_crossings && x->energy_mismatch == y->energy_mismatch &&
               x->residual == y->residual && x->optimum.value == y->optimum.value &&
               x->optimum.peak == y->optimum.peak;
    for (int w = 0; are && w < x->n_warnings; w++) {
        are = strcmp(x->warnings[w], y->warnings[w]) == 0;
    }
    return are;
}

static void clear_peak(struct peak_run *run)
{
    table_clear(&run->rows);
    masing_peak_summary_clear(&run->summary);
}

static void ask_peak(const char *parameter, double from, double to)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 8], place[SCRATCH_PATH + 16];
    struct told told = {0};
    struct peak_run whole, part;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/log", folder);
    snprintf(place, sizeof place, "%s-0", file);
    run_peak(parameter, from, to, NULL, false, &told, &whole);
    CHECK(whole.status == MASING_OK && told.points > 30);
    struct told first = {.until = told.points - 7}, second = {0};
    run_peak(parameter, from, to, file, false, &first, &part);
    CHECK(part.status == MASING_STOPPED && part.rows.n_rows < whole.rows.n_rows);
    CHECK(access(place, R_OK) == 0);
    clear_peak(&part);
    run_peak(parameter, from, to, file, true, &second, &part);
    CHECK(are_equal_peaks(&part, &whole) && second.sum == told.sum);
    CHECK(second.first >= first.until - 6);
    CHECK(access(place, R_OK) != 0);
    clear_peak(&part);
    clear_peak(&whole);
    unlink(file);
    rmdir(folder);
}

static void peaks_of_a_joint_that_changes(void)
{
    ask_peak("damper.preload", 20.0, 60.0);
}

static void peaks_of_a_structure_that_changes(void)
{
    ask_peak("structure.damping.modal_ratio", 0.02, 0.04);
}

/* ---- the same curve without places to go on from, by fewer unknowns ---- */

static void compare(const char *text, const char *more, const char *column, double tolerance)
{
    const double at[] = {27.9};
    const struct masing_response_options options = {
        .n_at = 1, .at_hz = at, .stability = MASING_STABILITY_NONE};
    struct run runs[2];
    double values[2] = {NAN, NAN};
    for (int k = 0; k < 2; k++) {
        char *specific = text_of(more, k == 0 ? 121 : 127);
        struct told told = {0};
        run(&(struct question){text, specific, options}, NULL, false, &told, &runs[k]);
        free(specific);
        int row = table_find(&runs[k].rows, "at", at[0]);
        if (CHECK(runs[k].status == MASING_OK && row > 100)) {
            values[k] = table_get(&runs[k].rows, row, column);
        }
    }
    CHECK_RELATIVE(values[1], values[0], tolerance);
    CHECK(runs[0].summary.harmonics_high == runs[1].summary.harmonics_high);
    CHECK(runs[0].summary.harmonics_low == runs[1].summary.harmonics_low);
    run_clear(&runs[0]);
    run_clear(&runs[1]);
}

static void a_slider_stays_where_it_was_carried(void)
{
    compare(damper, "harmonics: %d\nstart: previous\nstatic_loads: [{dof: m2, force: 20}]\n",
            "m1_mean", 1e-3);
}

static void harmonics_are_counted_from_the_first_point_on(void)
{
    compare(damper, "harmonics: {tolerance: 1e-4, max: %d}\n", "m2_max", 1e-3);
}

static const struct tap_test tests[] = {
    {"verdicts of stability", verdicts_of_stability},
    {"branches", branches},
    {"sliders that are carried along", sliders_that_are_carried_along},
    {"harmonics of each point", harmonics_of_each_point},
    {"a check of the harmonics", a_check_of_the_harmonics},
    {"a mode", a_mode},
    {"a mode with carried sliders", a_mode_with_carried_sliders},
    {"peaks of a joint that changes", peaks_of_a_joint_that_changes},
    {"peaks of a structure that changes", peaks_of_a_structure_that_changes},
    {"a slider stays where it was carried", a_slider_stays_where_it_was_carried},
    {"harmonics are counted from the first point on",
     harmonics_are_counted_from_the_first_point_on},
};

TAP_MAIN(tests)
