/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery/full_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "model/structure/condensed_structure.h"

struct full_motion {
    const struct balance *balance; /* lent */
    struct arena arena;            /* of all arrays */
    int n_dofs;
    char *const *names;
    int n; /* DOFs that are solved for: all, or the coordinates of a reduced structure */
    double *motion; /* [n_harmonics][n][2] */
    /* of a structure that is there as it is, or was reduced */
    struct compliance *compliance; /* from the balance's inputs to these */
    const double *shapes;          /* [n_dofs][n] lent, of a reduced structure; or NULL */
    double *reduced;               /* [n][n_coefficients] of its coordinates */
    /* of a condensed one */
    struct condensed_field *field;
    double *forces;  /* [n_harmonics][n_ports][2] */
    double *factors; /* [n_harmonics][n_terms][2] */
    double *parts;   /* [4][n_terms] scratch */
};

static enum masing_status create_whole(struct full_motion *motion, struct masing_error *error)
{
    struct compliance_ports all;
    NEED(compliance_ports_create(motion->n, (size_t)motion->n, &motion->arena, &all, error));
    for (int i = 0; i < motion->n; i++) {
        struct masing_term term = {i, 1.0};
        compliance_ports_add_sum(&all, i, &(struct masing_combination){1, &term});
    }
    const struct masing_model *model = motion->balance->model;
    bool has_matrices = model->cyclic || model->structure->stiffening;
    return balance_compliance(motion->balance, &all, motion->n, !has_matrices,
                              &motion->compliance, error);
}

static enum masing_status create_condensed(struct full_motion *motion,
                                           const struct condensed_structure *condensed,
                                           struct masing_error *error)
{
    const struct balance *balance = motion->balance;
    size_t n_harmonics = (size_t)balance->basis->n_harmonics;
    size_t n_terms = (size_t)condensed->n_terms;
    if (balance->structure->damping_matrix) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "the motion of all DOFs is not found where damping couples the "
                                "modes of a large structure");
    }
    motion->forces =
        arena_doubles(&motion->arena, 2 * n_harmonics * (size_t)condensed->n_ports);
    motion->factors = arena_doubles(&motion->arena, 2 * n_harmonics * n_terms);
    motion->parts = arena_doubles(&motion->arena, 4 * n_terms);
    NEED_ALLOCATED(!motion->arena.has_failed);
    return condensed_field_create(condensed, balance->structure->shapes, &motion->field, error);
}

enum masing_status full_motion_create(const struct balance *balance,
                                      struct full_motion **motion, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *given = &balance->model->spec.structure;
    const struct condensed_structure *condensed = given->condensed;
    size_t n_coefficients = (size_t)balance->n_coefficients;
    struct full_motion *made = memory_array(1, sizeof *made);
    *motion = NULL;
    NEED_ALLOCATED(made);
    made->balance = balance;
    made->n_dofs = condensed ? condensed->n_dofs : given->n_dofs;
    made->names = condensed ? condensed->dof_names : given->dof_names;
    made->shapes = condensed ? condensed->shapes : NULL;
    made->n = made->shapes ? given->n_dofs : made->n_dofs;
    made->motion =
        arena_doubles(&made->arena, 2 * (size_t)balance->basis->n_harmonics * (size_t)made->n);
    made->reduced =
        arena_doubles(&made->arena, made->shapes ? (size_t)made->n * n_coefficients : 0);
    TRY_ALLOCATED(!made->arena.has_failed);
    TRY(condensed && !made->shapes ? create_condensed(made, condensed, error)
                                   : create_whole(made, error));
    *motion = made;
    made = NULL;
done:
    full_motion_destroy(made);
    return status;
}

void full_motion_destroy(struct full_motion *motion)
{
    if (motion) {
        compliance_destroy(motion->compliance);
        condensed_field_destroy(motion->field);
        arena_clear(&motion->arena);
        free(motion);
    }
}

int full_motion_dofs(const struct full_motion *motion)
{
    return motion->n_dofs;
}

char *const *full_motion_names(const struct full_motion *motion)
{
    return motion->names;
}

/* Forces over the DOFs of the condensed structure, which are the ports. */
static void gather_forces(struct full_motion *motion)
{
    const struct balance *balance = motion->balance;
    size_t n_in = (size_t)balance->n_in, n_ports = (size_t)balance->structure->n_dofs;
    size_t n_harmonics = (size_t)balance->basis->n_harmonics;
    memset(motion->forces, 0, 2 * n_harmonics * n_ports * sizeof *motion->forces);
    for (size_t k = 0; k < n_harmonics; k++) {
        for (size_t in = 0; in < n_in; in++) {
            const double *force = balance->force + 2 * (k * n_in + in);
            const struct compliance_ports *ports = &balance->in_ports;
            double *to = motion->forces + 2 * k * n_ports;
            for (size_t e = ports->first[in]; e < ports->first[in + 1]; e++) {
                to[2 * ports->dofs[e]] += ports->weights[e] * force[0];
                to[2 * ports->dofs[e] + 1] += ports->weights[e] * force[1];
            }
        }
    }
}

