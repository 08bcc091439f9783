/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An analysis that is cancelled at any question about it says so, or is the whole one: what an
 * evaluation that was cut short leaves out is no result. */
#include "masing/along.h"
#include "masing/mode.h"
#include "masing/peak.h"
#include "masing/sample.h"
#include "response.h"

static const char text[] = "masing: 1\n"
                           "structure:\n"
                           "  masses: {m1: 1.0, m2: 1.0}\n"
                           "  springs:\n"
                           "    - {from: ground, to: m1, stiffness: 41339}\n"
                           "    - {from: m1, to: m2, stiffness: 41328}\n"
                           "  damping: {modal_ratio: 0.02}\n"
                           "joints:\n"
                           "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                           "     stiffness: 40000, friction: 0.5, preload: 30}\n"
                           "loads: [{dof: m2, amplitude: 10}]\n"
                           "frequency: [18, 28]\n"
                           "harmonics: 3\n"
                           "mode: {number: 1, amplitude: [1e-5, 1e-2]}\n"
                           "uncertain: {damper.preload: {uniform: [10, 40]}}\n"
                           "outputs: [m2, m1]\n";

/* ---- how often it is asked, and from when on the answer is yes ---- */

struct patience {
    long asked, until; /* until: 0: for ever */
};

static bool is_cancelled(void *context)
{
    struct patience *patience = context;
    return ++patience->asked >= patience->until && patience->until > 0;
}

/* ---- what is found ---- */

struct outcome {
    enum masing_status status;
    bool is_complete;
    struct table rows;
    int n_warnings;
    char *warnings; /* one behind the other */
};

static void take_warnings(struct outcome *outcome, int n, char *const *warnings)
{
    for (int i = 0; i < n; i++) {
        char *before = outcome->warnings;
        outcome->warnings = text_of("%.4000s|%.4000s", before ? before : "", warnings[i]);
        free(before);
    }
    outcome->n_warnings += n;
}

static void clear(struct outcome *outcome)
{
    table_clear(&outcome->rows);
    free(outcome->warnings);
}

static bool are_equal(const struct outcome *a, const struct outcome *b)
{
    const struct table *s = &a->rows, *t = &b->rows;
    size_t size = sizeof(double) * (size_t)s->n_rows * (size_t)s->n_columns;
    bool are = a->status == b->status && a->is_complete == b->is_complete &&
               a->n_warnings == b->n_warnings && s->n_rows == t->n_rows &&
               s->n_columns == t->n_columns && memcmp(s->numbers, t->numbers, size) == 0 &&
               strcmp(a->warnings ? a->warnings : "", b->warnings ? b->warnings : "") == 0;
    for (int r = 0; are && r < s->n_rows; r++) {
        are = strcmp(s->events[r], t->events[r]) == 0;
    }
    return are;
}

/* ---- the analyses ---- */

struct question {
    const struct masing_document *document;
    const struct masing_model *model;
    const struct masing_progress *progress;
};

static struct masing_error error;

static void take_response(struct outcome *outcome, struct masing_response_summary *summary)
{
    outcome->is_complete = summary->is_complete;
    take_warnings(outcome, summary->n_warnings, summary->warnings);
    masing_response_summary_clear(summary);
}

static void run_frf(const struct question *question, struct outcome *outcome)
{
    const double at[] = {20.0, 22.0};
    const struct masing_response_options options = {.n_at = 2,
                                                    .at_hz = at,
                                                    .columns = MASING_COLUMNS_ENERGY,
                                                    .check_tolerance = 1e-2,
                                                    .n_threads = 1,
                                                    .stability = MASING_STABILITY_FLOQUET,
                                                    .max_branches = 2,
                                                    .progress = question->progress};
    const struct masing_sink sink = table_sink(&outcome->rows);
    struct masing_response_summary summary = {0};
    outcome->status = masing_frf(question->model, &options, &sink, NULL, &summary, &error);
    take_response(outcome, &summary);
}

static void run_study(const struct question *question, struct outcome *outcome)
{
    enum { N = 2 };
    static const double values[N] = {20.0, 40.0};
    const struct masing_response_options options = {
        .n_threads = 1, .stability = MASING_STABILITY_NONE, .progress = question->progress};
    const struct masing_study_request request = {.document = question->document,
                                                 .parameter = "damper.preload",
                                                 .n_values = N,
                                                 .values = values};
    const struct masing_sink sink = table_sink(&outcome->rows);
    struct masing_response_summary summaries[N] = {{0}};
    outcome->status = masing_study(&request, &options, &sink, NULL, NULL, summaries, &error);
    bool is_complete = true;
    for (int i = 0; i < N; i++) {
        take_response(outcome, &summaries[i]);
        is_complete = is_complete && outcome->is_complete;
    }
    outcome->is_complete = is_complete;
}

static void run_peak(const struct question *question, struct outcome *outcome)
{
    static const double others[] = {0.01, 0.02};
    const struct masing_response_options options = {.n_threads = 1,
                                                    .progress = question->progress};
    const struct masing_peak_request request = {.document = question->document,
                                                .parameter = "damper.preload",
                                                .from = 5.0,
                                                .to = 60.0,
                                                .other = "structure.damping.modal_ratio",
                                                .n_others = 2,
                                                .others = others,
                                                .is_minimized = true};
    const struct masing_sink sink = table_sink(&outcome->rows);
    struct masing_peak_summary summary = {0};
    outcome->status = masing_peak_follow(&request, &options, &sink, &summary, &error);
    outcome->is_complete = summary.is_complete;
    take_warnings(outcome, summary.n_warnings, summary.warnings);
    masing_peak_summary_clear(&summary);
}

