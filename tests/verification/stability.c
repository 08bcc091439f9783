/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multipliers against time integration through the same laws: two motions that start side by
 * side draw apart, or together, from period to period by the largest one.
 */
#include "beside.h"
#include "law_paths.h"
#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "stability/floquet.h"

static struct beside beside, other;

/* ---- growth in time ---- */

enum { N_PERIODS = 4, MOST_STATES = 8 };

/* Differences of motions from a plain one, as columns [2 n_modes]. */
static void differences(const struct integrator *plain, struct integrator **moved, double *y)
{
    int n = plain->modal->n_modes;
    for (int c = 0; c < 2 * n; c++) {
        for (int k = 0; k < n; k++) {
            y[2 * n * c + k] = plain->omega * (moved[c]->modal->q[k] - plain->modal->q[k]);
            y[2 * n * c + n + k] = moved[c]->modal->v[k] - plain->modal->v[k];
        }
    }
}

/* Largest modulus of the eigenvalues of b a^-1 = (a^-1 b)'s */
static double largest_modulus(int n, double *a, double *b)
{
    int pivots[MOST_STATES];
    double real[MOST_STATES], imaginary[MOST_STATES], largest = 0.0;
    struct eigen_general *eigen = NULL;
    enum masing_status status = eigen_general_create(n, false, &eigen, NULL);
    status = status ? status : lu_factor(n, a, pivots);
    if (status == MASING_OK) {
        lu_solve(n, a, pivots, b, n);
        status = eigen_general_solve(eigen, n, b, real, imaginary, NULL);
    }
    for (int i = 0; CHECK(status == MASING_OK) && i < n; i++) {
        largest = fmax(largest, hypot(real[i], imaginary[i]));
    }
    eigen_general_destroy(eigen);
    return largest;
}

/*
 * By how much a small difference grows in a period beside a point of the curve, at the most.
 * Motions that differ in each of the structure's coordinates are followed; in a first period
 * the joints forget that they were not moved with them.
 */
static double growth(struct beside *followed, int index, int n_steps)
{
    static const double SMALL = 1e-7;
    const struct beside_point *point = &followed->points[index];
    struct integrator *plain = beside_start(followed, index, n_steps), *moved[MOST_STATES];
    double first[MOST_STATES * MOST_STATES], last[MOST_STATES * MOST_STATES];
    int n = plain ? plain->modal->n_modes : 0;
    bool is_good = CHECK(n > 0 && 2 * n <= MOST_STATES);
    for (int c = 0; is_good && c < 2 * n; c++) {
        moved[c] = beside_start(followed, index, n_steps);
        double *value = c < n ? moved[c]->modal->q + c : moved[c]->modal->v + c - n;
        *value += SMALL * point->size * (c < n ? 1.0 : point->omega);
        integrator_begin(moved[c]);
    }
    for (int k = 0; is_good && k <= N_PERIODS; k++) {
        is_good = beside_period(plain);
        for (int c = 0; c < 2 * n; c++) {
            is_good = beside_period(moved[c]) && is_good;
        }
        differences(plain, moved, k == 0 ? first : last);
    }
    for (int c = 0; c < 2 * n; c++) {
        integrator_destroy(moved[c]);
    }
    integrator_destroy(plain);
    return is_good ? pow(largest_modulus(2 * n, first, last), 1.0 / N_PERIODS) : NAN;
}

/* Steps per period of the integrations; the multipliers' own error is of second order too. */
enum { N_STEPS = 300 };

static void check_growth(struct beside *followed, int index, double tolerance)
{
    const struct beside_point *point = &followed->points[index];
    int failures = tap_failures;
    CHECK_SCALED(growth(followed, index, N_STEPS), point->largest, 1.0,
                 tolerance + 3.0 * fmin(point->error, tolerance));
    if (tap_failures > failures) {
        printf("# ^ at %.17g Hz\n", point->omega / TEST_TWO_PI);
    }
}

