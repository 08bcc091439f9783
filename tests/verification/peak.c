/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A peak that is followed is the peak of each whole response, and the lowest is the lowest of
 * an independent search.
 */
#include "masing/peak.h"
#include "example.h"

enum { MOST = 16 };

struct curve {
    struct table rows;
    struct masing_peak_summary summary;
    struct masing_error error;
    enum masing_status status;
};

struct question {
    const char *example, *parameter;
    double from, to;
    const struct masing_override *overrides;
    int n_overrides, n_values;
    const double *values;
    bool is_minimized;
    const enum masing_measure *measure;
};

static struct masing_document *open_example(const char *name)
{
    char file[4096];
    const char *root = getenv("MASING_SOURCE_ROOT");
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    snprintf(file, sizeof file, "%s/examples/%s", root ? root : ".", name);
    CHECK(masing_document_read(file, &document, &error) == MASING_OK);
    return document;
}

static void follow(const struct question *question, struct curve *curve)
{
    struct masing_document *document = open_example(question->example);
    const struct masing_peak_request request = {.document = document,
                                                .overrides = question->overrides,
                                                .n_overrides = question->n_overrides,
                                                .parameter = question->parameter,
                                                .from = question->from,
                                                .to = question->to,
                                                .n_values = question->n_values,
                                                .values = question->values,
                                                .is_minimized = question->is_minimized,
                                                .measure = question->measure};
    const struct masing_response_options options = {0};
    struct masing_sink sink = table_sink(&curve->rows);
    memset(&curve->error, 0, sizeof curve->error);
    curve->status =
        masing_peak_follow(&request, &options, &sink, &curve->summary, &curve->error);
    if (curve->status != MASING_OK) {
        printf("# %s\n", curve->error.message);
    }
    masing_document_destroy(document);
}

static void clear(struct curve *curve)
{
    table_clear(&curve->rows);
    masing_peak_summary_clear(&curve->summary);
}

/* Peaks of whole responses. */
static void sweep(const struct question *question, int n, const double *values,
                  struct table *peaks)
{
    struct masing_document *document = open_example(question->example);
    const struct masing_study_request request = {.document = document,
                                                 .overrides = question->overrides,
                                                 .n_overrides = question->n_overrides,
                                                 .parameter = question->parameter,
                                                 .n_values = n,
                                                 .values = values};
    const struct masing_response_options options = {.n_threads = 1};
    struct masing_response_summary summaries[MOST];
    struct masing_error error = {0};
    struct masing_sink sink = table_sink(peaks);
    CHECK(masing_study(&request, &options, NULL, &sink, NULL, summaries, &error) == MASING_OK);
    for (int i = 0; i < n; i++) {
        masing_response_summary_clear(&summaries[i]);
    }
    masing_document_destroy(document);
}

/* At values of the question's range, in its direction: the same as a study. */
static void check_values(struct question question, int n, const char *column, double tolerance)
{
    double values[MOST];
    struct curve curve;
    struct table peaks;
    for (int i = 0; i < n; i++) {
        double part = (double)i / (n - 1);
        bool is_log = question.from > 0.0 && question.to > 0.0;
        values[i] = is_log ? question.from * pow(question.to / question.from, part)
                           : question.from + part * (question.to - question.from);
    }
    values[n - 1] = question.to;
    question.n_values = n;
    question.values = values;
    follow(&question, &curve);
    CHECK(curve.status == MASING_OK && curve.summary.is_complete);
    sweep(&question, n, values, &peaks);
    for (int r = 0, i = 0; r < curve.rows.n_rows; r++) {
        double at = table_get(&curve.rows, r, question.parameter);
        if (i < n && at == values[i]) {
            CHECK_RELATIVE(table_get(&curve.rows, r, column), table_get(&peaks, i, column),
                           tolerance);
            CHECK_RELATIVE(table_get(&curve.rows, r, "frequency_hz"),
                           table_get(&peaks, i, "frequency_hz"), 100.0 * tolerance);
            i++;
        }
        CHECK(r + 1 < curve.rows.n_rows || i == n);
    }
    clear(&curve);
    table_clear(&peaks);
}

static void two_masses_at_many_values(void)
{
    struct question question = {.example = "two_mass_damper.yaml",
                                .parameter = "damper.preload",
                                .from = 5.0,
                                .to = 300.0};
    check_values(question, tap_most(12, 5), "m2_max", 1e-8);
    question.from = 1000.0; /* from where it sticks */
    question.to = 20.0;
    check_values(question, tap_most(6, 3), "m2_max", 1e-8);
}

/* The lowest peak, from a scan of whole responses about it. */
static void two_masses_lowest(void)
{
    struct question question = {.example = "two_mass_damper.yaml",
                                .parameter = "damper.preload",
                                .from = 5.0,
                                .to = 300.0,
                                .is_minimized = true};
    struct curve curve;
    struct table peaks;
    follow(&question, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    CHECK(curve.status == MASING_OK && optimum->is_found && !optimum->is_kink &&
          !optimum->is_at_end);
    const double step = 0.02;
    double values[3] = {optimum->value * (1.0 - step), optimum->value,
                        optimum->value * (1.0 + step)};
    sweep(&question, 3, values, &peaks);
    double a = table_get(&peaks, 0, "m2_max"), b = table_get(&peaks, 1, "m2_max");
    double c = table_get(&peaks, 2, "m2_max");
    CHECK_RELATIVE(b, optimum->peak, 1e-9);
    CHECK(a > b && c > b);
    /* the vertex of the parabola through the three, in parts of the value */
    CHECK(fabs(0.5 * step * (a - c) / (a - 2.0 * b + c)) < 1e-3);
    table_clear(&peaks);
    double ends[4] = {optimum->low[1], optimum->low[0], optimum->high[0], optimum->high[1]};
    sweep(&question, 4, ends, &peaks);
    for (int i = 0; i < 4; i++) {
        CHECK_RELATIVE(table_get(&peaks, i, "m2_max"),
                       (i == 1 || i == 2 ? 1.01 : 1.05) * optimum->peak, 1e-8);
    }
    table_clear(&peaks);
    clear(&curve);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"two masses at many values", two_masses_at_many_values},
        {"the lowest peak of two masses", two_masses_lowest},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
