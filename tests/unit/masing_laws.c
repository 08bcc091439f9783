/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Backbones to the last digits, derived constants, and what is refused. */
#include "joint_text.h"

#include <math.h>

static const char TOPOGRAPHY[] =
    "topography: {height_std: 5e-7, summit_radius: 1.5e-4, summit_density: 5e8, area: 5e-4, "
    "youngs_modulus: 200e9, poisson_ratio: 0.3}";

/* u / reach from the smallest to the largest, both ends close. */
static double spread(int i, int n)
{
    double t = (double)i / n;
    return t < 0.5 ? pow(10.0, -24.0 * (0.5 - t)) * 0.5
                   : 1.0 - 0.5 * pow(10.0, -28.0 * (t - 0.5));
}

static void iwan_keeps_all_digits(void)
{
    static const double chis[] = {-0.9999, -0.99, -0.5, 0.0}, betas[] = {0.0, 1e-9, 0.5, 50.0};
    for (int c = 0; c < 16; c++) {
        char keys[200];
        snprintf(keys, sizeof keys, "slip_force: 10, stiffness: 1e6, chi: %.17g, beta: %.17g",
                 chis[c % 4], betas[c / 4]);
        struct joint_text joint = joint_text_open("iwan4", keys);
        double reach = joint_text_constant(&joint, "phi_max");
        long double e = (long double)chis[c % 4] + 1.0L, beta = betas[c / 4];
        for (int i = 0; i < 60; i++) {
            double u = reach * spread(i, 60);
            long double gone = -expm1l(e * logl((long double)u / reach));
            long double b =
                1e6L * u * (beta * (1.0L + e) + e + gone) / ((1.0L + beta) * (1.0L + e));
            CHECK_RELATIVE(joint_text_backbone(&joint, u), (double)b, 1e-14);
            CHECK_SCALED(joint_text_tangent(&joint, u),
                         (double)(1e6L * (beta + gone) / (1.0L + beta)), 1e6, 1e-14);
        }
        CHECK_RELATIVE(joint_text_backbone(&joint, reach * (1.0 - 1e-15)), 10.0, 1e-13);
        CHECK(joint_text_backbone(&joint, reach) == 10.0);
        CHECK(joint_text_backbone(&joint, 1e300) == 10.0);
        CHECK(joint_text_backbone(&joint, 0.0) == 0.0);
        CHECK(joint_text_tangent(&joint, 0.0) == 1e6);
        joint_text_close(&joint);
    }
}

static void mindlin_keeps_all_digits(void)
{
    struct joint_text joint =
        joint_text_open("mindlin", "slip_force: 15, slip_displacement: 8e-7");
    for (int i = 0; i < 60; i++) {
        double u = 8e-7 * spread(i, 60);
        long double logarithm = log1pl(-(long double)u / 8e-7);
        long double b = -15.0L * expm1l(1.5L * logarithm);
        CHECK_RELATIVE(joint_text_backbone(&joint, u), (double)b, 1e-14);
        CHECK_SCALED(joint_text_tangent(&joint, u),
                     (double)(22.5L / 8e-7L * expl(0.5L * logarithm)), 22.5 / 8e-7,
                     1e-7); /* a square root at the reach: u itself is rounded */
    }
    CHECK(joint_text_backbone(&joint, 8e-7) == 15.0 && joint_text_tangent(&joint, 8e-7) == 0.0);
    joint_text_close(&joint);
}

/* f(w) of the exponential backbone in 64 bits, by its power series where Omega is small. */
static long double exponential(long double omega, long double w)
{
    if (fabsl(omega) > 1e-2L) {
        long double e = expl(-omega);
        return (-expm1l(-omega * w) / omega - w * e) / -expm1l(-omega);
    }
    long double above = 0.0L, below = 0.0L, term = 1.0L; /* (-Omega)^k / (k + 1)! */
    for (int k = 0; k < 12; k++) {
        /* (1 - e^-Omega w) / Omega - w e^-Omega and 1 - e^-Omega, both over Omega */
        above += k > 0 ? term * (powl(w, k + 1) - w * (k + 1)) / -omega : 0.0L;
        below += term;
        term *= -omega / (k + 2);
    }
    return omega == 0.0L ? w - 0.5L * w * w : -above / below;
}

