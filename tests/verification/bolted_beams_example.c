/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bolted beams as users meet them: the example's natural frequencies against an independent
 * computation (after Lacayo, Deaner and Allen 2017, section 5), and responses of a structure
 * that nothing holds, from microslip to full slip.
 */
#include "masing/check.h"

#include "example.h"

static const double TWO_PI = 6.28318530717958647692;

enum { N_RIGID = 6, N_LISTED = 3 };

static struct masing_model *example(const char *load)
{
    const struct masing_override overrides[] = {{"shaker.amplitude", load}};
    return example_open("bolted_beams.yaml", overrides, 1);
}

static void natural_frequencies(void)
{
    static const double stuck[N_LISTED] = {761.322, 1348.729, 3196.206};
    static const double released[N_LISTED] = {652.507, 1297.893, 2715.285};
    struct masing_model *model = example("1");
    struct masing_check_result result = {0};
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    struct masing_error error = {0};
    CHECK(masing_check(model, &sink, &result, &error) == MASING_OK);
    CHECK(rows.n_rows == 49);
    for (int k = 0; k < N_RIGID; k++) {
        CHECK(table_get(&rows, k, "free_hz") < 1e-3 && table_get(&rows, k, "stuck_hz") < 1e-3);
    }
    for (int k = 0; k < N_LISTED; k++) {
        CHECK_RELATIVE(table_get(&rows, N_RIGID + k, "free_hz") * TWO_PI, released[k], 1e-6);
        CHECK_RELATIVE(table_get(&rows, N_RIGID + k, "stuck_hz") * TWO_PI, stuck[k], 1e-6);
    }
    table_clear(&rows);
    masing_check_clear(&result);
    masing_model_destroy(model);
}

/* More load, more slip: the peak moves from the stuck to the free frequency. */
static void responses(void)
{
    static const char *const loads[] = {"0.001", "0.1", "1", "10", "50"};
    double before = INFINITY;
    for (int i = 0; i < 5; i++) {
        struct masing_model *model = example(loads[i]);
        struct table rows;
        struct masing_sink sink = table_sink(&rows);
        struct masing_response_options options = {0};
        struct masing_response_summary summary = {0};
        struct masing_error error = {0};
        CHECK(masing_frf(model, &options, &sink, NULL, &summary, &error) == MASING_OK);
        CHECK(summary.energy_mismatch < 1e-6);
        CHECK(summary.peak.frequency_hz < before && rows.n_rows < 400);
        CHECK(i > 0 || fabs(summary.peak.frequency_hz - 121.168) < 0.5);
        CHECK(i < 4 || fabs(summary.peak.frequency_hz - 103.850) < 0.01);
        before = summary.peak.frequency_hz;
        masing_response_summary_clear(&summary);
        table_clear(&rows);
        masing_model_destroy(model);
    }
}

static const struct tap_test tests[] = {
    {"natural frequencies with the bolts stuck and free", natural_frequencies},
    {"responses from microslip to full slip", responses},
};

TAP_MAIN(tests)
