/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joints evaluated by several threads: the same bits for any number of them, in residual,
 * Jacobian and frequency derivative, one evaluation after another; and the same error.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "harmonic/balance/balance.h"
#include "law_paths.h"
#include "tap.h"

enum {
    N_DOFS = 12,
    N_JOINTS = 100,
    N_PATCHES = 3,
    N_EVALUATIONS = 3,
    FIRST_TO_FAIL = 60,
    NEXT_TO_FAIL = 61
};

static const int thread_counts[] = {1, 2, 3, 7};

enum model_kind { MANY_JOINTS, FAILING, PATCHES };

/* A law that fails where its origin says so, else a plain one. */
static struct masing_family failing_family;
static struct masing_law failing_law;

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    return path->origin[0] > 1.5 ? MASING_SINGULAR
           : path->origin[0] > 0.5
               ? MASING_NOT_FINITE
               : masing_family_memoryless.march(law, parameters, path, state, forces, tangents,
                                                workspace);
}

static void set_field(struct masing_joint_spec *joint, const char *name, double value)
{
    const struct masing_law *law = joint->law;
    int f = masing_field_find(law->fields, law->n_fields, name);
    CHECK(f >= 0 &&
          masing_field_store(&law->fields[f], value, joint->parameters, NULL) == MASING_OK);
}

/* Two patches of many elements, six axes each, and a joint without parts between them. */
static void fill_patch(struct masing_joint_spec *joint)
{
    const struct masing_law *law = joint->law;
    int size = masing_field_find(law->fields, law->n_fields, "size");
    int elements = masing_field_find(law->fields, law->n_fields, "elements");
    struct masing_list sides = {2, {0.6, 0.5}}, numbers = {2, {7, 5}};
    memcpy((char *)joint->parameters + law->fields[size].offset, &sides, sizeof sides);
    memcpy((char *)joint->parameters + law->fields[elements].offset, &numbers, sizeof numbers);
    set_field(joint, "normal_stiffness", 1.3);
    set_field(joint, "tangential_stiffness", 0.8);
    set_field(joint, "friction", 0.4);
    set_field(joint, "preload", 1.5);
}

/* In turn: seed directions, structured tangents with and without velocity, several axes. */
static void fill_joint(struct masing_joint_spec *joint, int index, enum model_kind kind)
{
    bool can_fail = kind == FAILING, is_patch = kind == PATCHES && index % 2 == 0;
    static const char *const laws[] = {"bouc_wen", "jenkins", "tanh_friction", "dahl",
                                       "contact"};
    joint->name = memory_format("joint%d", index);
    joint->law = can_fail   ? &failing_law
                 : is_patch ? masing_law_find("contact_patch")
                            : masing_law_find(laws[index % 5]);
    joint->parameters = memory_array(1, joint->law->parameters_size);
    masing_fields_reset(joint->law->fields, joint->law->n_fields, joint->parameters);
    double size = 0.5 + 0.01 * index;
    if (is_patch) {
        fill_patch(joint);
    } else if (can_fail || index % 5 == 2) {
        set_field(joint, "slip_force", 0.3 * size);
        set_field(joint, "regularization", 0.5);
    } else if (index % 5 == 0) {
        set_field(joint, "linear_stiffness", 0.2);
        set_field(joint, "hysteretic_stiffness", size);
        set_field(joint, "a", 1.0);
        set_field(joint, "beta", 0.6);
        set_field(joint, "gamma", 0.3);
        set_field(joint, "n", 1.0);
    } else if (index % 5 == 4) {
        set_field(joint, "normal_stiffness", size);
        set_field(joint, "tangential_stiffness", 0.8 * size);
        set_field(joint, "friction", 0.4);
        set_field(joint, "preload", 0.3);
    } else {
        set_field(joint, "stiffness", size);
        set_field(joint, "slip_force", 0.3 * size);
    }
    int n_axes = joint->law->n_axes;
    joint->axes = memory_array((size_t)n_axes, sizeof *joint->axes);
    for (int a = 0; a < n_axes; a++) {
        joint->axes[a].terms = memory_array(2, sizeof *joint->axes->terms);
        joint->axes[a].n_terms = 2;
        joint->axes[a].terms[0] = (struct masing_term){(index + 3 * a) % N_DOFS, 1.0};
        joint->axes[a].terms[1] =
            (struct masing_term){(index + 3 * a + 1 + index / N_DOFS % 5) % N_DOFS, -1.0};
    }
}

static void fill_structure(struct masing_structure_spec *structure)
{
    static const double ratio = 0.01;
    structure->n_dofs = structure->n_modes = N_DOFS;
    structure->dof_names = memory_array(N_DOFS, sizeof(char *));
    structure->omega_modes = memory_array(N_DOFS, sizeof(double));
    structure->mode_shapes = memory_array(N_DOFS * N_DOFS, sizeof(double));
    for (int i = 0; i < N_DOFS; i++) {
        structure->dof_names[i] = memory_format("dof%d", i);
        structure->omega_modes[i] = 1.0 + 0.7 * i;
        for (int k = 0; k < N_DOFS; k++) {
            structure->mode_shapes[k * N_DOFS + i] = cos(0.13 + 0.37 * (i + 1) * (k + 1));
        }
    }
    structure->form.kind = MASING_DAMPING_MODAL;
    structure->form.n_ratios = 1;
    structure->form.ratios = memory_copy(&ratio, 1, sizeof ratio);
}

