/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time integration of structures that nothing holds: what the joints do not see moves as its
 * loads alone make it move, with zero mean, and what slides freely may stand anywhere.
 */
#include <complex.h>
#include <math.h>

#include "integrated.h"
#include "masing/compare.h"

static const double pi = 3.14159265358979323846, hz = 21.0;
static const double masses[] = {1.0, 0.7};
static const double force = 10.0, stiffness = 15000.0, damping = 6.0;

static void add_joint(struct masing_spec *spec, const char *name, int from, int to)
{
    struct masing_joint_spec *joint = specimen_joint(spec, name, "jenkins", from, to);
    specimen_field(joint, "stiffness", 3e4);
    specimen_field(joint, "slip_force", 4.0);
}

/* Two masses with a spring, a damper and a joint in between. */
static void begin_pair(struct masing_spec *spec, int method, int steady, double phase)
{
    integrated_begin(spec, 2, masses);
    specimen_spring(spec, 0, 1, stiffness);
    specimen_damper(spec, 0, 1, damping);
    add_joint(spec, "k", 0, 1);
    specimen_load(spec, 1, force)->phase = phase;
    spec->integration.method = method;
    spec->integration.steady = steady;
    spec->integration.steps_per_cycle = 512;
    spec->integration.cycles = 60;
}

static double complex first(const struct masing_integrate_summary *summary, int output)
{
    const struct masing_output_measures *measures = &summary->outputs[output];
    return measures->h1 * cexp(I * measures->h1_phase);
}

/* What the two masses do relative to each other: one mass on the ground. */
static double complex relative_motion(double phase, double *energy)
{
    struct masing_spec spec;
    double total = masses[0] + masses[1], reduced = masses[0] * masses[1] / total;
    integrated_begin(&spec, 1, &reduced);
    specimen_spring(&spec, MASING_GROUND, 0, stiffness);
    specimen_damper(&spec, MASING_GROUND, 0, damping);
    add_joint(&spec, "k", MASING_GROUND, 0);
    specimen_load(&spec, 0, force * masses[0] / total)->phase = phase;
    spec.integration.steps_per_cycle = 4096;
    struct masing_integrate_summary summary = integrated_run(&spec, hz);
    double complex motion = first(&summary, 0);
    *energy = summary.energy_joints;
    masing_integrate_summary_clear(&summary);
    return motion;
}

/* n_pairs: that lose energy */
static void check_pair(const struct masing_integrate_summary *summary, double phase,
                       int n_pairs)
{
    double total = masses[0] + masses[1], w = 2.0 * pi * hz, energy;
    double complex centre = -force * cexp(I * phase) / (total * w * w);
    double complex relative = relative_motion(phase, &energy);
    double complex a = centre - masses[1] / total * relative;
    double complex b = centre + masses[0] / total * relative;
    CHECK_SCALED(cabs(first(summary, 0) - a), 0.0, cabs(a), 3e-5);
    CHECK_SCALED(cabs(first(summary, 1) - b), 0.0, cabs(a), 3e-5);
    CHECK_RELATIVE(summary->energy_joints, n_pairs * energy, 1e-3);
    CHECK(summary->offsets[0] == MASING_OFFSET_DECIDED);
    for (int i = 0; i < 2; i++) {
        CHECK_SCALED(summary->outputs[i].mean, 0.0, cabs(a), 1e-7);
        CHECK_RELATIVE(summary->outputs[i].max, summary->outputs[i].amp, 1e-6);
    }
}

static void joints_within_a_body_do_not_hold_it(void)
{
    static const int methods[] = {MASING_INTEGRATION_NEWMARK, MASING_INTEGRATION_HHT,
                                  MASING_INTEGRATION_EXACT, MASING_INTEGRATION_ACCURATE};
    for (int m = 0; m < 4; m++) {
        for (int steady = 0; steady < 2; steady++) {
            for (int turn = 0; turn < 2; turn++) {
                struct masing_spec spec;
                double phase = -0.5 * pi * turn;
                begin_pair(&spec, methods[m],
                           steady ? MASING_STEADY_SHOOTING : MASING_STEADY_MARCHING, phase);
                struct masing_integrate_summary summary = integrated_run(&spec, hz);
                check_pair(&summary, phase, 1);
                masing_integrate_summary_clear(&summary);
            }
        }
    }
}

