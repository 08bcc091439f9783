/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All damping of a specification in modal coordinates. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "linalg/symmetric.h"
#include "model/joints.h"
#include "model/message.h"
#include "model/structure/far_ratio.h"
#include "model/structure/modes.h"

/* "KEY: cannot be negative, ...", unless energy may be put in */
static enum masing_status check_number(const struct masing_spec *spec,
                                       const struct model_part *part, const char *key,
                                       double value, struct masing_error *error)
{
    bool is_negative = value < 0 && isfinite(value);
    return isfinite(value) && (!is_negative || spec->structure.is_active)
               ? MASING_OK
               : model_refuse_part(spec, part, error, "%s: cannot be %s, found %g%s", key,
                                   is_negative ? "negative" : "infinite", value,
                                   is_negative ? "; where damping is to put energy in give "
                                                 "'structure: {passive: false}'"
                                               : "");
}

static enum masing_status check_ratios(const struct masing_spec *spec, int n_modes, int n_rigid,
                                       struct masing_error *error)
{
    const struct masing_damping_spec *form = &spec->structure.form;
    const char *key = form->are_of_modes ? "modes.damping_ratio" : "damping.modal_ratio";
    for (int i = 0; i < form->n_ratios; i++) {
        struct model_part part = model_part(form->place, "structure.%s.%d", key, i);
        NEED(check_number(spec, &part, strchr(key, '.') + 1, form->ratios[i], error));
    }
    if (form->n_ratios == 1 || form->n_ratios == n_modes ||
        form->n_ratios == n_modes - n_rigid) {
        return MASING_OK;
    }
    if (n_rigid > 0) {
        return model_refuse(spec, form->place, error,
                            "damping: %d ratios, expected one for all modes, %d (one per mode) "
                            "or %d (one per mode that is not a rigid-body motion)",
                            form->n_ratios, n_modes, n_modes - n_rigid);
    }
    return model_refuse(spec, form->place, error,
                        "damping: %d ratios, expected one for all modes or %d (one per mode)",
                        form->n_ratios, n_modes);
}

/* 2 zeta omega of mode k; a list may leave out the rigid-body modes, which come first */
static double modal_rate(const struct masing_damping_spec *form, int n_modes, int k,
                         double omega_squared)
{
    int index = form->n_ratios == 1 ? 0 : k - (n_modes - form->n_ratios);
    return omega_squared > 0 && index >= 0 ? 2 * form->ratios[index] * sqrt(omega_squared) : 0;
}

/* matrix += Q diag(2 zeta omega) Q^T with the modes Q of the structure with stuck joints */
static enum masing_status add_stuck_ratios(const struct masing_spec *spec, const double *at,
                                           const struct structure *structure, double *matrix,
                                           double *gross, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_modes = structure->n_modes, n_rigid = 0;
    size_t n = (size_t)n_modes;
    double *shapes = memory_array(2 * n * n + n, sizeof *shapes);
    TRY_ALLOCATED(shapes);
    double *omega_squared = shapes + 2 * n * n;
    TRY(joint_modes(spec, structure, at, JOINT_STUCK, structure->shift, omega_squared, shapes,
                    error));
    while (n_rigid < n_modes && omega_squared[n_rigid] == 0) {
        n_rigid++;
    }
    TRY(check_ratios(spec, n_modes, n_rigid, error));
    for (size_t k = 0; k < n; k++) {
        double rate = modal_rate(&spec->structure.form, n_modes, (int)k, omega_squared[k]);
        for (size_t i = 0; i < n; i++) {
            double share = shapes[i + k * n];
            shapes[i + (n + k) * n] = rate * share;
            gross[i] += fabs(rate) * share * share;
        }
    }
    dense_add_outer(n_modes, n_modes, n_modes, shapes + n * n, shapes, matrix);
done:
    free(shapes);
    return status;
}

