/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time integration against closed forms, independent references and itself. */
#include "integrated.h"
#include "transient/start.h"

static const double pi = 3.14159265358979323846;

static void add_jenkins(struct masing_spec *spec, const char *name, int dof, double stiffness,
                        double slip_force)
{
    struct masing_joint_spec *joint = specimen_joint(spec, name, "jenkins", MASING_GROUND, dof);
    specimen_field(joint, "stiffness", stiffness);
    specimen_field(joint, "slip_force", slip_force);
}

/* ---- linear ---- */

/* m = 2 kg, k = 800 N/m: natural frequency 20 rad/s; a load of omega rad/s that is the given
 * harmonic of the fundamental. */
static double linear_amplitude(double ratio, double omega, int harmonic, int steps)
{
    struct masing_spec spec;
    double mass = 2.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 800.0);
    specimen_ratio(&spec, ratio);
    struct masing_load_spec *load = specimen_load(&spec, 0, 3.0);
    load->phase = 0.7;
    load->harmonic = harmonic;
    spec.integration.steps_per_cycle = steps;
    spec.integration.cycles = 100000;
    struct masing_integrate_summary summary =
        integrated_run(&spec, omega / harmonic / (2.0 * pi));
    double amplitude = NAN;
    if (summary.n_outputs > 0) {
        amplitude = harmonic == 1 ? summary.outputs[0].h1 : summary.outputs[0].amp;
        CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-6);
    }
    masing_integrate_summary_clear(&summary);
    return amplitude;
}

static double linear_exact(double ratio, double omega)
{
    return 3.0 / hypot(800.0 - 2.0 * omega * omega, 80.0 * ratio * omega);
}

static void the_linear_fundamental_is_exact(void)
{
    for (double omega = 13.0; omega < 30.0; omega += 7.1) {
        CHECK_RELATIVE(linear_amplitude(0.05, omega, 1, 32), linear_exact(0.05, omega), 1e-6);
    }
    /* hardly damped, at resonance: an error of 1e-5 in frequency would cost 2 per cent */
    double at = 20.0 * (1.0 + 2e-4);
    CHECK_RELATIVE(linear_amplitude(2e-4, at, 1, 64), linear_exact(2e-4, at), 1e-6);
}

static void a_linear_harmonic_converges_to_second_order(void)
{
    for (double omega = 13.0; omega < 30.0; omega += 7.1) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            int steps = 200 << i;
            double amplitude = linear_amplitude(0.05, omega, 3, steps);
            /* the rule answers exactly as the equation at another frequency */
            double w = omega / 3.0 * tan(3.0 * pi / steps) / tan(pi / steps);
            CHECK_RELATIVE(amplitude, linear_exact(0.05, w), 1e-6);
            error[i] = fabs(amplitude - linear_exact(0.05, omega));
        }
        CHECK_SCALED(error[0] / error[1], 4.0, 1.0, 0.2);
    }
}

/* Masses 1 and 3 kg, free in space, a spring of 900 N/m between them: relative motion as of one
 * mass of 0.75 kg; the load's own phase would make the pair drift from rest. */
static void a_free_structure_does_not_drift(void)
{
    struct masing_spec spec;
    const double masses[] = {1.0, 3.0};
    integrated_begin(&spec, 2, masses);
    specimen_spring(&spec, 0, 1, 900.0);
    specimen_ratio(&spec, 0.03);
    specimen_load(&spec, 0, 4.0)->phase = -0.5 * pi;
    double w = 21.0;
    spec.integration.steps_per_cycle = 400;
    struct masing_integrate_summary summary = integrated_run(&spec, w / (2.0 * pi));
    double k = 900.0, m = 0.75;
    double c = 2.0 * 0.03 * sqrt(k * m);
    /* centre of gravity: x = -F/(4 w^2); relative motion (m1 less m2): driven by F m / 1 kg */
    double re = m * 4.0 * (k - m * w * w), im = -m * 4.0 * c * w;
    double size = (k - m * w * w) * (k - m * w * w) + c * c * w * w;
    double x1_re = -1.0 / (w * w) + 0.75 * re / size, x1_im = 0.75 * im / size;
    if (summary.n_outputs == 2) {
        CHECK_RELATIVE(summary.outputs[0].h1, hypot(x1_re, x1_im), 1e-6);
        CHECK_SCALED(summary.outputs[0].mean, 0.0, summary.outputs[0].h1, 1e-6);
        CHECK_SCALED(summary.outputs[1].mean, 0.0, summary.outputs[0].h1, 1e-6);
    }
    masing_integrate_summary_clear(&summary);
}