/* ---- where a motion goes that starts beside a solution ---- */

/* Moved by a small part of its size, `periods` later; NULL where the integration failed. */
static struct integrator *wander(struct beside *followed, int index, double part, int periods)
{
    struct integrator *integrator = beside_start(followed, index, N_STEPS);
    bool is_good = integrator != NULL;
    if (is_good) {
        integrator->modal->q[0] += part * followed->points[index].size;
        integrator_begin(integrator);
    }
    for (int k = 0; is_good && k < periods; k++) {
        is_good = beside_period(integrator);
    }
    if (!is_good) {
        integrator_destroy(integrator);
    }
    return is_good ? integrator : NULL;
}

/* Largest absolute value of the first output in one more period. */
static double size_of(struct integrator *integrator)
{
    double value[8], rate[8], size = 0.0;
    for (int i = 0; i < integrator->n_steps; i++) {
        CHECK(integrator_step(integrator) == MASING_OK);
        integrator_outputs(integrator, value, rate);
        size = fmax(size, fabs(value[0]));
    }
    return size;
}

static void check_return(struct beside *followed, int index)
{
    struct integrator *integrator = wander(followed, index, 0.02, 80);
    if (integrator) {
        CHECK_RELATIVE(size_of(integrator), followed->points[index].size, 2e-3);
    }
    integrator_destroy(integrator);
}

/* ---- folds ---- */

/*
 * Unstable behind each fold up to the next one and nowhere else, with a multiplier of 1 at the
 * folds themselves. Returns the number of folds.
 */
static int check_folds(const struct beside *followed, double tolerance)
{
    int n_folds = 0;
    for (int i = 0; i < followed->n; i++) {
        const struct beside_point *point = &followed->points[i];
        if (masing_events_have(point->events, MASING_EVENT_FOLD)) {
            n_folds++;
            CHECK_SCALED(point->real, 1.0, 1.0, tolerance + point->error);
            CHECK(point->imaginary == 0.0);
        } else if (fabs(point->largest - 1.0) > tolerance) {
            CHECK(point->verdict == (n_folds % 2 == 0));
        }
    }
    return n_folds;
}

/* Both ways of the curve out of an unstable point at the frequency that was asked for. */
static void check_jumps(struct beside *followed, int periods)
{
    int asked[8], n = 0;
    for (int i = 0; i < followed->n && n < 8; i++) {
        asked[n] = i;
        n += followed->points[i].is_asked;
    }
    if (!CHECK(n == 3)) {
        return;
    }
    for (int k = -1; k <= 1; k += 2) {
        struct integrator *integrator = wander(followed, asked[1], 1e-3 * k, periods);
        double size = integrator ? size_of(integrator) : NAN;
        const struct beside_point *low = &followed->points[asked[0]];
        const struct beside_point *high = &followed->points[asked[2]];
        bool is_low = fabs(size - low->size) < fabs(size - high->size);
        const struct beside_point *end = is_low ? low : high;
        /* where it sticks in the end the mean depends on how it came there */
        CHECK_RELATIVE(size, end->size, end->slip_share == 0.0 ? 3e-2 : 5e-3);
        integrator_destroy(integrator);
    }
    CHECK(followed->points[asked[1]].verdict == 0);
    check_return(followed, asked[0]);
    check_return(followed, asked[2]);
}

static void duffing(void)
{
    static const double at_hz[] = {23.0};
    memset(&beside, 0, sizeof beside);
    beside.model = example_open("duffing.yaml", NULL, 0);
    beside.method = MASING_STABILITY_FLOQUET;
    beside.at_hz = at_hz;
    beside.n_at = 1;
    if (beside_follow(&beside)) {
        CHECK(check_folds(&beside, 1e-4) == 2);
        for (int i = 0; i < beside.n; i += tap_most(4, 20)) {
            check_growth(&beside, i, 1e-3);
        }
        check_jumps(&beside, 160);
    }
    beside_clear(&beside);
}