static void rough_keeps_all_digits(void)
{
    static const double shares[] = {1e-6,   0.05, 0.3,       0.417, 0.4185, 0.45,
                                    0.4999, 0.5,  0.5000001, 0.57,  0.6,    0.95};
    for (int s = 0; s < 12; s++) {
        char keys[200];
        snprintf(keys, sizeof keys,
                 "stiffness: 1e7, slip_displacement: 1e-6, slip_force: %.17g",
                 10.0 * shares[s]);
        struct joint_text joint = joint_text_open("rough_interface", keys);
        double omega = joint_text_constant(&joint, "Omega");
        for (int i = 0; i < 60; i++) {
            double w = spread(i, 60), u = 1e-6 * w;
            long double f = exponential(omega, (long double)u / 1e-6);
            CHECK_RELATIVE(joint_text_backbone(&joint, u), (double)(10.0L * f), 3e-14);
        }
        CHECK_RELATIVE(joint_text_backbone(&joint, 1e-6 * (1.0 - 1e-15)), 10.0 * shares[s],
                       1e-13);
        CHECK(joint_text_tangent(&joint, 0.0) == 1e7);
        joint_text_close(&joint);
    }
}

/* I_p(h) by the midpoint rule after t - h = (n - h) r^4: slow, and another method. */
static double summits(double p, double h, double n)
{
    enum { STEPS = 200000 };
    double sum = 0.0;
    for (int i = 0; i < STEPS; i++) {
        double r = (i + 0.5) / STEPS, t = (n - h) * r * r * r * r;
        sum += pow(t, p) * exp(-0.5 * (h + t) * (h + t)) * 4.0 * (n - h) * r * r * r / STEPS;
    }
    return sum / sqrt(2.0 * acos(-1.0));
}

/* From light to very heavy contact: separations from 2.9 to -2 standard deviations. */
static void exact_backbone_is_the_integral(void)
{
    static const char *const preloads[] = {"1e-3", "50", "5e4", "5e5"};
    for (int k = 0; k < 4; k++) {
        char keys[400];
        snprintf(keys, sizeof keys, "%s, friction: 0.3, preload: %s, backbone: exact",
                 TOPOGRAPHY, preloads[k]);
        struct joint_text joint = joint_text_open("rough_interface", keys);
        double h = joint_text_constant(&joint, "h"), n = 3.0;
        double limit = joint_text_constant(&joint, "slip_force");
        double reach = joint_text_constant(&joint, "slip_displacement");
        double modulus = joint_text_constant(&joint, "E*"), whole = summits(1.5, h, n);
        CHECK_RELATIVE(4.0 / 3.0 * modulus * sqrt(1.5e-4) * 5e8 * 5e-4 * pow(5e-7, 1.5) * whole,
                       limit / 0.3, 1e-9);
        for (double w = 0.05; w < 1.0; w += 0.15) {
            double share = 1.0 - summits(1.5, h + (n - h) * w, n) / whole;
            double slope = 1.5 * (n - h) * summits(0.5, h + (n - h) * w, n) / whole;
            CHECK_RELATIVE(joint_text_backbone(&joint, w * reach), limit * share, 1e-9);
            CHECK_SCALED(joint_text_tangent(&joint, w * reach), limit / reach * slope,
                         joint_text_constant(&joint, "stiffness"), 1e-9);
        }
        double k_t = joint_text_constant(&joint, "stiffness");
        CHECK_RELATIVE(joint_text_tangent(&joint, 0.0), k_t, 1e-13);
        for (double w = 1e-3; w > 1e-15; w *= 0.1) {
            /* B = K u (1 - O(w)): small displacements keep their digits */
            double secant = joint_text_backbone(&joint, w * reach) / (k_t * w * reach);
            CHECK(secant < 1.0 + 1e-13 && secant > 1.0 - 5.0 * w - 1e-13);
        }
        CHECK(joint_text_backbone(&joint, reach) == limit);
        joint_text_close(&joint);
    }
}

static void ramberg_osgood_solves_its_equation(void)
{
    static const double exponents[] = {1.0001, 1.5, 4.0, 60.0};
    for (int e = 0; e < 4; e++) {
        char keys[200];
        double n = exponents[e];
        snprintf(keys, sizeof keys, "stiffness: 2e7, yield_force: 50, exponent: %.17g", n);
        struct joint_text joint = joint_text_open("ramberg_osgood", keys);
        for (double u = 1e-18; u < 1e9; u *= 7.3) {
            double b = joint_text_backbone(&joint, u);
            CHECK_RELATIVE(b / 2e7 * (1.0 + pow(b / 50.0, n - 1.0)), u, n * 1e-15);
            CHECK_RELATIVE(joint_text_tangent(&joint, u),
                           2e7 / (1.0 + n * pow(b / 50.0, n - 1.0)), 1e-12);
        }
        CHECK_RELATIVE(joint_text_backbone(&joint, 5e-6), 50.0, 1e-14);
        CHECK(joint_text_backbone(&joint, 0.0) == 0.0);
        joint_text_close(&joint);
    }
}

