/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a joint law costs alone: one period of motion, and one step of a time integration. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks.h"

enum { N_SAMPLES = 256, MAX_PHASES = 32 };

static const double PI = 3.141592653589793238462643383280;

/* One joint of each law, moved by 1 mm: friction slips for most of the period. */
static const char laws_text[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m: 1}\n"
    "  springs: [{from: ground, to: m, stiffness: 1e4}]\n"
    "joints:\n"
    "  - {name: a, law: linear, to: m, from: ground, stiffness: 1e4, damping: 1}\n"
    "  - {name: b, law: cubic_spring, to: m, from: ground, coefficient: 1e9}\n"
    "  - {name: c, law: polynomial_spring, to: m, from: ground, coefficients: [1, 2, 3e6]}\n"
    "  - {name: d, law: unilateral_spring, to: m, from: ground, stiffness: 1e4, gap: 2e-4}\n"
    "  - {name: e, law: quadratic_damper, to: m, from: ground, coefficient: 1}\n"
    "  - {name: f, law: tanh_friction, to: m, from: ground, slip_force: 1,"
    " regularization: 1e-3}\n"
    "  - {name: g, law: jenkins, to: m, from: ground, stiffness: 1e4, slip_force: 2}\n"
    "loads: [{dof: m, amplitude: 1}]\n"
    "frequency: [10, 20]\n"
    "outputs: [m]\n";

static const double amplitude = 1e-3; /* m */

/* Everything a law may be handed for one period. */
struct period {
    double x[N_SAMPLES], v[N_SAMPLES], f[N_SAMPLES], fx[N_SAMPLES], fv[N_SAMPLES];
    int branch[N_SAMPLES];
    struct masing_turning turnings[N_SAMPLES];
    double origin;
    double *workspace;
};

static void move(struct period *period)
{
    for (int i = 0; i < N_SAMPLES; i++) {
        double angle = 2 * PI * i / N_SAMPLES;
        period->x[i] = amplitude * (cos(angle) + 0.1 * cos(3 * angle + 1));
        period->v[i] = -100 * amplitude * (sin(angle) + 0.3 * sin(3 * angle + 1));
    }
}

static double march(const struct masing_joint_spec *joint, struct period *period,
                    bool with_tangents, int repetitions)
{
    const struct masing_law *law = joint->law;
    struct masing_error error = {.message = "march failed"};
    struct masing_path path = {
        .n_samples = N_SAMPLES,
        .n_axes = 1,
        .is_periodic = true,
        .time_step = 2 * PI / (100.0 * N_SAMPLES),
        .x = period->x,
        .v = period->v,
        .origin = &period->origin,
    };
    struct masing_forces forces = {.f = period->f};
    struct masing_tangents tangents = {.fx = period->fx,
                                       .fv = period->fv,
                                       .branch = period->branch,
                                       .turnings = period->turnings,
                                       .max_turnings = N_SAMPLES};
    double start = processor_seconds();
    for (int i = 0; i < repetitions; i++) {
        require(law->family->march(law, joint->parameters, &path, NULL, &forces,
                                   with_tangents ? &tangents : NULL, period->workspace),
                law->name, &error);
    }
    return (processor_seconds() - start) / repetitions;
}

static double step(const struct masing_joint_spec *joint, struct period *period,
                   int repetitions)
{
    const struct masing_law *law = joint->law;
    struct masing_error error = {.message = "step failed"};
    double *state = calloc(law->family->state_size(law, joint->parameters) + 1, sizeof(double));
    if (!state) {
        exit(EXIT_FAILURE);
    }
    law->family->rest(law, joint->parameters, &period->origin, state);
    double start = processor_seconds();
    for (int i = 0; i < repetitions; i++) {
        double f, fx, fv;
        int now = i % N_SAMPLES, before = (i + N_SAMPLES - 1) % N_SAMPLES;
        require(law->family->step(law, joint->parameters, &period->x[before], &period->x[now],
                                  &period->v[now], state, state, &f, &fx, &fv),
                law->name, &error);
    }
    free(state);
    return (processor_seconds() - start) / repetitions;
}

/* x = amplitude cos(angle) as a law sees it. */
static double cosine(const void *context, double angle)
{
    (void)context;
    return amplitude * cos(angle);
}

static double cosine_root(const void *context, double from, double to, double level)
{
    (void)context;
    (void)to;
    double angle = acos(fmax(-1, fmin(1, level / amplitude)));
    return from < PI ? angle : 2 * PI - angle;
}

static double phases(const struct masing_joint_spec *joint, int repetitions)
{
    struct masing_extremum extrema[] = {{0, amplitude}, {PI, -amplitude}};
    struct masing_smooth_path path = {
        .value = cosine, .root = cosine_root, .n_extrema = 2, .extrema = extrema};
    struct masing_phase found[MAX_PHASES];
    struct masing_error error = {.message = "no phases"};
    double start = processor_seconds();
    for (int i = 0; i < repetitions; i++) {
        int n = joint->law->phases(joint->parameters, NULL, &path, found, MAX_PHASES);
        require(n > 0 ? MASING_OK : MASING_INTERNAL, joint->law->name, &error);
    }
    return (processor_seconds() - start) / repetitions;
}

static void measure(const struct masing_joint_spec *joint, struct period *period, bool is_quick)
{
    int batches = is_quick ? 1 : 20, repetitions = is_quick ? 10 : 500;
    double best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < batches; i++) {
        best[0] = fmin(best[0], march(joint, period, false, repetitions));
        best[1] = fmin(best[1], march(joint, period, true, repetitions));
        best[2] = fmin(best[2], step(joint, period, N_SAMPLES * (is_quick ? 1 : 40)));
        if (joint->law->phases) {
            best[3] = fmin(best[3], phases(joint, repetitions));
        }
    }
    printf("%-24s %14.0f %14.0f %14.1f", joint->law->name, 1e9 * best[0], 1e9 * best[1],
           1e9 * best[2]);
    if (joint->law->phases) {
        printf(" %14.0f", 1e9 * best[3]);
    }
    printf("\n");
}

void benchmark_joints(const struct benchmark_settings *settings)
{
    static struct period period;
    struct masing_model *model = model_of("laws.yaml", laws_text, NULL, 0);
    const struct masing_spec *spec = masing_model_spec(model);
    move(&period);
    printf(
        "\nJoint laws alone, ns: a period of %d samples, a step in time, a period in phases\n",
        N_SAMPLES);
    printf("%-24s %14s %14s %14s %14s\n", "", "forces", "with tangents", "step", "phases");
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_law *law = spec->joints[j].law;
        size_t size = law->family->workspace_size(law, N_SAMPLES, 0, 0);
        period.workspace = calloc(size + 1, sizeof(double));
        if (!period.workspace) {
            exit(EXIT_FAILURE);
        }
        measure(&spec->joints[j], &period, settings->is_quick);
        free(period.workspace);
    }
    masing_model_destroy(model);
}
