/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/check.h"

#include <string.h>

#include "specimen.h"
#include "tap.h"

static const double two_pi = 6.283185307179586;

static struct masing_model *seal(struct masing_spec *spec)
{
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    spec->outputs = specimen_array(1, sizeof *spec->outputs);
    spec->n_outputs = 1;
    spec->outputs[0].name = specimen_text("x");
    spec->outputs[0].combination = specimen_axis(MASING_GROUND, 0);
    specimen_load(spec, 0, 1);
    if (!CHECK(masing_model_create(spec, &model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return model;
}

/* ground - m1 - m2 with k1, k2, and an element of stiffness k between ground and m1 */
static struct masing_model *two_masses(double k, double push)
{
    struct masing_spec spec;
    specimen_init(&spec, 2);
    specimen_mass(&spec, 0, 1);
    specimen_mass(&spec, 1, 2);
    specimen_spring(&spec, MASING_GROUND, 0, 300);
    specimen_spring(&spec, 0, 1, 500);
    struct masing_joint_spec *joint = specimen_joint(&spec, "damper", "jenkins", -1, 0);
    specimen_field(joint, "stiffness", k);
    specimen_field(joint, "slip_force", 5);
    if (push != 0) {
        spec.static_loads = specimen_array(1, sizeof *spec.static_loads);
        spec.n_static_loads = 1;
        spec.static_loads[0].pattern = specimen_array(2, sizeof(double));
        spec.static_loads[0].pattern[1] = push;
    }
    return seal(&spec);
}

/* lambda of [k1 + k + k2, -k2; -k2, k2] against diag(1, 2), the lower (0) or upper (1) one */
static double lambda_of(double k, int which)
{
    double a = 300 + k + 500, d = 250, b2 = 500.0 * 500.0 / 2;
    double root = sqrt((a - d) * (a - d) / 4 + b2);
    return (a + d) / 2 + (which ? root : -root);
}

static void frequencies_and_joint_shares_follow_the_closed_form(void)
{
    const double k = 200;
    struct masing_model *model = two_masses(k, 0);
    struct masing_check_result result = {0};
    CHECK(masing_check(model, NULL, &result, NULL) == MASING_OK);
    CHECK(result.n_modes == 2 && result.n_axes == 1 && result.n_rigid == 0);
    for (int m = 0; m < 2 && result.n_modes == 2; m++) {
        double free_lambda = lambda_of(0, m), stuck_lambda = lambda_of(k, m);
        CHECK_RELATIVE(result.free_hz[m], sqrt(free_lambda) / two_pi, 1e-12);
        CHECK_RELATIVE(result.stuck_hz[m], sqrt(stuck_lambda) / two_pi, 1e-12);
        /* second row: 500 (x2 - x1) = 2 lambda x2 */
        double free_ratio = 1 - 2 * free_lambda / 500, stuck_ratio = 1 - 2 * stuck_lambda / 500;
        double free_motion = fabs(free_ratio) / fmax(1, fabs(free_ratio));
        double stuck_motion = fabs(stuck_ratio) / fmax(1, fabs(stuck_ratio));
        CHECK_RELATIVE(fabs(result.free_motion[m]), free_motion, 1e-10);
        CHECK_RELATIVE(fabs(result.stuck_motion[m]), stuck_motion, 1e-10);
        double norm = stuck_ratio * stuck_ratio + 2;
        /* unit modal mass; the DOF that moves most is positive */
        double sign = fabs(stuck_ratio) > 1 ? copysign(1.0, stuck_ratio) : 1.0;
        double free_sign = fabs(free_ratio) > 1 ? copysign(1.0, free_ratio) : 1.0;
        double free_norm = free_ratio * free_ratio + 2;
        CHECK_RELATIVE(result.stuck_shapes[2 * m], sign * stuck_ratio / sqrt(norm), 1e-10);
        CHECK_RELATIVE(result.stuck_shapes[2 * m + 1], sign / sqrt(norm), 1e-10);
        CHECK_RELATIVE(result.free_shapes[2 * m], free_sign * free_ratio / sqrt(free_norm),
                       1e-10);
        CHECK_RELATIVE(result.free_shapes[2 * m + 1], free_sign / sqrt(free_norm), 1e-10);
        CHECK_RELATIVE(result.stuck_energy[m],
                       k * stuck_ratio * stuck_ratio / (norm * stuck_lambda), 1e-10);
    }
    masing_check_clear(&result);
    masing_model_destroy(model);
}

static void a_joint_on_a_massless_node_is_a_spring_in_series(void)
{
    const double ka = 70, k = 30, mass = 3;
    struct masing_spec spec;
    specimen_init(&spec, 2);
    specimen_mass(&spec, 0, mass);
    specimen_spring(&spec, MASING_GROUND, 0, 10);
    specimen_spring(&spec, 0, 1, ka);
    struct masing_joint_spec *joint = specimen_joint(&spec, "damper", "jenkins", -1, 1);
    specimen_field(joint, "stiffness", k);
    specimen_field(joint, "slip_force", 1);
    struct masing_model *model = seal(&spec);
    struct masing_check_result result = {0};
    CHECK(masing_check(model, NULL, &result, NULL) == MASING_OK);
    if (CHECK(result.n_modes == 1 && result.n_axes == 1)) {
        double series = ka * k / (ka + k);
        CHECK_RELATIVE(result.stuck_hz[0], sqrt((10 + series) / mass) / two_pi, 1e-12);
        CHECK_RELATIVE(fabs(result.stuck_motion[0]), ka / (ka + k), 1e-10);
        CHECK_RELATIVE(result.stuck_energy[0], series * ka / (ka + k) / (10 + series), 1e-10);
        CHECK_RELATIVE(fabs(result.free_motion[0]), 1, 1e-10);
    }
    masing_check_clear(&result);
    masing_model_destroy(model);
}

static void the_static_state_is_that_of_the_virgin_curve(void)
{
    const double k = 200;
    struct masing_model *stuck = two_masses(k, 10), *slipping = two_masses(k, 20);
    struct masing_check_result result = {0};
    CHECK(masing_check(stuck, NULL, &result, NULL) == MASING_OK);
    CHECK_RELATIVE(result.static_displacement[0], 10 / (300 + k), 1e-9);
    CHECK_RELATIVE(result.static_force[0], 10 * k / (300 + k), 1e-9);
    masing_check_clear(&result);
    CHECK(masing_check(slipping, NULL, &result, NULL) == MASING_OK);
    CHECK_RELATIVE(result.static_displacement[0], (20 - 5) / 300.0, 1e-9);
    CHECK_RELATIVE(result.static_force[0], 5, 1e-9);
    masing_check_clear(&result);
    masing_model_destroy(stuck);
    masing_model_destroy(slipping);
}

struct listener {
    int n_rows, n_finished;
    double last[3];
    char names[128];
};

static enum masing_status hear_open(void *context, const struct masing_column *columns, int n,
                                    struct masing_error *error)
{
    struct listener *listener = context;
    (void)error;
    for (int i = 0; i < n; i++) {
        strcat(listener->names, columns[i].name);
        strcat(listener->names, " ");
    }
    return MASING_OK;
}

static enum masing_status hear_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct listener *listener = context;
    (void)error;
    listener->n_rows++;
    for (int i = 0; i < 3; i++) {
        listener->last[i] = cells[i].number;
    }
    return MASING_OK;
}

static enum masing_status hear_finish(void *context, struct masing_error *error)
{
    (void)error;
    ((struct listener *)context)->n_finished++;
    return MASING_OK;
}

static void hear_nothing(void *context)
{
    (void)context;
}

static void rows_hold_the_frequencies(void)
{
    struct listener listener = {0};
    struct masing_sink sink = {.context = &listener,
                               .open = hear_open,
                               .row = hear_row,
                               .finish = hear_finish,
                               .abandon = hear_nothing,
                               .destroy = hear_nothing};
    struct masing_model *model = two_masses(200, 0);
    struct masing_check_result result = {0};
    CHECK(masing_check(model, &sink, &result, NULL) == MASING_OK);
    CHECK(strcmp(listener.names, "mode free_hz stuck_hz x_free x_stuck ") == 0);
    CHECK(listener.n_rows == 2 && listener.n_finished == 1);
    CHECK(listener.last[0] == 2 && listener.last[1] == result.free_hz[1] &&
          listener.last[2] == result.stuck_hz[1]);
    masing_check_clear(&result);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"frequencies and joint shares follow the closed form",
     frequencies_and_joint_shares_follow_the_closed_form},
    {"a joint on a massless node is a spring in series",
     a_joint_on_a_massless_node_is_a_spring_in_series},
    {"the static state is that of the virgin curve",
     the_static_state_is_that_of_the_virgin_curve},
    {"rows hold the frequencies", rows_hold_the_frequencies},
};

TAP_MAIN(tests)
