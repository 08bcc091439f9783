/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laws without memory against their equations, and the events of the stop. */
#include "masing/law.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

struct given {
    const char *name;
    double value;
};

static void *make(const struct masing_law *law, const struct given *given, int n)
{
    void *parameters = calloc(1, law->parameters_size);
    masing_fields_reset(law->fields, law->n_fields, parameters);
    for (int i = 0; i < n; i++) {
        int field = masing_field_find(law->fields, law->n_fields, given[i].name);
        CHECK(masing_field_store(&law->fields[field], given[i].value, parameters, NULL) ==
              MASING_OK);
    }
    return parameters;
}

/* One step from anywhere: f, fx, fv at (x, v). */
static void check_force(const struct masing_law *law, const void *parameters, double x,
                        double v, double f, double fx, double fv)
{
    double force, tangent, damping;
    CHECK(masing_law_step(law, parameters, &x, &v, NULL, NULL, &force, &tangent, &damping) ==
          MASING_OK);
    CHECK_SCALED(force, f, fabs(f), 1e-14);
    CHECK_SCALED(tangent, fx, fabs(fx), 1e-14);
    CHECK_SCALED(damping, fv, fabs(fv), 1e-14);
}

static void springs_and_dampers(void)
{
    const struct masing_law *linear = masing_law_find("linear");
    const struct masing_law *cubic = masing_law_find("cubic_spring");
    const struct masing_law *quadratic = masing_law_find("quadratic_damper");
    const struct given numbers[] = {{"stiffness", -3.0}, {"damping", 0.5}};
    const struct given coefficient[] = {{"coefficient", 2.5}};
    void *p = make(linear, numbers, 2), *q = make(cubic, coefficient, 1);
    void *r = make(quadratic, coefficient, 1);
    CHECK(masing_law_check(linear, p, NULL) == MASING_OK &&
          masing_law_check(cubic, q, NULL) == MASING_OK);
    check_force(linear, p, 2.0, -4.0, -8.0, -3.0, 0.5);
    CHECK(linear->stuck_stiffness(p) == -3.0 && linear->free_stiffness(p) == -3.0);
    check_force(cubic, q, -2.0, 9.0, -20.0, 30.0, 0.0);
    CHECK(cubic->stuck_stiffness(q) == 0.0 && cubic->free_stiffness(q) == 0.0);
    check_force(quadratic, r, 5.0, -2.0, -10.0, 0.0, 10.0);
    free(p);
    free(q);
    free(r);
}

static void powers_on_one_side_and_two(void)
{
    const struct masing_law *law = masing_law_find("power_spring");
    const struct given numbers[] = {{"coefficient", 2.0}, {"exponent", 1.5}, {"one_sided", 1}};
    const struct given straight[] = {{"coefficient", 2.0}, {"exponent", 1.0}};
    void *two = make(law, numbers, 2), *one = make(law, numbers, 3);
    void *line = make(law, straight, 2);
    check_force(law, two, 4.0, 3.0, 16.0, 6.0, 0.0);
    check_force(law, two, -4.0, 3.0, -16.0, 6.0, 0.0);
    check_force(law, one, 4.0, 3.0, 16.0, 6.0, 0.0);
    check_force(law, one, -4.0, 3.0, 0.0, 0.0, 0.0);
    check_force(law, two, 0.0, 3.0, 0.0, 0.0, 0.0);
    check_force(law, line, 0.0, 3.0, 0.0, 2.0, 0.0);
    CHECK(law->stuck_stiffness(two) == 0.0 && law->stuck_stiffness(line) == 2.0);
    free(two);
    free(one);
    free(line);
}

static void dampers_that_drive(void)
{
    const struct masing_law *law = masing_law_find("van_der_pol");
    const struct given numbers[] = {{"coefficient", 3.0}, {"amplitude", 0.5}};
    void *p = make(law, numbers, 2);
    check_force(law, p, 0.0, 2.0, -6.0, 0.0, -3.0);
    check_force(law, p, -1.0, 2.0, 18.0, -48.0, 9.0);
    free(p);
    law = masing_law_find("polynomial_damper");
    p = make(law, NULL, 0);
    struct masing_list *list =
        (struct masing_list *)(void *)((char *)p + law->fields[0].offset);
    *list = (struct masing_list){.values = {-1.0, 0.5, 0.25}, .count = 3};
    check_force(law, p, 7.0, -2.0, -2.0, 0.0, 4.0);
    CHECK(law->energy_limit(p) == 0.0);
    list->values[0] = 0.0;
    CHECK(isinf(law->energy_limit(p)));
    free(p);
}

