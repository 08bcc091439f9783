/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rotor in a ring: against integration in time by Runge and Kutta's method, and the circle of
 * a rotor that is the same all around in closed form.
 */
#include "masing/integrate.h"
#include "response.h"

static const double TWO_PI = 6.28318530717958647692;

/* One mass of 1 kg, springs along x and y, and an unbalance from x to y. */
struct rotor {
    double stiffness[2], damping, ring, gap, friction, load;
};

static const struct rotor uneven = {{1.0, 1.2}, 0.2, 5.0, 1.0, 0.1, 0.4};

static char *rotor_text(const struct rotor *r, const char *more)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {d.x: 1, d.y: 1}\n"
                   "  springs:\n"
                   "    - {from: ground, to: d.x, stiffness: %.17g}\n"
                   "    - {from: ground, to: d.y, stiffness: %.17g}\n"
                   "  dampers:\n"
                   "    - {from: ground, to: d.x, damping: %.17g}\n"
                   "    - {from: ground, to: d.y, damping: %.17g}\n"
                   "joints: [{name: rub, law: annular_contact, from: ground, to: d,\n"
                   "  stiffness: %.17g, gap: %.17g, friction: %.17g}]\n"
                   "loads:\n"
                   "  - {dof: d.x, amplitude: %.17g}\n"
                   "  - {dof: d.y, amplitude: %.17g, phase: -90}\n"
                   "frequency: [0.08, 0.4]\noutputs: [d.x, d.y]\n%s",
                   r->stiffness[0], r->stiffness[1], r->damping, r->damping, r->ring, r->gap,
                   r->friction, r->load, r->load, more);
}

/* y: displacements, then velocities */
static void rate_of(const struct rotor *r, double phase, const double y[4], double rate[4])
{
    double distance = hypot(y[0], y[1]);
    double pressed = distance > r->gap ? r->ring * (distance - r->gap) / distance : 0.0;
    const double load[2] = {r->load * cos(phase), r->load * sin(phase)};
    const double across[2] = {-y[1], y[0]};
    for (int a = 0; a < 2; a++) {
        rate[a] = y[2 + a];
        rate[2 + a] = load[a] - r->stiffness[a] * y[a] - r->damping * y[2 + a] -
                      pressed * (y[a] + r->friction * across[a]);
    }
}

enum { STEPS_PER_PERIOD = 3000, PERIODS = 120 };

static void advance(const struct rotor *r, double phase, double step, double width, double y[4])
{
    static const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    double rate[4] = {0}, sum[4] = {0}, at[4];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++) {
            at[i] = y[i] + part[stage] * step * rate[i];
        }
        rate_of(r, phase + part[stage] * width, at, rate);
        for (int i = 0; i < 4; i++) {
            sum[i] += weight[stage] * rate[i];
        }
    }
    for (int i = 0; i < 4; i++) {
        y[i] += step * sum[i] / 6.0;
    }
}

/* Steady from rest: the largest displacements of the last period. */
static void integrate(const struct rotor *r, double hz, double largest[2])
{
    double y[4] = {0}, step = 1.0 / (hz * STEPS_PER_PERIOD), width = TWO_PI / STEPS_PER_PERIOD;
    largest[0] = largest[1] = 0.0;
    for (int n = 0; n < PERIODS * STEPS_PER_PERIOD; n++) {
        advance(r, width * (n % STEPS_PER_PERIOD), step, width, y);
        for (int a = 0; n >= (PERIODS - 1) * STEPS_PER_PERIOD && a < 2; a++) {
            largest[a] = fmax(largest[a], fabs(y[a]));
        }
    }
}

