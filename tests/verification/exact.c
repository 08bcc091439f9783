/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Integration without errors of steps, against references and closed forms; the damped rule.
 */
#include "example.h"
#include "integrated.h"
#include "transient/exact/exact_solver.h"
#include "transient/newmark/newmark.h"
#include "transient/start.h"

static const double pi = 3.14159265358979323846;

static FILE *reference(const char *name)
{
    char line[512];
    FILE *file = open_reference(name);
    CHECK(file && fgets(line, sizeof line, file));
    return file;
}

static struct masing_joint_spec *add_joint(struct masing_spec *spec, const char *law, int from,
                                           int dof, const char *first, double a,
                                           const char *second, double b)
{
    struct masing_joint_spec *joint = specimen_joint(spec, law, law, from, dof);
    specimen_field(joint, first, a);
    specimen_field(joint, second, b);
    return joint;
}

/* v'' + 0.1 v' + v + jenkins(100, 0.5) = sin(eta tau); outputs v and v' */
static void friction_oscillator(struct masing_spec *spec, int method, int n_steps)
{
    const double masses[] = {1.0, 1.0};
    integrated_begin(spec, 2, masses);
    specimen_spring(spec, MASING_GROUND, 0, 1.0);
    specimen_spring(spec, MASING_GROUND, 1, 1.0);
    specimen_ratio(spec, 0.05);
    add_joint(spec, "jenkins", MASING_GROUND, 0, "stiffness", 100.0, "slip_force", 0.5);
    specimen_load(spec, 0, 1.0)->phase = -0.5 * pi;
    free(spec->outputs[1].combination.terms);
    spec->outputs[1].combination = specimen_axis(MASING_GROUND, 0);
    spec->outputs[1].quantity = MASING_VELOCITY;
    spec->integration.method = method;
    spec->integration.steady = MASING_STEADY_SHOOTING;
    spec->integration.tolerance = 1e-11;
    spec->integration.steps_per_cycle = n_steps;
}

/* How often per period the joint's force leaves its limit: stick intervals. */
static int count_sticks(const struct table *rows)
{
    int n = 0;
    double last = fabs(table_get(rows, rows->n_rows - 1, "force_jenkins"));
    for (int r = 0; r < rows->n_rows; r++) {
        double now = fabs(table_get(rows, r, "force_jenkins"));
        n += now < 0.5 * (1.0 - 1e-12) && last >= 0.5 * (1.0 - 1e-12);
        last = now;
    }
    return n;
}

static void the_friction_oscillator(void)
{
    FILE *file = reference("friction_oscillator_1dof.csv");
    double eta, max, rate, share, first;
    int n_stick, n = 0;
    while (file && fscanf(file, "%lf,%lf,%lf,%d,%lf,%lf,%*[^\n]", &eta, &max, &rate, &n_stick,
                          &share, &first) == 6) {
        struct masing_spec spec;
        struct masing_integrate_summary summary = {0};
        struct table rows;
        friction_oscillator(&spec, MASING_INTEGRATION_EXACT, 8192);
        struct masing_model *model = integrated_seal(&spec);
        struct masing_sink sink = table_sink(&rows);
        CHECK(masing_integrate(model, eta / (2.0 * pi), NULL, &sink, &summary, NULL) ==
              MASING_OK);
        const struct masing_output_measures *v = summary.outputs;
        printf("# eta %g: off by %.1e, %.1e, %.1e; %d cycles, %.3f s\n", eta,
               v[0].max / max - 1.0, v[1].max / rate - 1.0, v[0].h1 / first - 1.0,
               summary.cycles, summary.seconds);
        CHECK_RELATIVE(v[0].max, max, 1e-9);
        CHECK_RELATIVE(v[1].max, rate, 1e-9);
        CHECK_RELATIVE(v[0].h1, first, 1e-9);
        CHECK(count_sticks(&rows) == n_stick);
        table_clear(&rows);
        masing_integrate_summary_clear(&summary);
        masing_model_destroy(model);
        n++;
    }
    CHECK(n == 4);
    if (file) {
        fclose(file);
    }
}