/* A bent line is a bank of elastic-Coulomb elements. */
static void a_table_is_a_bank_of_sliders(void)
{
    enum { N = 200 };
    struct joint_text table = joint_text_open(
        "backbone_table", "file: [[0, 0], [1, 30], [3, 60], [8, 80], [9, 80], [10, 80]]");
    struct joint_text sliders[3] = {joint_text_open("jenkins", "stiffness: 15, slip_force: 15"),
                                    joint_text_open("jenkins", "stiffness: 11, slip_force: 33"),
                                    joint_text_open("jenkins", "stiffness: 4, slip_force: 32")};
    double x[N], f[N], sum[N] = {0.0}, part[N];
    for (int i = 0; i < N; i++) {
        double angle = 6.283185307179586 * i / N;
        x[i] = 12.0 * sin(angle) + 4.0 * sin(3.0 * angle + 1.0) + 2.0;
    }
    double share = joint_text_march(&table, x, N, f), stiffest = 0.0;
    for (int s = 0; s < 3; s++) {
        stiffest = joint_text_march(&sliders[s], x, N, part);
        for (int i = 0; i < N; i++) {
            sum[i] += part[i];
        }
        joint_text_close(&sliders[s]);
    }
    for (int i = 0; i < N; i++) {
        CHECK_SCALED(f[i], sum[i], 80.0, 1e-13);
    }
    CHECK(share > 0.0);
    CHECK_RELATIVE(share, stiffest, 1e-12); /* slips where its last slider does */
    CHECK(joint_text_constant(&table, "reach") == 8.0);
    CHECK(joint_text_backbone(&table, 2.0) == 45.0 && joint_text_tangent(&table, 2.0) == 15.0);
    joint_text_close(&table);
    table = joint_text_open("backbone_table", "file: [[1, 30], [3, 60]]");
    CHECK(joint_text_backbone(&table, 0.5) == 15.0); /* the origin may be left out */
    joint_text_close(&table);
}

/* One number is that of both bodies or surfaces, or combined already. */
static void pairs_and_single_numbers_agree(void)
{
    static const char *const forms[4] = {
        "youngs_modulus: 210e9, poisson_ratio: 0.3, radius: 0.01",
        "youngs_modulus: [210e9], poisson_ratio: [0.3, 0.3], radius: [0.02, 0.02]",
        "youngs_modulus: [210e9, 210e9], poisson_ratio: 0.3, radius: [0.01, 1e300]",
        "youngs_modulus: [210e9, 70e9], poisson_ratio: [0.3, 0.33], radius: 0.01"};
    double stiffness[4];
    for (int i = 0; i < 4; i++) {
        char keys[300];
        snprintf(keys, sizeof keys, "%s, friction: 0.3, preload: 100", forms[i]);
        struct joint_text joint = joint_text_open("mindlin", keys);
        double a = joint_text_constant(&joint, "contact_radius");
        double g = joint_text_constant(&joint, "G*"), e = joint_text_constant(&joint, "E*");
        stiffness[i] = joint_text_constant(&joint, "stiffness");
        CHECK_RELATIVE(a, cbrt(3.0 * 100.0 * 0.01 / (4.0 * e)), 1e-14);
        CHECK_RELATIVE(stiffness[i], 8.0 * a / g, 1e-14);
        CHECK_RELATIVE(joint_text_constant(&joint, "slip_displacement"),
                       3.0 * 0.3 * 100.0 * g / (16.0 * a), 1e-14);
        joint_text_close(&joint);
    }
    CHECK_RELATIVE(stiffness[1], stiffness[0], 1e-14);
    CHECK_RELATIVE(stiffness[2], stiffness[0], 1e-14);
    CHECK(stiffness[3] < 0.8 * stiffness[0]);
    struct joint_text one =
        joint_text_open("rough_interface",
                        "topography: {height_std: 5e-7, summit_radius: 1e-4, summit_density: "
                        "5e8, area: 5e-4, youngs_modulus: 2e11, poisson_ratio: 0.3}, "
                        "friction: 0.3, preload: 50");
    struct joint_text two =
        joint_text_open("rough_interface",
                        "topography: {height_std: [3e-7, 4e-7], summit_radius: [2e-4, 2e-4], "
                        "summit_density: 5e8, area: 5e-4, youngs_modulus: [2e11, 2e11], "
                        "poisson_ratio: 0.3, cutoff: 3}, friction: 0.3, preload: 50");
    CHECK_RELATIVE(joint_text_constant(&two, "h"), joint_text_constant(&one, "h"), 1e-14);
    CHECK_RELATIVE(joint_text_constant(&two, "slip_displacement"),
                   joint_text_constant(&one, "slip_displacement"), 1e-14);
    joint_text_close(&one);
    joint_text_close(&two);
}

