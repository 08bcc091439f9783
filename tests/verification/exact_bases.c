/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact integration in a basis of its own for each pattern of the joints' tangents, against
 * integration to a tolerance, which knows of no bases.
 */
#include "integrated.h"
#include "transient/exact/exact_solver.h"
#include "transient/record.h"
#include "transient/start.h"

enum { N_MASSES = 20, N_STEPS = 256, N_PERIODS = 4 };

struct damping {
    const char *name;
    double ratio, dashpot;
    bool is_preloaded; /* the stop is, and constant forces hold the masses off their places */
};

/* A chain that is held at one end, with two sliders and a stop, under two harmonics. */
static struct masing_model *model_of(const struct damping *damping, int method)
{
    struct masing_spec spec;
    double masses[N_MASSES];
    for (int i = 0; i < N_MASSES; i++) {
        masses[i] = 0.06 + 0.01 * (i % 5);
    }
    integrated_begin(&spec, N_MASSES, masses);
    for (int i = 0; i < N_MASSES; i++) {
        specimen_spring(&spec, i == 0 ? MASING_GROUND : i - 1, i, 4e5);
    }
    if (damping->ratio > 0.0) {
        specimen_ratio(&spec, damping->ratio);
    }
    if (damping->dashpot > 0.0) {
        specimen_damper(&spec, 1, 4, damping->dashpot);
    }
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "first", "jenkins", MASING_GROUND, 2);
    specimen_field(joint, "stiffness", 2e4);
    specimen_field(joint, "slip_force", 6.0);
    joint = specimen_joint(&spec, "second", "jenkins", 2, N_MASSES - 1);
    specimen_field(joint, "stiffness", 1e4);
    specimen_field(joint, "slip_force", 4.0);
    joint = specimen_joint(&spec, "stop", "unilateral_spring", MASING_GROUND, N_MASSES - 1);
    specimen_field(joint, "stiffness", 3e4);
    specimen_field(joint, "gap", damping->is_preloaded ? -2e-4 : 1e-3);
    specimen_load(&spec, N_MASSES - 1, 12.0);
    struct masing_load_spec *load = specimen_load(&spec, 1, 7.0);
    load->harmonic = 3;
    load->phase = 0.7;
    if (damping->is_preloaded) {
        specimen_static_load(&spec, 3, 5.0);
    }
    spec.outputs[3].quantity = MASING_VELOCITY;
    spec.outputs[4].quantity = MASING_ACCELERATION;
    spec.integration.method = method;
    spec.integration.accuracy = 1e-12;
    return integrated_seal(&spec);
}

struct motion {
    double value[N_PERIODS * N_STEPS][N_MASSES];
    struct work work; /* in the last two periods */
};

static void follow(const struct damping *damping, int method, struct motion *motion)
{
    struct masing_model *model = model_of(damping, method);
    struct integrator *integrator = NULL;
    double rate[N_MASSES];
    CHECK(model && integrator_create(model, 120.0, N_STEPS, &integrator, NULL) == MASING_OK &&
          start_at_rest(integrator, NULL) == MASING_OK);
    for (int i = 0; integrator && i < N_PERIODS * N_STEPS; i++) {
        if (i == 2 * N_STEPS) {
            CHECK(integrator_measure(integrator) == MASING_OK);
        }
        CHECK(integrator_step(integrator) == MASING_OK);
        integrator_outputs(integrator, motion->value[i], rate);
    }
    motion->work = integrator_work(integrator);
    if (method == MASING_INTEGRATION_EXACT) {
        long n_events = exact_solver_events(&integrator->stepper);
        long n_in_bases = exact_solver_steps_in_bases(&integrator->stepper);
        printf("# %s: %ld events, %ld of %d steps in bases\n", damping->name, n_events,
               n_in_bases, N_PERIODS * N_STEPS);
        CHECK(n_events > 20 && n_in_bases > N_PERIODS * N_STEPS / 2);
    }
    integrator_destroy(integrator);
    masing_model_destroy(model);
}

static void check(const struct damping *damping)
{
    static struct motion exact, expected;
    double off[N_MASSES] = {0.0}, size[N_MASSES] = {0.0}, worst = 0.0;
    follow(damping, MASING_INTEGRATION_EXACT, &exact);
    follow(damping, MASING_INTEGRATION_ACCURATE, &expected);
    for (int i = 0; i < N_PERIODS * N_STEPS; i++) {
        for (int k = 0; k < N_MASSES; k++) {
            off[k] = fmax(off[k], fabs(exact.value[i][k] - expected.value[i][k]));
            size[k] = fmax(size[k], fabs(expected.value[i][k]));
        }
    }
    for (int k = 0; k < N_MASSES; k++) {
        worst = fmax(worst, off[k] / size[k]);
    }
    const struct work *work = &exact.work, *of = &expected.work;
    double scale = fabs(of->loads) + fabs(of->joints) + fabs(of->damping);
    printf("# off by %.1e; work %.6e (%.1e), joints %.6e (%.1e), damping %.6e (%.1e)\n", worst,
           of->loads, work->loads / of->loads - 1.0, of->joints,
           work->joints / of->joints - 1.0, of->damping, work->damping / of->damping - 1.0);
    CHECK(worst < 1e-8);
    CHECK_SCALED(work->loads, of->loads, scale, 1e-8);
    CHECK_SCALED(work->joints, of->joints, scale, 1e-8);
    CHECK_SCALED(work->damping, of->damping, scale, 1e-8);
}

static void complex_modes(void)
{
    check(&(struct damping){.name = "modal ratios", .ratio = 0.02});
    check(&(struct damping){.name = "preloaded", .ratio = 0.01, .is_preloaded = true});
    check(&(struct damping){.name = "dashpot between masses", .ratio = 0.005, .dashpot = 8.0});
    check(&(struct damping){.name = "heavy dashpot", .ratio = 0.005, .dashpot = 400.0});
}

static void real_modes(void)
{
    check(&(struct damping){.name = "undamped"});
}

static const struct tap_test tests[] = {
    {"bases of complex modes", complex_modes},
    {"bases of real modes", real_modes},
};

TAP_MAIN(tests)