static struct masing_model *make_model(enum model_kind kind)
{
    struct masing_spec spec;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    static const int harmonics[] = {0, 1, 3};
    CHECK(masing_spec_init(&spec, &error) == MASING_OK);
    fill_structure(&spec.structure);
    spec.n_joints = kind == PATCHES ? N_PATCHES : N_JOINTS;
    spec.joints = memory_array(N_JOINTS, sizeof *spec.joints);
    for (int j = 0; j < spec.n_joints; j++) {
        fill_joint(&spec.joints[j], j, kind);
    }
    spec.n_loads = spec.n_outputs = 1;
    spec.loads = memory_array(1, sizeof *spec.loads);
    spec.loads[0] = (struct masing_load_spec){
        .harmonic = 1, .amplitude = 1.0, .pattern = memory_array(N_DOFS, sizeof(double))};
    spec.loads[0].pattern[3] = 1.0;
    spec.outputs = memory_array(1, sizeof *spec.outputs);
    spec.outputs[0].name = memory_text("out");
    spec.outputs[0].combination.terms = memory_array(1, sizeof(struct masing_term));
    spec.outputs[0].combination.terms[0] = (struct masing_term){5, 1.0};
    spec.outputs[0].combination.n_terms = 1;
    spec.omega_from = 0.7;
    spec.omega_to = 1.6;
    spec.forces = MASING_FORCES_SAMPLED;
    memcpy(spec.harmonics, harmonics, sizeof harmonics);
    spec.n_harmonics = 3;
    CHECK(masing_model_create(&spec, &model, &error) == MASING_OK);
    if (!model) {
        printf("# %s\n", error.message);
    }
    return model;
}

/* Residual, frequency derivative and Jacobian of each evaluation, one after the other. */
static double *evaluate(const struct masing_model *model, int n_threads, size_t *size)
{
    const struct balance_settings settings = {.n_threads = n_threads};
    struct balance *balance = NULL;
    uint64_t seed = 77;
    CHECK(balance_create(model, &settings, &balance, NULL) == MASING_OK);
    CHECK(thread_pool_size(balance->pool) == n_threads);
    size_t n = (size_t)balance->n_unknowns;
    *size = N_EVALUATIONS * n * (n + 3);
    double *results = memory_array(*size + n, sizeof *results);
    double *y = results + *size, *to = results;
    for (int e = 0; e < N_EVALUATIONS; e++, to += n * (n + 3)) {
        for (size_t i = 0; i < n; i++) {
            y[i] = test_uniform(&seed, -1.0, 1.0);
        }
        CHECK(balance_evaluate(balance, BALANCE_LAWS, y, 1.1, to, to + 3 * n, to + n) ==
              MASING_OK);
        CHECK(balance_evaluate(balance, BALANCE_LAWS, y, 1.2, to + 2 * n, NULL, NULL) ==
              MASING_OK);
    }
    balance_destroy(balance);
    return results;
}

static void same_bits_of(enum model_kind kind)
{
    struct masing_model *model = make_model(kind);
    size_t size = 0;
    double *first = evaluate(model, 1, &size);
    for (size_t t = 1; t < sizeof thread_counts / sizeof *thread_counts; t++) {
        double *other = evaluate(model, thread_counts[t], &size);
        CHECK(memcmp(first, other, size * sizeof *first) == 0);
        free(other);
    }
    free(first);
    masing_model_destroy(model);
}

static void same_bits(void)
{
    same_bits_of(MANY_JOINTS);
}

static void same_bits_of_patches(void)
{
    same_bits_of(PATCHES);
}

/* Two joints fail in different ways: what is said is what the first of them says, and
 * afterwards all goes on. */
static void same_error(void)
{
    failing_family = masing_family_memoryless;
    failing_family.march = march;
    failing_law = *masing_law_find("tanh_friction");
    failing_law.family = &failing_family;
    struct masing_model *model = make_model(FAILING);
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
        const struct balance_settings settings = {.n_threads = thread_counts[t]};
        struct balance *balance = NULL;
        CHECK(balance_create(model, &settings, &balance, NULL) == MASING_OK);
        double *y = memory_array(2 * (size_t)balance->n_unknowns, sizeof *y);
        double *residual = y + balance->n_unknowns;
        balance->origin[FIRST_TO_FAIL] = 1.0;
        balance->origin[NEXT_TO_FAIL] = 2.0;
        CHECK(balance_evaluate(balance, BALANCE_LAWS, y, 1.0, residual, NULL, NULL) ==
              MASING_NOT_FINITE);
        balance->origin[FIRST_TO_FAIL] = 2.0;
        balance->origin[NEXT_TO_FAIL] = 1.0;
        CHECK(balance_evaluate(balance, BALANCE_LAWS, y, 1.0, residual, NULL, NULL) ==
              MASING_SINGULAR);
        balance->origin[FIRST_TO_FAIL] = balance->origin[NEXT_TO_FAIL] = 0.0;
        CHECK(balance_evaluate(balance, BALANCE_LAWS, y, 1.0, residual, NULL, NULL) ==
              MASING_OK);
        free(y);
        balance_destroy(balance);
    }
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"the same bits for any number of threads", same_bits},
    {"the same bits of patches, whose elements are divided", same_bits_of_patches},
    {"the same error for any number of threads", same_error},
};

TAP_MAIN(tests)