/* ---- friction ---- */

/* v'' + 2 0.05 v' + v + jenkins(100, 0.5) = sin(eta tau) */
static struct masing_integrate_summary friction_oscillator(double eta, int steps, int n_parts)
{
    struct masing_spec spec;
    double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 1.0);
    specimen_ratio(&spec, 0.05);
    for (int i = 0; i < n_parts; i++) {
        char name[16];
        snprintf(name, sizeof name, "joint%d", i);
        add_jenkins(&spec, name, 0, 100.0 / n_parts, 0.5 / n_parts);
    }
    specimen_load(&spec, 0, 1.0)->phase = -0.5 * pi;
    spec.integration.steps_per_cycle = steps;
    return integrated_run(&spec, eta / (2.0 * pi));
}

static FILE *reference(const char *name)
{
    char path[4096];
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/tests/reference/%s", root ? root : ".", name);
    FILE *file = fopen(path, "r");
    if (!CHECK(file != NULL)) {
        printf("# no file %s\n", path);
    }
    return file;
}

static void the_friction_oscillator_converges_to_the_exact_solution(void)
{
    FILE *file = reference("friction_oscillator_1dof.csv");
    char line[512];
    for (bool is_header = true; file && fgets(line, sizeof line, file); is_header = false) {
        double eta, max, speed, n_stick, share, h1, error[3];
        if (is_header || sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &eta, &max, &speed, &n_stick,
                                &share, &h1) != 6) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            struct masing_integrate_summary summary = friction_oscillator(eta, 4000 << i, 1);
            error[i] = summary.n_outputs ? fabs(summary.outputs[0].h1 / h1 - 1.0) : INFINITY;
            if (i == 2 && summary.n_outputs) {
                CHECK_RELATIVE(summary.outputs[0].max, max, 5e-6);
                CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-6);
            }
            masing_integrate_summary_clear(&summary);
        }
        printf("# eta %g: relative errors %.2g %.2g %.2g\n", eta, error[0], error[1], error[2]);
        CHECK(error[2] < 5e-6);
        /* order 2 over two halvings: 16 times; steps fall on corners now better, now worse,
         * which shows where the error is small */
        CHECK(error[0] > 8.0 * error[2] || error[0] < 1e-6);
    }
    if (file) {
        fclose(file);
    }
}

static void many_equal_joints_are_as_one(void)
{
    struct masing_integrate_summary one = friction_oscillator(0.5, 1000, 1);
    struct masing_integrate_summary five = friction_oscillator(0.5, 1000, 5);
    if (one.n_outputs && five.n_outputs) {
        CHECK_RELATIVE(five.outputs[0].max, one.outputs[0].max, 1e-9);
        CHECK_RELATIVE(five.outputs[0].h1, one.outputs[0].h1, 1e-9);
        CHECK_RELATIVE(five.energy_joints, one.energy_joints, 1e-8);
    }
    masing_integrate_summary_clear(&one);
    masing_integrate_summary_clear(&five);
}

static void two_mass_damper(struct masing_spec *spec, double preload)
{
    const double masses[] = {1.0, 1.0};
    integrated_begin(spec, 2, masses);
    specimen_spring(spec, MASING_GROUND, 0, 41339.0);
    specimen_spring(spec, 0, 1, 41328.0);
    specimen_ratio(spec, 0.02);
    struct masing_joint_spec *joint =
        specimen_joint(spec, "damper", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 40000.0);
    specimen_field(joint, "friction", 0.5);
    specimen_field(joint, "preload", preload);
    specimen_load(spec, 1, 10.0);
}