/*
 * Friction under changing normal force. Where the slider comes to rest at its limit the steady
 * motion has no derivative, and where two multipliers meet they are known poorly.
 */
static void check_contact(const char *preload, double hz)
{
    const struct masing_override overrides[] = {{"N", preload}, {"frequency", "[22.5, 26]"}};
    memset(&beside, 0, sizeof beside);
    beside.model = example_open("normal_motion.yaml", overrides, 2);
    beside.method = MASING_STABILITY_FLOQUET;
    beside.at_hz = &hz;
    beside.n_at = 1;
    if (beside_follow(&beside)) {
        CHECK(check_folds(&beside, 5e-3) == 2);
        for (int i = 0; i < beside.n; i += tap_most(5, 20)) {
            const struct beside_point *point = &beside.points[i];
            bool is_double = fabs(point->imaginary) < 0.1 && point->largest < 0.95;
            if (point->slip_share > 0.1 && !is_double) {
                check_growth(&beside, i, 5e-3);
            }
        }
        check_jumps(&beside, 160);
    }
    beside_clear(&beside);
}

static void contacts(void)
{
    check_contact("25", 23.8);
    if (tap_most(1, 0)) {
        check_contact("30", 24.1);
    }
}

/*
 * Sliders that come back to where they turned within a small loop: rounding decides whether
 * that is remembered at the end of a period, and must not decide about what is remembered
 * besides.
 */
static void memories_at_both_ends(void)
{
    static const double at_hz[] = {15.25, 15.28, 15.3};
    memset(&beside, 0, sizeof beside);
    beside.model = example_open("three_mass_chain.yaml", NULL, 0);
    beside.method = MASING_STABILITY_FLOQUET;
    beside.at_hz = at_hz;
    beside.n_at = 3;
    if (beside_follow(&beside)) {
        for (int i = 0; i < beside.n; i++) {
            if (beside.points[i].is_asked) {
                check_growth(&beside, i, 1e-2);
            }
        }
    }
    beside_clear(&beside);
}

/* ---- period doubling ---- */

/* State of a mass after one more period */
static void next_state(struct integrator *integrator, double state[2])
{
    beside_period(integrator);
    state[0] = integrator->modal->q[0];
    state[1] = integrator->modal->v[0] / integrator->omega;
}

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* It settles on a motion that comes back in every second period only. */
static void check_doubled(struct beside *followed, int index)
{
    struct integrator *integrator = wander(followed, index, 1e-4, 250);
    double state[3][2], size = followed->points[index].size;
    for (int k = 0; integrator && k < 3; k++) {
        next_state(integrator, state[k]);
    }
    if (integrator) {
        CHECK(distance(state[0], state[1]) > 0.1 * size);
        CHECK(distance(state[0], state[2]) < 1e-6 * size);
    }
    integrator_destroy(integrator);
}

static void period_doubling(void)
{
    static const double at_hz[] = {45.0, 57.0, 60.0, 75.0};
    int n_changes = 0;
    memset(&beside, 0, sizeof beside);
    beside.model = example_open("period_doubling.yaml", NULL, 0);
    beside.method = MASING_STABILITY_FLOQUET;
    beside.at_hz = at_hz;
    beside.n_at = 4;
    bool is_good = beside_follow(&beside);
    for (int i = 0; is_good && i < beside.n; i++) {
        const struct beside_point *point = &beside.points[i];
        double hz = point->omega / TEST_TWO_PI;
        n_changes += i > 0 && point->verdict != point[-1].verdict;
        if (point->verdict == 0) {
            CHECK(hz > 52.0 && hz < 67.5);
            CHECK(point->real < -1.0 && point->imaginary == 0.0);
        }
        if (i % tap_most(2, 10) == 0) {
            check_growth(&beside, i, 1e-2); /* the stop closes between two steps */
        }
        if (point->is_asked && point->verdict == 0) {
            check_doubled(&beside, i);
        } else if (point->is_asked) {
            check_return(&beside, i);
        }
    }
    CHECK(n_changes == 2);
    beside_clear(&beside);
}

