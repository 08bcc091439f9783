/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The residual of the harmonic balance: Jacobian and frequency derivative against differences,
 * and the condensed equations against the equations of motion of all DOFs.
 */
#include <string.h>

#include "base/memory.h"
#include "harmonic/recovery/recovery.h"
#include "law_paths.h"
#include "tap.h"

enum { N_DOFS = 4 };

static double *matrix(void)
{
    return memory_array(N_DOFS * N_DOFS, sizeof(double));
}

static void add_spring(double *k, int i, int j, double value)
{
    k[i * N_DOFS + i] += value;
    if (j >= 0) {
        k[j * N_DOFS + j] += value;
        k[i * N_DOFS + j] -= value;
        k[j * N_DOFS + i] -= value;
    }
}

struct case_ {
    const char *name;
    bool is_grounded, is_general_damping;
    double damping; /* modal ratio */
    enum masing_forces_choice forces;
    double static_force;
};

static const struct case_ cases[] = {
    {"proportional damping, exact forces", true, false, 0.02, MASING_FORCES_AUTO, 0.0},
    {"general damping", true, true, 0.02, MASING_FORCES_AUTO, 0.0},
    {"rigid body held by joints", false, false, 0.02, MASING_FORCES_AUTO, 0.3},
    {"undamped pole inside the range", true, false, 0.0, MASING_FORCES_AUTO, 0.2},
    {"sampled forces", true, false, 0.02, MASING_FORCES_SAMPLED, 0.2},
};

static void fill_structure(struct masing_spec *spec, const struct case_ *c)
{
    static const char *const names[N_DOFS] = {"a", "b", "c", "d"};
    struct masing_structure_spec *structure = &spec->structure;
    structure->n_dofs = N_DOFS;
    structure->dof_names = memory_array(N_DOFS, sizeof(char *));
    structure->mass = matrix();
    structure->stiffness = matrix();
    for (int i = 0; i < N_DOFS; i++) {
        structure->dof_names[i] = memory_text(names[i]);
        structure->mass[i * N_DOFS + i] = 1.0 + 0.3 * i;
        add_spring(structure->stiffness, i, i + 1 < N_DOFS ? i + 1 : -1,
                   i + 1 < N_DOFS ? 2.0 + i : 0.0);
    }
    if (c->is_grounded) {
        add_spring(structure->stiffness, 0, -1, 1.5);
    }
    if (c->is_general_damping) {
        structure->damping = matrix();
        add_spring(structure->damping, 1, 2, 0.1);
    }
    if (c->damping > 0.0) {
        structure->form.kind = MASING_DAMPING_MODAL;
        structure->form.n_ratios = 1;
        structure->form.ratios = memory_copy(&c->damping, 1, sizeof(double));
    }
}

static void set_axis(struct masing_combination *axis, int from, int to)
{
    axis->terms = memory_array(2, sizeof *axis->terms);
    axis->terms[axis->n_terms++] = (struct masing_term){to, 1.0};
    if (from >= 0) {
        axis->terms[axis->n_terms++] = (struct masing_term){from, -1.0};
    }
}

static void fill_joint(struct masing_joint_spec *joint, const char *name, const char *law,
                       int from, int to, const char *first, double first_value,
                       const char *second, double second_value)
{
    const char *const fields[] = {first, second};
    const double values[] = {first_value, second_value};
    joint->name = memory_text(name);
    joint->law = masing_law_find(law);
    joint->parameters = memory_array(1, joint->law->parameters_size);
    masing_fields_reset(joint->law->fields, joint->law->n_fields, joint->parameters);
    for (int i = 0; i < 2 && fields[i]; i++) {
        int f = masing_field_find(joint->law->fields, joint->law->n_fields, fields[i]);
        CHECK(f >= 0 && masing_field_store(&joint->law->fields[f], values[i], joint->parameters,
                                           NULL) == MASING_OK);
    }
    joint->axes = memory_array(1, sizeof *joint->axes);
    set_axis(joint->axes, from, to);
}

