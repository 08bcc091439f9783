/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multipliers from the changes of state of a period against products of exponentials from
 * phases found here, closed forms, and one another.
 */
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/exponential.h"
#include "multipliers.h"

/* ---- products made here ---- */

/* The motion of an axis at an angle, from its coefficients. */
static double motion(const struct balance *balance, const double *x, double angle)
{
    double value = 0.0;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        int h = balance->basis->harmonics[k], at = balance->basis->position[k];
        value += x[at] * cos(h * angle) + (h > 0 ? x[at + 1] * sin(h * angle) : 0.0);
    }
    return value;
}

/* Where it is highest (sign 1) or lowest. */
static double extremum(const struct balance *balance, const double *x, double sign)
{
    double best = 0.0, step = TWO_PI / 512.0;
    for (int i = 0; i < 512; i++) {
        double angle = i * step;
        best =
            sign * motion(balance, x, angle) > sign * motion(balance, x, best) ? angle : best;
    }
    double from = best - step, to = best + step; /* of the slope, a central difference */
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (from + to), small = 1e-3;
        double rise =
            sign *
            (8.0 * (motion(balance, x, middle + small) - motion(balance, x, middle - small)) -
             motion(balance, x, middle + 2.0 * small) +
             motion(balance, x, middle - 2.0 * small));
        from = rise > 0.0 ? middle : from;
        to = rise > 0.0 ? to : middle;
    }
    return 0.5 * (from + to);
}

/* Between two angles, where it passes a level. */
static double passes(const struct balance *balance, const double *x, double from, double to,
                     double level)
{
    double sign = motion(balance, x, to) > level ? 1.0 : -1.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (from + to);
        bool is_before = sign * (motion(balance, x, middle) - level) < 0.0;
        from = is_before ? middle : from;
        to = is_before ? to : middle;
    }
    return 0.5 * (from + to);
}

/* map := exp of [0 1 0; -K -c k e; 0 0 0] time map, (u1, u2, v1, v2, s): the masses of the
 * examples, 1 kg each, springs k1 to the ground and k2 in between, damping matrix c [2][2], a
 * joint of a stiffness k on the first. */
static void advance(double k1, double k2, double c[2][2], double k, double time, double map[25])
{
    double a[25] = {0}, scratch[100], product[25];
    int pivots[5];
    const double stiffness[2][2] = {{k1 + k2 + k, -k2}, {-k2, k2}};
    for (int i = 0; i < 2; i++) {
        a[i + (2 + i) * 5] = time;
        for (int j = 0; j < 2; j++) {
            a[2 + i + j * 5] = -time * stiffness[i][j];
            a[2 + i + (2 + j) * 5] = -time * c[i][j];
        }
    }
    a[2 + 4 * 5] = time * k;
    CHECK(matrix_exponential(5, a, scratch, pivots) == MASING_OK);
    dense_multiply(5, 5, 5, a, map, product);
    memcpy(map, product, sizeof product);
}

static double largest_of(double map[25])
{
    double real[5], imaginary[5];
    struct eigen_general *eigen = NULL;
    CHECK(eigen_general_create(5, false, &eigen, NULL) == MASING_OK);
    CHECK(eigen_general_solve(eigen, 5, map, real, imaginary, NULL) == MASING_OK);
    eigen_general_destroy(eigen);
    return largest(5, real, imaginary);
}

/* C = 2 zeta sqrt(K) of the two masses. */
static void modal_damping(double k1, double k2, double ratio, double c[2][2])
{
    /* sqrt(K) = (K + sqrt(det K)) / sqrt(trace K + 2 sqrt(det K)) */
    double root = sqrt(k1 * k2), scale = 2.0 * ratio / sqrt(k1 + 2.0 * k2 + 2.0 * root);
    c[0][0] = scale * (k1 + k2 + root);
    c[0][1] = c[1][0] = -scale * k2;
    c[1][1] = scale * (k2 + root);
}

static const double K1 = 41339.0, K2 = 41328.0, RATIO = 0.02, K = 40000.0;

/* Text of a chain of two masses with joints on the first. */
static char *two_masses(const char *joints, const char *harmonics)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m1: 1, m2: 1}\n"
                   "  springs:\n"
                   "    - {from: ground, to: m1, stiffness: 41339}\n"
                   "    - {from: m1, to: m2, stiffness: 41328}\n"
                   "  damping: {modal_ratio: 0.02}\n"
                   "joints:\n"
                   "%s"
                   "loads: [{dof: m2, amplitude: 10}]\n"
                   "frequency: [18, 28]\n"
                   "harmonics: %s\n"
                   "outputs: [m2]\n",
                   joints, harmonics);
}

