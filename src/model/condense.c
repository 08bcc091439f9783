/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/condense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/cholesky.h"
#include "model/message.h"

static bool is_massless(int n, const double *mass, int dof)
{
    for (int i = 0; i < n; i++) {
        if (mass[(size_t)dof * (size_t)n + (size_t)i] != 0) {
            return false;
        }
    }
    return true;
}

static enum masing_status split(const struct masing_spec *spec, const double *mass,
                                struct condensed *condensed, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = spec->structure.n_dofs;
    condensed->kept = memory_array((size_t)n, sizeof *condensed->kept);
    condensed->massless = memory_array((size_t)n, sizeof *condensed->massless);
    TRY_ALLOCATED(condensed->kept);
    TRY_ALLOCATED(condensed->massless);
    for (int i = 0; i < n; i++) {
        if (is_massless(n, mass, i)) {
            condensed->massless[condensed->n_massless++] = i;
        } else {
            condensed->kept[condensed->n_kept++] = i;
        }
    }
    if (condensed->n_kept == 0) {
        status = model_refuse(spec, spec->structure.mass_place, error,
                              "mass: no DOF has mass, expected at least one");
    }
done:
    return status;
}

/* part [n_rows * n_columns] = a(rows, columns) */
static void take(int n, const double *a, int n_rows, const int *rows, int n_columns,
                 const int *columns, double *part)
{
    for (int j = 0; j < n_columns; j++) {
        const double *column = a + (size_t)columns[j] * (size_t)n;
        for (int i = 0; i < n_rows; i++) {
            *part++ = column[rows[i]];
        }
    }
}

static enum masing_status check_mass(const struct masing_spec *spec,
                                     const struct condensed *condensed,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = condensed->n_kept;
    double *factor = memory_copy(condensed->mass, (size_t)n * (size_t)n, sizeof *factor);
    double *diagonal = memory_array((size_t)n, sizeof *diagonal);
    TRY_ALLOCATED(factor);
    TRY_ALLOCATED(diagonal);
    int weak = cholesky_weak_row(n, factor, 16 * DBL_EPSILON, diagonal);
    if (weak >= 0) {
        status = model_refuse(
            spec, spec->structure.mass_place, error,
            "mass: the matrix is not positive definite at DOF %s, expected positive "
            "masses (a DOF without mass has a row of zeros)",
            model_dof_text(spec, condensed->kept[weak]).text);
    }
done:
    free(factor);
    free(diagonal);
    return status;
}

/* A DOF of nothing but joints: where two of them slip, no force balance says where it is. */
static int count_joints_at(const struct masing_spec *spec, int dof, const char **first)
{
    int count = 0;
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        bool is_at = false;
        for (int a = 0; joint->axes && joint->law && a < masing_joint_spec_axes(joint); a++) {
            for (int t = 0; t < joint->axes[a].n_terms; t++) {
                is_at = is_at || joint->axes[a].terms[t].dof == dof;
            }
        }
        *first = is_at && count == 0 ? joint->name : *first;
        count += is_at ? 1 : 0;
    }
    return count;
}

static enum masing_status refuse_loose(const struct masing_spec *spec, int dof,
                                       struct masing_error *error)
{
    const char *joint = "";
    int n_joints = count_joints_at(spec, dof, &joint);
    char held_by[160] = "";
    if (n_joints > 0) {
        snprintf(
            held_by, sizeof held_by,
            " (the joint%s at it, '%.60s'%s, cannot: where they slip or open, nothing says "
            "where it is)",
            n_joints > 1 ? "s" : "", joint, n_joints > 1 ? " and others" : "");
    }
    return model_refuse(
        spec, spec->structure.stiffness_place, error,
        "DOF %s has neither mass nor a stiffness that holds it, expected one of "
        "them%s",
        model_dof_text(spec, dof).text, held_by);
}

/* K_mm is factorised in `factor`; flexibility and recovery follow from it. */
static enum masing_status eliminate(const struct masing_spec *spec, const double *stiffness,
                                    struct condensed *condensed, double *factor,
                                    double *diagonal, struct masing_error *error)
{
    int n = spec->structure.n_dofs, n_kept = condensed->n_kept, n_m = condensed->n_massless;
    take(n, stiffness, n_m, condensed->massless, n_m, condensed->massless, factor);
    int weak = cholesky_weak_row(n_m, factor, 1e-13, diagonal);
    if (weak >= 0) {
        return refuse_loose(spec, condensed->massless[weak], error);
    }
    for (int i = 0; i < n_m; i++) {
        condensed->flexibility[(size_t)i * (size_t)(n_m + 1)] = 1;
    }
    cholesky_solve(n_m, factor, condensed->flexibility, n_m);
    take(n, stiffness, n_m, condensed->massless, n_kept, condensed->kept, condensed->recovery);
    cholesky_solve(n_m, factor, condensed->recovery, n_kept);
    for (size_t i = 0; i < (size_t)n_m * (size_t)n_kept; i++) {
        condensed->recovery[i] = -condensed->recovery[i];
    }
    return MASING_OK;
}

