/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time integration: every kind of load, damping, output, start and structure. */
#include <complex.h>
#include <math.h>

#include "integrated.h"
#include "transient/periodic/periodic.h"
#include "transient/start.h"

static const double pi = 3.14159265358979323846;

enum { STEPS = 256 };

/* ---- linear models of two masses against their equations in complex numbers ---- */

static const double masses[] = {2.0, 3.0};
static const double k1 = 700.0, k2 = 900.0, c1 = 9.0, c2 = 0.5, omega = 17.0;

static void two_masses(struct masing_spec *spec)
{
    integrated_begin(spec, 2, masses);
    specimen_spring(spec, MASING_GROUND, 0, k1);
    specimen_spring(spec, 0, 1, k2);
    specimen_damper(spec, MASING_GROUND, 0, c1);
    specimen_damper(spec, 0, 1, c2);
    spec->integration.steps_per_cycle = STEPS;
}

/* Frequency for which the rule takes a harmonic of omega. */
static double rule_frequency(int harmonic)
{
    return omega * tan(pi * harmonic / STEPS) / tan(pi / STEPS);
}

/* Response x[2] to forces f[2] e^(i harmonic omega t). */
static void solve(int harmonic, const double complex f[2], double complex x[2])
{
    double w = rule_frequency(harmonic);
    double complex b = -(k2 + I * w * c2);
    double complex a = k1 + k2 - w * w * masses[0] + I * w * (c1 + c2);
    double complex d = k2 - w * w * masses[1] + I * w * c2, size = a * d - b * b;
    x[0] = (d * f[0] - b * f[1]) / size;
    x[1] = (a * f[1] - b * f[0]) / size;
}

/* Largest |x| and half peak to peak of the sum of harmonics' responses, by fine sampling. */
static void measure(const double complex *x, const int *harmonics, int n, double *max,
                    double *amp)
{
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < 100000; i++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            sum += creal(x[k] * cexp(I * (2.0 * pi * harmonics[k] * i / 100000)));
        }
        high = fmax(high, sum);
        low = fmin(low, sum);
    }
    *max = fmax(fabs(high), fabs(low));
    *amp = 0.5 * (high - low);
}

static void harmonics_with_phases_add_up(void)
{
    struct masing_spec spec;
    two_masses(&spec);
    specimen_load(&spec, 0, 5.0)->phase = 0.3;
    struct masing_load_spec *third = specimen_load(&spec, 1, 4.0);
    third->harmonic = 3;
    third->phase = -2.0;
    spec.load_factor = 1.5;
    struct masing_integrate_summary summary = integrated_run(&spec, omega / (2.0 * pi));
    double complex f1[2] = {7.5 * cexp(0.3 * I), 0.0}, f3[2] = {0.0, 6.0 * cexp(-2.0 * I)};
    double complex x1[2], x3[2];
    solve(1, f1, x1);
    solve(3, f3, x3);
    for (int dof = 0; dof < summary.n_outputs; dof++) {
        double complex x[] = {x1[dof], x3[dof]};
        double max, amp;
        measure(x, (const int[]){1, 3}, 2, &max, &amp);
        const struct masing_output_measures *output = &summary.outputs[dof];
        CHECK_RELATIVE(output->h1, cabs(x1[dof]), 1e-6);
        CHECK_SCALED(output->h1_phase, carg(x1[dof]), 1.0, 1e-6);
        CHECK_RELATIVE(output->max, max, 1e-5);
        CHECK_RELATIVE(output->amp, amp, 1e-5);
    }
    CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-6);
    masing_integrate_summary_clear(&summary);
}