static void no_preload_is_no_force(void)
{
    static const char *const laws[4] = {"iwan4", "mindlin", "rough_interface", "mindlin"};
    static const char *const keys[4] = {
        "stiffness: 1, chi: -0.5, beta: 5", "slip_displacement: 1e-6", TOPOGRAPHY,
        "youngs_modulus: 210e9, poisson_ratio: 0.3, radius: 0.01"};
    for (int i = 0; i < 4; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s, friction: 0.3, preload: 0", keys[i]);
        struct joint_text joint = joint_text_open(laws[i], text);
        struct masing_range range = {.maximum = 1e-9, .minimum = -1e-9};
        const double x[4] = {1e-9, 0.0, -1e-9, 0.0};
        double f[4];
        for (double u = 0.0; u < 1e-5; u += 1e-7) {
            CHECK(joint_text_backbone(&joint, u) == 0.0);
            CHECK(joint_text_tangent(&joint, u) == 0.0);
        }
        /* never an event, and slip all the time */
        CHECK(joint.law->events[0].value(joint.law, joint.parameters, &range) > 0.0);
        CHECK(joint_text_march(&joint, x, 4, f) == 1.0);
        CHECK(joint.law->stuck_stiffness(joint.parameters) >= 0.0);
        joint_text_close(&joint);
    }
}

/* The spring carries on; slip is that of the surfaces. */
static void a_parallel_spring_adds_up(void)
{
    enum { N = 256 };
    static const char alone[] = "stiffness: 1e7, slip_displacement: 1e-6, slip_force: 4";
    char keys[200];
    snprintf(keys, sizeof keys, "%s, parallel_stiffness: 2e6", alone);
    struct joint_text with = joint_text_open("rough_interface", keys);
    struct joint_text without = joint_text_open("rough_interface", alone);
    double x[N], f[N], g[N];
    for (int i = 0; i < N; i++) {
        x[i] = 3e-6 * cos(6.283185307179586 * (i + 0.25) / N) + 0.4e-6;
    }
    double share = joint_text_march(&with, x, N, f);
    CHECK(share == joint_text_march(&without, x, N, g) && share > 0.3 && share < 0.7);
    for (int i = 0; i < N; i++) {
        CHECK_SCALED(f[i], g[i] + 2e6 * x[i], 10.0, 1e-14);
    }
    CHECK(with.law->free_stiffness(with.parameters) == 2e6);
    CHECK(with.law->stuck_stiffness(with.parameters) == 1.2e7);
    CHECK(isinf(with.law->reach(with.parameters)));
    CHECK(with.law->slip_onset(with.parameters) == 1e-6);
    joint_text_close(&with);
    joint_text_close(&without);
}

static void blunt_rough_backbones_are_cautioned(void)
{
    struct masing_warning caution;
    struct joint_text sharp = joint_text_open(
        "rough_interface", "stiffness: 1, slip_displacement: 1, slip_force: 0.49");
    struct joint_text blunt = joint_text_open(
        "rough_interface", "stiffness: 1, slip_displacement: 1, slip_force: 0.6");
    CHECK(!sharp.law->caution(sharp.parameters, &caution));
    CHECK(blunt.law->caution(blunt.parameters, &caution) && caution.values[0] == 0.6);
    joint_text_close(&sharp);
    joint_text_close(&blunt);
}

struct refusal {
    const char *law, *keys, *message;
};

