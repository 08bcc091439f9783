/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fewer modes with residual modes for the others: receptances, and integrations by them. */
#include <complex.h>
#include <math.h>

#include "integrated.h"
#include "masing/compare.h"
#include "model/model.h"
#include "transient/reduction.h"

static const double pi = 3.14159265358979323846;

enum { N = 120 };

/* A bar of N masses, clamped at one end, with a load at the other; first mode 1 rad/s. */
static void plain_bar(struct masing_spec *spec, int modes)
{
    specimen_init(spec, N);
    double step = 0.5 * pi / N;
    for (int i = 0; i < N; i++) {
        specimen_mass(spec, i, 1.0 / N);
        specimen_spring(spec, i - 1, i, 1.0 / N / (step * step));
    }
    spec->n_outputs = 2;
    spec->outputs = specimen_array(2, sizeof *spec->outputs);
    spec->outputs[0].name = specimen_text("tip");
    spec->outputs[0].combination = specimen_axis(MASING_GROUND, N - 1);
    spec->outputs[1].name = specimen_text("middle");
    spec->outputs[1].combination = specimen_axis(MASING_GROUND, N / 2);
    specimen_load(spec, N - 1, 1.0);
    spec->integration.modes = modes;
    spec->integration.steps_per_cycle = 256;
}

/* With a friction joint in the middle. */
static void bar(struct masing_spec *spec, int modes)
{
    plain_bar(spec, modes);
    struct masing_joint_spec *joint =
        specimen_joint(spec, "damper", "jenkins", MASING_GROUND, N / 2);
    specimen_field(joint, "stiffness", 2.0);
    specimen_field(joint, "slip_force", 0.3);
}

static struct masing_integrate_summary integrate_bar(int modes, bool is_coupled, int method,
                                                     int steady)
{
    struct masing_spec spec;
    bar(&spec, modes);
    if (is_coupled) {
        specimen_damper(&spec, MASING_GROUND, N / 3, 0.2);
        specimen_damper(&spec, MASING_GROUND, N - 1, 0.1);
    }
    specimen_ratio(&spec, 0.05);
    spec.integration.method = method;
    spec.integration.steady = steady;
    return integrated_run(&spec, 1.2 / (2.0 * pi));
}

static void compare_measures(const struct masing_integrate_summary *all,
                             const struct masing_integrate_summary *fewer, const char *what)
{
    double tip = fabs(fewer->outputs[0].max / all->outputs[0].max - 1.0);
    double middle = fabs(fewer->outputs[1].h1 / all->outputs[1].h1 - 1.0);
    double loss = fabs(fewer->energy_joints / all->energy_joints - 1.0);
    printf("# %s: %d + %d of %d modes, receptances %.1e; tip %.1e, middle %.1e, loss %.1e\n",
           what, fewer->n_modes, fewer->n_residual_modes, fewer->n_structure_modes,
           fewer->modes_error, tip, middle, loss);
    CHECK(all->n_residual_modes == 0 && all->n_modes == N && all->modes_error == 0.0);
    CHECK(fewer->n_modes + fewer->n_residual_modes < N / 2);
    CHECK(fewer->n_residual_modes > 0 && fewer->n_residual_modes <= 6);
    CHECK(fewer->modes_error > 0.0 && fewer->modes_error <= 1e-6);
    CHECK(tip < 2e-6 && middle < 2e-6 && loss < 2e-6);
    CHECK(all->energy_joints > 0.01);
}

static void integrations_agree(void)
{
    const struct {
        const char *name;
        bool is_coupled;
        int method, steady;
    } cases[] = {{"modal damping", false, MASING_INTEGRATION_NEWMARK, MASING_STEADY_MARCHING},
                 {"dampers", true, MASING_INTEGRATION_NEWMARK, MASING_STEADY_SHOOTING}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct masing_integrate_summary all = integrate_bar(
            MASING_MODES_ALL, cases[i].is_coupled, cases[i].method, cases[i].steady);
        struct masing_integrate_summary fewer = integrate_bar(
            MASING_MODES_AUTO, cases[i].is_coupled, cases[i].method, cases[i].steady);
        compare_measures(&all, &fewer, cases[i].name);
        masing_integrate_summary_clear(&all);
        masing_integrate_summary_clear(&fewer);
    }
}

