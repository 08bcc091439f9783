/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mindlin's contact as a differential equation (Peyret et al. 2017): in full it is Mindlin's
 * law; the simplified form approaches its steady loop from cycle to cycle.
 */
#include "joint_text.h"
#include "law_paths.h"

/* T_c = 30 N, sigma = 8 a / G* as in the paper's section 3 */
static const char CONTACT[] = "slip_force: 30, slip_displacement: 9.2083333333333333e-8";
static const double LIMIT = 30.0, REACH = 9.2083333333333333e-8;

static struct joint_text open_form(const char *law, const char *rest)
{
    char keys[300];
    snprintf(keys, sizeof keys, "%s%s", CONTACT, rest);
    return joint_text_open(law, keys);
}

static struct joint_text open_simplified(double part)
{
    char rest[100];
    snprintf(rest, sizeof rest, ", form: simplified, loop_amplitude: %.17g", part * REACH);
    return open_form("mindlin_dahl", rest);
}

static void stiffness_is_that_of_the_bodies(void)
{
    struct joint_text joint = open_form("mindlin_dahl", "");
    CHECK_RELATIVE(joint.law->stuck_stiffness(joint.parameters), 4.88688e8, 1e-5);
    joint_text_close(&joint);
}

/* A random walk with nested loops, and steady loops of several harmonics. */
static void full_form_is_mindlin(void)
{
    enum { N = 256 };
    struct joint_text mindlin = open_form("mindlin", ""), dahl = open_form("mindlin_dahl", "");
    double *states[2] = {joint_text_rest(&mindlin), joint_text_rest(&dahl)};
    uint64_t seed = 7;
    double x = 0.0, path[N], f[N], g[N];
    for (int i = 0; i < 2000; i++) {
        double next = REACH * test_uniform(&seed, -1.5, 1.5);
        double force = joint_text_step(&mindlin, states[0], x, next);
        CHECK(joint_text_step(&dahl, states[1], x, next) == force);
        x = next;
    }
    for (int i = 0; i < 20; i++) {
        struct test_path random;
        test_path_random(&random, &seed, REACH);
        test_path_sample(&random, N, 0.0, 1.0, path, NULL);
        double share = joint_text_march(&mindlin, path, N, f);
        CHECK(joint_text_march(&dahl, path, N, g) == share);
        CHECK(memcmp(f, g, sizeof f) == 0);
    }
    free(states[0]);
    free(states[1]);
    joint_text_close(&mindlin);
    joint_text_close(&dahl);
}

/* The differential equation of Mindlin's branch by the classical method of fourth order. */
static void full_form_solves_its_equation(void)
{
    enum { STEPS = 4000 };
    struct joint_text joint = open_form("mindlin_dahl", "");
    double stiffness = joint.law->stuck_stiffness(joint.parameters);
    double *state = joint_text_rest(&joint), h = 1.5 * REACH / STEPS;
    double tip = joint_text_step(&joint, state, 0.0, 0.8 * REACH), force = tip;
    for (int i = 1; i <= STEPS; i++) {
        double k[4], at = force;
        for (int s = 0; s < 4; s++) {
            k[s] = -stiffness * cbrt(1.0 - (tip - at) / (2.0 * LIMIT));
            at = force + h * (s < 2 ? 0.5 : 1.0) * k[s];
        }
        force += h * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]) / 6.0;
        double x = 0.8 * REACH - i * h;
        CHECK_SCALED(joint_text_step(&joint, state, x + h, x), force, LIMIT, 1e-10);
    }
    free(state);
    joint_text_close(&joint);
}

/*
 * The simplified form the same way, through reversals at and beyond its loop amplitude; and
 * its limit, which it reaches at a finite displacement.
 */
