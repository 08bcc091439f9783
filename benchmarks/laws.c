/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each joint law costs alone, with the parameters of its example: a sample of a period,
 * without derivatives, with the structured ones and along seed directions; a step of a time
 * integration; a period in closed form.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks.h"

enum {
    N_SAMPLES = 256,
    HIGHEST = 7,
    N_DIRECTIONS = 2 * HIGHEST + 1,
    MAX_PHASES = 32,
    MODEL_TEXT = 20000,
};

static const double PI = 3.141592653589793238462643383280;
static const double OMEGA = 100.0;        /* rad/s */
static const double FEW = 3.0;            /* times a law's reach */
static const double WITHOUT_REACH = 1e-3; /* m */

/* Everything a law may be handed for one period. */
struct period {
    double amplitude;
    double x[N_SAMPLES], v[N_SAMPLES], f[N_SAMPLES], fx[N_SAMPLES], fv[N_SAMPLES];
    double dx[N_SAMPLES * N_DIRECTIONS], dv[N_SAMPLES * N_DIRECTIONS];
    double df[N_SAMPLES * N_DIRECTIONS];
    int branch[N_SAMPLES];
    struct masing_turning turnings[N_SAMPLES];
    double origin;
    double *workspace;
};

/* A mass on a spring with a joint of each law. */
static struct masing_model *every_law(void)
{
    static char text[MODEL_TEXT];
    int used = snprintf(text, sizeof text,
                        "masing: 1\n"
                        "structure:\n"
                        "  masses: {m: 1}\n"
                        "  springs: [{from: ground, to: m, stiffness: 1e4}]\n"
                        "loads: [{dof: m, amplitude: 1}]\n"
                        "frequency: [10, 20]\n"
                        "outputs: [m]\n"
                        "joints:\n");
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        if ((*law)->n_axes > 1) { /* contacts.c measures those */
            continue;
        }
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - name: %s\n    law: %s\n    from: ground\n    to: m\n",
                         (*law)->name, (*law)->name);
        for (const char *line = (*law)->example; *line;) {
            size_t length = strcspn(line, "\n");
            used += snprintf(text + used, sizeof text - (size_t)used, "    %.*s\n", (int)length,
                             line);
            line += length + (line[length] == '\n');
        }
    }
    return model_of("laws.yaml", text, NULL, 0);
}

static double amplitude_of(const struct masing_joint_spec *joint)
{
    const struct masing_law *law = joint->law;
    double size = law->reach ? law->reach(joint->parameters) : NAN;
    if (law->evolution) {
        size = law->evolution->length(joint->parameters);
    }
    return size > 0 && size < INFINITY ? FEW * size : WITHOUT_REACH;
}

/* Three harmonics, and the derivatives by the coefficients of all of them up to HIGHEST. */
static void move(struct period *period, double amplitude)
{
    static const double parts[] = {0, 1, 0, 0.1, 0, 0, 0, 0.02};
    period->amplitude = amplitude;
    memset(period->x, 0, sizeof period->x);
    memset(period->v, 0, sizeof period->v);
    for (int i = 0; i < N_SAMPLES; i++) {
        double *dx = period->dx + (size_t)i * N_DIRECTIONS;
        double *dv = period->dv + (size_t)i * N_DIRECTIONS;
        dx[0] = 1;
        dv[0] = 0;
        for (int h = 1; h <= HIGHEST; h++) {
            double angle = 2 * PI * h * i / N_SAMPLES;
            period->x[i] += amplitude * parts[h] * cos(angle + h);
            period->v[i] -= amplitude * parts[h] * h * OMEGA * sin(angle + h);
            dx[2 * h - 1] = cos(angle);
            dx[2 * h] = sin(angle);
            dv[2 * h - 1] = -h * OMEGA * sin(angle);
            dv[2 * h] = h * OMEGA * cos(angle);
        }
    }
}

enum derivative { NO_DERIVATIVE, STRUCTURED, SEEDS };

static double march(const struct masing_joint_spec *joint, struct period *period,
                    enum derivative derivative, int repetitions)
{
    const struct masing_law *law = joint->law;
    struct masing_error error = {.message = "march failed"};
    struct masing_path path = {
        .n_samples = N_SAMPLES,
        .n_axes = 1,
        .n_directions = derivative == SEEDS ? N_DIRECTIONS : 0,
        .is_periodic = true,
        .time_step = 2 * PI / (OMEGA * N_SAMPLES),
        .x = period->x,
        .v = period->v,
        .dx = period->dx,
        .dv = period->dv,
        .origin = &period->origin,
    };
    struct masing_forces forces = {.f = period->f, .df = period->df};
    struct masing_tangents tangents = {.fx = period->fx,
                                       .fv = period->fv,
                                       .branch = period->branch,
                                       .turnings = period->turnings,
                                       .max_turnings = N_SAMPLES};
    double start = processor_seconds();
    for (int i = 0; i < repetitions; i++) {
        require(masing_law_march(law, joint->parameters, &path, NULL, &forces,
                                 derivative == STRUCTURED ? &tangents : NULL,
                                 period->workspace),
                law->name, &error);
    }
    return (processor_seconds() - start) / repetitions;
}