/* Receptance of the tip under a force in the middle, of all modes or the reduced ones. */
static double complex receptance(const struct structure *s, double w)
{
    double complex sum = 0.0;
    size_t n = (size_t)s->n_dofs;
    for (size_t k = 0; k < (size_t)s->n_modes; k++) {
        sum += s->shapes[k * n + N - 1] * s->shapes[k * n + N / 2] /
               (s->omega[k] * s->omega[k] - w * w + I * w * s->modal_damping[k]);
    }
    return sum;
}

/* Exact where static; beyond, an error that grows with the eighth power of the frequency. */
static void receptances_converge(void)
{
    struct masing_spec spec;
    bar(&spec, MASING_MODES_FEWER);
    struct masing_model *model = integrated_seal(&spec);
    size_t n = N;
    double *forces = specimen_array(2 * n, sizeof(double));
    struct reduced_structure reduced;
    const struct structure *full = model->structure;
    for (size_t k = 0; k < n; k++) {
        forces[k] = full->shapes[k * n + N - 1];
        forces[n + k] = full->shapes[k * n + N / 2];
    }
    CHECK(reduced_structure_create(full, 5, 2, forces, &reduced, NULL) == MASING_OK);
    double far = full->omega[5], scale = cabs(receptance(full, 0.0));
    double at_rest = cabs(receptance(reduced.structure, 0.0) - receptance(full, 0.0)) / scale;
    double error[2];
    for (int i = 0; i < 2; i++) {
        double w = far * (i == 0 ? 0.25 : 0.5);
        error[i] = cabs(receptance(reduced.structure, w) - receptance(full, w)) / scale;
    }
    printf("# %d residual modes; at rest %.1e, at 1/4 and 1/2 of the first mode that went "
           "%.1e, %.1e\n",
           reduced.n_residual, at_rest, error[0], error[1]);
    CHECK(reduced.n_residual == 4);
    CHECK(at_rest < 1e-13);
    CHECK(error[1] < 1e-4);
    CHECK(error[1] / error[0] > 200.0 && error[1] / error[0] < 800.0);
    reduced_structure_clear(&reduced);
    free(forces);
    masing_model_destroy(model);
}

/* Modal coordinates of a motion that the reduced modes can make come back as they were. */
static void coordinates_fit(void)
{
    struct masing_spec spec;
    struct reduction reduction;
    bar(&spec, MASING_MODES_FEWER);
    specimen_ratio(&spec, 0.05);
    struct masing_model *model = integrated_seal(&spec);
    CHECK(reduction_create(model, 1.2, &reduction, NULL) == MASING_OK && reduction.is_reduced);
    size_t n = (size_t)reduction.model->structure->n_modes, n_dofs = N;
    double *row = specimen_array(2 * n_dofs, sizeof(double));
    for (size_t d = 0; d < n_dofs; d++) { /* the last residual mode, in all modes: M = 1/N */
        for (size_t k = 0; k < n_dofs; k++) {
            row[n_dofs + k] += model->structure->shapes[k * n_dofs + d] / N *
                               reduction.model->structure->shapes[(n - 1) * n_dofs + d];
        }
    }
    CHECK(reduction_coordinates(&reduction, 2, row, NULL) == MASING_OK);
    for (size_t k = 0; k < n; k++) {
        CHECK(row[k] == 0.0);
        CHECK_SCALED(row[n + k], k == n - 1 ? 1.0 : 0.0, 1.0, 1e-10);
    }
    free(row);
    reduction_clear(&reduction);
    masing_model_destroy(model);
}

