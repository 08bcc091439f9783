/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two free steel beams joined by four bolts (after Lacayo, Deaner and Allen 2017, section 5),
 * rebuilt by finite elements and reduced to 49 DOFs: natural frequencies with the bolts stuck
 * and free, from an independent computation. Modes 1 to 6 are rigid-body motions.
 */
#include <stdio.h>

#include "data/matrices/matrix_market.h"
#include "model/model.h"
#include "specimen.h"
#include "tap.h"

enum { N = 49, N_JOINTS = 4, N_RIGID = 6, N_LISTED = 3 };
static const double stuck[N_LISTED] = {761.322, 1348.729, 3196.206};
static const double released[N_LISTED] = {652.507, 1297.893, 2715.285};

static double *read_matrix(const char *name, int n_columns)
{
    char file[512];
    struct masing_error error = {0};
    struct placed_matrix matrix = {0};
    struct matrix_expectation expectation = {.n_rows = N, .n_columns = n_columns};
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(file, sizeof file, "%s/tests/reference/%s", root ? root : ".", name);
    if (matrix_market_read(file, &expectation, &matrix, &error) != MASING_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    double *values = matrix.real;
    matrix.real = NULL;
    placed_matrix_clear(&matrix);
    return values;
}

static struct masing_model *build(void)
{
    struct masing_spec spec;
    struct masing_error error = {0};
    struct masing_model *model = NULL;
    specimen_init(&spec, N);
    free(spec.structure.mass);
    free(spec.structure.stiffness);
    spec.structure.mass = read_matrix("bolted_beams_M49.mtx", N);
    spec.structure.stiffness = read_matrix("bolted_beams_Kinf49.mtx", N);
    spec.omega_from = 600;
    spec.omega_to = 800;
    double *axes = read_matrix("bolted_beams_B49x4.mtx", N_JOINTS);
    for (int j = 0; j < N_JOINTS; j++) {
        char name[16];
        snprintf(name, sizeof name, "bolt%d", j + 1);
        struct masing_joint_spec *joint = specimen_joint(&spec, name, "jenkins", 0, 1);
        specimen_field(joint, "stiffness", 4.73e8);
        specimen_field(joint, "slip_force", 30.7);
        free(joint->axes[0].terms);
        joint->axes[0].terms = specimen_array(N, sizeof *joint->axes[0].terms);
        joint->axes[0].n_terms = N;
        for (int i = 0; i < N; i++) {
            joint->axes[0].terms[i] = (struct masing_term){i, axes[i + N * j]};
        }
    }
    free(axes);
    if (!CHECK(masing_model_create(&spec, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    return model;
}

static void frequencies_agree(void)
{
    struct masing_model *model = build();
    const struct structure *structure = model->structure;
    for (int k = 0; k < N_LISTED; k++) {
        CHECK_RELATIVE(structure->omega[N_RIGID + k], released[k], 1e-6);
        CHECK_RELATIVE(structure->omega_free[N_RIGID + k], released[k], 1e-6);
        CHECK_RELATIVE(structure->omega_stuck[N_RIGID + k], stuck[k], 1e-6);
    }
    masing_model_destroy(model);
}

static void six_modes_are_rigid(void)
{
    struct masing_model *model = build();
    const struct structure *structure = model->structure;
    CHECK(structure->n_modes == N);
    CHECK(structure->n_rigid == N_RIGID);
    for (int k = 0; k < N_RIGID; k++) {
        CHECK(structure->omega[k] == 0 && structure->omega_free[k] == 0);
        CHECK(structure->omega_stuck[k] < 1e-3);
    }
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"frequencies with the bolts stuck and free", frequencies_agree},
    {"six modes are rigid", six_modes_are_rigid},
};

TAP_MAIN(tests)