static void simplified_form_solves_its_equation(void)
{
    enum { STEPS = 4000, LEGS = 6 };
    static const double ends[LEGS] = {0.8, -0.8, 0.3, -1.0, 0.9, 0.0};
    struct joint_text joint = open_simplified(0.8);
    double star = joint_text_constant(&joint, "loop_force"), *state = joint_text_rest(&joint);
    double stiffness = 1.5 * LIMIT / REACH, x = 0.0, force = 0.0;
    CHECK_RELATIVE(star, LIMIT * (1.0 - pow(0.2, 1.5)), 1e-13);
    for (int l = 0; l < LEGS; l++) {
        double h = (ends[l] * REACH - x) / STEPS, sign = copysign(1.0, h);
        for (int i = 0; i < STEPS; i++) {
            double k[4], at = force;
            for (int s = 0; s < 4; s++) {
                k[s] = stiffness * cbrt(1.0 - (sign * at + star) / (2.0 * LIMIT));
                at = force + h * (s < 2 ? 0.5 : 1.0) * k[s];
            }
            force += h * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]) / 6.0;
        }
        CHECK_SCALED(joint_text_step(&joint, state, x, ends[l] * REACH), force, LIMIT, 1e-9);
        x = ends[l] * REACH;
    }
    CHECK(joint_text_step(&joint, state, x, 5.0 * REACH) == 2.0 * LIMIT - star);
    free(state);
    joint_text_close(&joint);
}

/* At its loop amplitude the steady state is Mindlin's; the way there is a matter of cycles. */
static void simplified_form_approaches_mindlin(void)
{
    enum { N = 512, CYCLES = 5 };
    struct joint_text mindlin = open_form("mindlin", ""), dahl = open_simplified(0.8);
    double x[N], f[N], g[N], errors[CYCLES] = {0.0}, *state = joint_text_rest(&dahl);
    for (int i = 0; i < N; i++) {
        x[i] = 0.8 * REACH * sin(TEST_TWO_PI * (i + 1) / N);
    }
    joint_text_march(&mindlin, x, N, f);
    joint_text_march(&dahl, x, N, g);
    for (int i = 0; i < N; i++) {
        CHECK_SCALED(g[i], f[i], LIMIT, 1e-12);
    }
    double at = 0.0;
    for (int c = 0; c < CYCLES; c++) {
        for (int i = 0; i < N; i++) {
            double force = joint_text_step(&dahl, state, at, x[i]);
            errors[c] = fmax(errors[c], i >= N / 4 ? fabs(force - f[i]) : 0.0);
            at = x[i];
        }
        if (c > 0) {
            CHECK(errors[c - 1] / errors[c] > 3.5 && errors[c - 1] / errors[c] < 7.0);
        }
    }
    printf("# errors %.3g %.3g %.3g %.3g %.3g\n", errors[0], errors[1], errors[2], errors[3],
           errors[4]);
    free(state);
    joint_text_close(&mindlin);
    joint_text_close(&dahl);
}

static void forms_say_what_they_need(void)
{
    struct masing_warning caution;
    struct joint_text joint = joint_text_read(
        "mindlin_dahl", "slip_force: 1, slip_displacement: 1, form: simplified");
    CHECK(!joint.parameters && strstr(joint.error.message, "'loop_amplitude' is missing"));
    joint_text_close(&joint);
    joint = joint_text_read("mindlin_dahl",
                            "slip_force: 1, slip_displacement: 1, loop_amplitude: 1");
    CHECK(!joint.parameters && strstr(joint.error.message, "'loop_amplitude' belongs to"));
    joint_text_close(&joint);
    joint = open_simplified(0.8);
    CHECK(joint.law->caution(joint.parameters, &caution) && strstr(caution.pattern, "beyond"));
    joint_text_close(&joint);
    joint = open_simplified(1.2);
    CHECK(!joint.law->caution(joint.parameters, &caution));
    joint_text_close(&joint);
}

static const struct tap_test tests[] = {
    {"the stiffness is that of the bodies", stiffness_is_that_of_the_bodies},
    {"the full form is Mindlin's law", full_form_is_mindlin},
    {"the full form solves its equation", full_form_solves_its_equation},
    {"the simplified form solves its equation", simplified_form_solves_its_equation},
    {"the simplified form approaches Mindlin's loop", simplified_form_approaches_mindlin},
    {"forms say what they need", forms_say_what_they_need},
};

TAP_MAIN(tests)