static void balanced_static_loads_do_not_move_it(void)
{
    for (int steady = 0; steady < 2; steady++) {
        struct masing_spec spec;
        begin_pair(&spec, MASING_INTEGRATION_NEWMARK,
                   steady ? MASING_STEADY_SHOOTING : MASING_STEADY_MARCHING, 0.4);
        specimen_static_load(&spec, 0, -3.0);
        specimen_static_load(&spec, 1, 3.0);
        struct masing_integrate_summary summary = integrated_run(&spec, hz);
        double a = summary.outputs[0].mean, b = summary.outputs[1].mean;
        CHECK(b - a > 1e-5); /* the spring gives way */
        CHECK_SCALED(masses[0] * a + masses[1] * b, 0.0, b, 1e-5);
        masing_integrate_summary_clear(&summary);
    }
}

/* A dashpot to the ground moves the mean while the motion settles: the mean is zero all the
 * same, and shooting finds the motion that marching does. */
static void dashpots_hold_no_mean(void)
{
    struct masing_integrate_summary found[2] = {{0}};
    for (int steady = 0; steady < 2; steady++) {
        struct masing_spec spec;
        begin_pair(&spec, MASING_INTEGRATION_NEWMARK,
                   steady ? MASING_STEADY_SHOOTING : MASING_STEADY_MARCHING, -1.0);
        specimen_damper(&spec, MASING_GROUND, 0, 20.0);
        found[steady] = integrated_run(&spec, hz);
        for (int i = 0; i < 2; i++) {
            CHECK_SCALED(found[steady].outputs[i].mean, 0.0, found[steady].outputs[i].max,
                         1e-6);
        }
    }
    CHECK_RELATIVE(found[1].outputs[0].max, found[0].outputs[0].max, 1e-6);
    CHECK_RELATIVE(found[1].outputs[1].max, found[0].outputs[1].max, 1e-6);
    masing_integrate_summary_clear(&found[0]);
    masing_integrate_summary_clear(&found[1]);
}

/* Two pairs that know nothing of each other, and a third body without joint. */
static void several_bodies_are_free(void)
{
    static const double five[] = {1.0, 0.7, 1.0, 0.7, 2.0};
    struct masing_spec spec;
    integrated_begin(&spec, 5, five);
    for (int i = 0; i < 2; i++) {
        specimen_spring(&spec, 2 * i, 2 * i + 1, stiffness);
        specimen_damper(&spec, 2 * i, 2 * i + 1, damping);
        add_joint(&spec, i == 0 ? "k" : "l", 2 * i, 2 * i + 1);
        specimen_load(&spec, 2 * i + 1, force)->phase = -0.5 * pi;
    }
    specimen_load(&spec, 4, 3.0)->phase = 1.0;
    spec.integration.steady = MASING_STEADY_SHOOTING;
    spec.integration.steps_per_cycle = 512;
    spec.integration.cycles = 60;
    struct masing_integrate_summary summary = integrated_run(&spec, hz);
    check_pair(&summary, -0.5 * pi, 2);
    CHECK_RELATIVE(summary.outputs[2].max, summary.outputs[0].max, 1e-6);
    CHECK_RELATIVE(summary.outputs[4].max, 3.0 / (2.0 * pow(2.0 * pi * hz, 2)), 1e-5);
    CHECK_SCALED(summary.outputs[4].mean, 0.0, summary.outputs[4].max, 1e-9);
    masing_integrate_summary_clear(&summary);
}

/* A slider that slips all the time with nothing to centre it: any offset will do. */
static void sliders_without_springs_may_stand_anywhere(void)
{
    struct masing_integrate_summary found[2] = {{0}};
    for (int steady = 0; steady < 2; steady++) {
        struct masing_spec spec;
        integrated_begin(&spec, 1, masses);
        add_joint(&spec, "k", MASING_GROUND, 0);
        specimen_load(&spec, 0, force);
        spec.integration.steady = steady ? MASING_STEADY_SHOOTING : MASING_STEADY_MARCHING;
        spec.integration.cycles = 60;
        found[steady] = integrated_run(&spec, hz);
    }
    CHECK_RELATIVE(found[1].outputs[0].amp, found[0].outputs[0].amp, 1e-6);
    CHECK_SCALED(cabs(first(&found[1], 0) - first(&found[0], 0)), 0.0, found[0].outputs[0].h1,
                 1e-6);
    CHECK(found[1].cycles < 20);
    CHECK(found[1].largest_multiplier < 0.5);
    CHECK(found[0].offsets[0] == MASING_OFFSET_NEUTRAL);
    CHECK(found[1].offsets[0] == MASING_OFFSET_NEUTRAL);
    masing_integrate_summary_clear(&found[0]);
    masing_integrate_summary_clear(&found[1]);
}