/* ---- no false alarms ---- */

static struct masing_model *damper(double preload, double hz)
{
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m1: 1.0, m2: 1.0}\n"
                         "  springs:\n"
                         "    - {from: ground, to: m1, stiffness: 41339}\n"
                         "    - {from: m1, to: m2, stiffness: 41328}\n"
                         "  damping: {modal_ratio: 0.02}\n"
                         "joints:\n"
                         "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                         "     stiffness: 40000, friction: 0.5, preload: %.17g}\n"
                         "loads: [{dof: m2, amplitude: 10}]\n"
                         "frequency: [%.17g, %.17g]\n"
                         "harmonics: 9\n"
                         "outputs: [m2]\n",
                         preload, hz, hz * (1.0 + 1e-6));
    struct masing_model *model = beside_model(text);
    free(text);
    return model;
}

static void no_false_alarms(void)
{
    uint64_t seed = 20;
    for (int k = 0; k < tap_most(200, 10); k++) {
        double preload = test_uniform(&seed, 5.0, 300.0), hz = test_uniform(&seed, 18.0, 28.0);
        memset(&beside, 0, sizeof beside);
        beside.model = damper(preload, hz);
        beside.at_hz = &hz;
        beside.n_at = 1;
        beside.at_only = true;
        bool is_good = beside_follow(&beside) && CHECK(beside.n == 1);
        if (is_good && !CHECK(beside.points[0].verdict == 1)) {
            printf("# preload %.17g N, %.17g Hz: %.9g\n", preload, hz,
                   beside.points[0].largest);
        }
        if (is_good && k % tap_most(20, 10) == 0 && beside.points[0].slip_share > 0.1) {
            check_growth(&beside, 0, 2e-2);
        }
        beside_clear(&beside);
    }
}

/* ---- laws that depend on the velocity ---- */

/* Two masses with a cubic spring to the ground and a quadratic damper between them. */
static const char velocity_dependent[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m1: 1, m2: 1}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 41339}\n"
    "    - {from: m1, to: m2, stiffness: 41328}\n"
    "  damping: {modal_ratio: [0.02, 0.01]}\n"
    "joints:\n"
    "  - {name: c, law: cubic_spring, from: ground, to: m1, coefficient: 2e9}\n"
    "  - {name: q, law: quadratic_damper, from: m1, to: m2, coefficient: 40}\n"
    "loads: [{dof: m2, amplitude: 25}]\n"
    "frequency: [16, 32]\n"
    "harmonics: 15\n"
    "samples: 512\n"
    "outputs: [m2, m1]\n";

/* Largest modulus at a point by so many steps per period. */
static double largest_by_steps(struct beside *followed, int index, int n_steps)
{
    enum { MOST_MULTIPLIERS = 16 };
    struct balance *balance = followed->curve->balance;
    const double *y = saved_points_restore(&followed->kept, (size_t)index, balance);
    double omega = followed->points[index].omega, largest = 0.0;
    double real[MOST_MULTIPLIERS], imaginary[MOST_MULTIPLIERS];
    struct arena arena = {0};
    struct floquet *floquet = NULL;
    struct eigen_general *eigen = NULL;
    enum masing_status status = floquet_create(balance, balance->structure->n_modes,
                                               MOST_MULTIPLIERS, &arena, &floquet, NULL);
    status = status ? status : eigen_general_create(MOST_MULTIPLIERS, false, &eigen, NULL);
    status = status ? status : balance_settle(balance, y, omega, false);
    status = status
                 ? status
                 : floquet_evaluate(floquet, balance, omega, n_steps, balance->n_coefficients);
    int n = status ? 0 : floquet->variation->n;
    status =
        status ? status
               : eigen_general_solve(eigen, n, floquet->variation->map, real, imaginary, NULL);
    for (int i = 0; CHECK(status == MASING_OK) && i < n; i++) {
        largest = fmax(largest, hypot(real[i], imaginary[i]));
    }
    eigen_general_destroy(eigen);
    arena_clear(&arena);
    return largest;
}