static void polynomials_by_powers(void)
{
    const struct masing_law *law = masing_law_find("polynomial_spring");
    void *p = make(law, NULL, 0);
    struct masing_list *list =
        (struct masing_list *)(void *)((char *)p + law->fields[0].offset);
    const double k[5] = {2.0, -0.5, 0.25, 3.0, -1.5};
    memcpy(list->values, k, sizeof k);
    for (list->count = 1; list->count <= 5; list->count++) {
        CHECK(masing_law_check(law, p, NULL) == MASING_OK);
        for (double x = -1.5; x < 2.0; x += 0.7) {
            double f = 0.0, fx = 0.0, scale = 0.0;
            for (int i = 0; i < list->count; i++) {
                f += k[i] * pow(x, i + 1);
                fx += (i + 1) * k[i] * pow(x, i);
                scale += (i + 1) * fabs(k[i] * pow(x, i + 1));
            }
            const struct masing_branch_point at = {.x = x, .v = 1.0};
            struct masing_rate force;
            law->force(p, 1, &at, &force);
            CHECK_SCALED(force.value, f, scale, 1e-14);
            CHECK_SCALED(force.x, fx, scale / fabs(x), 1e-14);
            CHECK(force.v == 0.0);
        }
        CHECK(law->stuck_stiffness(p) == k[0]);
    }
    free(p);
}

static void smoothed_friction(void)
{
    const struct masing_law *law = masing_law_find("tanh_friction");
    const struct given numbers[] = {
        {"friction", 0.5}, {"preload", 8.0}, {"regularization", 0.1}};
    void *p = make(law, numbers, 3);
    CHECK(masing_law_check(law, p, NULL) == MASING_OK);
    check_force(law, p, 1.0, 0.05, 4.0 * tanh(0.5), 0.0, 40.0 / pow(cosh(0.5), 2));
    check_force(law, p, 1.0, -100.0, -4.0, 0.0, 0.0);
    check_force(law, p, 1.0, 0.0, 0.0, 0.0, 40.0);
    free(p);
}

static void one_stop_and_two(void)
{
    const struct masing_law *law = masing_law_find("unilateral_spring");
    const struct given numbers[] = {{"stiffness", 10.0}, {"gap", 0.5}, {"two_sided", 1.0}};
    void *one = make(law, numbers, 2), *two = make(law, numbers, 3);
    const struct given closed[] = {{"stiffness", 10.0}, {"gap", -0.5}};
    void *pressed = make(law, closed, 2), *touching = make(law, closed, 1);
    check_force(law, one, 0.75, 0.0, 2.5, 10.0, 0.0);
    check_force(law, one, -0.75, 0.0, 0.0, 0.0, 0.0);
    check_force(law, two, -0.75, 0.0, -2.5, 10.0, 0.0);
    check_force(law, two, 0.5, 0.0, 0.0, 0.0, 0.0);
    check_force(law, pressed, 0.0, 0.0, 5.0, 10.0, 0.0);
    CHECK(law->stuck_stiffness(one) == 0.0 && law->free_stiffness(one) == 0.0);
    CHECK(law->stuck_stiffness(pressed) == 10.0 && law->free_stiffness(pressed) == 10.0);
    CHECK(law->stuck_stiffness(touching) == 10.0 && law->free_stiffness(touching) == 0.0);
    free(one);
    free(two);
    free(pressed);
    free(touching);
}