/* Of which a comparison makes nothing but its name: all else agrees. */
static void comparisons_name_such_sliders(void)
{
    struct masing_spec spec;
    struct masing_error error = {0};
    struct masing_compare_summary summary = {0};
    const double frequencies[] = {20.0, 30.0};
    const struct masing_compare_options options = {
        .n_frequencies = 2, .frequencies_hz = frequencies, .is_cold = true, .tolerance = 1e-3};
    integrated_begin(&spec, 1, masses);
    add_joint(&spec, "k", MASING_GROUND, 0);
    specimen_load(&spec, 0, force);
    spec.omega_from = 2.0 * pi * 15.0;
    spec.omega_to = 2.0 * pi * 40.0;
    spec.n_samples = 1024;
    struct masing_model *model = integrated_seal(&spec);
    if (CHECK(model != NULL)) {
        CHECK(masing_compare(model, &options, NULL, &summary, &error) == MASING_OK);
        CHECK(summary.n_passed == 2);
        CHECK(summary.worst_difference_cold < 1e-3);
        CHECK(summary.n_warnings > 0 && strstr(summary.warnings[0], "nothing brings it back"));
    }
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A stop that a static load presses on decides where a body stands that slides beside it. */
static void means_that_joints_decide_are_compared(void)
{
    struct masing_spec spec;
    struct masing_error error = {0};
    struct masing_compare_summary summary = {0};
    const double frequency = 15.0;
    const struct masing_compare_options options = {
        .n_frequencies = 1, .frequencies_hz = &frequency, .tolerance = 1e-2};
    integrated_begin(&spec, 1, masses);
    struct masing_joint_spec *slider = specimen_joint(&spec, "k", "jenkins", MASING_GROUND, 0);
    specimen_field(slider, "stiffness", 3e4);
    specimen_field(slider, "slip_force", 1.0);
    specimen_field(specimen_joint(&spec, "stop", "unilateral_spring", MASING_GROUND, 0),
                   "stiffness", 3e4);
    specimen_static_load(&spec, 0, 30.0);
    specimen_load(&spec, 0, force);
    spec.omega_from = 2.0 * pi * 14.0;
    spec.omega_to = 2.0 * pi * 16.0;
    spec.n_samples = 1024;
    struct masing_model *model = integrated_seal(&spec);
    if (CHECK(model != NULL)) {
        CHECK(masing_compare(model, &options, NULL, &summary, &error) == MASING_OK);
        CHECK(summary.n_passed == 1 && summary.n_warnings == 0);
    }
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A slider that sticks keeps a force that nothing but the past decides. */
static void sliders_that_stick_are_named(void)
{
    static const int methods[] = {MASING_INTEGRATION_NEWMARK, MASING_INTEGRATION_EXACT};
    for (int m = 0; m < 2; m++) {
        struct masing_spec spec;
        integrated_begin(&spec, 1, masses);
        specimen_spring(&spec, MASING_GROUND, 0, stiffness);
        specimen_damper(&spec, MASING_GROUND, 0, damping);
        add_joint(&spec, "sticks", MASING_GROUND, 0);
        specimen_field(specimen_joint(&spec, "spring", "unilateral_spring", MASING_GROUND, 0),
                       "stiffness", 1e3);
        specimen_load(&spec, 0, 2.0);
        spec.integration.method = methods[m];
        struct masing_integrate_summary summary = integrated_run(&spec, hz);
        CHECK(summary.n_joints == 2);
        CHECK(summary.offsets[0] == MASING_OFFSET_STUCK);
        CHECK(summary.offsets[1] == MASING_OFFSET_DECIDED);
        masing_integrate_summary_clear(&summary);
    }
}

static const struct tap_test tests[] = {
    {"joints within a body do not hold it", joints_within_a_body_do_not_hold_it},
    {"balanced static loads do not move it", balanced_static_loads_do_not_move_it},
    {"dashpots hold no mean", dashpots_hold_no_mean},
    {"several bodies are free", several_bodies_are_free},
    {"sliders without springs may stand anywhere", sliders_without_springs_may_stand_anywhere},
    {"comparisons name such sliders", comparisons_name_such_sliders},
    {"means that joints decide are compared", means_that_joints_decide_are_compared},
    {"sliders that stick are named", sliders_that_stick_are_named},
};

TAP_MAIN(tests)
