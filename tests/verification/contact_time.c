/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contacts by harmonic balance against time integration at random points of the examples. */
#include "example.h"
#include "law_paths.h"
#include "masing/compare.h"

enum { N_POINTS = 2 };

/* Away from where the curve folds: the branch in between is unstable. */
static bool is_single(const struct masing_response_summary *summary, double hz)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < summary->n_jumps_up; i++) {
        low = fmin(low, summary->jump_up_hz[i]);
        high = fmax(high, summary->jump_up_hz[i]);
    }
    for (int i = 0; i < summary->n_jumps_down; i++) {
        low = fmin(low, summary->jump_down_hz[i]);
        high = fmax(high, summary->jump_down_hz[i]);
    }
    return hz < low - 0.05 || hz > high + 0.05;
}

static void compare_example(const char *name, const char *roughness, int order)
{
    char harmonics[8];
    snprintf(harmonics, sizeof harmonics, "%d", tap_most(order, 7));
    const struct masing_override overrides[] = {{"harmonics", harmonics},
                                                {"samples", tap_most(1, 0) ? "512" : "128"},
                                                {"contact.roughness", roughness}};
    int n_overrides = roughness ? 3 : 2, n = 0;
    struct run run;
    double hz[N_POINTS];
    uint64_t seed = 20261128;
    for (const char *c = name; *c; c++) {
        seed = seed * 31 + (uint64_t)*c;
    }
    example_run(name, overrides, n_overrides, &run);
    CHECK(run.status == MASING_OK);
    struct masing_model *model = example_open(name, overrides, n_overrides);
    const struct masing_spec *spec = masing_model_spec(model);
    int n_points = tap_most(N_POINTS, 1);
    while (n < n_points) {
        double at = test_uniform(&seed, spec->omega_from, spec->omega_to) / TEST_TWO_PI;
        if (is_single(&run.summary, at)) {
            hz[n++] = at;
        }
    }
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    struct masing_compare_options options = {.n_frequencies = n_points, .frequencies_hz = hz};
    struct masing_compare_summary summary = {0};
    struct masing_error error = {0};
    CHECK(masing_compare(model, &options, &sink, &summary, &error) == MASING_OK);
    CHECK(summary.n_steady == n_points && rows.n_rows == n_points);
    for (int o = 0; o < spec->n_outputs; o++) {
        double largest = 0.0;
        char balance[64], time[64];
        snprintf(balance, sizeof balance, "%s_h1_hb", spec->outputs[o].name);
        snprintf(time, sizeof time, "%s_h1_ti", spec->outputs[o].name);
        for (int r = 0; r < rows.n_rows; r++) {
            largest = fmax(largest, table_get(&rows, r, time));
        }
        for (int r = 0; r < rows.n_rows && largest > 1e-9; r++) {
            CHECK_RELATIVE(table_get(&rows, r, balance), table_get(&rows, r, time), 1e-3);
        }
    }
    masing_compare_summary_clear(&summary);
    table_clear(&rows);
    run_clear(&run);
    masing_model_destroy(model);
}

static void rough_contact(void)
{
    compare_example("normal_motion.yaml", "0.001", 15);
}

static void linear_contact(void)
{
    compare_example("normal_motion.yaml", "0", 15);
}

static void patch(void)
{
    compare_example("contact_patch.yaml", NULL, 15);
}

static void lift_off(void)
{
    compare_example("lift_off.yaml", NULL, 15);
}

static void circle(void)
{
    compare_example("contact_circle.yaml", NULL, 7);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"rough contact with normal motion", rough_contact},
        {"linear contact with normal motion", linear_contact},
        {"patch under a moment", patch},
        {"an oscillator that lifts off", lift_off},
        {"a node that circles", circle},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