/* Multipliers of largest modulus by an independent balance and integration of the variations
 * by Runge and Kutta's method; the library's own error is of second order in the step. */
static void velocity_dependent_laws(void)
{
    static const double at_hz[] = {19.0, 23.0, 26.0};
    static const double expected[] = {0.7567972, 0.5882445, 0.8985386};
    static const enum masing_stability_method methods[] = {MASING_STABILITY_FLOQUET,
                                                           MASING_STABILITY_HILL};
    for (int m = 0; m < 2; m++) {
        memset(&beside, 0, sizeof beside);
        beside.model = beside_model(velocity_dependent);
        beside.method = methods[m];
        beside.at_hz = at_hz;
        beside.n_at = 3;
        beside.at_only = true;
        bool is_good = beside_follow(&beside) && CHECK(beside.n == 3);
        for (int i = 0; is_good && i < 3; i++) {
            const struct beside_point *point = &beside.points[i];
            CHECK_SCALED(point->largest, expected[i], 1.0, 1e-7 + point->error);
            CHECK(point->verdict == 1 && point->error < 0.02);
            if (methods[m] == MASING_STABILITY_FLOQUET) {
                double coarse = largest_by_steps(&beside, i, 1024);
                double fine = largest_by_steps(&beside, i, 2048);
                printf("# %g Hz: %.9f, by Richardson's extrapolation %.9f\n", at_hz[i], fine,
                       fine + (fine - coarse) / 3.0);
                CHECK_SCALED(fine + (fine - coarse) / 3.0, expected[i], 1.0, 2e-6);
                check_growth(&beside, i, 1e-3);
            }
        }
        beside_clear(&beside);
    }
}

/* ---- free bodies ---- */

/*
 * Two free masses joined by a spring and a joint. Their distance moves as a single mass
 * m1 m2 / (m1 + m2) held by the same spring and joint does under the load
 * (m2 F1 - m1 F2) / (m1 + m2): the same multipliers, but for those of the rigid-body motion.
 */
enum { FREE_BODIES, HELD_MASS };

static char *distance_model(int kind, const char *joint, double f1, double f2,
                            const char *frequency)
{
    static const char *const parts[] = {"structure:\n"
                                        "  masses: {m1: 1, m2: 2}\n"
                                        "  springs: [{from: m1, to: m2, stiffness: 20000}]\n"
                                        "  damping: {modal_ratio: 0.01}\n"
                                        "outputs:\n"
                                        "  - {name: apart, from: m1, to: m2}\n",
                                        "structure:\n"
                                        "  masses: {m: 0.66666666666666667}\n"
                                        "  springs: [{from: ground, to: m, stiffness: 20000}]\n"
                                        "  damping: {modal_ratio: 0.01}\n"
                                        "outputs: [{name: apart, from: ground, to: m}]\n"};
    char *loads = kind == FREE_BODIES ? text_of("  - {dof: m1, amplitude: %.17g}\n"
                                                "  - {dof: m2, amplitude: %.17g, phase: 90}\n",
                                                f1, f2)
                                      : text_of("  - {dof: m, amplitude: %.17g}\n"
                                                "  - {dof: m, amplitude: %.17g, phase: 90}\n",
                                                -2.0 / 3.0 * f1, f2 / 3.0);
    char *text = text_of("masing: 1\n%sjoints:\n  - {name: j, from: %s, to: %s, %s}\n"
                         "loads:\n%sfrequency: %s\nharmonics: 5\nsamples: 4096\n"
                         "forces: sampled\n", /* both are followed in steps */
                         parts[kind], kind == FREE_BODIES ? "m1" : "ground",
                         kind == FREE_BODIES ? "m2" : "m", joint, loads, frequency);
    free(loads);
    return text;
}