/* Nothing is left out where that gains nothing. */
static void small_structures_keep_all(void)
{
    const double masses[] = {1.0, 2.0};
    for (int modes = MASING_MODES_AUTO; modes <= MASING_MODES_ALL; modes++) {
        struct masing_spec spec;
        integrated_begin(&spec, 2, masses);
        specimen_spring(&spec, MASING_GROUND, 0, 1.0);
        specimen_spring(&spec, 0, 1, 1.0);
        specimen_ratio(&spec, 0.2);
        specimen_load(&spec, 0, 1.0);
        spec.integration.modes = modes;
        struct masing_integrate_summary summary = integrated_run(&spec, 0.1);
        CHECK(summary.n_modes == 2 && summary.n_residual_modes == 0);
        masing_integrate_summary_clear(&summary);
    }
}

/* How far an integration begun on the balance, which knows all modes, ends from it. */
static double compare_bar(int modes)
{
    struct masing_spec spec;
    struct masing_compare_summary summary = {0};
    struct masing_error error = {0};
    const double frequency = 1.2 / (2.0 * pi);
    bar(&spec, modes);
    specimen_ratio(&spec, 0.05);
    spec.omega_from = 1.0;
    spec.omega_to = 1.4;
    struct masing_model *model = integrated_seal(&spec);
    const struct masing_compare_options options = {.n_frequencies = 1,
                                                   .frequencies_hz = &frequency};
    if (!CHECK(masing_compare(model, &options, NULL, &summary, &error) == MASING_OK)) {
        printf("# compare: %s\n", error.message);
    }
    CHECK(summary.n_steady == 1);
    double difference = summary.largest_difference;
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
    return difference;
}

static void comparisons_agree(void)
{
    double all = compare_bar(MASING_MODES_ALL), fewer = compare_bar(MASING_MODES_AUTO);
    printf("# balance against all modes %.4e, fewer %.4e\n", all, fewer);
    CHECK(all > 0.0 && fewer > 0.0 && fabs(fewer - all) < 2e-6);
}

/* --- velocities and accelerations --- */

static void see_quantities(struct masing_spec *spec, enum masing_quantity tip,
                           enum masing_quantity middle)
{
    spec->outputs[0].quantity = tip;
    spec->outputs[1].quantity = middle;
}

/* Displacement of one DOF under a force at the tip, of all modes or the reduced ones. */
static double tip_receptance(const struct structure *s, int dof, double w)
{
    double sum = 0.0;
    size_t n = (size_t)s->n_dofs;
    for (size_t k = 0; k < (size_t)s->n_modes; k++) {
        sum += s->shapes[k * n + (size_t)dof] * s->shapes[k * n + N - 1] /
               (s->omega[k] * s->omega[k] - w * w);
    }
    return sum;
}

/*
 * Of a bar without damping and joints every trial is the load times a number, which goes out:
 * what is found is the largest difference of a receptance over the harmonics that the steps can
 * show, each by one over its number and by h^0, h^1 or h^2, relative to the largest so counted.
 */
static double expected_error(const struct reduction *reduction, const struct masing_model *all,
                             int dof, enum masing_quantity quantity, double omega)
{
    double size = 0.0, change = 0.0;
    for (int h = 1; h <= all->spec.integration.steps_per_cycle / 8; h++) {
        double full = tip_receptance(all->structure, dof, h * omega);
        double fewer = tip_receptance(reduction->model->structure, dof, h * omega);
        double weight = pow(h, (double)quantity - 1.0);
        size = fmax(size, weight * fabs(full));
        change = fmax(change, weight * fabs(fewer - full));
    }
    return change / size;
}

static void errors_count_by_quantity(void)
{
    const double omega = 1.2;
    int n_near[3];
    for (int q = MASING_DISPLACEMENT; q <= MASING_ACCELERATION; q++) {
        struct masing_spec spec;
        struct reduction reduction;
        plain_bar(&spec, MASING_MODES_FEWER);
        see_quantities(&spec, (enum masing_quantity)q, MASING_DISPLACEMENT);
        struct masing_model *model = integrated_seal(&spec);
        CHECK(reduction_create(model, omega, &reduction, NULL) == MASING_OK &&
              reduction.is_reduced);
        double tip = expected_error(&reduction, model, N - 1, (enum masing_quantity)q, omega);
        double middle = expected_error(&reduction, model, N / 2, MASING_DISPLACEMENT, omega);
        printf("# quantity %d: %d modes, error %.3e; tip %.3e, middle %.3e\n", q,
               reduction.structure.n_near, reduction.error, tip, middle);
        CHECK_SCALED(reduction.error, fmax(tip, middle), 1.0, 1e-12);
        CHECK_RELATIVE(reduction.error, fmax(tip, middle), 1e-4);
        n_near[q] = reduction.structure.n_near;
        reduction_clear(&reduction);
        masing_model_destroy(model);
    }
    CHECK(n_near[0] <= n_near[1] && n_near[1] <= n_near[2] && n_near[0] < n_near[2]);
}