/* One of the stable motions of that frequency is the integrated one. */
static void check_response(const struct rotor *r, double hz, const double expected[2])
{
    struct run run;
    char *text = rotor_text(r, "harmonics: 21\nsamples: 1024\n");
    const struct masing_response_options options = {.n_at = 1,
                                                    .at_hz = &hz,
                                                    .columns = MASING_COLUMNS_ENERGY,
                                                    .stability = MASING_STABILITY_AUTO};
    run_with(&run, text, &options);
    double nearest = INFINITY;
    for (int row = 0; row < run.rows.n_rows && run.status == MASING_OK; row++) {
        if (strstr(run.rows.events[row], "at") && table_get(&run.rows, row, "stable") == 1.0) {
            double x = table_get(&run.rows, row, "d.x_max") / expected[0] - 1.0;
            double y = table_get(&run.rows, row, "d.y_max") / expected[1] - 1.0;
            nearest = fmin(nearest, fmax(fabs(x), fabs(y)));
        }
    }
    CHECK_SCALED(nearest, 0.0, 1.0, 1e-5);
    CHECK(run.summary.n_warnings == 0 && run.summary.energy_mismatch < 1e-6);
    run_clear(&run);
    free(text);
}

static void check_integration(const struct rotor *r, double hz, const char *method,
                              const double expected[2])
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = model_of_text(rotor_text(r, method));
    if (CHECK(model &&
              masing_integrate(model, hz, NULL, NULL, &summary, &error) == MASING_OK)) {
        CHECK_RELATIVE(summary.outputs[0].max, expected[0], 2e-5);
        CHECK_RELATIVE(summary.outputs[1].max, expected[1], 2e-5);
        CHECK_SCALED(summary.energy_in, summary.energy_lost, 1.0, 1e-4);
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

static void rubs_as_integrated(void)
{
    static const double at_hz[] = {0.14, 0.2, 0.3};
    for (int i = 0; i < 4; i++) {
        struct rotor rotor = uneven;
        double expected[2], hz = at_hz[i % 3];
        rotor.friction = i < 3 ? 0.1 : -0.05;
        integrate(&rotor, hz, expected);
        check_response(&rotor, hz, expected);
        check_integration(&rotor, hz, "integration: {steps_per_cycle: 2000}\n", expected);
        check_integration(&rotor, hz, "integration: {method: accurate}\n", expected);
    }
}

/* All around the same: the whirl is a circle, and with D = stiffness - w^2 + k (1 - gap / r)
 * and Q = damping w + mu k (1 - gap / r), load^2 = r^2 (D^2 + Q^2). */
static void check_circle(const char *more)
{
    const struct rotor rotor = {{1.0, 1.0}, 0.3, 3.0, 0.8, 0.2, 0.6};
    struct run run;
    char *text = rotor_text(&rotor, more);
    run_text(&run, text, NULL, 0);
    int n_pressed = 0, contact = 0;
    for (int row = 0; row < run.rows.n_rows; row++) {
        double w = TWO_PI * table_get(&run.rows, row, "frequency_hz");
        double r = table_get(&run.rows, row, "d.x_h1");
        double pressed = r > rotor.gap ? rotor.ring * (1.0 - rotor.gap / r) : 0.0;
        double elastic = 1.0 - w * w + pressed, loss = 0.3 * w + rotor.friction * pressed;
        CHECK_RELATIVE(r * hypot(elastic, loss), rotor.load, 1e-6);
        n_pressed += r > 1.01 * rotor.gap;
        if (strstr(run.rows.events[row], "contact")) {
            CHECK_RELATIVE(r, rotor.gap, 1e-4);
            contact++;
        }
    }
    CHECK(n_pressed > 5 && contact == 1);
    run_clear(&run);
    free(text);
}

static void the_whirl_on_a_circle(void)
{
    check_circle("harmonics: 3\n");
    check_circle("harmonics: 3\nsolver: {linear: krylov}\n");
}

static const struct tap_test tests[] = {
    {"rubs as integrated", rubs_as_integrated},
    {"the whirl on a circle", the_whirl_on_a_circle},
};

TAP_MAIN(tests)