static bool follow_distance(struct beside *followed, int kind, const char *joint, double f1,
                            double f2, const char *frequency, const double *at_hz, int n_at)
{
    char *text = distance_model(kind, joint, f1, f2, frequency);
    memset(followed, 0, sizeof *followed);
    followed->model = beside_model(text);
    followed->method = MASING_STABILITY_FLOQUET;
    followed->at_hz = at_hz;
    followed->n_at = n_at;
    followed->at_only = true;
    free(text);
    return beside_follow(followed);
}

/* Returns the number of unstable points among those asked for. */
static int compare_free_with_held(const char *joint, double f1, double f2,
                                  const char *frequency, const double *at_hz, int n_at)
{
    int n_unstable = 0;
    bool is_good = follow_distance(&beside, FREE_BODIES, joint, f1, f2, frequency, at_hz, n_at);
    is_good = follow_distance(&other, HELD_MASS, joint, f1, f2, frequency, at_hz, n_at) &&
              is_good && CHECK(beside.n == other.n && beside.n >= n_at);
    for (int i = 0; is_good && i < beside.n; i++) {
        const struct beside_point *bodies = &beside.points[i], *held = &other.points[i];
        CHECK_RELATIVE(bodies->size, held->size, 1e-6);
        CHECK(bodies->verdict >= 0 && bodies->verdict == held->verdict);
        CHECK_SCALED(bodies->largest, held->largest, 1.0, 1e-5 + bodies->error + held->error);
        /* the same steps give the same numbers */
        CHECK_SCALED(bodies->largest, held->largest, 1.0, 1e-5);
        CHECK(fabs(bodies->largest - 1.0) > 1e-3);
        n_unstable += bodies->verdict == 0;
    }
    beside_clear(&beside);
    beside_clear(&other);
    return n_unstable;
}

/* Of three motions of the Duffing oscillator the middle one is unstable. */
static void free_bodies(void)
{
    static const double slider_hz[] = {25.0, 33.0, 40.0, 41.0, 55.0};
    static const double duffing_hz[] = {26.0, 31.0, 40.0, 50.0};
    CHECK(compare_free_with_held("law: jenkins, stiffness: 35000, slip_force: 12", 9.0, 3.0,
                                 "[20, 60]", slider_hz, 5) == 0);
    CHECK(compare_free_with_held("law: cubic_spring, coefficient: 5e8", 9.0, 3.0, "[20, 60]",
                                 duffing_hz, 4) == 2);
}

/*
 * A mass that nothing holds but a dashpot: multipliers 1, of the place where it is, and
 * exp(-c T / m). The other body lets it alone, and its own pair is smaller.
 */
static void a_free_mass_with_a_dashpot(void)
{
    static const double hz = 2.0;
    memset(&beside, 0, sizeof beside);
    beside.model = beside_model("masing: 1\n"
                                "structure:\n"
                                "  masses: {a: 2, b: 1}\n"
                                "  springs: [{from: ground, to: b, stiffness: 100}]\n"
                                "  dampers:\n"
                                "    - {from: ground, to: a, damping: 0.5}\n"
                                "    - {from: ground, to: b, damping: 12}\n"
                                "joints: [{name: j, law: cubic_spring, from: ground, to: b,\n"
                                "  coefficient: 0.001}]\n"
                                "loads: [{dof: a, amplitude: 1}, {dof: b, amplitude: 0.01}]\n"
                                "frequency: [1, 3]\n"
                                "harmonics: [1, 3]\n"
                                "outputs: [a, b]\n");
    beside.method = MASING_STABILITY_FLOQUET;
    beside.at_hz = &hz;
    beside.n_at = 1;
    beside.at_only = true;
    if (beside_follow(&beside) && CHECK(beside.n == 1)) {
        CHECK(beside.points[0].verdict == 1);
        CHECK_SCALED(beside.points[0].largest, exp(-0.5 / (2.0 * hz)), 1.0, 1e-4);
    }
    beside_clear(&beside);
}