static double rounded_force(const struct masing_law *law, const void *parameters, double x,
                            double smoothing, double *tangent)
{
    double f, fx = NAN, workspace[2], one = 1.0;
    struct masing_path path = {.n_samples = 1,
                               .n_axes = 1,
                               .n_directions = 1,
                               .is_periodic = true,
                               .x = &x,
                               .dx = &one,
                               .smoothing = smoothing};
    struct masing_forces forces = {.f = &f, .df = &fx};
    CHECK(masing_law_march(law, parameters, &path, NULL, &forces, NULL, workspace) ==
          MASING_OK);
    *tangent = fx;
    return f;
}

/* Smooth everywhere, its tangent that of its force, within k s / 2 of the stop's force, which
 * it becomes in the end. Other laws take no notice. */
static void stops_are_rounded_off(void)
{
    const struct masing_law *law = masing_law_find("unilateral_spring");
    const struct given numbers[] = {{"stiffness", 10.0}, {"gap", 0.5}, {"two_sided", 1.0}};
    CHECK(law->can_smooth);
    for (int n = 2; n <= 3; n++) {
        void *p = make(law, numbers, n);
        for (double s = 1.0; s > 1e-7; s *= 0.1) {
            for (double x = -2.0; x < 2.0; x += 0.01) {
                const struct masing_branch_point at = {.x = x};
                struct masing_rate exact;
                double step = 0.01 * s, fx, other, difference;
                double f = rounded_force(law, p, x, s, &fx);
                difference = (rounded_force(law, p, x + step, s, &other) -
                              rounded_force(law, p, x - step, s, &other)) /
                             (2.0 * step);
                CHECK_SCALED(fx, difference, 10.0, 5e-5 + 1e-14 / step);
                law->force(p, 1, &at, &exact);
                CHECK(fabs(f - exact.value) <= 0.5 * 10.0 * s * (1.0 + 1e-9));
                CHECK(fabs(fabs(x) - 0.5) < 0.02 || fabs(fx - exact.x) <= 7e3 * s * s + 1e-13);
            }
        }
        free(p);
    }
    const struct masing_law *cubic = masing_law_find("cubic_spring");
    const struct given coefficient[] = {{"coefficient", 2.0}};
    void *p = make(cubic, coefficient, 1);
    double fx;
    CHECK(!cubic->can_smooth);
    CHECK(rounded_force(cubic, p, 0.5, 1.0, &fx) == 0.25);
    free(p);
}

/* Points with a plateau, a dip and steps of many sizes. */
static struct masing_points *make_table(const struct masing_law *law, void *p)
{
    static const double x[] = {-2.0, -1.0, -0.7, 0.0, 0.4, 1.5, 1.6, 3.0};
    static const double y[] = {-5.0, -1.0, -1.0, 0.0, 2.0, 2.5, 4.0, 3.0};
    struct masing_points *points =
        (struct masing_points *)(void *)((char *)p + law->fields[0].offset);
    points->count = 8;
    memcpy(points->x, x, sizeof x);
    memcpy(points->y, y, sizeof y);
    return points;
}

static struct masing_rate table_force(const struct masing_law *law, const void *p, double x)
{
    const struct masing_branch_point at = {.x = x};
    struct masing_rate force;
    law->force(p, 1, &at, &force);
    return force;
}

static void tables_keep_to_their_points(void)
{
    const struct masing_law *law = masing_law_find("elastic_table");
    void *p = make(law, NULL, 0);
    struct masing_points *points = make_table(law, p);
    CHECK(masing_law_check(law, p, NULL) == MASING_OK);
    for (int i = 0; i < points->count; i++) {
        CHECK_SCALED(table_force(law, p, points->x[i]).value, points->y[i], 5.0, 1e-15);
    }
    for (int i = 0; i + 1 < points->count; i++) {
        double rise = points->y[i + 1] - points->y[i];
        for (double t = 0.01; t < 1.0; t += 0.01) {
            double x = points->x[i] + t * (points->x[i + 1] - points->x[i]);
            struct masing_rate force = table_force(law, p, x);
            double difference =
                (table_force(law, p, x + 1e-6).value - table_force(law, p, x - 1e-6).value) /
                2e-6;
            CHECK_SCALED(force.x, difference, 10.0, 1e-8);
            CHECK(force.x * rise >= -1e-12); /* no rise where the points fall */
        }
    }
    CHECK_RELATIVE(table_force(law, p, 5.0).value, 3.0 + 2.0 * table_force(law, p, 3.0).x,
                   1e-14);
    CHECK_RELATIVE(table_force(law, p, -4.0).value, -5.0 - 2.0 * table_force(law, p, -2.0).x,
                   1e-14);
    free(p);
}

