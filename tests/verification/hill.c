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

static void check_both(const char *example, double tolerance, int most_elements)
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
        /* where two multipliers meet at a fold, they are known to a root of the map */
        CHECK(hill->n_steps <= most_elements || fabs(hill->largest - 1.0) < tolerance);
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
        double distance = fabs(two->largest - 1.0);
        bool is_near = distance <= fmax(1e-3, one->error + two->error);
        CHECK(one->verdict == two->verdict ||
              (is_near && (one->verdict < 0 || two->verdict < 0 || distance < 1e-3)));
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

/* Over a time, of q'' + c q' + k q = 0, times what was before; [2][2] by rows. */
static void cross(double k, double c, double time, double map[4])
{
    double decay = exp(-0.5 * c * time), omega = sqrt(k - 0.25 * c * c);
    double cosine = decay * cos(omega * time), sine = decay * sin(omega * time) / omega;
    double part[4] = {cosine + 0.5 * c * sine, sine, -k * sine, cosine - 0.5 * c * sine};
    for (int column = 0; column < 2; column++) {
        double q = map[column], v = map[2 + column];
        map[column] = part[0] * q + part[1] * v;
        map[2 + column] = part[2] * q + part[3] * v;
    }
}

/* How far the stop of a settled balance is compressed. */
static double compression(const struct balance *balance, double gap, double angle)
{
    const struct basis *basis = balance->basis;
    double sum = -gap;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        const double *part = balance->joints[0]->x + basis->position[k];
        sum += part[0] * cos(h * angle) + (h > 0 ? part[1] * sin(h * angle) : 0.0);
    }
    return sum;
}

enum { N_ANGLES = 4000 };

/* Larger modulus of the two multipliers: free and in contact by turns, each solved exactly. */
static double largest_in_turns(const struct balance *balance, double omega, double gap)
{
    double map[4] = {1.0, 0.0, 0.0, 1.0}, from = 0.0;
    for (int i = 1; i <= N_ANGLES; i++) {
        double low = BESIDE_TWO_PI * (i - 1) / N_ANGLES, high = BESIDE_TWO_PI * i / N_ANGLES;
        bool was_closed = compression(balance, gap, low) > 0.0;
        if (was_closed == (compression(balance, gap, high) > 0.0) && i < N_ANGLES) {
            continue;
        }
        for (int half = 0; half < 50 && i < N_ANGLES; half++) {
            double middle = 0.5 * (low + high);
            bool is_same = (compression(balance, gap, middle) > 0.0) == was_closed;
            *(is_same ? &low : &high) = middle;
        }
        cross(was_closed ? 1.1e5 : 1e4, 1.0, (high - from) / omega, map);
        from = high;
    }
    double half = 0.5 * (map[0] + map[3]), det = map[0] * map[3] - map[1] * map[2];
    double square = half * half - det;
    return square < 0.0 ? sqrt(det) : fabs(half) + sqrt(square);
}

/* A mass that meets a stop once in each period: within an element, which costs no order.
 * Multipliers are those of the exact pieces, within the error that is told. */
static void kinks(void)
{
    int n_unstable = 0;
    follow(&beside,
           beside_model("masing: 1\n"
                        "structure:\n"
                        "  masses: {x: 1}\n"
                        "  springs: [{from: ground, to: x, stiffness: 1e4}]\n"
                        "  damping: {rayleigh: [1, 0]}\n"
                        "joints:\n"
                        "  - {name: stop, law: unilateral_spring, from: ground, to: x,\n"
                        "     stiffness: 1e5, gap: 1e-3}\n"
                        "loads: [{dof: x, amplitude: 10}]\n"
                        "frequency: [10, 40]\n"
                        "outputs: [x]\n"),
           MASING_STABILITY_HILL);
    for (int i = 0; i < beside.n; i++) {
        struct balance *balance = beside.curve->balance;
        const struct beside_point *point = &beside.points[i];
        const double *y = saved_points_restore(&beside.kept, (size_t)i, balance);
        CHECK(balance_settle(balance, y, point->omega, false) == MASING_OK);
        double exact = largest_in_turns(balance, point->omega, 1e-3);
        CHECK_SCALED(point->largest, exact, 1.0, point->error + 1e-8);
        /* near the circle the error covers the motion's truncation, too */
        CHECK(point->error < (fabs(exact - 1.0) > 0.03 ? 1e-5 : 0.03));
        CHECK(point->n_steps <= 64);
        CHECK(point->verdict < 0 || point->verdict == (exact < 1.0));
        n_unstable += point->verdict == 0;
    }
    CHECK(n_unstable > 20);
    beside_clear(&beside);
}

static void both_ways(void)
{
    check_both("duffing.yaml", 1e-4, 16);
    check_both("period_doubling.yaml", 1e-2, 64);
}

static const struct tap_test tests[] = {
    {"Floquet and Hill agree", both_ways},
    {"many unknowns", chains},
    {"kinks", kinks},
};

TAP_MAIN(tests)
