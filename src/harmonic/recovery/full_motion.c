/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/recovery/full_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "model/structure/condensed_structure.h"

/* Of a condensed structure, in which some of the harmonics move: all, or those of a nodal
 * diameter. */
struct condensed_part {
    const struct compliance *compliance; /* lent: tells which part it is */
    const struct condensed_structure *condensed;
    struct condensed_field *field;
    int n_harmonics;
    int *index;      /* [n_harmonics] of the balance's list */
    double *forces;  /* [n_harmonics][n_ports][2] */
    double *factors; /* [n_harmonics][n_terms][2] */
    double *motion;  /* [n_harmonics][its n_dofs][2], the cosines first */
    double *terms;   /* [4][n_terms] scratch */
};

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
    /* of a condensed one: */
    int n_parts; /* 0: it is none */
    struct condensed_part *parts;
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

/* How a harmonic moves; of a whole structure what it was is the model's. */
static struct compliance_view view_of(const struct full_motion *motion, int k)
{
    const struct balance *balance = motion->balance;
    const double *force = balance->force + 2 * (size_t)k * (size_t)balance->n_in;
    struct compliance_view view = compliance_view(balance->compliance, k, force);
    view.condensed = view.condensed ? view.condensed : balance->model->spec.structure.condensed;
    return view;
}

static struct condensed_part *part_of(const struct full_motion *motion,
                                      const struct compliance *compliance)
{
    for (int i = 0; i < motion->n_parts; i++) {
        if (motion->parts[i].compliance == compliance) {
            return &motion->parts[i];
        }
    }
    return NULL;
}

static enum masing_status divide_harmonics(struct full_motion *motion,
                                           struct masing_error *error)
{
    size_t n = (size_t)motion->balance->basis->n_harmonics;
    NEED_ALLOCATED(motion->parts = arena_array(&motion->arena, n, sizeof *motion->parts));
    for (int k = 0; k < (int)n; k++) {
        struct compliance_view view = view_of(motion, k);
        struct condensed_part *part = part_of(motion, view.compliance);
        if (!part) {
            part = &motion->parts[motion->n_parts++];
            part->compliance = view.compliance;
            part->condensed = view.condensed;
            NEED_ALLOCATED(part->index = arena_array(&motion->arena, n, sizeof *part->index));
        }
        part->index[part->n_harmonics++] = k;
    }
    return MASING_OK;
}

static enum masing_status create_part(struct full_motion *motion, struct condensed_part *part,
                                      struct masing_error *error)
{
    const struct condensed_structure *condensed = part->condensed;
    const struct structure *structure = part->compliance->structure;
    size_t n_harmonics = (size_t)part->n_harmonics, n_terms = (size_t)condensed->n_terms;
    if (structure->damping_matrix) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "the motion of all DOFs is not found where damping couples the "
                                "modes of a large structure");
    }
    struct arena *arena = &motion->arena;
    part->forces = arena_doubles(arena, 2 * n_harmonics * (size_t)condensed->n_ports);
    part->factors = arena_doubles(arena, 2 * n_harmonics * n_terms);
    part->motion = arena_doubles(arena, 2 * n_harmonics * (size_t)condensed->n_dofs);
    part->terms = arena_doubles(arena, 4 * n_terms);
    NEED_ALLOCATED(!arena->has_failed);
    return condensed_field_create(condensed, structure->shapes, &part->field, error);
}