/* A massless DOF with a damper has dynamics of its own (first order), which modes lack. */
static enum masing_status check_massless(const struct masing_spec *spec,
                                         const struct structure *structure,
                                         const double *damping, struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    size_t n = (size_t)structure->n_dofs;
    for (size_t i = 0; structure->flexibility && structure->n_far == 0 && i < n; i++) {
        if (structure->flexibility[symmetric_place(n, i, i)] == 0) {
            continue;
        }
        const char *why = structure->mass && structure->mass[i + i * n] > 0.0
                              ? "moves without inertia (the mass matrix is singular)"
                              : "has no mass";
        if (damping && !dense_is_zero(n, damping + i * n)) {
            return model_refuse(spec, given->damping_place, error,
                                "damping acts on DOF %s, which %s; expected a mass "
                                "there or no damping",
                                model_dof_text(spec, (int)i).text, why);
        }
        if (given->form.kind == MASING_DAMPING_RAYLEIGH && given->form.beta != 0) {
            return model_refuse(
                spec, given->form.place, error,
                "damping: stiffness-proportional damping (beta) acts on DOF %s, "
                "which %s; expected a mass there or beta = 0",
                model_dof_text(spec, (int)i).text, why);
        }
    }
    return MASING_OK;
}

/* matrix += phi^T C phi, gross [n_modes] += sum |phi_i| |C_ij| |phi_j|; damping is overwritten
 */
static enum masing_status add_matrix(const struct masing_spec *spec,
                                     const struct structure *structure, double *damping,
                                     double *matrix, double *gross, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_dofs = structure->n_dofs, n_modes = structure->n_modes;
    size_t rows = (size_t)n_dofs, columns = (size_t)n_modes;
    double *product = memory_array(2 * rows * columns + columns * columns, sizeof *product);
    TRY_ALLOCATED(product);
    double *sizes = product + rows * columns, *modal = sizes + rows * columns;
    TRY(check_massless(spec, structure, damping, error));
    dense_multiply(n_dofs, n_modes, n_dofs, damping, structure->shapes, product);
    dense_multiply_transposed(n_modes, n_modes, n_dofs, structure->shapes, product, modal);
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < columns; i++) {
            matrix[i + j * columns] += 0.5 * (modal[i + j * columns] + modal[j + i * columns]);
        }
    }
    for (size_t i = 0; i < rows * rows; i++) {
        damping[i] = fabs(damping[i]);
    }
    for (size_t i = 0; i < rows * columns; i++) {
        sizes[i] = fabs(structure->shapes[i]);
    }
    dense_multiply(n_dofs, n_modes, n_dofs, damping, sizes, product);
    for (size_t k = 0; k < columns; k++) {
        gross[k] += dense_dot(n_dofs, sizes + k * rows, product + k * rows);
    }
done:
    free(product);
    return status;
}

/* Up to what the rounding of the sums in phi^T C phi explains. */
static bool is_diagonal(size_t n, const double *matrix, const double *gross)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            if (fabs(matrix[i + j * n]) > MODES_ROUND_OFF * sqrt(gross[i] * gross[j])) {
                return false;
            }
        }
    }
    return true;
}

static enum masing_status check_passive_rates(const struct masing_spec *spec,
                                              const struct structure *structure,
                                              const double *gross, struct masing_error *error)
{
    for (int k = 0; k < structure->n_modes; k++) {
        double rate = structure->modal_damping[k];
        if (!isfinite(rate)) {
            return model_refuse(spec, spec->structure.form.place, error,
                                "damping: not finite in mode %d", k + 1);
        }
        if (rate < -MODES_ROUND_OFF * gross[k] && !spec->structure.is_active) {
            const struct masing_structure_spec *given = &spec->structure;
            return model_refuse(spec, given->damping ? given->damping_place : given->form.place,
                                error,
                                "damping: negative (%g 1/s) in mode %d, expected damping that "
                                "takes energy out, or 'structure: {passive: false}'",
                                rate, k + 1);
        }
    }
    return MASING_OK;
}

/* A negative eigenvalue up to this part of the largest is what rounding, or few digits in a
 * file, make of zero. */
static const double ACTIVE = 1e-9;

