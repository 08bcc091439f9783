/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is drawn, and what draws say, against published numbers and closed forms. */
#include "analyses/sample/band.h"
#include "analyses/sample/design.h"
#include "analyses/sample/distribution.h"
#include "analyses/sample/statistics.h"
#include "base/philox.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

/* ---- the generator: known answers of Random123 ---- */

static bool is_answer(uint32_t counter, uint32_t key, const uint32_t answer[4])
{
    struct philox words = philox_words((struct philox){{counter, counter, counter, counter}},
                                       (const uint32_t[]){key, key});
    bool is = true;
    for (int i = 0; i < 4; i++) {
        is = is && words.word[i] == answer[i];
    }
    return is;
}

static void the_generator_gives_known_answers(void)
{
    const uint32_t zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const uint32_t ones[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    const uint32_t pi[] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    struct philox words =
        philox_words((struct philox){{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                     (const uint32_t[]){0xa4093822, 0x299f31d0});
    CHECK(is_answer(0, 0, zeros));
    CHECK(is_answer(UINT32_MAX, UINT32_MAX, ones));
    for (int i = 0; i < 4; i++) {
        CHECK(words.word[i] == pi[i]);
    }
}

/* ---- distributions ---- */

/* Whether the value stands where the distribution has so much below it. */
static bool is_at(const struct masing_uncertain_number *number, double p, double value)
{
    return fabs(distribution_quantile(number, p) - value) <= 1e-9 * fabs(value) + 1e-12;
}

static void quantiles_are_those_of_tables(void)
{
    const struct masing_uncertain_number normal = {.distribution = MASING_NORMAL,
                                                   .numbers = {30.0, 4.0}};
    const struct masing_uncertain_number log = {.distribution = MASING_LOGNORMAL,
                                                .numbers = {4e4, 0.1}};
    const struct masing_uncertain_number uniform = {.distribution = MASING_UNIFORM,
                                                    .numbers = {2.0, 6.0}};
    const struct masing_uncertain_number triangle = {.distribution = MASING_TRIANGULAR,
                                                     .numbers = {0.0, 1.0, 4.0}};
    const double z = 1.6448536269514722; /* of 95 % */
    CHECK(is_at(&normal, 0.95, 30.0 + 4.0 * z) && is_at(&normal, 0.05, 30.0 - 4.0 * z));
    CHECK(is_at(&log, 0.95, 4e4 * exp(0.1 * z)) && is_at(&log, 0.5, 4e4));
    CHECK(is_at(&uniform, 0.25, 3.0));
    /* below x: x^2 / 4 up to the mode, 1 - (4 - x)^2 / 12 behind it */
    CHECK(is_at(&triangle, 0.0625, 0.5) && is_at(&triangle, 0.25, 1.0));
    CHECK(is_at(&triangle, 1.0 - 1.0 / 12.0, 3.0));
}

static void bounds_cut_the_distribution(void)
{
    struct masing_uncertain_number normal = {.distribution = MASING_NORMAL,
                                             .numbers = {0.0, 1.0},
                                             .has_bounds = true,
                                             .bounds = {-1.0, 1.0}};
    /* Phi^-1(Phi(-1) + 0.25 (Phi(1) - Phi(-1))) */
    CHECK(is_at(&normal, 0.25, -0.44177054668658133) && is_at(&normal, 0.5, 0.0));
    CHECK(fabs(distribution_within_bounds(&normal) - 0.6826894921370859) < 1e-12);
    /* far out: above 9 the density falls nearly as exp(-9 x), the median of it by hand:
     * Q(x) = Q(9) / 2 */
    normal.bounds[0] = 9.0;
    normal.bounds[1] = 30.0;
    double median = distribution_quantile(&normal, 0.5);
    CHECK(fabs(erfc(median / sqrt(2.0)) / erfc(9.0 / sqrt(2.0)) - 0.5) < 1e-9);
    CHECK(distribution_quantile(&normal, 1e-15) >= 9.0);
}

/* ---- designs ---- */

enum { N_DRAWS = 203, N_NUMBERS = 3 };

static void each_stratum_has_one_draw(void)
{
    struct design design;
    struct masing_error error = {0};
    CHECK(design_create(&design, MASING_SAMPLE_HYPERCUBE, N_DRAWS, N_NUMBERS, 7, &error) ==
          MASING_OK);
    CHECK(design.n_replicates == 10);
    for (int r = 0; r < 10; r++) {
        int n = r < N_DRAWS % 10 ? N_DRAWS / 10 + 1 : N_DRAWS / 10;
        for (int k = 0; k < N_NUMBERS; k++) {
            bool is_taken[N_DRAWS] = {false};
            for (int i = 0; i < N_DRAWS; i++) {
                if (design_replicate(&design, i) == r) {
                    int stratum = (int)(design.unit[i * N_NUMBERS + k] * n);
                    CHECK(stratum >= 0 && stratum < n && !is_taken[stratum]);
                    is_taken[stratum] = true;
                }
            }
        }
    }
    double both = 0.0; /* strata of two numbers have nothing to do with one another */
    for (int i = 0; i < N_DRAWS; i++) {
        const double *unit = &design.unit[i * N_NUMBERS];
        both += 12.0 * (unit[0] - 0.5) * (unit[1] - 0.5) / N_DRAWS;
    }
    CHECK(fabs(both) < 3.0 / sqrt(N_DRAWS));
    design_clear(&design);
}

static void correlated_numbers_are_correlated(void)
{
    enum { N = 20000 };
    struct masing_uncertain_number numbers[2] = {
        {.distribution = MASING_NORMAL, .numbers = {5.0, 2.0}},
        {.distribution = MASING_NORMAL, .numbers = {-1.0, 0.5}}};
    const struct masing_uncertainty uncertain = {.n = 2, .numbers = numbers};
    const double factor[4] = {1.0, 0.6, 0.0, 0.8};
    struct design design;
    struct masing_error error = {0};
    double sums[5] = {0};
    CHECK(design_create(&design, MASING_SAMPLE_RANDOM, N, 2, 1, &error) == MASING_OK);
    for (int i = 0; i < N; i++) {
        double scratch[2], x[2];
        design_numbers(&uncertain, factor, &design.unit[2 * i], scratch, x);
        double a = (x[0] - 5.0) / 2.0, b = (x[1] + 1.0) / 0.5;
        sums[0] += a / N, sums[1] += b / N, sums[2] += a * a / N;
        sums[3] += b * b / N, sums[4] += a * b / N;
    }
    CHECK(fabs(sums[0]) < 0.03 && fabs(sums[1]) < 0.03);
    CHECK(fabs(sums[2] - 1.0) < 0.05 && fabs(sums[3] - 1.0) < 0.05);
    CHECK(fabs(sums[4] - 0.6) < 0.03);
    design_clear(&design);
}

/* ---- intervals ---- */

/* How often of a hundred seeds the interval of a quantile of -log(u) has the true one in it. */
static int covered(enum masing_sample_design kind, int n, int which, double truth)
{
    int count = 0;
    for (unsigned seed = 0; seed < 100; seed++) {
        struct masing_error error = {0};
        struct masing_sample_summary summary = {0};
        struct design design;
        double *values = calloc((size_t)n, sizeof *values);
        int *replicates = calloc((size_t)n, sizeof *replicates);
        CHECK(design_create(&design, kind, n, 2, seed, &error) == MASING_OK);
        for (int i = 0; i < n; i++) {
            /* Gamma distributed, of shape 2 */
            values[i] = -log(design.unit[2 * i] * design.unit[2 * i + 1]);
            replicates[i] = design_replicate(&design, i);
        }
        CHECK(statistics_estimate(values, replicates, n, design.n_replicates, &summary,
                                  &error) == MASING_OK);
        const struct masing_sample_estimate *found =
            which < 0 ? &summary.mean : &summary.quantiles[which];
        count += found->low <= truth && truth <= found->high;
        design_clear(&design);
        free(values);
        free(replicates);
    }
    return count;
}

static void intervals_hold_for_their_design(void)
{
    /* quantiles of 1 - (1 + x) exp(-x) */
    const double quantiles[] = {0.35536150698, 1.67834699002, 4.74386451839};
    for (int q = 0; q < MASING_SAMPLE_N_QUANTILES; q++) {
        CHECK(covered(MASING_SAMPLE_RANDOM, 400, q, quantiles[q]) >= 89);
        CHECK(covered(MASING_SAMPLE_HYPERCUBE, 400, q, quantiles[q]) >= 89);
    }
    CHECK(covered(MASING_SAMPLE_RANDOM, 400, -1, 2.0) >= 89);
    int n = covered(MASING_SAMPLE_HYPERCUBE, 400, -1, 2.0);
    CHECK(n >= 89 && n <= 97); /* that of independent draws would hold nearly always */
}

static void ranks_are_correlated(void)
{
    const double a[] = {1.0, 2.0, 3.0, 4.0, NAN, 5.0}, same[] = {1, 8, 27, 64, 0, 125};
    const double fallen[] = {5.0, 4.0, 3.0, 2.0, 1.0, 0.0}, tied[] = {1, 1, 2, 2, 9, 3};
    struct masing_error error = {0};
    double found[3];
    CHECK(statistics_rank_correlation(a, same, 6, &found[0], &error) == MASING_OK);
    CHECK(statistics_rank_correlation(a, fallen, 6, &found[1], &error) == MASING_OK);
    CHECK(statistics_rank_correlation(a, tied, 6, &found[2], &error) == MASING_OK);
    CHECK_RELATIVE(found[0], 1.0, 1e-12);
    CHECK_RELATIVE(found[1], -1.0, 1e-12);
    CHECK_RELATIVE(found[2], 9.0 / sqrt(10.0 * 9.0), 1e-12); /* ranks 1.5 1.5 3.5 3.5 5 */
}

/* ---- the band of responses ---- */

/* A fold lies beyond: at 1, where the frequency is 2 + s (2 - s) = 3. */
static struct band_end end_at(double s)
{
    return (struct band_end){.omega = 2.0 + s * (2.0 - s),
                             .measure = 1.0 + s * s * (3.0 - s),
                             .arc = 5.0 + s,
                             .d_omega = 2.0 - 2.0 * s,
                             .slope = 6.0 * s - 3.0 * s * s};
}

static void a_band_lies_on_cubics_of_the_arc(void)
{
    const struct band_end first = end_at(0.2), fold = end_at(1.0), last = end_at(1.7);
    for (double s = 0.2; s < 1.7; s += 0.05) {
        struct band_end truth = end_at(s);
        double found = s < 1.0 ? band_between(&first, &fold, truth.omega)
                               : band_between(&fold, &last, truth.omega);
        CHECK(fabs(found - truth.measure) < 2e-7); /* a root beside a fold */
    }
    CHECK(band_between(&first, &fold, fold.omega) == fold.measure);
    CHECK(band_between(&first, &fold, first.omega) == first.measure);
}

/* ---- Sobol's indices ---- */

static double ishigami(const double *unit)
{
    const double pi = 3.14159265358979323846;
    double x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = pi * (2.0 * unit[i] - 1.0);
    }
    return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4.0) * sin(x[0]);
}

static double linear(const double *unit)
{
    return 100.0 + 4.0 * unit[0] + 2.0 * unit[1] + unit[2];
}

/* Indices are within four of their errors, which are not above `largest`. */
static void estimate(double (*function)(const double *unit), const double *first,
                     const double *total, double largest)
{
    enum { N = 4000, WIDTH = N_NUMBERS + 2 };
    struct masing_sample_influence found[N_NUMBERS];
    double *values = calloc((size_t)N * WIDTH, sizeof *values);
    for (int i = 0; i < N * WIDTH; i++) {
        double unit[N_NUMBERS];
        design_set_point(3, N_NUMBERS, i / WIDTH, i % WIDTH, unit);
        values[i] = function(unit);
    }
    values[7 * WIDTH] = NAN; /* one is left out */
    CHECK(statistics_sobol(values, N, N_NUMBERS, found) == N - 1);
    for (int k = 0; k < N_NUMBERS; k++) {
        CHECK(fabs(found[k].first - first[k]) < 4.0 * found[k].first_error + 1e-12);
        CHECK(fabs(found[k].total - total[k]) < 4.0 * found[k].total_error + 1e-12);
        CHECK(found[k].first_error < largest && found[k].total_error < largest);
    }
    free(values);
}

static void indices_are_those_in_closed_form(void)
{
    const double first[] = {0.3139051, 0.4424111, 0.0},
                 total[] = {0.5575889, 0.4424111, 0.2436837};
    const double linear_indices[] = {16.0 / 21.0, 4.0 / 21.0, 1.0 / 21.0};
    estimate(ishigami, first, total, 0.05);
    estimate(linear, linear_indices, linear_indices, 0.03);
}

static const struct tap_test tests[] = {
    {"the generator gives known answers", the_generator_gives_known_answers},
    {"quantiles are those of tables", quantiles_are_those_of_tables},
    {"bounds cut the distribution", bounds_cut_the_distribution},
    {"each stratum has one draw", each_stratum_has_one_draw},
    {"correlated numbers are correlated", correlated_numbers_are_correlated},
    {"intervals hold for their design", intervals_hold_for_their_design},
    {"ranks are correlated", ranks_are_correlated},
    {"a band lies on cubics of the arc", a_band_lies_on_cubics_of_the_arc},
    {"indices are those in closed form", indices_are_those_in_closed_form},
};

TAP_MAIN(tests)
