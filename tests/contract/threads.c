/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A study and a map of peaks give the same bits for any number of threads, in the order of
 * their values. */
#include "masing/peak.h"
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
                           "harmonics: 5\n"
                           "outputs: [m2, m1]\n";

static const double preloads[] = {200, 5, 10, 20, 600, 30, 50, 0, 100, 400, 15, 25};

enum { N = 12 };

static void run_study(int n_threads, struct table *rows, struct table *peaks,
                      struct table *loops)
{
    struct masing_error error = {0};
    struct masing_document *document = NULL;
    struct masing_response_summary summaries[N] = {{0}};
    struct masing_response_options options = {.n_threads = n_threads};
    struct masing_study_request request = {
        .parameter = "damper.preload", .n_values = N, .values = preloads};
    struct masing_sink sinks[3] = {table_sink(rows), table_sink(peaks), table_sink(loops)};
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    request.document = document;
    CHECK(masing_study(&request, &options, &sinks[0], &sinks[1], &sinks[2], summaries,
                       &error) == MASING_OK);
    for (int i = 0; i < N; i++) {
        masing_response_summary_clear(&summaries[i]);
    }
    masing_document_destroy(document);
}

/* Bits, so that "not available" compares equal, too; the last column of the peaks is a time. */
static void compare(const struct table *a, const struct table *b, int n_last_columns_left_out)
{
    CHECK(a->n_rows == b->n_rows && a->n_columns == b->n_columns && a->n_rows > 0);
    size_t size = sizeof(double) * (size_t)(a->n_columns - n_last_columns_left_out);
    for (int r = 0; r < a->n_rows && r < b->n_rows; r++) {
        CHECK(memcmp(a->numbers + r * a->n_columns, b->numbers + r * b->n_columns, size) == 0);
        CHECK(strcmp(a->events[r], b->events[r]) == 0);
    }
}

static void same_bits(void)
{
    static const int counts[] = {2, 5, 64};
    struct table rows, peaks, loops;
    run_study(1, &rows, &peaks, &loops);
    CHECK(peaks.n_rows == N);
    for (int i = 0; i < peaks.n_rows; i++) {
        CHECK(table_get(&peaks, i, "damper.preload") == preloads[i]);
    }
    for (int c = 0; c < 3; c++) {
        struct table others[3];
        run_study(counts[c], &others[0], &others[1], &others[2]);
        compare(&rows, &others[0], 0);
        compare(&peaks, &others[1], 1);
        compare(&loops, &others[2], 0);
        for (int t = 0; t < 3; t++) {
            table_clear(&others[t]);
        }
    }
    table_clear(&rows);
    table_clear(&peaks);
    table_clear(&loops);
}

/* The lowest peak of a map. */
static struct masing_peak_summary run_map(int n_threads, struct table *rows)
{
    static const double others[] = {0.02, 0.03, 0.05, 0.2, 0.04};
    struct masing_error error = {0};
    struct masing_document *document = NULL;
    struct masing_peak_summary summary = {0};
    const struct masing_response_options options = {.n_threads = n_threads};
    struct masing_peak_request request = {.parameter = "damper.preload",
                                          .from = 10.0,
                                          .to = 100.0,
                                          .other = "structure.damping.modal_ratio",
                                          .n_others = 5,
                                          .others = others,
                                          .is_minimized = true};
    const struct masing_sink sink = table_sink(rows);
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    request.document = document;
    CHECK(masing_peak_follow(&request, &options, &sink, &summary, &error) == MASING_OK);
    masing_document_destroy(document);
    return summary;
}

static void same_map(void)
{
    struct table one, other;
    struct masing_peak_summary a = run_map(1, &one);
    CHECK(a.optimum.is_found && a.optimum.other == 0.2 && a.n_sweeps > 5);
    for (int n = 2; n <= 4; n += 2) {
        struct masing_peak_summary b = run_map(n, &other);
        compare(&one, &other, 0);
        CHECK(b.lowest == a.lowest && b.lowest_at == a.lowest_at && b.points == a.points);
        CHECK(b.optimum.value == a.optimum.value && b.optimum.other == a.optimum.other);
        CHECK(b.n_sweeps == a.n_sweeps && b.n_warnings == a.n_warnings);
        for (int w = 0; w < a.n_warnings && w < b.n_warnings; w++) {
            CHECK(strcmp(a.warnings[w], b.warnings[w]) == 0);
        }
        masing_peak_summary_clear(&b);
        table_clear(&other);
    }
    masing_peak_summary_clear(&a);
    table_clear(&one);
}

static const struct tap_test tests[] = {
    {"the same bits for any number of threads", same_bits},
    {"the same map of peaks for any number of threads", same_map},
};

TAP_MAIN(tests)