static enum masing_status create_condensed(struct full_motion *motion,
                                           struct masing_error *error)
{
    NEED(divide_harmonics(motion, error));
    for (int i = 0; i < motion->n_parts; i++) {
        NEED(create_part(motion, &motion->parts[i], error));
    }
    return MASING_OK;
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
    TRY(condensed && !made->shapes ? create_condensed(made, error) : create_whole(made, error));
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
        for (int i = 0; i < motion->n_parts; i++) {
            condensed_field_destroy(motion->parts[i].field);
        }
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

/* to [n_ports][2]: forces over the DOFs of the condensed structure, which are the ports */
static void gather_forces(const struct compliance_view *view, size_t n_ports, double *to)
{
    const struct compliance_ports *ports = &view->compliance->in_ports;
    memset(to, 0, 2 * n_ports * sizeof *to);
    for (size_t in = 0; in < (size_t)view->compliance->n_in; in++) {
        const double *force = view->force + 2 * in;
        for (size_t e = ports->first[in]; e < ports->first[in + 1]; e++) {
            to[2 * ports->dofs[e]] += ports->weights[e] * force[0];
            to[2 * ports->dofs[e] + 1] += ports->weights[e] * force[1];
        }
    }
}

/* to [n][2] += a mode times an amplitude */
static void add_mode(const struct condensed_part *part, int mode, const double amplitude[2],
                     double *to)
{
    const double *shape = condensed_field_mode(part->field, mode);
    for (size_t i = 0; i < (size_t)part->condensed->n_dofs; i++) {
        to[2 * i] += shape[i] * amplitude[0];
        to[2 * i + 1] += shape[i] * amplitude[1];
    }
}

/* to += the modes that are computed, at h Omega = q */
static enum masing_status add_modes(const struct condensed_part *part,
                                    const struct compliance_view *view, double q,
                                    const double *force, double *to)
{
    const struct structure *structure = view->compliance->structure;
    size_t n_ports = (size_t)structure->n_dofs;
    for (size_t m = 0; m < (size_t)structure->n_modes; m++) {
        const double *shape = structure->shapes + m * n_ports;
        double re = 0.0, im = 0.0, d[2];
        NEED(compliance_mode(view->compliance, view->index, q, m, d) ? MASING_OK
                                                                     : MASING_SINGULAR);
        for (size_t p = 0; p < n_ports; p++) {
            re += shape[p] * force[2 * p];
            im += shape[p] * force[2 * p + 1];
        }
        const double amplitude[2] = {d[0] * re - d[1] * im, d[0] * im + d[1] * re};
        add_mode(part, (int)m, amplitude, to);
    }
    return MASING_OK;
}

/* to [n_terms][2] of a harmonic */
static void set_factors(const struct condensed_part *part, int h, double omega, double *to)
{
    const struct structure *structure = part->compliance->structure;
    size_t n = (size_t)structure->n_far;
    double *re = part->terms;
    compliance_far_moments(structure, h, h * omega, re, re + n, re + 2 * n, re + 3 * n);
    for (size_t t = 0; t < n; t++) {
        to[2 * t] = re[t];
        to[2 * t + 1] = re[n + t];
    }
}

static enum masing_status evaluate_part(const struct full_motion *motion,
                                        const struct condensed_part *part, double omega,
                                        struct masing_error *error)
{
    size_t n = (size_t)part->condensed->n_dofs, n_ports = (size_t)part->condensed->n_ports;
    size_t n_terms = (size_t)part->condensed->n_terms;
    memset(part->motion, 0, 2 * (size_t)part->n_harmonics * n * sizeof *part->motion);
    for (size_t j = 0; j < (size_t)part->n_harmonics; j++) {
        int h = motion->balance->basis->harmonics[part->index[j]];
        double *forces = part->forces + 2 * j * n_ports;
        struct compliance_view view = view_of(motion, part->index[j]);
        gather_forces(&view, n_ports, forces);
        NEED(add_modes(part, &view, h * omega, forces, part->motion + 2 * j * n));
        set_factors(part, h, omega, part->factors + 2 * j * n_terms);
    }
    NEED(condensed_field_add_series(part->field, part->n_harmonics, part->forces, part->factors,
                                    part->motion, error));
    for (size_t j = 0; j < (size_t)part->n_harmonics; j++) {
        size_t size = 2 * (size_t)motion->n;
        memcpy(motion->motion + (size_t)part->index[j] * size, part->motion + 2 * j * n,
               size * sizeof *motion->motion);
    }
    return MASING_OK;
}

static enum masing_status evaluate_condensed(const struct full_motion *motion, double omega,
                                             struct masing_error *error)
{
    for (int i = 0; i < motion->n_parts; i++) {
        NEED(evaluate_part(motion, &motion->parts[i], omega, error));
    }
    return MASING_OK;
}

/* Of a wave the cosines, which are those of one sector. */
static const double *mode_of(const struct full_motion *motion, const struct balance_mode *mode)
{
    const struct structure *structure = mode->structure;
    if (motion->n_parts > 0) {
        struct compliance_view view = view_of(motion, mode->harmonic_index);
        return condensed_field_mode(part_of(motion, view.compliance)->field, mode->mode);
    }
    return structure->shapes + (size_t)mode->mode * (size_t)structure->n_dofs;
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
    NEED(motion->n_parts > 0
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