/*
 * A mass between two stops, far below its resonances: small motions grow by factors of 1e10 in
 * a period. That they are unstable is seen at once, however large the factor is, and the curve
 * ends at the peak that the same curve from 0.3 rad/s on has.
 */
static void quickly_parting_motions(void)
{
    const char *text = "masing: 1\nstructure:\n  masses: {x: 1}\n"
                       "  dampers: [{from: ground, to: x, damping: 0.02}]\njoints:\n"
                       "  - {name: s, law: unilateral_spring, from: ground, to: x,\n"
                       "     stiffness: 10, gap: 0.02, two_sided: true}\n"
                       "  - {name: k, law: cubic_spring, from: ground, to: x,\n"
                       "     coefficient: 1.5}\n"
                       "loads: [{name: f, dof: x, amplitude: 0.0075}]\n"
                       "frequency: [0.05, 3.5]\nfrequency_unit: rad_s\nharmonics: 15\n"
                       "outputs: [x]\n";
    struct run run = {0};
    run_with(&run, text,
             &(struct masing_response_options){.columns = MASING_COLUMNS_STABILITY});
    const struct masing_stability_summary *stability = &run.summary.stability;
    CHECK(run.status == MASING_OK);
    CHECK_RELATIVE(run.summary.peak.max, 0.1328, 1e-3);
    CHECK_RELATIVE(run.summary.peak.frequency_hz, 0.4528, 1e-3);
    int n_undecided = 0;
    for (int r = 0; r < run.rows.n_rows; r++) { /* at folds a multiplier is 1 */
        n_undecided += !*run.rows.events[r] && isnan(table_get(&run.rows, r, "stable"));
    }
    printf("# largest multiplier %g, %d of %d points undecided without an event\n",
           stability->largest, n_undecided, run.rows.n_rows);
    CHECK(stability->largest > 1e6);
    CHECK(20 * n_undecided < run.rows.n_rows);
    run_clear(&run);
}

/*
 * Close to a fold the solution with more harmonics may lie on the other side of its own fold:
 * behind the lower fold of this curve it is unstable, where the curve is stable.
 */
static void behind_a_fold(void)
{
    const struct masing_response_options options = {.columns = MASING_COLUMNS_STABILITY};
    struct masing_model *model = example_open("normal_motion.yaml", NULL, 0);
    struct run run = {0};
    struct masing_sink sink = table_sink(&run.rows);
    CHECK(masing_frf(model, &options, &sink, NULL, &run.summary, &run.error) == MASING_OK);
    int n_folds = 0;
    for (int r = 0; r < run.rows.n_rows; r++) {
        n_folds += strstr(run.rows.events[r], "fold") != NULL;
        CHECK(n_folds != 2 || table_get(&run.rows, r, "stable") != 0.0);
    }
    CHECK(n_folds == 2 && run.summary.stability.n_ranges == 1);
    run_clear(&run);
    masing_model_destroy(model);
}

/* ---- friction cannot drive ---- */

/*
 * Linear springs, dampers and Jenkins elements contract the energy of every small motion: no
 * response of theirs is unstable, whatever a truncated motion makes of their map.
 */