static double step(const struct masing_joint_spec *joint, struct period *period,
                   int repetitions)
{
    const struct masing_law *law = joint->law;
    struct masing_error error = {.message = "step failed"};
    double *state = calloc(masing_law_state_size(law, joint->parameters) + 1, sizeof(double));
    if (!state) {
        exit(EXIT_FAILURE);
    }
    masing_law_rest(law, joint->parameters, &period->origin, state);
    double f, dx[2], dv[2], df[2];
    masing_law_directions(1, dx, dv);
    struct masing_step step = {.law = law->form ? law->form(joint->parameters) : law,
                               .parameters = joint->parameters,
                               .state = state,
                               .next_state = state,
                               .f = &f,
                               .n = 2,
                               .dx = dx,
                               .dv = dv,
                               .df = df};
    double start = processor_seconds();
    for (int i = 0; i < repetitions; i++) {
        step.x = &period->x[i % N_SAMPLES];
        step.v = &period->v[i % N_SAMPLES];
        require(step.law->family->step(&step), law->name, &error);
    }
    free(state);
    return (processor_seconds() - start) / repetitions;
}

/* x = amplitude cos(angle) as a law sees it; the context is the amplitude. */
static double cosine(const void *context, double angle)
{
    const double *amplitude = context;
    return *amplitude * cos(angle);
}

static double cosine_root(const void *context, double from, double to, double level)
{
    const double *amplitude = context;
    (void)to;
    double angle = acos(fmax(-1, fmin(1, level / *amplitude)));
    return from < PI ? angle : 2 * PI - angle;
}

static double phases(const struct masing_joint_spec *joint, double amplitude, int repetitions)
{
    struct masing_extremum extrema[] = {{0, amplitude}, {PI, -amplitude}};
    struct masing_smooth_path path = {.context = &amplitude,
                                      .value = cosine,
                                      .root = cosine_root,
                                      .n_extrema = 2,
                                      .extrema = extrema};
    struct masing_phase found[MAX_PHASES];
    struct masing_error error = {.message = "no phases"};
    double start = processor_seconds();
    for (int i = 0; i < repetitions; i++) {
        int n = joint->law->phases(joint->parameters, NULL, &path, found, MAX_PHASES);
        require(n > 0 ? MASING_OK : MASING_INTERNAL, joint->law->name, &error);
    }
    return (processor_seconds() - start) / repetitions;
}

/* Nanoseconds; NAN where a law has none. */
struct cost {
    double sample, tangent, direction, step, phases;
};

static struct cost measure(const struct masing_joint_spec *joint, struct period *period,
                           bool is_quick)
{
    const struct masing_family *family = joint->law->family;
    int batches = is_quick ? 1 : 10, repetitions = is_quick ? 3 : 50;
    double best[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < batches; i++) {
        best[0] = fmin(best[0], march(joint, period, NO_DERIVATIVE, repetitions));
        best[2] = fmin(best[2], march(joint, period, SEEDS, repetitions));
        best[3] = fmin(best[3], step(joint, period, N_SAMPLES * repetitions / 3));
        if (family->has_tangents) {
            best[1] = fmin(best[1], march(joint, period, STRUCTURED, repetitions));
        }
        if (joint->law->phases) {
            best[4] = fmin(best[4], phases(joint, period->amplitude, repetitions));
        }
    }
    return (struct cost){
        .sample = 1e9 * best[0] / N_SAMPLES,
        .tangent = family->has_tangents ? 1e9 * best[1] / N_SAMPLES : NAN,
        .direction = 1e9 * (best[2] - best[0]) / (N_SAMPLES * N_DIRECTIONS),
        .step = 1e9 * best[3],
        .phases = joint->law->phases ? 1e9 * best[4] : NAN,
    };
}

static void print_number(double number, int decimals)
{
    if (isnan(number)) {
        printf(" %10s", "-");
    } else {
        printf(" %10.*f", decimals, number);
    }
}

static void print_cost(const char *name, const struct cost *cost, const struct cost *unit)
{
    printf("%-24s", name);
    print_number(cost->sample, 2);
    print_number(cost->sample / unit->sample, 2);
    print_number(cost->tangent, 2);
    print_number(cost->direction, 3);
    print_number(cost->direction / unit->direction, 2);
    print_number(cost->step, 1);
    print_number(cost->phases, 0);
    printf("\n");
}

static struct cost measure_joint(const struct masing_joint_spec *joint, bool is_quick)
{
    static struct period period;
    const struct masing_law *law = joint->law;
    size_t size = law->family->workspace_size(law, N_SAMPLES, N_DIRECTIONS, 0);
    period.workspace = calloc(size + 1, sizeof(double));
    if (!period.workspace) {
        exit(EXIT_FAILURE);
    }
    move(&period, amplitude_of(joint));
    struct cost cost = measure(joint, &period, is_quick);
    free(period.workspace);
    return cost;
}

void benchmark_laws(const struct benchmark_settings *settings)
{
    struct masing_model *model = every_law();
    const struct masing_spec *spec = masing_model_spec(model);
    struct cost unit = {0};
    printf("\nJoint laws alone, ns, %d samples a period, H = %d: %d seed directions\n",
           N_SAMPLES, HIGHEST, N_DIRECTIONS);
    printf(
        "%-24s %10s %10s %10s %10s %10s %10s %10s\n%-24s %10s %10s %10s %10s %10s %10s %10s\n",
        "", "sample", "/ jenkins", "and its", "and for a", "/ jenkins", "step", "period in", "",
        "", "", "tangent", "direction", "", "in time", "phases");
    for (int j = 0; j < spec->n_joints; j++) {
        if (strcmp(spec->joints[j].law->name, "jenkins") == 0) {
            unit = measure_joint(&spec->joints[j], settings->is_quick);
        }
    }
    for (int j = 0; j < spec->n_joints; j++) {
        struct cost cost = measure_joint(&spec->joints[j], settings->is_quick);
        print_cost(spec->joints[j].law->name, &cost, &unit);
    }
    masing_model_destroy(model);
}
