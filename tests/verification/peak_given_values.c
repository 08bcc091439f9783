/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lowest peak does not depend on the values that rows are wanted at, however far apart. */
#include "peak_question.h"

static const struct question whole = {.example = "two_mass_damper.yaml",
                                      .parameter = "damper.preload",
                                      .from = 5.0,
                                      .to = 300.0,
                                      .is_minimized = true};

static struct question at_values(int n, const double *values)
{
    struct question question = whole;
    question.from = values[0];
    question.to = values[n - 1];
    question.n_values = n;
    question.values = values;
    return question;
}

/* Rows at the values and at the optimum, where it is and how far it reaches. */
static void check(int n, const double *values, const struct masing_peak_optimum *wanted)
{
    const struct question question = at_values(n, values);
    struct curve curve;
    follow(&question, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    CHECK(curve.status == MASING_OK && optimum->is_found && !optimum->is_at_end);
    CHECK_RELATIVE(optimum->value, 33.8426, 1e-4);
    CHECK_RELATIVE(optimum->peak, wanted->peak, 1e-8);
    CHECK_RELATIVE(optimum->frequency_hz, wanted->frequency_hz, 1e-6);
    for (int i = 0; i < 2; i++) {
        CHECK_RELATIVE(optimum->low[i], wanted->low[i], 1e-6);
        CHECK_RELATIVE(optimum->high[i], wanted->high[i], 1e-6);
    }
    CHECK(curve.summary.n_warnings == 0);
    CHECK(curve.rows.n_rows == n + 1 && curve.summary.points == n + 1);
    for (int r = 0, i = 0; r < curve.rows.n_rows; r++) {
        double at = table_get(&curve.rows, r, question.parameter);
        CHECK(at == (i < n && at == values[i] ? values[i] : optimum->value));
        i += i < n && at == values[i];
        CHECK(r + 1 < curve.rows.n_rows || i == n);
    }
    clear(&curve);
}

static void wide_gaps(void)
{
    double many[20], few[6];
    struct curve curve;
    for (int i = 0; i < 20; i++) {
        many[i] = 5.0 + 995.0 * i / 19.0;
    }
    for (int i = 0; i < 6; i++) {
        few[i] = 5.0 + 59.0 * i;
    }
    follow(&whole, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    CHECK(curve.status == MASING_OK && optimum->is_found);
    check(3, (const double[]){5.0, 100.0, 300.0}, optimum);
    check(3, (const double[]){300.0, 100.0, 5.0}, optimum);
    check(2, (const double[]){5.0, 60.0}, optimum);
    check(6, few, optimum);
    check(20, many, optimum);
    clear(&curve);
}

static void a_map_with_wide_gaps(void)
{
    const double values[3] = {5.0, 100.0, 300.0}, others[2] = {60000.0, 40000.0};
    const struct masing_override stiff = {"damper.stiffness", "60000"};
    struct question map = at_values(3, values), one = whole;
    struct curve curve, alone;
    map.other = stiff.path;
    map.n_others = 2;
    map.others = others;
    one.overrides = &stiff;
    one.n_overrides = 1;
    follow(&map, &curve);
    follow(&one, &alone);
    CHECK(curve.status == MASING_OK && curve.rows.n_rows == 8);
    CHECK_RELATIVE(table_get(&curve.rows, 5, "damper.preload"), 33.8426, 1e-4);
    CHECK_RELATIVE(curve.summary.optimum.value, alone.summary.optimum.value, 1e-5);
    CHECK_RELATIVE(curve.summary.optimum.peak, alone.summary.optimum.peak, 1e-8);
    CHECK(curve.summary.optimum.other == 60000.0);
    clear(&curve);
    clear(&alone);
}

/* Where each value takes a response of its own nothing in between is solved for: warnings say
 * so, and the ranges are open questions. */
static void nothing_to_solve(void)
{
    const struct masing_override fast[] = {{"start", "previous"},
                                           {"harmonics", "1"},
                                           {"frequency.0", "19"},
                                           {"frequency.1", "25"}};
    struct question question = at_values(2, (const double[]){20.0, 60.0});
    struct curve curve, solved;
    question.overrides = fast;
    question.n_overrides = 3;
    follow(&question, &solved);
    question.n_overrides = 4;
    follow(&question, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    CHECK(curve.status == MASING_OK && optimum->is_found && curve.rows.n_rows == 3);
    CHECK_RELATIVE(optimum->value, solved.summary.optimum.value, 0.02);
    CHECK(isnan(optimum->low[0]) && isnan(optimum->high[1]));
    CHECK(curve.summary.n_warnings == 5 &&
          strstr(curve.summary.warnings[0], "is not solved for between damper.preload = "));
    clear(&curve);
    clear(&solved);
}

/* Whole numbers have nothing in between: rows where they are, the lowest of them. */
static void whole_numbers(void)
{
    struct question question = at_values(3, (const double[]){3.0, 5.0, 7.0});
    struct curve curve;
    question.parameter = "harmonics";
    follow(&question, &curve);
    CHECK(curve.status == MASING_OK && curve.rows.n_rows == 3);
    CHECK(curve.summary.optimum.is_found && curve.summary.optimum.peak == curve.summary.lowest);
    clear(&curve);
}

static void values_beside_the_range(void)
{
    struct question question = at_values(2, (const double[]){5.0, 60.0});
    struct curve curve;
    question.to = 70.0;
    follow(&question, &curve);
    CHECK(curve.status == MASING_INVALID && strstr(curve.error.message, "expected 5 to 70"));
    clear(&curve);
}

static const struct tap_test tests[] = {
    {"the lowest peak between values that are far apart", wide_gaps},
    {"the same along two numbers", a_map_with_wide_gaps},
    {"nothing is solved for where each value takes a response", nothing_to_solve},
    {"whole numbers have nothing in between", whole_numbers},
    {"values that are not the range's", values_beside_the_range},
};

TAP_MAIN(tests)
