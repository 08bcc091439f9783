/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Free decays by the methods of integration that have no errors of steps. */
#include "integrated.h"
#include "ringdown.h"

static const double pi = 3.14159265358979323846;

static void decay_of(struct masing_spec *spec, struct table *history, struct decay *decay)
{
    struct masing_model *model = integrated_seal(spec);
    struct masing_sink rows = table_sink(&decay->rows), all = table_sink(history);
    const struct masing_ringdown_options options = {.history = &all};
    decay->summary = (struct masing_ringdown_summary){0};
    decay->error = (struct masing_error){0};
    decay->status = masing_ringdown(model, &options, &rows, &decay->summary, &decay->error);
    decay_check(decay);
    masing_model_destroy(model);
}

/* An undamped mass behind a half sine F sin w t: Duhamel's integral over its length. */
static double after_half_sine(double mass, double own, double force, double w, double t)
{
    double end = pi / w, sum = w + own, difference = w - own;
    double first = (sin(sum * end - own * t) + sin(own * t)) / sum;
    double second = (sin(difference * end + own * t) - sin(own * t)) / difference;
    return 0.5 * force / (mass * own) * (first - second);
}

/* The half sine ends between two steps, or at one. */
static void a_half_sine_is_exact(void)
{
    static const int methods[] = {MASING_INTEGRATION_EXACT, MASING_INTEGRATION_ACCURATE};
    const double mass = 2.0, own = 3.0, force = 7.0;
    for (int i = 0; i < 4; i++) {
        struct masing_spec spec;
        struct table history;
        struct decay decay;
        double w = i < 2 ? 5.3 : pi / 0.6, worst = 0.0, largest = 0.0;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, mass * own * own);
        spec.integration.method = methods[i % 2];
        spec.integration.accuracy = 1e-12;
        spec.ringdown.start = MASING_DECAY_DOF;
        spec.ringdown.hit = specimen_axis(MASING_GROUND, 0);
        spec.ringdown.amplitude = force;
        spec.ringdown.impulse_hz = w / (2.0 * pi);
        spec.ringdown.step = 0.05;
        spec.ringdown.steps = 4000;
        spec.ringdown.segments = 20;
        decay_of(&spec, &history, &decay);
        for (int r = 0; r < history.n_rows; r++) {
            double t = table_get(&history, r, "time");
            double x = t < pi / w ? table_get(&history, r, "m1")
                                  : after_half_sine(mass, own, force, w, t);
            worst = fmax(worst, fabs(table_get(&history, r, "m1") - x));
            largest = fmax(largest, fabs(x));
        }
        printf("# method %d: off by %.1e of %.3g m\n", methods[i % 2], worst, largest);
        CHECK(worst < (i % 2 ? 3e-8 : 1e-11) * largest && largest > 0.1);
        CHECK_RELATIVE(table_get(&decay.rows, 0, "frequency_hz"), own / (2.0 * pi), 1e-7);
        CHECK(fabs(table_get(&decay.rows, 0, "damping_ratio")) < 1e-5);
        table_clear(&history);
        decay_clear(&decay);
    }
}