/* Imbalance m e, a base that accelerates, a complex pattern, a table: forces at omega. */
static void every_kind_of_load_is_its_force(void)
{
    double hz = omega / (2.0 * pi);
    double complex forces[4][2] = {{0.0, 0.02 * omega * omega},
                                   {-2.0 * 1.5 * cexp(0.4 * I), -3.0 * 1.5 * cexp(0.4 * I)},
                                   {3.0 * (1.0 + 2.0 * I), 3.0 * (-0.5 * I)},
                                   {6.0 * cexp(I * pi / 4.0), 0.0}};
    for (int kind = 0; kind < 4; kind++) {
        struct masing_spec spec;
        two_masses(&spec);
        const double amplitudes[] = {0.02, 1.5, 3.0, 2.0};
        struct masing_load_spec *load = specimen_load(&spec, kind == 0, amplitudes[kind]);
        if (kind == 0) {
            load->kind = MASING_LOAD_IMBALANCE;
        } else if (kind == 1) {
            load->kind = MASING_LOAD_BASE_ACCELERATION;
            load->phase = 0.4;
            load->pattern[0] = load->pattern[1] = 1.0;
        } else if (kind == 2) {
            load->pattern_imaginary = specimen_array(2, sizeof(double));
            load->pattern_imaginary[0] = 2.0;
            load->pattern_imaginary[1] = -0.5;
        } else {
            load->kind = MASING_LOAD_TABLE;
            load->n_table = 2;
            load->table = specimen_array(6, sizeof(double));
            memcpy(load->table, (const double[]){0.1, 3.0, 45.0, 10.0, 3.0, 45.0},
                   6 * sizeof(double));
        }
        struct masing_integrate_summary summary = integrated_run(&spec, hz);
        double complex x[2];
        solve(1, forces[kind], x);
        for (int dof = 0; dof < summary.n_outputs; dof++) {
            CHECK_RELATIVE(summary.outputs[dof].h1, cabs(x[dof]), 1e-6);
            CHECK_SCALED(summary.outputs[dof].h1_phase, carg(x[dof]), 1.0, 1e-6);
        }
        masing_integrate_summary_clear(&summary);
    }
}

static void outputs_have_their_quantities(void)
{
    struct masing_spec spec;
    two_masses(&spec);
    specimen_load(&spec, 1, 5.0);
    spec.outputs[0].quantity = MASING_VELOCITY;
    spec.outputs[1].quantity = MASING_ACCELERATION;
    struct masing_integrate_summary summary = integrated_run(&spec, omega / (2.0 * pi));
    double complex f[2] = {0.0, 5.0}, x[2];
    double w = rule_frequency(1);
    solve(1, f, x);
    if (summary.n_outputs == 2) {
        CHECK_RELATIVE(summary.outputs[0].h1, w * cabs(x[0]), 1e-6);
        CHECK_RELATIVE(summary.outputs[0].max, w * cabs(x[0]), 1e-5);
        CHECK_RELATIVE(summary.outputs[1].h1, w * w * cabs(x[1]), 1e-6);
        CHECK_RELATIVE(summary.outputs[1].max, w * w * cabs(x[1]), 1e-5);
    }
    masing_integrate_summary_clear(&summary);
}

/* A static force on m2 and a linear joint at m1: the mean is that of three springs. */
static void static_loads_shift_the_mean(void)
{
    struct masing_spec spec;
    two_masses(&spec);
    struct masing_joint_spec *joint = specimen_joint(&spec, "k3", "linear", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 300.0);
    specimen_field(joint, "damping", 0.0);
    specimen_load(&spec, 1, 5.0);
    specimen_static_load(&spec, 1, 40.0);
    struct masing_integrate_summary summary = integrated_run(&spec, omega / (2.0 * pi));
    if (summary.n_outputs == 2) {
        CHECK_RELATIVE(summary.outputs[0].mean, 40.0 / 1000.0, 1e-6);
        CHECK_RELATIVE(summary.outputs[1].mean, 40.0 / 1000.0 + 40.0 / 900.0, 1e-6);
    }
    masing_integrate_summary_clear(&summary);
}

/* Without a dynamic load nothing moves, from the first step on. */
static void the_static_state_is_an_equilibrium(void)
{
    struct masing_spec spec;
    two_masses(&spec);
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "slider", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 500.0);
    specimen_field(joint, "slip_force", 10.0);
    specimen_static_load(&spec, 1, 40.0);
    struct masing_integrate_summary summary = integrated_run(&spec, omega / (2.0 * pi));
    if (summary.n_outputs == 2) {
        CHECK(summary.cycles <= 4);
        CHECK_RELATIVE(summary.outputs[0].mean, 30.0 / 700.0, 1e-12);
        CHECK(summary.outputs[1].amp < 1e-12 * summary.outputs[1].mean);
    }
    masing_integrate_summary_clear(&summary);
}