static void run_along(const struct question *question, struct outcome *outcome)
{
    const struct masing_response_options options = {.n_threads = 1,
                                                    .progress = question->progress};
    const struct masing_along_request request = {.document = question->document,
                                                 .parameter = "load_factor",
                                                 .from = 0.1,
                                                 .to = 3.0,
                                                 .frequency_hz = 21.0};
    const struct masing_sink sink = table_sink(&outcome->rows);
    struct masing_along_summary summary = {0};
    outcome->status = masing_along(&request, &options, &sink, &summary, &error);
    outcome->is_complete = summary.is_complete;
}

static void run_mode(const struct question *question, struct outcome *outcome)
{
    const struct masing_mode_options options = {.progress = question->progress};
    const struct masing_sink sink = table_sink(&outcome->rows);
    struct masing_mode_summary summary = {0};
    outcome->status = masing_mode(question->model, &options, &sink, &summary, &error);
    outcome->is_complete = summary.is_complete;
    take_warnings(outcome, summary.n_warnings, summary.warnings);
    masing_mode_summary_clear(&summary);
}

static void run_mode_response(const struct question *question, struct outcome *outcome)
{
    const struct masing_mode_response_options options = {.n_threads = 1,
                                                         .progress = question->progress};
    const struct masing_sink sink = table_sink(&outcome->rows);
    struct masing_mode_response_summary summary = {0};
    outcome->status = masing_mode_response(question->model, &options, &sink, &summary, &error);
    outcome->is_complete = outcome->status == MASING_OK;
    take_warnings(outcome, summary.n_warnings, summary.warnings);
    masing_mode_response_summary_clear(&summary);
}

static void run_sample(const struct question *question, struct outcome *outcome)
{
    const struct masing_response_options options = {
        .n_threads = 1, .stability = MASING_STABILITY_NONE, .progress = question->progress};
    const struct masing_sample_request request = {
        .document = question->document, .n_samples = 4, .seed = 1};
    const struct masing_sink sink = table_sink(&outcome->rows);
    struct masing_sample_summary summary = {0};
    outcome->status = masing_sample(&request, &options, &sink, NULL, NULL, &summary, &error);
    outcome->is_complete = outcome->status == MASING_OK;
    masing_sample_summary_clear(&summary);
}

/* ---- cancelled ---- */

typedef void analysis(const struct question *question, struct outcome *outcome);

/* The earliest questions, the last ones, and some in between. */
static void try_all(const char *name, analysis *run, struct question question)
{
    enum { MOST = 40 };
    struct patience patience = {0};
    const struct masing_progress progress = {.context = &patience,
                                             .is_cancelled = is_cancelled};
    struct outcome whole = {0};
    int n_failed = 0, n_tried = 0;
    question.progress = &progress;
    run(&question, &whole);
    long n = patience.asked, before = 0;
    printf("# %s: asked %ld times\n", name, n);
    CHECK(whole.status == MASING_OK && whole.is_complete && whole.rows.n_rows > 0);
    for (int k = 0; k < 2 * MOST; k++) {
        /* evenly, then nearer and nearer to the end */
        long back =
            k < MOST ? n - (long)k * n / MOST : (long)((double)n * pow(0.8, k - MOST + 1));
        long until = n - back + 1;
        struct outcome part = {0};
        if (k >= MOST && until <= before) {
            continue;
        }
        before = until;
        patience = (struct patience){.until = until};
        error = (struct masing_error){0};
        run(&question, &part);
        n_tried++;
        bool is_told = part.status == MASING_STOPPED && !part.is_complete &&
                       strstr(error.message, "interrupted");
        if (!is_told && !are_equal(&part, &whole)) {
            printf("# %s, cancelled at question %ld of %ld: status %d, complete: %d, "
                   "reason '%s', %d rows of %d, warnings: %s\n",
                   name, until, n, (int)part.status, part.is_complete, error.message,
                   part.rows.n_rows, whole.rows.n_rows, part.warnings ? part.warnings : "");
            n_failed++;
        }
        clear(&part);
    }
    clear(&whole);
    printf("# %s: %d of %d are neither whole nor said to be interrupted\n", name, n_failed,
           n_tried);
    CHECK(n_failed == 0);
}

static void ask(const char *name, analysis *run)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK &&
          masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    try_all(name, run, (struct question){.document = document, .model = model});
    masing_model_destroy(model);
    masing_document_destroy(document);
}

static void a_response(void)
{
    ask("frf", run_frf);
}

static void a_study(void)
{
    ask("study", run_study);
}

static void the_lowest_peak_of_a_map(void)
{
    ask("peak", run_peak);
}

static void a_curve_along_a_number(void)
{
    ask("along", run_along);
}

static void a_mode(void)
{
    ask("mode", run_mode);
}

static void a_response_estimated_from_a_mode(void)
{
    ask("mode's response", run_mode_response);
}

static void a_sample(void)
{
    ask("sample", run_sample);
}

static const struct tap_test tests[] = {
    {"a response", a_response},
    {"a study", a_study},
    {"the lowest peak of a map", the_lowest_peak_of_a_map},
    {"a curve along a number", a_curve_along_a_number},
    {"a nonlinear mode", a_mode},
    {"a response estimated from a mode", a_response_estimated_from_a_mode},
    {"a sample", a_sample},
};

TAP_MAIN(tests)