/* Ports begin with the joints' axes, which are displacements whatever the outputs are. */
static void outputs_come_behind_the_axes(void)
{
    int n_near[2];
    for (int i = 0; i < 2; i++) {
        struct masing_spec spec;
        struct reduction reduction;
        bar(&spec, MASING_MODES_FEWER);
        see_quantities(&spec, i == 0 ? MASING_DISPLACEMENT : MASING_ACCELERATION,
                       MASING_DISPLACEMENT);
        struct masing_model *model = integrated_seal(&spec);
        CHECK(reduction_create(model, 1.2, &reduction, NULL) == MASING_OK);
        n_near[i] = reduction.structure.n_near;
        reduction_clear(&reduction);
        masing_model_destroy(model);
    }
    CHECK(n_near[1] > n_near[0]);
}

static struct masing_integrate_summary integrate_quantities(int modes, enum masing_quantity tip,
                                                            enum masing_quantity middle)
{
    struct masing_spec spec;
    bar(&spec, modes);
    specimen_ratio(&spec, 0.05);
    see_quantities(&spec, tip, middle);
    return integrated_run(&spec, 1.2 / (2.0 * pi));
}

/* The same motion seen as displacement, velocity and acceleration, by all modes and by fewer.
 * The first harmonics differ by the frequency but for the rule's own error. Largest values of
 * accelerations have more of what the joint's corners shake in the modes that are left out. */
static void quantities_agree(void)
{
    const double omega = 1.2;
    struct masing_integrate_summary plain =
        integrate_quantities(MASING_MODES_ALL, MASING_DISPLACEMENT, MASING_DISPLACEMENT);
    for (int i = 0; i < 2; i++) {
        enum masing_quantity tip = i == 0 ? MASING_VELOCITY : MASING_ACCELERATION;
        enum masing_quantity middle = i == 0 ? MASING_ACCELERATION : MASING_VELOCITY;
        struct masing_integrate_summary all =
            integrate_quantities(MASING_MODES_ALL, tip, middle);
        struct masing_integrate_summary fewer =
            integrate_quantities(MASING_MODES_FEWER, tip, middle);
        CHECK_RELATIVE(all.outputs[0].h1, pow(omega, (int)tip) * plain.outputs[0].h1, 5e-4);
        CHECK_RELATIVE(all.outputs[1].h1, pow(omega, (int)middle) * plain.outputs[1].h1, 5e-4);
        CHECK(fewer.n_modes + fewer.n_residual_modes < N / 2 && fewer.n_residual_modes > 0);
        for (int o = 0; o < 2; o++) {
            CHECK_RELATIVE(fewer.outputs[o].h1, all.outputs[o].h1, 2e-6);
            CHECK_RELATIVE(fewer.outputs[o].max, all.outputs[o].max, 5e-3);
        }
        masing_integrate_summary_clear(&all);
        masing_integrate_summary_clear(&fewer);
    }
    masing_integrate_summary_clear(&plain);
}

static const struct tap_test tests[] = {
    {"receptances of residual modes", receptances_converge},
    {"modal coordinates", coordinates_fit},
    {"small structures keep all modes", small_structures_keep_all},
    {"integrations by fewer modes", integrations_agree},
    {"balance against fewer modes", comparisons_agree},
    {"errors count by quantity", errors_count_by_quantity},
    {"outputs come behind the joints' axes", outputs_come_behind_the_axes},
    {"velocities and accelerations by fewer modes", quantities_agree},
};
TAP_MAIN(tests)