static struct masing_model *make_model(const struct case_ *c)
{
    struct masing_spec spec;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    CHECK(masing_spec_init(&spec, &error) == MASING_OK);
    fill_structure(&spec, c);
    spec.n_joints = 4;
    spec.joints = memory_array(4, sizeof *spec.joints);
    fill_joint(&spec.joints[0], "slider", "jenkins", MASING_GROUND, 0, "stiffness", 3.0,
               "slip_force", 0.4);
    fill_joint(&spec.joints[1], "inner", "jenkins", 1, 3, "stiffness", 2.0, "slip_force", 0.3);
    fill_joint(&spec.joints[2], "spring", "cubic_spring", 0, 2, "coefficient", 0.5, NULL, 0.0);
    fill_joint(&spec.joints[3], "drag", "quadratic_damper", 0, 3, "coefficient", 0.2, NULL,
               0.0);
    spec.n_loads = 2;
    spec.loads = memory_array(2, sizeof *spec.loads);
    for (int l = 0; l < 2; l++) {
        spec.loads[l].kind = l == 0 ? MASING_LOAD_FORCE : MASING_LOAD_IMBALANCE;
        spec.loads[l].harmonic = l == 0 ? 1 : 2;
        spec.loads[l].amplitude = l == 0 ? 1.0 : 0.2;
        spec.loads[l].phase = 0.4 * l;
        spec.loads[l].pattern = memory_array(N_DOFS, sizeof(double));
        spec.loads[l].pattern[3 - l] = 1.0;
    }
    spec.loads[1].pattern_imaginary = memory_array(N_DOFS, sizeof(double));
    spec.loads[1].pattern_imaginary[0] = 0.5;
    if (c->static_force != 0.0) {
        spec.n_static_loads = 1;
        spec.static_loads = memory_array(1, sizeof *spec.static_loads);
        spec.static_loads[0].pattern = memory_array(N_DOFS, sizeof(double));
        spec.static_loads[0].pattern[2] = c->static_force;
    }
    spec.n_outputs = 1;
    spec.outputs = memory_array(1, sizeof *spec.outputs);
    spec.outputs[0].name = memory_text("d");
    set_axis(&spec.outputs[0].combination, -1, 3);
    spec.omega_from = 0.7;
    spec.omega_to = 1.6;
    spec.forces = c->forces;
    spec.n_samples = 1024;
    enum masing_status status = masing_model_create(&spec, &model, &error);
    CHECK(status == MASING_OK);
    if (status != MASING_OK) {
        printf("# %s\n", error.message);
    }
    return model;
}

/* Random unknowns of the size of the linear response. */
static void random_unknowns(uint64_t *seed, const struct balance *balance, double *y)
{
    for (int i = 0; i < balance->n_unknowns; i++) {
        int harmonic = i / balance->n_axes / 2;
        y[i] = test_uniform(seed, -1.0, 1.0) / (1 + harmonic * harmonic);
    }
}

/* Fourth-order central difference of the residual along (direction, d_omega). */
static void difference(struct balance *balance, const double *y, double omega,
                       const double *direction, double d_omega, double step, double *out)
{
    static const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double shifts[] = {-2.0, -1.0, 1.0, 2.0};
    double moved[128], residual[128];
    memset(out, 0, sizeof(double) * (size_t)balance->n_unknowns);
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < balance->n_unknowns; i++) {
            moved[i] = y[i] + shifts[s] * step * direction[i];
        }
        CHECK(balance_evaluate(balance, BALANCE_LAWS, moved, omega + shifts[s] * step * d_omega,
                               residual, NULL, NULL) == MASING_OK);
        for (int i = 0; i < balance->n_unknowns; i++) {
            out[i] += weights[s] / step * residual[i];
        }
    }
}

