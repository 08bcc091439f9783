/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "harmonic/recovery_parts.h"

static enum masing_status make_patterns(struct recovery *recovery, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = recovery->balance;
    const struct masing_spec *spec = &balance->model->spec;
    size_t n_dofs = (size_t)balance->structure->n_dofs;
    int n_load_columns = balance->n_in - balance->n_axes - (balance->is_static ? 1 : 0);
    recovery->n_outputs = spec->n_outputs;
    recovery->n_rows = spec->n_outputs + n_load_columns;
    recovery->patterns = memory_array(n_dofs * (size_t)recovery->n_rows, sizeof(double));
    TRY_ALLOCATED(recovery->patterns);
    for (int o = 0; o < spec->n_outputs; o++) {
        const struct masing_combination *combination = &spec->outputs[o].combination;
        for (int t = 0; t < combination->n_terms; t++) {
            recovery->patterns[(size_t)o * n_dofs + (size_t)combination->terms[t].dof] +=
                combination->terms[t].weight;
        }
    }
    memcpy(recovery->patterns + (size_t)spec->n_outputs * n_dofs,
           balance->in_patterns + (size_t)balance->n_axes * n_dofs,
           sizeof(double) * n_dofs * (size_t)n_load_columns);
done:
    return status;
}

enum masing_status recovery_create_ports(const struct balance *balance, const double *out,
                                         int n_out, struct compliance **ports,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &balance->model->spec;
    struct compliance_exclusion *exclusions =
        memory_array((size_t)balance->n_modes, sizeof *exclusions);
    TRY_ALLOCATED(exclusions);
    for (int e = 0; e < balance->n_modes; e++) {
        exclusions[e] = (struct compliance_exclusion){balance->modes[e].harmonic_index,
                                                      balance->modes[e].mode};
    }
    struct compliance_settings settings = {
        .n_in = balance->n_in,
        .n_out = n_out,
        .in = balance->in_patterns,
        .out = out,
        .n_harmonics = balance->basis->n_harmonics,
        .harmonics = balance->basis->harmonics,
        .omega_max = fmax(spec->omega_from, spec->omega_to),
        .n_exclusions = balance->n_modes,
        .exclusions = exclusions,
    };
    TRY(compliance_create(balance->structure, &settings, ports, error));
done:
    free(exclusions);
    return status;
}

static enum masing_status allocate(struct recovery *recovery, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = recovery->balance;
    struct recovery_point *point = &recovery->point;
    size_t n = (size_t)balance->n_coefficients;
    size_t n_inputs = (size_t)balance->basis->n_harmonics * (size_t)balance->n_in;
    size_t n_outputs = (size_t)recovery->n_outputs, n_joints = (size_t)balance->n_joints;
    size_t n_groups = (size_t)balance->model->spec.n_groups;
    size_t widest = 2;
    for (size_t j = 0; j < n_joints; j++) {
        size_t n_axes = (size_t)balance->joints[j]->n_axes;
        widest = n_axes > widest ? n_axes : widest;
    }
    double **matrices[] = {&recovery->real, &recovery->imaginary, &recovery->d_real,
                           &recovery->d_imaginary};
    for (size_t m = 0; m < 4; m++) {
        *matrices[m] = memory_array(n_inputs * (size_t)recovery->n_rows, sizeof(double));
        TRY_ALLOCATED(*matrices[m]);
    }
    recovery->along = memory_array(2 * n_inputs, sizeof(double));
    recovery->split_real = memory_array(n_inputs, sizeof(double));
    recovery->split_imaginary = memory_array(n_inputs, sizeof(double));
    recovery->beside = memory_array((size_t)balance->n_unknowns, sizeof(double));
    recovery->change = memory_array(widest * n, sizeof(double));
    recovery->d_force = memory_array(widest * n, sizeof(double));
    point->coefficients = memory_array(n_outputs * n, sizeof(double));
    point->slopes = memory_array(2 * n, sizeof(double));
    point->measures = memory_array(n_outputs, sizeof *point->measures);
    point->joint_loss = memory_array(n_joints, sizeof(double));
    point->group_loss = memory_array(n_groups, sizeof(double));
    point->slip = memory_array(n_groups, sizeof(double));
    point->open = memory_array(n_groups, sizeof(double));
    point->group_slid = memory_array(n_groups, sizeof(double));
    TRY_ALLOCATED(recovery->beside && recovery->along && recovery->split_real &&
                  recovery->split_imaginary && recovery->change && recovery->d_force &&
                  point->coefficients && point->slopes && point->measures &&
                  point->joint_loss && point->group_loss && point->slip && point->open &&
                  point->group_slid);
done:
    return status;
}

enum masing_status recovery_create(struct balance *balance, struct recovery **recovery,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct recovery *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->balance = balance;
    TRY(make_patterns(made, error));
    TRY(allocate(made, error));
    TRY(recovery_create_ports(balance, made->patterns, made->n_rows, &made->ports, error));
    TRY(trigonometric_path_create(balance->basis->harmonics, balance->basis->n_harmonics,
                                  &made->path, error));
    *recovery = made;
    made = NULL;
done:
    recovery_destroy(made);
    return status;
}

void recovery_destroy(struct recovery *recovery)
{
    if (!recovery) {
        return;
    }
    compliance_destroy(recovery->ports);
    trigonometric_path_destroy(recovery->path);
    void *owned[] = {
        recovery->beside,
        recovery->patterns,
        recovery->real,
        recovery->imaginary,
        recovery->d_real,
        recovery->d_imaginary,
        recovery->along,
        recovery->split_real,
        recovery->split_imaginary,
        recovery->change,
        recovery->d_force,
        recovery->point.coefficients,
        recovery->point.slopes,
        recovery->point.measures,
        recovery->point.joint_loss,
        recovery->point.group_loss,
        recovery->point.slip,
        recovery->point.group_slid,
        recovery->point.open,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    free(recovery);
}
