/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hill's equation against Floquet multipliers, which are found in another way. */
#include <time.h>

#include "beside.h"

static struct beside beside, other;

static bool follow(struct beside *followed, struct masing_model *model,
                   enum masing_stability_method method)
{
    memset(followed, 0, sizeof *followed);
    followed->model = model;
    followed->method = method;
    return beside_follow(followed);
}

static void check_both(const char *example, double tolerance)
{
    const struct masing_override coarse = {"harmonics", "7"};
    follow(&beside, example_open(example, &coarse, 1), MASING_STABILITY_FLOQUET);
    follow(&other, example_open(example, &coarse, 1), MASING_STABILITY_HILL);
    CHECK(beside.n == other.n && beside.n > 20);
    for (int i = 0; i < beside.n && i < other.n; i++) {
        const struct beside_point *floquet = &beside.points[i], *hill = &other.points[i];
        double error = floquet->error + hill->error;
        CHECK(floquet->verdict == hill->verdict || fabs(floquet->largest - 1.0) < tolerance);
        CHECK_SCALED(floquet->largest, hill->largest, 1.0, tolerance + error);
        CHECK(error < 0.1);
    }
    beside_clear(&beside);
    beside_clear(&other);
}

/* A chain of so many masses with a cubic spring at one end and the load at the other. */
static struct masing_model *cubic_chain(int n, bool with_dashpot)
{
    char masses[1024] = "", springs[4096] = "";
    for (int i = 1; i <= n; i++) {
        char *end = masses + strlen(masses), *next = springs + strlen(springs);
        snprintf(end, sizeof masses - strlen(masses), "%sm%d: 1", i > 1 ? ", " : "", i);
        if (i > 1) {
            snprintf(next, sizeof springs - strlen(springs),
                     "    - {from: m%d, to: m%d, stiffness: 40000}\n", i - 1, i);
        }
    }
    char *text =
        text_of("masing: 1\n"
                "structure:\n"
                "  masses: {%s}\n"
                "  springs:\n"
                "    - {from: ground, to: m1, stiffness: 40000}\n"
                "%s"
                "  damping: {modal_ratio: 0.01}\n"
                "joints:\n"
                "  - {name: c, law: cubic_spring, from: ground, to: m1,\n"
                "     coefficient: 2e9}\n"
                "%s"
                "loads: [{dof: m%d, amplitude: 10}]\n"
                "frequency: [%g, %g]\n"
                "harmonics: 15\n"
                "outputs: [m%d]\n",
                masses, springs,
                with_dashpot ? "  - {name: q, law: quadratic_damper, from: m1, to: m2,\n"
                               "     coefficient: 40}\n"
                             : "",
                n, 6.0 / sqrt(n), 32.0 / sqrt(n), n);
    struct masing_model *model = beside_model(text);
    free(text);
    return model;
}

/* Verdicts of both agree, and Hill's equation is no slower by more than the noise of a clock.
 */
static void check_chain(int n, bool with_dashpot)
{
    clock_t began = clock();
    follow(&beside, cubic_chain(n, with_dashpot), MASING_STABILITY_FLOQUET);
    clock_t between = clock();
    follow(&other, cubic_chain(n, with_dashpot), MASING_STABILITY_HILL);
    double floquet = (double)(between - began) / CLOCKS_PER_SEC;
    double hill = (double)(clock() - between) / CLOCKS_PER_SEC;
    printf("# %d masses: %.3g s by Floquet, %.3g s by Hill's equation\n", n, floquet, hill);
    CHECK(hill < 4.0 * floquet + 0.1);
    CHECK(beside.n == other.n && beside.n > 20);
    for (int i = 0; i < beside.n && i < other.n; i++) {
        const struct beside_point *one = &beside.points[i], *two = &other.points[i];
        CHECK(one->verdict == two->verdict || fabs(two->largest - 1.0) < 1e-3);
        CHECK_SCALED(one->largest, two->largest, 1.0, 1e-3 + one->error + two->error);
    }
    beside_clear(&beside);
    beside_clear(&other);
}

static void chains(void)
{
    check_chain(2, true);
    check_chain(5, false);
    check_chain(20, true);
}

static void both_ways(void)
{
    check_both("duffing.yaml", 1e-4);
    check_both("period_doubling.yaml", 1e-2);
}

static const struct tap_test tests[] = {
    {"Floquet and Hill agree", both_ways},
    {"many unknowns", chains},
};

TAP_MAIN(tests)