static void the_two_mass_damper(void)
{
    FILE *file = reference("two_mass_damper_response.csv");
    char line[512];
    double worst = 0.0;
    for (int row = 0; file && fgets(line, sizeof line, file); row++) {
        double preload, f, max2, h2, max1, h1;
        if (row % 37 != 30 || sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &preload, &f, &max2, &h2,
                                     &max1, &h1) != 6) {
            continue;
        }
        char text[32];
        snprintf(text, sizeof text, "%.17g", preload);
        const struct masing_override overrides[] = {{"damper.preload", text},
                                                    {"integration.method", "exact"},
                                                    {"integration.steady", "shooting"},
                                                    {"integration.tolerance", "1e-11"}};
        struct masing_model *model = example_open("two_mass_damper.yaml", overrides, 4);
        struct masing_integrate_summary summary = {0};
        CHECK(masing_integrate(model, f, NULL, NULL, &summary, NULL) == MASING_OK);
        CHECK_RELATIVE(summary.outputs[0].h1, h2, 1e-9);
        CHECK_RELATIVE(summary.outputs[1].h1, h1, 1e-9);
        worst = fmax(worst, fabs(summary.outputs[0].h1 / h2 - 1.0));
        /* a joint that does not slip keeps an arbitrary offset: no maxima then */
        if (summary.energy_joints > 1e-6 * summary.energy_in) {
            CHECK_RELATIVE(summary.outputs[0].max, max2, 1e-9);
            CHECK_RELATIVE(summary.outputs[1].max, max1, 1e-9);
        }
        masing_integrate_summary_clear(&summary);
        masing_model_destroy(model);
    }
    printf("# worst first harmonic: off by %.1e\n", worst);
    if (file) {
        fclose(file);
    }
}

/* Two masses, free but for friction and a dashpot, that meet on both sides of a gap: rigid-body
 * motion, stops, dashpots and sliders at once. */
static struct masing_integrate_summary rattling_pair(int method)
{
    struct masing_spec spec;
    const double masses[] = {1.0, 0.5};
    integrated_begin(&spec, 2, masses);
    specimen_spring(&spec, 0, 1, 40.0);
    add_joint(&spec, "jenkins", MASING_GROUND, 0, "stiffness", 500.0, "slip_force", 0.4);
    struct masing_joint_spec *stop =
        add_joint(&spec, "unilateral_spring", 0, 1, "stiffness", 900.0, "gap", 0.01);
    specimen_field(stop, "two_sided", 1.0);
    add_joint(&spec, "linear", MASING_GROUND, 1, "stiffness", 3.0, "damping", 0.5);
    specimen_load(&spec, 1, 2.0);
    spec.integration.method = method;
    spec.integration.steps_per_cycle = 512;
    spec.integration.accuracy = 1e-13;
    spec.integration.cycles = 21;
    spec.integration.tolerance = 1e-14;
    struct masing_model *model = integrated_seal(&spec);
    struct masing_integrate_summary summary = {0};
    CHECK(masing_integrate(model, 1.3, NULL, NULL, &summary, NULL) == MASING_STOPPED);
    masing_model_destroy(model);
    return summary;
}

static void it_agrees_with_integration_to_a_tolerance(void)
{
    struct masing_integrate_summary exact = rattling_pair(MASING_INTEGRATION_EXACT);
    struct masing_integrate_summary other = rattling_pair(MASING_INTEGRATION_ACCURATE);
    for (int i = 0; i < 2; i++) {
        printf("# %.12g %.12g\n", exact.outputs[i].max, other.outputs[i].max);
        CHECK_RELATIVE(exact.outputs[i].max, other.outputs[i].max, 1e-8);
        CHECK_RELATIVE(exact.outputs[i].h1, other.outputs[i].h1, 1e-8);
    }
    CHECK_RELATIVE(exact.energy_joints, other.energy_joints, 1e-8);
    printf("# %.3f s and %.3f s\n", exact.seconds, other.seconds);
    masing_integrate_summary_clear(&exact);
    masing_integrate_summary_clear(&other);
}

enum { exactly = MASING_INTEGRATION_EXACT };