static void the_two_mass_damper_responds_as_the_reference(void)
{
    FILE *file = reference("two_mass_damper_response.csv");
    char line[512];
    double worst = 0.0;
    for (int row = 0; file && fgets(line, sizeof line, file); row++) {
        double preload, f, max2, h2, max1, h1;
        if (row % 13 != 6 || sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &preload, &f, &max2, &h2,
                                    &max1, &h1) != 6) {
            continue;
        }
        struct masing_spec spec;
        two_mass_damper(&spec, preload);
        spec.integration.steps_per_cycle = 1000;
        struct masing_integrate_summary summary = integrated_run(&spec, f);
        if (summary.n_outputs == 2) {
            CHECK_RELATIVE(summary.outputs[1].h1, h2, 1e-4);
            CHECK_RELATIVE(summary.outputs[0].h1, h1, 1e-4);
            worst = fmax(worst, fabs(summary.outputs[1].h1 / h2 - 1.0));
            /* a joint that does not slip keeps an arbitrary offset: no maxima then */
            if (summary.energy_joints > 1e-6 * summary.energy_in) {
                CHECK_RELATIVE(summary.outputs[1].max, max2, 1e-4);
                CHECK_RELATIVE(summary.outputs[0].max, max1, 1e-4);
            }
            CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-6);
        }
        masing_integrate_summary_clear(&summary);
    }
    printf("# worst first harmonic: off by %.2g\n", worst);
    if (file) {
        fclose(file);
    }
}

/* m = k = 1, nearly rigid friction of 10 N, from x = 0 with 5 m/s: 12.5 J = x^2/2 + 10 x at the
 * first stop, where the spring is too weak to move the mass again. */
static void a_sliding_block_stops_where_its_energy_ends(void)
{
    struct masing_spec spec;
    double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 1.0);
    add_jenkins(&spec, "friction", 0, 1e8, 10.0);
    struct masing_model *model = integrated_seal(&spec);
    struct integrator *integrator = NULL;
    int n_steps = 20000;
    /* the slider lags so far that it slips from the beginning */
    const double origin[] = {-1e-7}, zero[] = {0.0};
    CHECK(model && integrator_create(model, 1.0, n_steps, &integrator, NULL) == MASING_OK);
    if (integrator) {
        CHECK(start_at_rest(integrator, NULL) == MASING_OK);
        joints_rest(integrator->joints, origin);
        CHECK(joints_evaluate(integrator->joints, zero, zero) == MASING_OK);
        joints_accept(integrator->joints, zero);
        integrator->modal->v[0] = 5.0 / model->structure->shapes[0];
        integrator_begin(integrator);
        double largest = 0.0, value = 0.0, rate = 0.0;
        for (int i = 0; i < n_steps; i++) {
            CHECK(integrator_step(integrator) == MASING_OK);
            integrator_outputs(integrator, &value, &rate);
            largest = fmax(largest, value);
        }
        CHECK_RELATIVE(largest, sqrt(125.0) - 10.0, 1e-6);
        CHECK_RELATIVE(value, sqrt(125.0) - 10.0, 1e-6);
    }
    integrator_destroy(integrator);
    masing_model_destroy(model);
}

/* A free mass on friction alone, driven above the slip limit: the static equilibrium of forces
 * holds at every step, and in gross slip the loss is 4 F x. */
static void friction_alone_holds_a_free_mass(void)
{
    struct masing_spec spec;
    double mass = 1.0, omega = 10.0;
    integrated_begin(&spec, 1, &mass);
    add_jenkins(&spec, "friction", 0, 1e5, 1.0);
    specimen_load(&spec, 0, 8.0);
    struct masing_integrate_summary summary = integrated_run(&spec, omega / (2.0 * pi));
    if (summary.n_outputs) {
        double x = summary.outputs[0].amp;
        CHECK(x > 0.06 && x < 0.1);
        /* jenkins: 4 F (x - F/k) per cycle of amplitude x */
        CHECK_RELATIVE(summary.energy_joints, 4.0 * (x - 1e-5), 1e-4);
        CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-6);
    }
    masing_integrate_summary_clear(&summary);
}