static void tables_change_with_their_points(void)
{
    static const double step = 1e-7;
    const struct masing_law *law = masing_law_find("elastic_table");
    void *p = make(law, NULL, 0), *tangent = calloc(1, law->parameters_size);
    struct masing_points *points = make_table(law, p);
    CHECK(masing_law_check(law, p, NULL) == MASING_OK);
    for (int k = 0; k < 2 * points->count; k++) {
        double *number = k % 2 ? &points->y[k / 2] : &points->x[k / 2], kept = *number;
        masing_law_tangent(law, p, (size_t)((char *)number - (char *)p), tangent);
        for (double x = -2.95; x < 4.0; x += 0.1) {
            const struct masing_branch_point at = {.x = x};
            double pair[2], change = law->force_change(p, tangent, &at);
            for (int side = 0; side < 2; side++) {
                *number = kept + (side ? step : -step);
                CHECK(masing_law_check(law, p, NULL) == MASING_OK);
                pair[side] = table_force(law, p, x).value;
            }
            *number = kept;
            CHECK(masing_law_check(law, p, NULL) == MASING_OK);
            /* the plateau is a corner of the slopes */
            bool is_corner = k / 2 >= 1 && k / 2 <= 2 && x < 0.0;
            CHECK(is_corner || fabs(change - (pair[1] - pair[0]) / (2.0 * step)) <
                                   1e-5 * (1 + fabs(change)));
        }
    }
    free(tangent);
    free(p);
}

/* ---- a ring ---- */

/* Differences of the forces by a number of the parameters or the place. */
static void ring_differences(const struct masing_law *law, const void *p, const double *at,
                             double *number, double change[2])
{
    static const double step = 1e-6;
    double pair[2][2], fx[4], fv[4], kept = *number;
    for (int side = 0; side < 2; side++) {
        *number = kept + (side ? step : -step);
        masing_law_step(law, p, at, at, NULL, NULL, pair[side], fx, fv);
    }
    *number = kept;
    for (int a = 0; a < 2; a++) {
        change[a] = (pair[1][a] - pair[0][a]) / (2.0 * step);
    }
}

static void check_ring(const struct masing_law *law, void *p, double x, double y)
{
    double f[2], fx[4], fv[4], change[2], expected[2], at[2] = {x, y};
    void *tangent = calloc(1, law->parameters_size);
    const void *dp[] = {tangent};
    const struct masing_path path = {
        .n_samples = 1, .n_axes = 2, .x = at, .n_parameters = 1, .dp = dp};
    struct masing_forces forces = {.f = f, .dfp = change};
    CHECK(masing_law_step(law, p, at, at, NULL, NULL, f, fx, fv) == MASING_OK);
    CHECK(fv[0] == 0.0 && fv[3] == 0.0);
    for (int k = 0; k < 2; k++) {
        ring_differences(law, p, at, &at[k], expected);
        CHECK_SCALED(fx[k], expected[0], 10.0, 1e-9);
        CHECK_SCALED(fx[2 + k], expected[1], 10.0, 1e-9);
    }
    for (int k = 0; k < law->n_fields; k++) {
        size_t offset = law->fields[k].offset;
        masing_law_tangent(law, p, offset, tangent);
        masing_law_march(law, p, &path, NULL, &forces, NULL, NULL);
        ring_differences(law, p, at, (double *)(void *)((char *)p + offset), expected);
        CHECK_SCALED(change[0], expected[0], 10.0, 1e-9);
        CHECK_SCALED(change[1], expected[1], 10.0, 1e-9);
    }
    free(tangent);
}