static void friction_cannot_drive(void)
{
    static const char *const texts[] = {
        "  masses: {m0: 1.681, m1: 1.807, m2: 1.27, m3: 0.7175}\n"
        "  springs:\n"
        "    - {from: ground, to: m0, stiffness: 12723}\n"
        "    - {from: m0, to: m1, stiffness: 28788}\n"
        "    - {from: m1, to: m2, stiffness: 16552}\n"
        "    - {from: m2, to: m3, stiffness: 26506}\n"
        "  damping: {modal_ratio: 0.01997}\n"
        "joints:\n"
        "  - {name: j0, law: jenkins, from: m2, to: m1, stiffness: 9515.7, slip_force: "
        "0.1283}\n"
        "  - {name: j1, law: jenkins, from: ground, to: m1, stiffness: 81379,\n"
        "     slip_force: 0.1116}\n"
        "  - {name: j2, law: jenkins, from: m3, to: m2, stiffness: 70049, slip_force: 5.502}\n"
        "loads: [{dof: m2, amplitude: 1}]\n"
        "frequency: [40, 60]\n"
        "harmonics: 5\n"
        "outputs: [m3]\n",
        "  masses: {m0: 1.121, m1: 0.9551, m2: 1.048, m3: 0.762}\n"
        "  springs:\n"
        "    - {from: ground, to: m0, stiffness: 36117}\n"
        "    - {from: m0, to: m1, stiffness: 20430}\n"
        "    - {from: m1, to: m2, stiffness: 8268.3}\n"
        "    - {from: m2, to: m3, stiffness: 75204}\n"
        "  damping: {modal_ratio: 0.000995}\n"
        "joints:\n"
        "  - {name: j0, law: jenkins, from: m1, to: m3, stiffness: 70058, slip_force: 1.91}\n"
        "  - {name: j1, law: jenkins, from: m2, to: m0, stiffness: 1.9789e5,\n"
        "     slip_force: 0.1332}\n"
        "  - {name: j2, law: jenkins, from: m0, to: m1, stiffness: 1.0726e5,\n"
        "     slip_force: 1.163}\n"
        "loads: [{dof: m1, amplitude: 1}]\n"
        "frequency: [3, 60]\n"
        "harmonics: 1\n"
        "outputs: [m3]\n",
        "  masses: {m0: 1.158, m1: 0.9469}\n"
        "  springs:\n"
        "    - {from: ground, to: m0, stiffness: 68353}\n"
        "    - {from: m0, to: m1, stiffness: 17033}\n"
        "  damping: {modal_ratio: 0.000867}\n"
        "joints:\n"
        "  - {name: j0, law: jenkins, from: m1, to: m0, stiffness: 1.0364e5,\n"
        "     slip_force: 9.048}\n"
        "  - {name: j1, law: jenkins, from: ground, to: m0, stiffness: 1345.3,\n"
        "     slip_force: 9.539}\n"
        "loads: [{dof: m1, amplitude: 1}]\n"
        "frequency: [3, 90]\n"
        "harmonics: 1\n"
        "outputs: [m1]\n",
    };
    const struct masing_response_options options = {.stability = MASING_STABILITY_FLOQUET};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct run run;
        char *text = text_of("masing: 1\nstructure:\n%s", texts[i]);
        run_with(&run, text, &options);
        const struct masing_stability_summary *stability = &run.summary.stability;
        CHECK(run.status == MASING_OK && stability->n_points > 20);
        CHECK(stability->n_unstable == 0 && stability->n_undecided <= 4);
        CHECK(stability->neimark_sackers.n == 0 && stability->period_doublings.n == 0);
        run_clear(&run);
        free(text);
    }
}

static const struct tap_test tests[] = {
    {"Duffing: unstable between the folds, as in time", duffing},
    {"contacts: likewise", contacts},
    {"memories of one end of a period only", memories_at_both_ends},
    {"a stop: a multiplier of -1, then motions of two periods", period_doubling},
    {"no false alarms with a damper", no_false_alarms},
    {"friction cannot drive", friction_cannot_drive},
    {"laws that depend on the velocity", velocity_dependent_laws},
    {"behind a fold", behind_a_fold},
    {"motions that part quickly are seen to", quickly_parting_motions},
    {"free bodies: as their distance by itself", free_bodies},
    {"a free mass with a dashpot", a_free_mass_with_a_dashpot},
};

TAP_MAIN(tests)