static enum masing_status check_passive_matrix(const struct masing_spec *spec,
                                               const struct structure *structure,
                                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    double *matrix = memory_array(n * (n + 1), sizeof *matrix);
    TRY_ALLOCATED(matrix);
    double *values = matrix + n * n;
    memcpy(matrix, structure->damping_matrix, n * n * sizeof *matrix);
    TRY(eigen_symmetric((int)n, false, matrix, values));
    if (!spec->structure.is_active && values[0] < -ACTIVE * fabs(values[n - 1])) {
        status =
            model_refuse(spec, spec->structure.damping_place, error,
                         "damping: the matrix has the negative eigenvalue %g 1/s in modal "
                         "coordinates, expected damping that takes energy out, or 'structure: "
                         "{passive: false}'",
                         values[0]);
    }
done:
    free(matrix);
    return status;
}

static enum masing_status add_form(const struct masing_spec *spec, const double *at,
                                   struct structure *structure, double *matrix, double *gross,
                                   struct masing_error *error)
{
    const struct masing_damping_spec *form = &spec->structure.form;
    int n_modes = structure->n_modes;
    struct model_part part;
    switch (form->kind) {
    case MASING_DAMPING_MODAL:
        if (form->modes_are_stuck) {
            return add_stuck_ratios(spec, at, structure, matrix, gross, error);
        }
        NEED(check_ratios(spec, n_modes, structure->n_rigid, error));
        for (int k = 0; k < n_modes; k++) {
            double square = structure->omega[k] * structure->omega[k];
            structure->modal_damping[k] += modal_rate(form, n_modes, k, square);
        }
        break;
    case MASING_DAMPING_RAYLEIGH:
        for (int k = 0; k < n_modes; k++) {
            structure->modal_damping[k] +=
                form->alpha + form->beta * structure->omega[k] * structure->omega[k];
        }
        return check_massless(spec, structure, NULL, error);
    case MASING_DAMPING_STRUCTURAL:
        structure->loss_factor = form->loss_factor;
        part = model_part(form->place, "structure.damping.structural");
        return check_number(spec, &part, "structural", form->loss_factor, error);
    case MASING_DAMPING_NONE:
        break;
    }
    return MASING_OK;
}

/* Modes that are not there go on as the form does. */
static enum masing_status continue_form(const struct masing_damping_spec *form,
                                        struct structure *structure, struct masing_error *error)
{
    bool is_rayleigh = form->kind == MASING_DAMPING_RAYLEIGH;
    structure->far_alpha = is_rayleigh ? form->alpha : 0.0;
    structure->far_beta = is_rayleigh ? form->beta : 0.0;
    return form->kind == MASING_DAMPING_MODAL && structure->n_far > 0
               ? far_ratio_create(form->ratios[0], structure->far_scale, structure->far_shift,
                                  structure->omega[structure->n_modes - 1], structure->n_far,
                                  &structure->arena, &structure->far_ratio, error)
               : MASING_OK;
}

enum masing_status damping_create(const struct masing_spec *spec, const double *at,
                                  double *damping, struct structure *structure,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes;
    double *matrix = memory_array(n * n, sizeof *matrix);
    double *gross = memory_array(n, sizeof *gross);
    structure->modal_damping = arena_doubles(&structure->arena, n);
    TRY_ALLOCATED(matrix && gross && structure->modal_damping);
    TRY(add_form(spec, at, structure, matrix, gross, error));
    TRY(continue_form(&spec->structure.form, structure, error));
    TRY(damping ? add_matrix(spec, structure, damping, matrix, gross, error) : MASING_OK);
    /* modal_damping takes the diagonal of everything; the matrix is kept where it is coupled */
    for (size_t k = 0; k < n; k++) {
        gross[k] += fabs(structure->modal_damping[k]);
        matrix[k + k * n] += structure->modal_damping[k];
        structure->modal_damping[k] = matrix[k + k * n];
    }
    if (is_diagonal(n, matrix, gross)) {
        TRY(check_passive_rates(spec, structure, gross, error));
    } else {
        TRY_ALLOCATED(structure->damping_matrix = arena_doubles(&structure->arena, n * n));
        memcpy(structure->damping_matrix, matrix, n * n * sizeof *matrix);
        TRY(check_passive_matrix(spec, structure, error));
    }
done:
    free(matrix);
    free(gross);
    return status;
}