/* ---- laws that depend on velocity, against a Runge-Kutta integration of this test ---- */

struct rate_law {
    const char *law, *first, *second;
    double p, q;
    double (*force)(double v, double p, double q);
};

static double quadratic(double v, double p, double q)
{
    (void)q;
    return p * v * fabs(v);
}

static double regularised(double v, double p, double q)
{
    return p * tanh(v / q);
}

static const struct rate_law rate_laws[] = {
    {"quadratic_damper", "coefficient", NULL, 0.4, 0.0, quadratic},
    {"tanh_friction", "slip_force", "regularization", 0.6, 0.05, regularised},
};

static void slope(const struct rate_law *law, double t, const double y[2], double dy[2])
{
    dy[0] = y[1];
    dy[1] = cos(1.2 * t) - 0.1 * y[1] - y[0] - law->force(y[1], law->p, law->q);
}

/* Largest |x| over the last of 40 periods of x'' + 0.1 x' + x + f(x') = cos 1.2 t. */
static double runge_kutta(const struct rate_law *law, int n_steps)
{
    double y[2] = {0}, k[4][2], z[2], h = 2.0 * pi / 1.2 / n_steps, largest = 0.0;
    const double part[] = {0.0, 0.5, 0.5, 1.0};
    for (int i = 0; i < 40 * n_steps; i++) {
        for (int stage = 0; stage < 4; stage++) {
            for (int j = 0; j < 2; j++) {
                z[j] = y[j] + (stage ? h * part[stage] * k[stage - 1][j] : 0.0);
            }
            slope(law, h * (i + part[stage]), z, k[stage]);
        }
        for (int j = 0; j < 2; j++) {
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
        }
        largest = i >= 39 * n_steps ? fmax(largest, fabs(y[0])) : 0.0;
    }
    return largest;
}

static double newmark_max(const struct rate_law *law, int steps)
{
    struct masing_spec spec;
    double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 1.0);
    specimen_ratio(&spec, 0.05);
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "damper", law->law, MASING_GROUND, 0);
    specimen_field(joint, law->first, law->p);
    if (law->second) {
        specimen_field(joint, law->second, law->q);
    }
    specimen_load(&spec, 0, 1.0);
    spec.integration.steps_per_cycle = steps;
    struct masing_integrate_summary summary = integrated_run(&spec, 1.2 / (2.0 * pi));
    double max = summary.n_outputs ? summary.outputs[0].max : 0.0;
    CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-6);
    masing_integrate_summary_clear(&summary);
    return max;
}

static void laws_of_velocity_agree_with_runge_kutta(void)
{
    for (int i = 0; i < 2; i++) {
        double exact = runge_kutta(&rate_laws[i], 4000);
        double coarse = fabs(newmark_max(&rate_laws[i], 100) / exact - 1.0);
        double fine = fabs(newmark_max(&rate_laws[i], 800) / exact - 1.0);
        printf("# %s: off by %.2g and %.2g\n", rate_laws[i].law, coarse, fine);
        /* second order: 64 times, where no error happens to be small */
        CHECK(fine < 5e-5);
        CHECK(coarse > 20.0 * fine);
    }
}

static const struct tap_test tests[] = {
    {"the linear fundamental is exact", the_linear_fundamental_is_exact},
    {"a linear harmonic converges to second order",
     a_linear_harmonic_converges_to_second_order},
    {"a free structure does not drift", a_free_structure_does_not_drift},
    {"the friction oscillator converges to the exact solution",
     the_friction_oscillator_converges_to_the_exact_solution},
    {"many equal joints are as one", many_equal_joints_are_as_one},
    {"the two-mass damper responds as the reference",
     the_two_mass_damper_responds_as_the_reference},
    {"a sliding block stops where its energy ends",
     a_sliding_block_stops_where_its_energy_ends},
    {"friction alone holds a free mass", friction_alone_holds_a_free_mass},
    {"laws of velocity agree with Runge-Kutta", laws_of_velocity_agree_with_runge_kutta},
};

TAP_MAIN(tests)