/* With `start: static` a slider has no force in the static state, a spring beside it has. */
static void sliders_may_start_in_the_static_state(void)
{
    struct masing_spec spec;
    two_masses(&spec);
    struct masing_joint_spec *slider =
        specimen_joint(&spec, "slider", "jenkins", MASING_GROUND, 0);
    specimen_field(slider, "stiffness", 500.0);
    specimen_field(slider, "slip_force", 10.0);
    struct masing_joint_spec *stop =
        specimen_joint(&spec, "stop", "unilateral_spring", MASING_GROUND, 0);
    specimen_field(stop, "stiffness", 300.0);
    specimen_field(stop, "gap", 0.02);
    specimen_load(&spec, 1, 0.5);
    specimen_static_load(&spec, 1, 40.0);
    spec.start = MASING_START_STATIC;
    struct masing_model *model = integrated_seal(&spec);
    double x = (40.0 + 300.0 * 0.02) / 1000.0;
    if (CHECK(model != NULL)) {
        CHECK_RELATIVE(model->static_displacement[0], x, 1e-12);
        struct masing_integrate_summary summary = {0};
        CHECK(masing_integrate(model, 0.5, NULL, NULL, &summary, NULL) == MASING_OK);
        CHECK_RELATIVE(summary.outputs[0].mean, x, 1e-5);
        CHECK_RELATIVE(summary.outputs[1].mean, x + 40.0 / 900.0, 1e-5);
        CHECK(summary.outputs[0].amp > 1e-4);
        masing_integrate_summary_clear(&summary);
    }
    masing_model_destroy(model);
}

/* A slider behind a spring, joined at a DOF without mass, is a slider of both stiffnesses in
 * series. */
static void a_massless_dof_puts_springs_in_series(void)
{
    struct masing_integrate_summary summaries[2] = {{0}};
    for (int with_node = 0; with_node < 2; with_node++) {
        struct masing_spec spec;
        const double node[] = {1.0, 0.0};
        integrated_begin(&spec, 1 + with_node, node);
        specimen_spring(&spec, MASING_GROUND, 0, 400.0);
        specimen_ratio(&spec, 0.04);
        if (with_node) {
            specimen_spring(&spec, 0, 1, 2000.0);
        }
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "slider", "jenkins", MASING_GROUND, with_node);
        specimen_field(joint, "stiffness", with_node ? 3000.0 : 1200.0);
        specimen_field(joint, "slip_force", 2.0);
        specimen_load(&spec, 0, 8.0);
        spec.integration.steps_per_cycle = 600;
        summaries[with_node] = integrated_run(&spec, 3.0);
    }
    if (summaries[0].n_outputs && summaries[1].n_outputs) {
        CHECK_RELATIVE(summaries[1].outputs[0].max, summaries[0].outputs[0].max, 1e-7);
        CHECK_RELATIVE(summaries[1].energy_joints, summaries[0].energy_joints, 1e-6);
        CHECK_RELATIVE(summaries[1].energy_lost, summaries[1].energy_in, 1e-6);
        CHECK(summaries[0].energy_joints > 0.1 * summaries[0].energy_in);
    }
    masing_integrate_summary_clear(&summaries[0]);
    masing_integrate_summary_clear(&summaries[1]);
}

/* A load on the massless DOF between two springs: both springs carry their share. */
static void a_load_on_a_massless_dof_is_shared(void)
{
    struct masing_spec spec;
    const double node[] = {1.0, 0.0};
    integrated_begin(&spec, 2, node);
    specimen_spring(&spec, MASING_GROUND, 1, 500.0);
    specimen_spring(&spec, 1, 0, 1500.0);
    specimen_ratio(&spec, 0.05);
    specimen_load(&spec, 1, 8.0);
    struct masing_joint_spec *joint = specimen_joint(&spec, "k3", "jenkins", MASING_GROUND, 1);
    specimen_field(joint, "stiffness", 700.0);
    specimen_field(joint, "slip_force", 1e6);
    double w = 15.0;
    spec.integration.steps_per_cycle = 400;
    struct masing_integrate_summary summary = integrated_run(&spec, w / (2.0 * pi));
    /* modal damping belongs to the mode without the joint, k = 500 1500/2000 */
    double c = 2.0 * 0.05 * sqrt(375.0);
    double complex a = 1500.0 - w * w + I * w * c, b = -1500.0, d = 2700.0;
    double complex x0 = -b * 8.0 / (a * d - b * b), x1 = a * 8.0 / (a * d - b * b);
    if (summary.n_outputs == 2) {
        CHECK_RELATIVE(summary.outputs[0].h1, cabs(x0), 1e-6);
        CHECK_RELATIVE(summary.outputs[1].h1, cabs(x1), 1e-6);
        CHECK_RELATIVE(summary.outputs[1].max, cabs(x1), 1e-5);
        CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-6);
    }
    masing_integrate_summary_clear(&summary);
}