static void refusals_name_key_value_and_range(void)
{
    static const struct refusal refusals[] = {
        {"iwan4", "slip_force: 1, stiffness: 1, chi: -1, beta: 0",
         "'chi' must be in (-1, 0], not -1"},
        {"iwan4", "slip_force: 1, stiffness: 1, chi: 0.1, beta: 0",
         "'chi' must be in (-1, 0], not 0.1"},
        {"iwan4", "slip_force: 1, stiffness: 1, chi: -0.5, beta: -1",
         "'beta' must be >= 0, not -1"},
        {"iwan4", "slip_force: 1, friction: 1, stiffness: 1, chi: -0.5, beta: 1",
         "'slip_force' and 'friction' are both given"},
        {"mindlin", "slip_force: 1", "'slip_displacement' is missing"},
        {"mindlin", "slip_displacement: 1", "the slip force is missing"},
        {"mindlin", "youngs_modulus: 1, poisson_ratio: 0.3, friction: 1, preload: 1",
         "'radius' is missing"},
        {"mindlin", "youngs_modulus: 1, poisson_ratio: 0.3, radius: 1, slip_force: 1",
         "'slip_force' is given beside 'youngs_modulus'"},
        {"mindlin", "radius: 1, slip_displacement: 1, slip_force: 1",
         "'slip_displacement' is given beside 'radius'"},
        {"mindlin", "youngs_modulus: 1, poisson_ratio: 0.6, radius: 1, friction: 1, preload: 1",
         "'poisson_ratio' must be"},
        {"ramberg_osgood", "stiffness: 1, yield_force: 1, exponent: 1",
         "'exponent' must be > 1, not 1"},
        {"backbone_table", "file: [[0, 0], [1, 1], [2, 3]]", "is 2, above that before, 1"},
        {"backbone_table", "file: [[0, 0], [2, 2], [1, 2.5]]", "must lie to the right"},
        {"backbone_table", "file: [[0, 0], [1, 2], [2, 1]]", "not below the one before"},
        {"backbone_table", "file: [[0, 1], [1, 2]]", "point 1, (0, 1), must lie"},
        {"backbone_table", "file: [[0, 0], [1, 0]]", "all forces are zero"},
        {"rough_interface", "stiffness: 1, slip_displacement: 1, slip_force: 1",
         "= 1 must be in (0, 1)"},
        {"rough_interface", "stiffness: 2, slip_displacement: 1, slip_force: 7",
         "'slip_force' / ('stiffness' * 'slip_displacement') = 7 / (2 * 1) = 3.5 must be"},
        {"rough_interface", "stiffness: 1, slip_displacement: 1, slip_force: 0",
         "= 0 must be in (0, 1)"},
        {"rough_interface", "slip_displacement: 1, slip_force: 0.1", "'stiffness' is missing"},
        {"rough_interface",
         "stiffness: 1, slip_displacement: 1, slip_force: 0.1, backbone: exact",
         "'backbone: exact' needs 'topography'"},
        {"rough_interface", "topography: {height_std: 1}, friction: 1, preload: 1",
         "'topography.summit_radius' is missing"},
        {"rough_interface",
         "topography: {height_std: 1}, stiffness: 1, friction: 1, preload: 1",
         "'stiffness' is given beside 'topography'"},
        {"rough_interface",
         "topography: {height_std: 5e-7, summit_radius: 1.5e-4, summit_density: 5e8, area: "
         "5e-4, youngs_modulus: 2e11, poisson_ratio: 0.3}, friction: 0.3, preload: 1e12",
         "'preload' must be in [0, "},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct joint_text joint = joint_text_read(refusals[i].law, refusals[i].keys);
        if (!CHECK(!joint.parameters && strstr(joint.error.message, refusals[i].message))) {
            printf("# %s {%s}: %s\n", refusals[i].law, refusals[i].keys, joint.error.message);
        }
        joint_text_close(&joint);
    }
}

static const struct tap_test tests[] = {
    {"the Iwan backbone keeps all digits", iwan_keeps_all_digits},
    {"Mindlin's backbone keeps all digits", mindlin_keeps_all_digits},
    {"the exponential backbone keeps all digits", rough_keeps_all_digits},
    {"the exact backbone is the integral over the summits", exact_backbone_is_the_integral},
    {"the Ramberg-Osgood backbone solves its equation", ramberg_osgood_solves_its_equation},
    {"a table is a bank of sliders", a_table_is_a_bank_of_sliders},
    {"pairs and single numbers agree", pairs_and_single_numbers_agree},
    {"no preload is no force", no_preload_is_no_force},
    {"a parallel spring adds up", a_parallel_spring_adds_up},
    {"blunt rough backbones are cautioned", blunt_rough_backbones_are_cautioned},
    {"refusals name key, value and range", refusals_name_key_value_and_range},
};

TAP_MAIN(tests)