static void derivatives(void)
{
    static double jacobian[128 * 128];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct masing_model *model = make_model(&cases[c]);
        const struct balance_settings settings = {.n_threads = 1};
        struct balance *balance = NULL;
        uint64_t seed = 31;
        CHECK(model && balance_create(model, &settings, &balance, NULL) == MASING_OK);
        int n = balance->n_unknowns, before = tap_failures;
        bool is_sampled = cases[c].forces == MASING_FORCES_SAMPLED;
        for (int trial = 0; trial < 20; trial++) {
            double y[128], direction[128], residual[128], by_omega[128], expected[128];
            double omega = test_uniform(&seed, 0.7, 1.6), d_omega = test_uniform(&seed, -1, 1);
            double scale = 0.0;
            random_unknowns(&seed, balance, y);
            random_unknowns(&seed, balance, direction);
            CHECK(balance_evaluate(balance, BALANCE_LAWS, y, omega, residual, jacobian,
                                   by_omega) == MASING_OK);
            difference(balance, y, omega, direction, d_omega, is_sampled ? 1e-7 : 2e-5,
                       expected);
            for (int i = 0; i < n; i++) {
                scale = fmax(scale, fabs(expected[i]));
            }
            for (int i = 0; i < n; i++) {
                double sum = d_omega * by_omega[i];
                for (int k = 0; k < n; k++) {
                    sum += jacobian[k * n + i] * direction[k];
                }
                CHECK_SCALED(sum, expected[i], scale, is_sampled ? 1e-5 : 1e-7);
            }
        }
        printf("# %s: %d unknowns%s\n", cases[c].name, n,
               tap_failures > before ? " FAILED" : "");
        balance_destroy(balance);
        masing_model_destroy(model);
    }
}

/* The same residual with the compliance as a matrix, applied beside one, and without any. */
static void products_without_a_matrix(void)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct balance_settings settings[] = {{.n_threads = 1}, {.is_matrix_free = true}};
        struct masing_model *model = make_model(&cases[c]);
        struct balance *dense = NULL, *free_of_it = NULL;
        double y[128], expected[128], residual[128], scale = 0.0;
        uint64_t seed = 32;
        CHECK(balance_create(model, &settings[0], &dense, NULL) == MASING_OK);
        CHECK(balance_create(model, &settings[1], &free_of_it, NULL) == MASING_OK);
        CHECK(dense->compliance->has_matrices);
        CHECK(!free_of_it->compliance->has_matrices);
        CHECK(free_of_it->n_unknowns == dense->n_unknowns);
        random_unknowns(&seed, dense, y);
        dense->compliance->is_applied = false;
        CHECK(balance_evaluate(dense, BALANCE_LAWS, y, 1.1, expected, NULL, NULL) == MASING_OK);
        for (int i = 0; i < dense->n_unknowns; i++) {
            scale = fmax(scale, fabs(expected[i]));
        }
        for (int beside = 0; beside < 2; beside++) {
            struct balance *balance = beside ? dense : free_of_it;
            balance->compliance->is_applied = !beside || !cases[c].is_general_damping;
            CHECK(balance_evaluate(balance, BALANCE_LAWS, y, 1.1, residual, NULL, NULL) ==
                  MASING_OK);
            for (int i = 0; i < dense->n_unknowns; i++) {
                CHECK_SCALED(residual[i], expected[i], scale, 1e-12);
            }
        }
        balance_destroy(dense);
        balance_destroy(free_of_it);
        masing_model_destroy(model);
    }
}

static void no_jacobian_without_a_matrix(void)
{
    static double jacobian[128 * 128];
    const struct balance_settings settings = {.is_matrix_free = true};
    struct masing_model *model = make_model(&cases[0]);
    struct balance *balance = NULL;
    double y[128] = {0}, residual[128], by_omega[128];
    CHECK(balance_create(model, &settings, &balance, NULL) == MASING_OK);
    CHECK(balance_evaluate(balance, BALANCE_LAWS, y, 1.1, residual, jacobian, by_omega) ==
          MASING_INTERNAL);
    balance_destroy(balance);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"Jacobian and frequency derivative of the residual", derivatives},
    {"residuals without a matrix", products_without_a_matrix},
    {"no Jacobian without a matrix", no_jacobian_without_a_matrix},
};

TAP_MAIN(tests)