/* ---- starting on a motion that is known ---- */

enum { HIGHEST = 60, N_COEFFICIENTS = 2 * HIGHEST + 1 };

/* Fourier coefficients of a period that begins with the integrator's state. */
static void analyse(struct integrator *integrator, double *modal, double *axes)
{
    int n_modes = integrator->ports->n_modes, n_steps = integrator->n_steps;
    for (int j = 0; j < n_steps; j++) {
        for (int c = 0; c < N_COEFFICIENTS; c++) {
            int h = (c + 1) / 2;
            double angle = 2.0 * pi * h * j / n_steps;
            double f = (c % 2 || c == 0 ? cos(angle) : sin(angle)) * (c ? 2.0 : 1.0) / n_steps;
            for (int k = 0; k < n_modes; k++) {
                modal[c * n_modes + k] += f * integrator->modal->q[k];
            }
            axes[c] += f * integrator->joints->x[0];
        }
        CHECK(integrator_step(integrator) == MASING_OK);
    }
}

static void a_known_motion_goes_on(void)
{
    struct masing_spec spec;
    two_masses(&spec);
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "slider", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 500.0);
    specimen_field(joint, "slip_force", 3.0);
    specimen_load(&spec, 1, 20.0)->phase = 1.1;
    struct masing_model *model = integrated_seal(&spec);
    struct integrator *first = NULL, *second = NULL;
    struct periodic_observer observer = {0};
    struct periodic_result result;
    double modal[2 * N_COEFFICIENTS] = {0}, axes[N_COEFFICIENTS] = {0}, origin[] = {0.0};
    int harmonics[HIGHEST + 1];
    for (int h = 0; h <= HIGHEST; h++) {
        harmonics[h] = h;
    }
    const struct start_motion motion = {HIGHEST + 1, harmonics, modal, axes, origin};
    CHECK(model && integrator_create(model, 14.0, 2000, &first, NULL) == MASING_OK);
    CHECK(model && integrator_create(model, 14.0, 2000, &second, NULL) == MASING_OK);
    if (first && second) {
        CHECK(start_at_rest(first, NULL) == MASING_OK);
        CHECK(periodic_march(first, 1e-9, 2000, &observer, &result, NULL) == MASING_OK);
        CHECK(result.is_steady && result.cycles > 10);
        analyse(first, modal, axes);
        CHECK(start_on_motion(second, &motion, NULL) == MASING_OK);
        CHECK_RELATIVE(second->joints->f[0], first->joints->f[0], 1e-4);
        CHECK_SCALED(second->modal->a[0], first->modal->a[0], 20.0, 1e-4);
        double size = hypot(first->modal->v[0], first->modal->v[1]);
        for (int i = 0; i < 2000; i++) {
            CHECK(integrator_step(first) == MASING_OK);
            CHECK(integrator_step(second) == MASING_OK);
            CHECK_SCALED(second->modal->v[0], first->modal->v[0], size, 2e-3);
            CHECK_SCALED(second->modal->v[1], first->modal->v[1], size, 2e-3);
        }
    }
    integrator_destroy(first);
    integrator_destroy(second);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"harmonics with phases add up", harmonics_with_phases_add_up},
    {"every kind of load is its force", every_kind_of_load_is_its_force},
    {"outputs have their quantities", outputs_have_their_quantities},
    {"static loads shift the mean", static_loads_shift_the_mean},
    {"the static state is an equilibrium", the_static_state_is_an_equilibrium},
    {"sliders may start in the static state", sliders_may_start_in_the_static_state},
    {"a massless DOF puts springs in series", a_massless_dof_puts_springs_in_series},
    {"a load on a massless DOF is shared", a_load_on_a_massless_dof_is_shared},
    {"a known motion goes on", a_known_motion_goes_on},
};

TAP_MAIN(tests)