/* motion of harmonic k += a mode times an amplitude */
static void add_mode(struct full_motion *motion, size_t k, int mode, const double amplitude[2])
{
    const double *shape = condensed_field_mode(motion->field, mode);
    double *to = motion->motion + 2 * k * (size_t)motion->n;
    for (size_t i = 0; i < (size_t)motion->n; i++) {
        to[2 * i] += shape[i] * amplitude[0];
        to[2 * i + 1] += shape[i] * amplitude[1];
    }
}

/* Of the modes that are computed, at harmonic k. */
static enum masing_status add_modes(struct full_motion *motion, size_t k, double omega)
{
    const struct balance *balance = motion->balance;
    const struct structure *structure = balance->structure;
    size_t n_ports = (size_t)structure->n_dofs;
    const double *force = motion->forces + 2 * k * n_ports;
    double q = balance->basis->harmonics[k] * omega;
    for (size_t m = 0; m < (size_t)structure->n_modes; m++) {
        const double *shape = structure->shapes + m * n_ports;
        double re = 0.0, im = 0.0, d[2];
        NEED(compliance_mode(balance->compliance, (int)k, q, m, d) ? MASING_OK
                                                                   : MASING_SINGULAR);
        for (size_t p = 0; p < n_ports; p++) {
            re += shape[p] * force[2 * p];
            im += shape[p] * force[2 * p + 1];
        }
        const double amplitude[2] = {d[0] * re - d[1] * im, d[0] * im + d[1] * re};
        add_mode(motion, k, (int)m, amplitude);
    }
    return MASING_OK;
}

static void set_factors(struct full_motion *motion, size_t k, double omega)
{
    const struct structure *structure = motion->balance->structure;
    size_t n = (size_t)structure->n_far;
    int h = motion->balance->basis->harmonics[k];
    double *re = motion->parts, *to = motion->factors + 2 * k * n;
    compliance_far_moments(structure, h, h * omega, re, re + n, re + 2 * n, re + 3 * n);
    for (size_t t = 0; t < n; t++) {
        to[2 * t] = re[t];
        to[2 * t + 1] = re[n + t];
    }
}

static enum masing_status evaluate_condensed(struct full_motion *motion, double omega,
                                             struct masing_error *error)
{
    int n_harmonics = motion->balance->basis->n_harmonics;
    memset(motion->motion, 0,
           2 * (size_t)n_harmonics * (size_t)motion->n * sizeof *motion->motion);
    gather_forces(motion);
    for (size_t k = 0; k < (size_t)n_harmonics; k++) {
        NEED(add_modes(motion, k, omega));
        set_factors(motion, k, omega);
    }
    return condensed_field_add_series(motion->field, n_harmonics, motion->forces,
                                      motion->factors, motion->motion, error);
}

/* Of a wave the cosines, which are those of one sector. */
static const double *mode_of(const struct full_motion *motion, const struct balance_mode *mode)
{
    const struct structure *structure = mode->structure;
    return motion->field ? condensed_field_mode(motion->field, mode->mode)
                         : structure->shapes + (size_t)mode->mode * (size_t)structure->n_dofs;
}

/* Modes that are unknowns of their own. */
static void add_unknown_modes(const struct full_motion *motion, const double *y,
                              double *coefficients)
{
    const struct balance *balance = motion->balance;
    size_t n_c = (size_t)balance->n_coefficients;
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        const double *shape = mode_of(motion, mode);
        int position = balance->basis->position[mode->harmonic_index];
        for (size_t i = 0; i < (size_t)motion->n; i++) {
            for (int side = 0; side < basis_sides(balance->basis, mode->harmonic_index);
                 side++) {
                coefficients[i * n_c + (size_t)(position + side)] +=
                    shape[i] * y[mode->position + side];
            }
        }
    }
}

/* coefficients [n][n_coefficients] of what is solved for */
static enum masing_status evaluate(struct full_motion *motion, const double *y, double omega,
                                   double *coefficients, struct masing_error *error)
{
    const struct balance *balance = motion->balance;
    const struct basis *basis = balance->basis;
    size_t n = (size_t)motion->n, n_c = (size_t)balance->n_coefficients;
    NEED(motion->field
             ? evaluate_condensed(motion, omega, error)
             : compliance_apply(motion->compliance, omega, balance->force, motion->motion));
    for (size_t k = 0; k < (size_t)basis->n_harmonics; k++) {
        for (size_t i = 0; i < n; i++) {
            const double *x = motion->motion + 2 * (k * n + i);
            double *to = coefficients + i * n_c + basis->position[k];
            to[0] = x[0];
            if (basis->harmonics[k] > 0) {
                to[1] = -x[1];
            }
        }
    }
    add_unknown_modes(motion, y, coefficients);
    return MASING_OK;
}

enum masing_status full_motion_evaluate(struct full_motion *motion, const double *y,
                                        double omega, double *coefficients,
                                        struct masing_error *error)
{
    NEED(evaluate(motion, y, omega, motion->shapes ? motion->reduced : coefficients, error));
    if (motion->shapes) {
        condensed_structure_expand(motion->balance->model->spec.structure.condensed,
                                   motion->balance->n_coefficients, motion->reduced,
                                   coefficients);
    }
    return MASING_OK;
}