/* A single mass or more with velocities [n_dofs] at rest in the sliders. */
static struct integrator *launch(struct masing_spec *spec, int method, double omega,
                                 const double *masses, const double *velocities, int n_steps,
                                 struct masing_model **model)
{
    struct integrator *integrator = NULL;
    spec->integration.method = method;
    *model = integrated_seal(spec);
    if (!CHECK(*model &&
               integrator_create(*model, omega, n_steps, &integrator, NULL) == MASING_OK)) {
        return NULL;
    }
    const struct structure *structure = (*model)->structure;
    CHECK(start_at_rest(integrator, NULL) == MASING_OK);
    for (int k = 0; k < structure->n_modes; k++) {
        for (int i = 0; i < structure->n_dofs; i++) {
            integrator->modal->v[k] +=
                structure->shapes[i + k * structure->n_dofs] * masses[i] * velocities[i];
        }
    }
    integrator_begin(integrator);
    return integrator;
}

/* m = k = 1, nearly rigid friction of 10 N, from x = 0 with 5 m/s: 12.5 J = x^2/2 + 10 x at the
 * stop, less what the slider's spring of 1e8 N/m takes, which is 5e-7 J. */
static void a_sliding_block_stops_where_its_energy_ends(void)
{
    for (int n_steps = 20; n_steps <= 500; n_steps *= 25) {
        struct masing_spec spec;
        struct masing_model *model = NULL;
        const double mass = 1.0, speed = 5.0;
        double value = 0.0, rate = 0.0;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, 1.0);
        add_joint(&spec, "jenkins", MASING_GROUND, 0, "stiffness", 1e8, "slip_force", 10.0);
        struct integrator *integrator =
            launch(&spec, exactly, 1.0, &mass, &speed, n_steps, &model);
        for (int i = 0; integrator && i < n_steps / 10; i++) {
            CHECK(integrator_step(integrator) == MASING_OK);
            integrator_outputs(integrator, &value, &rate);
        }
        /* at rest but for the vibration of the stuck slider, of 1e-7 m */
        printf("# stops at %.9f m\n", value);
        CHECK_RELATIVE(value, sqrt(125.0) - 10.0, 1e-6);
        integrator_destroy(integrator);
        masing_model_destroy(model);
    }
}

/* A free body under a slow load would go far, but for a stop at which it bounces with 0.1 mm:
 * what the load might do without it must not become the size of errors. */
static void a_body_bounces_where_it_would_go_far(void)
{
    const double mass = 1e-3, speed = 0.0;
    double value[2][40], rate, off = 0.0;
    for (int i = 0; i < 2; i++) {
        struct masing_spec spec;
        struct masing_model *model = NULL;
        integrated_begin(&spec, 1, &mass);
        add_joint(&spec, "unilateral_spring", MASING_GROUND, 0, "stiffness", 1e7, "gap", 1e-4);
        specimen_load(&spec, 0, 1.0);
        struct integrator *integrator =
            launch(&spec, i == 0 ? exactly : MASING_INTEGRATION_ACCURATE, 0.01, &mass, &speed,
                   600000, &model);
        for (int step = 0; integrator && step < 40; step++) {
            CHECK(integrator_step(integrator) == MASING_OK);
            integrator_outputs(integrator, &value[i][step], &rate);
            off = fmax(off, fabs(value[i][step] - value[0][step]));
        }
        integrator_destroy(integrator);
        masing_model_destroy(model);
    }
    printf("# a body that bounces: off by %.1e m\n", off);
    CHECK(off < 3e-9);
}

/* x = (k V t + b)/K + c cos w(t - t0) + s sin w(t - t0) */
struct stretch {
    double b, stiffness, start, c, s;
};

enum { PULL = 2 };
static const double speed = 0.3, kick = 0.4, sticking = 50.0, limit = 1.0;

static double place(const struct stretch *stretch, double t, double *velocity)
{
    double w = sqrt(stretch->stiffness), angle = w * (t - stretch->start);
    *velocity = PULL * speed / stretch->stiffness +
                w * (stretch->s * cos(angle) - stretch->c * sin(angle));
    return (PULL * speed * t + stretch->b) / stretch->stiffness + stretch->c * cos(angle) +
           stretch->s * sin(angle);
}

static struct stretch begin_stretch(double b, double stiffness, double start, double x,
                                    double v)
{
    return (struct stretch){
        .b = b,
        .stiffness = stiffness,
        .start = start,
        .c = x - (PULL * speed * start + b) / stiffness,
        .s = (v - PULL * speed / stiffness) / sqrt(stiffness),
    };
}