/* Sticks down from the top by twice the reach, slips to the bottom, and likewise up. */
static void check_damper(struct found *found, const struct balance *balance, double omega)
{
    const double reach = 15.0 / K, *x = balance->joints[0]->x;
    double c[2][2], map[25] = {0};
    double top = extremum(balance, x, 1.0), bottom = extremum(balance, x, -1.0);
    double range = motion(balance, x, top) - motion(balance, x, bottom);
    if (range < 2.2 * reach) {
        return;
    }
    bottom += bottom < top ? TWO_PI : 0.0;
    double down = passes(balance, x, top, bottom, motion(balance, x, top) - 2.0 * reach);
    double up =
        passes(balance, x, bottom, top + TWO_PI, motion(balance, x, bottom) + 2.0 * reach);
    const double angles[] = {top, down, bottom, up, top + TWO_PI};
    modal_damping(K1, K2, RATIO, c);
    for (int i = 0; i < 5; i++) {
        map[i * 6] = 1.0;
    }
    for (int i = 0; i < 4; i++) {
        for (int column = 0; column < 5 && i % 2 == 0; column++) {
            map[4 + column * 5] = map[column * 5]; /* the slider comes to rest */
        }
        advance(K1, K2, c, i % 2 == 0 ? K : 0.0, (angles[i + 1] - angles[i]) / omega, map);
    }
    CHECK_SCALED(found->largest[found->n_points - 1], largest_of(map), 1.0, 1e-8);
    CHECK(found->result.error < 0.1);
    CHECK(found->result.n == 4);
    found->n_checked++;
}

static void damper(void)
{
    struct found found = {.check = check_damper};
    char *text = two_masses("  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                            "    stiffness: 40000, slip_force: 15}\n",
                            "9");
    follow(text, &found);
    CHECK(found.n_checked > 10);
    free(text);
}

/* A stop on one side of the static position: closed about the top of the motion. */
static void check_stop(struct found *found, const struct balance *balance, double omega)
{
    const double gap = 2e-4, *x = balance->joints[0]->x;
    double c[2][2], map[25] = {0};
    double top = extremum(balance, x, 1.0), bottom = extremum(balance, x, -1.0);
    if (motion(balance, x, top) < 1.1 * gap) {
        return;
    }
    int n_passed = 0;
    for (int i = 0; i < 256; i++) {
        n_passed += (motion(balance, x, i * TWO_PI / 256.0) > gap) !=
                    (motion(balance, x, (i + 1) * TWO_PI / 256.0) > gap);
    }
    if (n_passed != 2) { /* it closes twice in a period */
        return;
    }
    bottom += bottom < top ? TWO_PI : 0.0;
    double opens = passes(balance, x, top, bottom, gap);
    double closes = passes(balance, x, bottom, top + TWO_PI, gap);
    modal_damping(K1, K2, RATIO, c);
    for (int i = 0; i < 4; i++) {
        map[i * 6] = 1.0;
    }
    advance(K1, K2, c, 0.0, (closes - opens) / omega, map);
    advance(K1, K2, c, K, (TWO_PI - closes + opens) / omega, map);
    CHECK_SCALED(found->largest[found->n_points - 1], largest_of(map), 1.0, 1e-8);
    found->n_checked++;
}

static void stop(void)
{
    struct found found = {.check = check_stop};
    char *text = two_masses("  - {name: stop, law: unilateral_spring, from: ground, to: m1,\n"
                            "    stiffness: 40000, gap: 2e-4}\n",
                            "9");
    follow(text, &found);
    CHECK(found.n_checked > 10);
    free(text);
}

/* ---- closed forms ---- */

/* The product of all multipliers of a linear structure is exp of minus its damping; a slider
 * that rests has none of its own. */
static void check_stuck(struct found *found, const struct balance *balance, double omega)
{
    double product = 1.0, c[2][2], map[25] = {0};
    (void)balance;
    CHECK(found->result.n == 4);
    modal_damping(K1, K2, RATIO, c);
    for (int i = 0; i < found->result.n; i++) {
        product *= hypot(found->real[i], found->imaginary[i]);
        map[i * 6] = 1.0;
    }
    CHECK_RELATIVE(product, exp(-(c[0][0] + c[1][1]) * TWO_PI / omega), 1e-9);
    advance(K1, K2, c, K, TWO_PI / omega, map);
    CHECK_SCALED(found->largest[found->n_points - 1], largest_of(map), 1.0, 1e-10);
}