static void a_shaft_in_a_ring(void)
{
    const struct masing_law *law = masing_law_find("annular_contact");
    const struct given numbers[] = {{"stiffness", 10.0}, {"friction", 0.25}, {"gap", 2.5}};
    void *p = make(law, numbers, 3), *q = make(law, numbers, 2);
    double x[2] = {3.0, 4.0}, near[2] = {1.5, 2.0}, f[2], fx[4], fv[4];
    /* 2.5 m deep: the normal force is 25 N along (0.6, 0.8), friction along (-0.8, 0.6) */
    CHECK(masing_law_step(law, p, x, x, NULL, NULL, f, fx, fv) == MASING_OK);
    CHECK_RELATIVE(f[0], 25.0 * (0.6 - 0.25 * 0.8), 1e-14);
    CHECK_RELATIVE(f[1], 25.0 * (0.8 + 0.25 * 0.6), 1e-14);
    CHECK(masing_law_step(law, p, near, x, NULL, NULL, f, fx, fv) == MASING_OK);
    CHECK(f[0] == 0.0 && f[1] == 0.0 && fx[0] == 0.0 && fx[3] == 0.0);
    CHECK(law->energy_limit(p) == 2.5);
    for (double angle = 0.0; angle < 6.0; angle += 0.7) {
        check_ring(law, p, 4.0 * cos(angle), 4.0 * sin(angle));
        check_ring(law, p, 1.0 * cos(angle), 1.0 * sin(angle));
        check_ring(law, q, 0.5 * cos(angle), 0.5 * sin(angle));
    }
    masing_law_stiffness(law, p, x, true, fx);
    CHECK_RELATIVE(fx[0], 10.0 * (0.5 + 0.5 * 0.36), 1e-14);
    CHECK_RELATIVE(fx[1], 10.0 * 0.5 * 0.48, 1e-14);
    CHECK(fx[1] == fx[2]);
    masing_law_stiffness(law, q, NULL, true, fx);
    CHECK(fx[0] == 10.0 && fx[1] == 0.0 && fx[3] == 10.0);
    free(p);
    free(q);
}

/* Names of the events whose value is positive, one letter each: contact, Full contact. */
static const char *state(const struct masing_law *law, const void *parameters, double minimum,
                         double maximum)
{
    static char text[8];
    struct masing_range range = {.maximum = maximum, .minimum = minimum};
    int n = 0;
    for (int e = 0; e < law->n_events; e++) {
        if (law->events[e].value(law, parameters, &range) > 0.0) {
            text[n++] = masing_event_name(law->events[e].rising)[0];
        }
    }
    text[n] = '\0';
    return text;
}

static void stops_report_contact_and_lift_off(void)
{
    const struct masing_law *law = masing_law_find("unilateral_spring");
    const struct given numbers[] = {{"stiffness", 10.0}, {"gap", 0.5}, {"two_sided", 1.0}};
    void *one = make(law, numbers, 2), *two = make(law, numbers, 3);
    CHECK(strcmp(state(law, one, -2.0, 0.4), "") == 0);
    CHECK(strcmp(state(law, one, -2.0, 0.6), "c") == 0);
    CHECK(strcmp(state(law, one, 0.6, 0.7), "cf") == 0);
    CHECK(strcmp(state(law, two, -0.4, 0.4), "") == 0);
    CHECK(strcmp(state(law, two, -0.6, 0.4), "c") == 0);
    CHECK(strcmp(state(law, two, -0.6, 0.7), "cc") == 0);
    CHECK(strcmp(state(law, two, -0.6, 0.6), "c") == 0); /* both stops in one event */
    CHECK(strcmp(state(law, two, -0.9, -0.6), "cf") == 0);
    free(one);
    free(two);
}

static const struct tap_test tests[] = {
    {"springs and dampers", springs_and_dampers},
    {"powers on one side and two", powers_on_one_side_and_two},
    {"dampers that drive", dampers_that_drive},
    {"polynomials by their powers", polynomials_by_powers},
    {"smoothed friction", smoothed_friction},
    {"one stop and two", one_stop_and_two},
    {"stops are rounded off", stops_are_rounded_off},
    {"tables keep to their points", tables_keep_to_their_points},
    {"tables change with their points", tables_change_with_their_points},
    {"a shaft in a ring", a_shaft_in_a_ring},
    {"stops report contact and lift-off", stops_report_contact_and_lift_off},
};

TAP_MAIN(tests)