/* stiffness += K_rm recovery, made exactly symmetric */
static void add_condensed(int n_kept, int n_m, const double *coupling, const double *recovery,
                          double *product, double *stiffness)
{
    size_t n = (size_t)n_kept;
    dense_multiply_transposed(n_kept, n_kept, n_m, coupling, recovery, product);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            stiffness[i + j * n] += 0.5 * (product[i + j * n] + product[j + i * n]);
        }
    }
}

static enum masing_status condense_massless(const struct masing_spec *spec,
                                            const double *stiffness,
                                            struct condensed *condensed,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_m = (size_t)condensed->n_massless, n_kept = (size_t)condensed->n_kept;
    double *factor = memory_array(n_m * n_m, sizeof *factor);
    double *diagonal = memory_array(n_m, sizeof *diagonal);
    double *coupling = memory_array(n_m * n_kept, sizeof *coupling);
    double *product = memory_array(n_kept * n_kept, sizeof *product);
    condensed->flexibility = memory_array(n_m * n_m, sizeof *condensed->flexibility);
    condensed->recovery = memory_array(n_m * n_kept, sizeof *condensed->recovery);
    TRY_ALLOCATED(factor);
    TRY_ALLOCATED(diagonal);
    TRY_ALLOCATED(coupling);
    TRY_ALLOCATED(product);
    TRY_ALLOCATED(condensed->flexibility);
    TRY_ALLOCATED(condensed->recovery);
    TRY(eliminate(spec, stiffness, condensed, factor, diagonal, error));
    take(spec->structure.n_dofs, stiffness, (int)n_m, condensed->massless, (int)n_kept,
         condensed->kept, coupling);
    add_condensed((int)n_kept, (int)n_m, coupling, condensed->recovery, product,
                  condensed->stiffness);
done:
    free(factor);
    free(diagonal);
    free(coupling);
    free(product);
    return status;
}

enum masing_status condensed_create(const struct masing_spec *spec, const double *mass,
                                    const double *stiffness, struct condensed *condensed,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = spec->structure.n_dofs;
    *condensed = (struct condensed){0};
    TRY(split(spec, mass, condensed, error));
    int n_kept = condensed->n_kept;
    size_t square = (size_t)n_kept * (size_t)n_kept;
    condensed->mass = memory_array(square, sizeof *condensed->mass);
    condensed->stiffness = memory_array(square, sizeof *condensed->stiffness);
    TRY_ALLOCATED(condensed->mass);
    TRY_ALLOCATED(condensed->stiffness);
    take(n, mass, n_kept, condensed->kept, n_kept, condensed->kept, condensed->mass);
    take(n, stiffness, n_kept, condensed->kept, n_kept, condensed->kept, condensed->stiffness);
    TRY(check_mass(spec, condensed, error));
    if (condensed->n_massless > 0) {
        TRY(condense_massless(spec, stiffness, condensed, error));
    }
done:
    if (status != MASING_OK) {
        condensed_clear(condensed);
    }
    return status;
}

void condensed_clear(struct condensed *condensed)
{
    free(condensed->kept);
    free(condensed->massless);
    free(condensed->mass);
    free(condensed->stiffness);
    free(condensed->recovery);
    free(condensed->flexibility);
    *condensed = (struct condensed){0};
}

void condensed_expand(const struct condensed *condensed, int n_dofs, int n_modes,
                      const double *kept_shapes, double *shapes)
{
    int n_kept = condensed->n_kept, n_m = condensed->n_massless;
    for (int k = 0; k < n_modes; k++) {
        const double *from = kept_shapes + (size_t)k * (size_t)n_kept;
        double *to = shapes + (size_t)k * (size_t)n_dofs;
        for (int i = 0; i < n_kept; i++) {
            to[condensed->kept[i]] = from[i];
        }
        for (int i = 0; i < n_m; i++) {
            double sum = 0;
            for (int j = 0; j < n_kept; j++) {
                sum += condensed->recovery[(size_t)j * (size_t)n_m + (size_t)i] * from[j];
            }
            to[condensed->massless[i]] = sum;
        }
    }
}