static bool is_before_end(const struct stretch *stretch, double t, double level)
{
    double v, x = place(stretch, t, &v);
    return isnan(level) ? v > 0.0 : x < level;
}

/* Where, after a while, x rises to a level, or the velocity falls to zero (level NAN). */
static double end_of(const struct stretch *stretch, double after, double level)
{
    double low = stretch->start + after, high = low + 1e-3;
    while (high < 20.0 && is_before_end(stretch, high, level)) {
        low = high;
        high += 1e-3;
    }
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        bool is_before = is_before_end(stretch, middle, level);
        low = is_before ? middle : low;
        high = is_before ? high : middle;
    }
    return low;
}

/* When a block of 1 kg that is kicked (pulled from rest it would slide on) first breaks away,
 * sticks again and breaks away again. */
static void closed_form_times(double times[3])
{
    double v, stuck = PULL + sticking, reach = limit / sticking;
    struct stretch stretch = begin_stretch(0.0, stuck, 0.0, 0.0, kick);
    times[0] = end_of(&stretch, 0.0, reach);
    double x = place(&stretch, times[0], &v);
    stretch = begin_stretch(-limit, PULL, times[0], x, v);
    times[1] = end_of(&stretch, 1e-3, NAN);
    x = place(&stretch, times[1], &v);
    stretch = begin_stretch(sticking * x - limit, stuck, times[1], x, 0.0);
    times[2] = end_of(&stretch, 1e-2, x);
}

/* Pulled through a spring by an end so heavy, 1e12 kg, that its speed stays what it is. */
static void a_pulled_block_sticks_and_slips_in_time(void)
{
    double times[3];
    closed_form_times(times);
    for (int n_steps = 80; n_steps <= 2000; n_steps *= 25) {
        struct masing_spec spec;
        struct masing_model *model = NULL;
        const double masses[] = {1.0, 1e12}, speeds[] = {kick, speed};
        double nearest[3] = {INFINITY, INFINITY, INFINITY};
        integrated_begin(&spec, 2, masses);
        specimen_spring(&spec, 0, 1, PULL);
        add_joint(&spec, "jenkins", MASING_GROUND, 0, "stiffness", sticking, "slip_force",
                  limit);
        struct integrator *integrator =
            launch(&spec, exactly, 1.0, masses, speeds, n_steps, &model);
        for (int i = 0; integrator && i < 2 * n_steps; i++) {
            CHECK(integrator_step(integrator) == MASING_OK);
            double event = exact_solver_event_time(&integrator->stepper);
            for (int k = 0; k < 3; k++) {
                nearest[k] = fmin(nearest[k], fabs(event - times[k]));
            }
        }
        for (int k = 0; k < 3; k++) {
            printf("# %d steps: event at %.9f s off by %.1e s\n", n_steps, times[k],
                   nearest[k]);
            CHECK(nearest[k] < 1e-9);
        }
        integrator_destroy(integrator);
        masing_model_destroy(model);
    }
}

/* ---- the damped rule ---- */

static double damped_rule(double alpha, int n_steps, int steady, double *energy)
{
    struct masing_spec spec;
    friction_oscillator(&spec, MASING_INTEGRATION_HHT, n_steps);
    spec.integration.alpha = alpha;
    spec.integration.steady = steady;
    spec.integration.tolerance = 1e-9;
    struct masing_integrate_summary summary = integrated_run(&spec, 0.75 / (2.0 * pi));
    double h1 = summary.n_outputs ? summary.outputs[0].h1 : NAN;
    *energy = summary.energy_lost / summary.energy_in;
    masing_integrate_summary_clear(&summary);
    return h1;
}

/* m = 2 kg, k = 800 N/m, 5 per cent, 3 N at three times 13/3 rad/s */
static double linear_amplitude(double alpha, int n_steps)
{
    struct masing_spec spec;
    const double mass = 2.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 800.0);
    specimen_ratio(&spec, 0.05);
    specimen_load(&spec, 0, 3.0)->harmonic = 3;
    spec.integration.method = MASING_INTEGRATION_HHT;
    spec.integration.alpha = alpha;
    spec.integration.steps_per_cycle = n_steps;
    struct masing_integrate_summary summary = integrated_run(&spec, 13.0 / 3.0 / (2.0 * pi));
    double amplitude = summary.n_outputs ? summary.outputs[0].amp : NAN;
    masing_integrate_summary_clear(&summary);
    return amplitude;
}