static double largest_at(const struct found *found, double hz)
{
    double value = NAN;
    for (int p = 0; p < found->n_points; p++) {
        bool is_there = fabs(found->omega[p] - TWO_PI * hz) < 1e-9 * found->omega[p];
        value = is_there ? found->largest[p] : value;
    }
    return value;
}

/* Beside another that slips it is a spring. */
static void check_four(struct found *found, const struct balance *balance, double omega)
{
    (void)balance;
    (void)omega;
    CHECK(found->result.n == 4);
}

static void stuck_beside(void)
{
    static const char *const laws[] = {"jenkins, slip_force: 1e5", "linear"};
    struct found found[2] = {{.check = check_four}, {.check = check_four}};
    for (int i = 0; i < 2; i++) {
        char *joints = text_of("  - {name: a, law: jenkins, from: ground, to: m1,\n"
                               "    stiffness: 40000, slip_force: 10}\n"
                               "  - {name: b, from: m1, to: m2, stiffness: 9000, law: %s}\n",
                               laws[i]);
        char *text = two_masses(joints, "5");
        follow(text, &found[i]);
        free(text);
        free(joints);
    }
    for (int k = 0; k < N_AT; k++) {
        CHECK_SCALED(largest_at(&found[0], at_hz[k]), largest_at(&found[1], at_hz[k]), 1.0,
                     1e-7);
    }
}

static void stuck(void)
{
    struct found found = {.check = check_stuck};
    char *text = two_masses("  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                            "    stiffness: 40000, slip_force: 1e5}\n",
                            "3");
    follow(text, &found);
    free(text);
}

/* ---- ties ---- */

/* Two dampers that slip and come to rest together are one; where one of them is a little the
 * stronger the order of what they do changes, and nothing else. */
static void ties(void)
{
    static const double forces[][2] = {{7.5, 7.5}, {7.5 - 1e-9, 7.5 + 1e-9}};
    struct found one = {0}, two[3] = {{0}};
    char *text = two_masses("  - {name: d, law: jenkins, from: ground, to: m1,\n"
                            "    stiffness: 40000, slip_force: 15}\n",
                            "7");
    follow(text, &one);
    free(text);
    for (int i = 0; i < 3; i++) {
        const double *force = forces[i > 0];
        char *joints = text_of("  - {name: a, law: jenkins, from: ground, to: m1,\n"
                               "    stiffness: 20000, slip_force: %.17g}\n"
                               "  - {name: b, law: jenkins, from: ground, to: m1,\n"
                               "    stiffness: 20000, slip_force: %.17g}\n",
                               force[i == 2], force[i != 2]);
        text = two_masses(joints, "7");
        follow(text, &two[i]);
        free(text);
        free(joints);
        for (int k = 0; k < N_AT; k++) {
            CHECK_SCALED(largest_at(&two[i], at_hz[k]), largest_at(&one, at_hz[k]), 1.0, 1e-6);
        }
    }
}

/* ---- what is not of the kind ---- */

static bool has_phases(const char *joints, const char *harmonics)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    struct balance *balance = NULL;
    struct phases *phases = NULL;
    struct arena arena = {0};
    const struct balance_settings settings = {.n_threads = 1};
    char *text = two_masses(joints, harmonics);
    CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
          MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    CHECK(balance_create(model, &settings, &balance, &error) == MASING_OK);
    CHECK(phases_create(balance, 2, false, &arena, &phases, &error) == MASING_OK);
    bool has = phases != NULL;
    phases_destroy(phases);
    arena_clear(&arena);
    balance_destroy(balance);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
    return has;
}

static void kinds(void)
{
    const char *jenkins = "  - {name: j, law: jenkins, from: ground, to: m1,\n"
                          "    stiffness: 20000, slip_force: 1}\n";
    CHECK(has_phases(jenkins, "3"));
    CHECK(!has_phases(jenkins, "1")); /* nothing tells what truncation does */
    CHECK(!has_phases("  - {name: j, law: cubic_spring, from: ground, to: m1,\n"
                      "    coefficient: 1e6}\n",
                      "3"));
    CHECK(has_phases("  - {name: j, law: linear, from: m1, to: m2, damping: 3}\n"
                     "  - {name: k, law: jenkins, from: ground, to: m1,\n"
                     "    stiffness: 20000, slip_force: 1}\n",
                     "3"));
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"a damper: exponentials of the phases found here", damper},
        {"a stop: likewise", stop},
        {"a slider that rests all the time", stuck},
        {"likewise beside one that slips", stuck_beside},
        {"changes at one time in either order", ties},
        {"joints that have such phases", kinds},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