/* m = k = 1, nearly rigid friction of 10 N, from x = 0 with 5 m/s: 12.5 J = x^2/2 + 10 x. */
static void a_sliding_block_stops_where_its_energy_ends(void)
{
    static const int methods[] = {MASING_INTEGRATION_EXACT, MASING_INTEGRATION_ACCURATE};
    for (size_t i = 0; i < 2; i++) {
        struct masing_spec spec;
        struct masing_error error = {0};
        struct masing_ringdown_summary summary = {0};
        struct table history;
        const double mass = 1.0;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, 1.0);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "friction", "jenkins", MASING_GROUND, 0);
        specimen_field(joint, "stiffness", 1e8);
        specimen_field(joint, "slip_force", 10.0);
        spec.integration.method = methods[i];
        spec.ringdown.start = MASING_DECAY_INITIAL;
        spec.ringdown.velocities = specimen_axis(MASING_GROUND, 0);
        spec.ringdown.velocities.terms[0].weight = 5.0;
        spec.ringdown.step = 7e-5;
        spec.ringdown.steps = 10000;
        struct masing_model *model = integrated_seal(&spec);
        struct masing_sink all = table_sink(&history);
        const struct masing_ringdown_options options = {.history = &all};
        /* whether the few turns tell a frequency does not matter here */
        (void)masing_ringdown(model, &options, NULL, &summary, &error);
        double x = table_get(&history, history.n_rows - 1, "m1");
        printf("# stops at %.9f m: %s\n", x, error.message);
        CHECK(history.n_rows == 10001);
        CHECK_RELATIVE(x, sqrt(125.0) - 10.0, 1e-6);
        table_clear(&history);
        masing_ringdown_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

/* Nothing is undone where steps have no error: both ways to the same frequencies and damping.
 */
static void both_ways_agree(void)
{
    static const struct masing_override overrides[] = {{"ringdown.steps", "20000"},
                                                       {"ringdown.step", "0.05"},
                                                       {"ringdown.segments", "30"},
                                                       {"integration.accuracy", "1e-9"},
                                                       {"integration.method", "accurate"}};
    struct decay rule, accurate;
    decay_example(&rule, "three_masses_iwan.yaml", overrides, 4, NULL);
    decay_example(&accurate, "three_masses_iwan.yaml", overrides, 5, NULL);
    CHECK(rule.rows.n_rows == accurate.rows.n_rows && rule.rows.n_rows > 4);
    for (int r = 0; r < rule.rows.n_rows && r < accurate.rows.n_rows; r++) {
        double omega = table_get(&accurate.rows, r, "frequency_hz");
        double zeta = table_get(&accurate.rows, r, "damping_ratio");
        CHECK_RELATIVE(table_get(&rule.rows, r, "frequency_hz"), omega, 1e-6);
        CHECK_RELATIVE(table_get(&rule.rows, r, "damping_ratio"), zeta, 1e-3);
    }
    decay_clear(&rule);
    decay_clear(&accurate);
}

/* A light mass between hard stops meets them more than twenty thousand times in a step: the
 * reason is the stepper's own. */
static void chatter_is_named(void)
{
    static const int methods[] = {MASING_INTEGRATION_EXACT, MASING_INTEGRATION_ACCURATE};
    for (int i = 0; i < 2; i++) {
        struct masing_spec spec;
        struct masing_error error = {0};
        struct masing_ringdown_summary summary = {0};
        const double mass = 1e-3;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, 1e-3);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "stops", "unilateral_spring", MASING_GROUND, 0);
        specimen_field(joint, "stiffness", 1e7);
        specimen_field(joint, "gap", 1e-4);
        specimen_field(joint, "two_sided", 1.0);
        spec.integration.method = methods[i];
        spec.integration.accuracy = 1e-4;
        spec.ringdown.start = MASING_DECAY_INITIAL;
        spec.ringdown.velocities = specimen_axis(MASING_GROUND, 0);
        spec.ringdown.velocities.terms[0].weight = 50.0;
        spec.ringdown.step = 0.7;
        spec.ringdown.steps = 10000;
        struct masing_model *model = integrated_seal(&spec);
        CHECK(masing_ringdown(model, NULL, NULL, &summary, &error) == MASING_STOPPED);
        if (!CHECK(strstr(error.message, "stopped at time 0 s") &&
                   strstr(error.message, "chatter"))) {
            printf("# %s\n", error.message);
        }
        masing_ringdown_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

static const struct tap_test tests[] = {
    {"a half sine is exact", a_half_sine_is_exact},
    {"a sliding block stops where its energy ends",
     a_sliding_block_stops_where_its_energy_ends},
    {"both ways agree", both_ways_agree},
    {"chatter is named", chatter_is_named},
};

TAP_MAIN(tests)