static void the_damped_rule_converges_to_second_order(void)
{
    static const double exact = 1.627297407609, alphas[] = {-0.05, -0.3};
    const double linear = 3.0 / hypot(800.0 - 2.0 * 169.0, 80.0 * 0.05 * 13.0);
    for (int i = 0; i < 2; i++) {
        double alpha = alphas[i], energy = NAN;
        double coarse = linear_amplitude(alpha, 200) / linear - 1.0;
        double fine = linear_amplitude(alpha, 400) / linear - 1.0;
        printf("# alpha %g, linear: off by %.2e, %.2e\n", alpha, coarse, fine);
        CHECK_SCALED(coarse / fine, 4.0, 1.0, 0.1);
        double error = damped_rule(alpha, 500, MASING_STEADY_SHOOTING, &energy) / exact - 1.0;
        double less = damped_rule(alpha, 8000, MASING_STEADY_SHOOTING, &energy) / exact - 1.0;
        printf("# friction: off by %.1e, %.1e, energies by %.1e\n", error, less, energy - 1.0);
        CHECK(fabs(less) < 2e-6 && fabs(error) > 100.0 * fabs(less));
        CHECK_RELATIVE(energy, 1.0, 1e-6);
    }
    double energy, marched = damped_rule(-0.05, 500, MASING_STEADY_MARCHING, &energy);
    CHECK_RELATIVE(marched, damped_rule(-0.05, 500, MASING_STEADY_SHOOTING, &energy), 1e-6);
}

/* What is left of a free vibration of 1 rad/s after so many steps. */
static double kept_after(double alpha, double step, int n_steps)
{
    struct arena arena = {0};
    struct modal_state *modal = NULL;
    struct newmark *rule = NULL;
    struct masing_spec spec;
    const double mass = 1.0, none = 0.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 1.0);
    struct masing_model *model = integrated_seal(&spec);
    CHECK(modal_state_create(model->structure, 1, 0, &none, &arena, &modal, NULL) == MASING_OK);
    CHECK(newmark_create(modal, step, alpha, &arena, &rule, NULL) == MASING_OK);
    modal->q[0] = 1.0;
    modal_state_accelerate(modal, &none, &none);
    newmark_begin(rule);
    for (int i = 0; i < n_steps; i++) {
        newmark_predict(rule, &none);
    }
    double kept = hypot(modal->q[0], modal->v[0]);
    arena_clear(&arena);
    masing_model_destroy(model);
    return kept;
}

/* Where a step is many periods, (1 + alpha)/(1 - alpha), a half, times a square of the number
 * of steps, since the three roots are one there. */
static void the_damped_rule_damps_what_has_few_steps(void)
{
    double alpha = -1.0 / 3.0;
    double shrinks = kept_after(alpha, 1e4, 60) / kept_after(alpha, 1e4, 40);
    CHECK_RELATIVE(kept_after(0.0, 1e4, 60), 1.0, 1e-6);
    CHECK_RELATIVE(shrinks, pow(0.5, 20) * 60.0 / 40.0, 0.01);
    CHECK_RELATIVE(kept_after(alpha, 0.03, 2000), 1.0, 1e-2);
}

static const struct tap_test tests[] = {
    {"the friction oscillator", the_friction_oscillator},
    {"the two-mass damper", the_two_mass_damper},
    {"it agrees with integration to a tolerance", it_agrees_with_integration_to_a_tolerance},
    {"a sliding block stops where its energy ends",
     a_sliding_block_stops_where_its_energy_ends},
    {"a body bounces where it would go far", a_body_bounces_where_it_would_go_far},
    {"a pulled block sticks and slips in time", a_pulled_block_sticks_and_slips_in_time},
    {"the damped rule converges to second order", the_damped_rule_converges_to_second_order},
    {"the damped rule damps what has few steps", the_damped_rule_damps_what_has_few_steps},
};

TAP_MAIN(tests)
