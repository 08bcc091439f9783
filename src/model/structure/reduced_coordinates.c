/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/reduced_coordinates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "model/structure/condensed_structure.h"
#include "model/message.h"

/* A vector is a multiple of another one where nothing beyond this part of it is left. */
static const double SAME_VECTOR = 1e-9;

struct taking {
    struct masing_spec *spec;
    const struct masing_reduced_structure *reduced;
    struct arena arena;
    int *coordinate; /* [n_dofs] of a DOF that was kept, or -1 */
    double *vector;  /* [n_dofs] scratch */
    size_t n_dofs, n;
};

void reduced_coordinates_destroy(struct masing_reduced_structure *reduced)
{
    if (reduced) {
        memory_free_texts(reduced->names, reduced->n);
        free(reduced->dofs);
        free(reduced->shapes);
        free(reduced->combinations);
        free(reduced->are_directions);
        free(reduced->inertias);
        free(reduced);
    }
}

/* --- a copy ------------------------------------------------------------------------------- */

/* *to stays NULL where there is nothing to copy; false: no memory. */
static bool copy_numbers(const void *from, size_t count, size_t size, void *to)
{
    void *copy = from ? memory_copy(from, count, size) : NULL;
    memcpy(to, &copy, sizeof copy);
    return copy || !from;
}

static bool copy_names(char *const *from, size_t n, char ***to)
{
    bool is_good = (*to = memory_array(n, sizeof **to)) != NULL;
    for (size_t i = 0; i < n && is_good; i++) {
        is_good = ((*to)[i] = memory_text(from[i])) != NULL;
    }
    return is_good;
}

enum masing_status reduced_coordinates_copy(const struct masing_structure_spec *from,
                                            struct masing_structure_spec *to,
                                            struct masing_error *error)
{
    const struct masing_reduced_structure *old = from->reduced;
    size_t n_dofs = (size_t)from->n_dofs, n = (size_t)old->n, square = n * n;
    size_t n_combinations = (size_t)old->n_combinations;
    struct masing_reduced_structure *new = memory_array(1, sizeof *new);
    NEED_ALLOCATED(to->reduced = new);
    new->n = old->n;
    new->n_rigid = old->n_rigid;
    new->n_combinations = old->n_combinations;
    NEED_ALLOCATED(copy_names(old->names, n, &new->names));
    NEED_ALLOCATED(copy_numbers(old->dofs, n, sizeof(int), &new->dofs));
    NEED_ALLOCATED(copy_numbers(old->shapes, n_dofs * n, sizeof(double), &new->shapes));
    NEED_ALLOCATED(copy_numbers(old->combinations, n_combinations * n_dofs, sizeof(double),
                                &new->combinations));
    NEED_ALLOCATED(
        copy_numbers(old->are_directions, n_combinations, sizeof(int), &new->are_directions));
    NEED_ALLOCATED(
        copy_numbers(old->inertias, n_combinations * n, sizeof(double), &new->inertias));
    NEED_ALLOCATED(copy_numbers(from->mass, square, sizeof(double), &to->mass));
    NEED_ALLOCATED(copy_numbers(from->stiffness, square, sizeof(double), &to->stiffness));
    NEED_ALLOCATED(copy_numbers(from->damping, square, sizeof(double), &to->damping));
    return MASING_OK;
}

/* --- what was kept ------------------------------------------------------------------------ */

/* The first DOF of a vector that was not kept, -1 where all were. */
static int find_lost(const struct taking *t, const double *vector)
{
    for (size_t i = 0; i < t->n_dofs; i++) {
        if (vector[i] != 0.0 && t->coordinate[i] < 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Whether a is a multiple of b (factor) over all DOFs, or over those that were not kept. */
static bool is_multiple(const struct taking *t, const double *a, const double *b,
                        bool is_over_all, double *factor)
{
    double ab = 0.0, bb = 0.0, largest = 0.0, left = 0.0;
    for (size_t i = 0; i < t->n_dofs; i++) {
        bool is_in = is_over_all || t->coordinate[i] < 0;
        ab += is_in ? a[i] * b[i] : 0.0;
        bb += is_in ? b[i] * b[i] : 0.0;
    }
    *factor = bb > 0.0 ? ab / bb : 0.0;
    for (size_t i = 0; i < t->n_dofs; i++) {
        bool is_in = is_over_all || t->coordinate[i] < 0;
        largest = is_in ? fmax(largest, fabs(a[i])) : largest;
        left = is_in ? fmax(left, fabs(a[i] - *factor * b[i])) : left;
    }
    return left <= SAME_VECTOR * largest;
}

/* The combination, of directions or of sums of DOFs, that a vector is a multiple of; -1. */
static int find_combination(const struct taking *t, const double *vector, bool is_direction,
                            double *factor)
{
    const struct masing_reduced_structure *reduced = t->reduced;
    for (int c = 0; c < reduced->n_combinations; c++) {
        if ((reduced->are_directions[c] != 0) == is_direction &&
            is_multiple(t, vector, reduced->combinations + (size_t)c * t->n_dofs, is_direction,
                        factor)) {
            return c;
        }
    }
    return -1;
}

static enum masing_status refuse_lost(const struct subject *subject, int dof)
{
    return model_refuse_subject(subject, "",
                                "DOF %s is not among those that the reduced structure kept, "
                                "and nothing can act on it: reduce the structure again with "
                                "this in the model, or with '--keep'",
                                model_dof_text(subject->spec, dof).text);
}

/* Forces may act there: at DOFs that were kept, or as a combination that was. */
static enum masing_status check_force(const struct taking *t, const double *force,
                                      const struct subject *subject)
{
    double factor;
    int lost = find_lost(t, force);
    return lost < 0 || find_combination(t, force, false, &factor) >= 0
               ? MASING_OK
               : refuse_lost(subject, lost);
}

/* --- vectors ------------------------------------------------------------------------------ */

/* product [n] = shapes^T vector */
static void project(const struct taking *t, const double *vector, double *product)
{
    memset(product, 0, t->n * sizeof *product);
    for (size_t i = 0; i < t->n_dofs; i++) {
        const double *row = t->reduced->shapes + i * t->n;
        for (size_t k = 0; vector[i] != 0.0 && k < t->n; k++) {
            product[k] += vector[i] * row[k];
        }
    }
}

/* A vector of the specification [n_dofs] becomes one of the coordinates. */
static enum masing_status take_force(const struct taking *t, double **force,
                                     const struct subject *subject)
{
    struct masing_error *error = subject->error;
    if (!*force) {
        return MASING_OK;
    }
    NEED(check_force(t, *force, subject));
    double *product = memory_array(t->n, sizeof *product);
    NEED_ALLOCATED(product);
    project(t, *force, product);
    free(*force);
    *force = product;
    return MASING_OK;
}

/* The same of a direction of acceleration, of which the coordinates that are DOFs keep theirs;
 * inertia [n], owned: M times it. */
static enum masing_status take_direction(const struct taking *t, double **direction,
                                         double **inertia, const struct subject *subject)
{
    struct masing_error *error = subject->error;
    const struct masing_reduced_structure *reduced = t->reduced;
    double factor;
    if (!*direction) {
        return MASING_OK;
    }
    int c = find_combination(t, *direction, true, &factor);
    if (c < 0) {
        return model_refuse_subject(subject, "",
                                    "an acceleration in this direction was not in the model "
                                    "that was reduced, and the mass is no longer known at "
                                    "every DOF: reduce the structure again with this in the "
                                    "model");
    }
    double *kept = memory_array(t->n, sizeof *kept);
    NEED_ALLOCATED(kept);
    for (size_t k = 0; k < t->n; k++) {
        kept[k] = reduced->dofs[k] >= 0 ? (*direction)[reduced->dofs[k]] : 0.0;
    }
    free(*direction);
    *direction = kept;
    NEED_ALLOCATED(*inertia = memory_array(t->n, sizeof **inertia));
    for (size_t k = 0; k < t->n; k++) {
        (*inertia)[k] = factor * reduced->inertias[(size_t)c * t->n + k];
    }
    return MASING_OK;
}

static enum masing_status take_loads(const struct taking *t, struct masing_error *error)
{
    struct masing_spec *spec = t->spec;
    char what[128];
    for (int l = 0; l < spec->n_loads; l++) {
        struct masing_load_spec *load = &spec->loads[l];
        const struct subject subject = {spec, model_part(load->place, "loads.%d", l), what,
                                        error};
        snprintf(what, sizeof what, load->name ? "load '%.100s'" : "load",
                 load->name ? load->name : "");
        if (load->kind == MASING_LOAD_BASE_ACCELERATION) {
            NEED(take_direction(t, &load->pattern, &load->inertia, &subject));
            continue;
        }
        NEED(take_force(t, &load->pattern, &subject));
        NEED(take_force(t, &load->pattern_imaginary, &subject));
    }
    return MASING_OK;
}

/* Accelerations become forces. */
static enum masing_status take_static_loads(const struct taking *t, struct masing_error *error)
{
    struct masing_spec *spec = t->spec;
    for (int l = 0; l < spec->n_static_loads; l++) {
        struct masing_static_load_spec *load = &spec->static_loads[l];
        const struct subject subject = {spec, model_part(load->place, "static_loads.%d", l),
                                        "static load", error};
        if (!load->is_acceleration) {
            NEED(take_force(t, &load->pattern, &subject));
            continue;
        }
        double *force = NULL;
        enum masing_status status = take_direction(t, &load->pattern, &force, &subject);
        for (size_t k = 0; status == MASING_OK && k < t->n; k++) {
            load->pattern[k] = load->acceleration * force[k];
        }
        free(force);
        NEED(status);
        load->is_acceleration = false;
    }
    return MASING_OK;
}

/* --- sums of DOFs ------------------------------------------------------------------------- */

static bool is_kept(const struct taking *t, const struct masing_combination *combination)
{
    bool is = true;
    for (int i = 0; i < combination->n_terms; i++) {
        is = is && t->coordinate[combination->terms[i].dof] >= 0;
    }
    return is;
}

/* Terms of DOFs become terms of coordinates: their own ones, or those of the shapes. */
static enum masing_status take_combination(const struct taking *t,
                                           struct masing_combination *combination,
                                           struct masing_error *error)
{
    if (is_kept(t, combination)) {
        for (int i = 0; i < combination->n_terms; i++) {
            combination->terms[i].dof = t->coordinate[combination->terms[i].dof];
        }
        return MASING_OK;
    }
    struct masing_term *terms = memory_array(t->n, sizeof *terms);
    NEED_ALLOCATED(terms);
    for (size_t k = 0; k < t->n; k++) {
        terms[k].dof = (int)k;
        for (int i = 0; i < combination->n_terms; i++) {
            const struct masing_term *term = &combination->terms[i];
            terms[k].weight += term->weight * t->reduced->shapes[(size_t)term->dof * t->n + k];
        }
    }
    free(combination->terms);
    *combination = (struct masing_combination){(int)t->n, terms};
    return MASING_OK;
}

/* What acts as forces do. */
static enum masing_status take_acting(const struct taking *t, const struct subject *subject,
                                      struct masing_combination *acting)
{
    for (int i = 0; i < acting->n_terms; i++) {
        t->vector[acting->terms[i].dof] += acting->terms[i].weight;
    }
    enum masing_status status = check_force(t, t->vector, subject);
    for (int i = 0; i < acting->n_terms; i++) {
        t->vector[acting->terms[i].dof] = 0.0;
    }
    return status ? status : take_combination(t, acting, subject->error);
}

static enum masing_status take_axis(const struct taking *t, int index,
                                    struct masing_combination *axis, struct masing_error *error)
{
    const struct masing_joint_spec *joint = &t->spec->joints[index];
    char what[128];
    const struct subject subject = {t->spec, model_part(joint->place, "joints.%d", index), what,
                                    error};
    snprintf(what, sizeof what, "joint '%.100s'", joint->name);
    return take_acting(t, &subject, axis);
}

/* Motion of the base is known where the DOFs are. */
static enum masing_status take_output(const struct taking *t, int index,
                                      struct masing_error *error)
{
    struct masing_output_spec *output = &t->spec->outputs[index];
    bool needs_base = output->is_absolute || output->quantity == MASING_TRANSMISSIBILITY;
    char what[128];
    const struct subject subject = {t->spec, model_part(output->place, "outputs.%d", index),
                                    what, error};
    snprintf(what, sizeof what, "output '%.100s'", output->name);
    if (needs_base && !is_kept(t, &output->combination)) {
        return model_refuse_subject(&subject, "",
                                    "absolute motions are known only of DOFs that the reduced "
                                    "structure kept: reduce the structure again with this "
                                    "output in the model, or with '--keep'");
    }
    return take_combination(t, &output->combination, error);
}

/* Where a motion starts: other DOFs take the places that the kept ones give them. */
static enum masing_status take_start(const struct taking *t, const char *what,
                                     struct masing_combination *start,
                                     struct masing_error *error)
{
    for (int i = 0; i < start->n_terms; i++) {
        const struct subject subject = {
            t->spec, model_part((struct masing_place){0}, "%s", what), what, error};
        int dof = start->terms[i].dof;
        NEED(t->coordinate[dof] < 0 ? refuse_lost(&subject, dof) : MASING_OK);
        start->terms[i].dof = t->coordinate[dof];
    }
    return MASING_OK;
}

static enum masing_status take_starts(const struct taking *t, struct masing_error *error)
{
    struct masing_ringdown_settings *ringdown = &t->spec->ringdown;
    NEED(take_start(t, "initial", &t->spec->initial.displacements, error));
    NEED(take_start(t, "initial", &t->spec->initial.velocities, error));
    NEED(take_start(t, "ringdown", &ringdown->displacements, error));
    NEED(take_start(t, "ringdown", &ringdown->velocities, error));
    const struct subject impulse = {t->spec, model_part((struct masing_place){0}, "ringdown"),
                                    "impulse", error};
    return take_acting(t, &impulse, &ringdown->hit);
}

/* --- the structure ------------------------------------------------------------------------ */

/* The coordinates are the DOFs now. */
static void take_names(const struct taking *t)
{
    struct masing_structure_spec *structure = &t->spec->structure;
    struct condensed_structure *full = structure->condensed;
    if (full) {
        full->dof_names = structure->dof_names;
    } else {
        memory_free_texts(structure->dof_names, structure->n_dofs);
    }
    structure->dof_names = structure->reduced->names;
    structure->reduced->names = NULL;
    structure->n_given = structure->n_dofs;
    structure->n_dofs = (int)t->n;
}

/* What it was before; its shapes are taken over at the end, its names with those of the
 * coordinates. */
static enum masing_status keep_shapes(struct masing_structure_spec *structure,
                                      struct masing_error *error)
{
    if (structure->keeps_motion) {
        NEED_ALLOCATED(structure->condensed = memory_array(1, sizeof *structure->condensed));
        structure->condensed->n_dofs = structure->n_dofs;
        structure->condensed->n_coordinates = structure->reduced->n;
    }
    return MASING_OK;
}

static enum masing_status take_all(struct taking *t, struct masing_error *error)
{
    struct masing_spec *spec = t->spec;
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            NEED(take_axis(t, j, &spec->joints[j].axes[a], error));
        }
    }
    NEED(take_loads(t, error));
    NEED(take_static_loads(t, error));
    for (int o = 0; o < spec->n_outputs; o++) {
        NEED(take_output(t, o, error));
    }
    return take_starts(t, error);
}

enum masing_status reduced_coordinates_take(struct masing_spec *spec,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *structure = &spec->structure;
    if (!structure->reduced) {
        return MASING_OK;
    }
    struct taking t = {.spec = spec,
                       .reduced = structure->reduced,
                       .n_dofs = (size_t)structure->n_dofs,
                       .n = (size_t)structure->reduced->n};
    t.coordinate = arena_array(&t.arena, t.n_dofs, sizeof *t.coordinate);
    t.vector = arena_doubles(&t.arena, t.n_dofs);
    TRY_ALLOCATED(!t.arena.has_failed);
    for (size_t i = 0; i < t.n_dofs; i++) {
        t.coordinate[i] = -1;
    }
    for (size_t k = 0; k < t.n; k++) {
        if (structure->reduced->dofs[k] >= 0) {
            t.coordinate[structure->reduced->dofs[k]] = (int)k;
        }
    }
    TRY(keep_shapes(structure, error));
    TRY(take_all(&t, error));
    take_names(&t);
    structure->n_rigid = structure->reduced->n_rigid;
    if (structure->condensed) {
        structure->condensed->shapes = structure->reduced->shapes;
        structure->reduced->shapes = NULL;
    }
    reduced_coordinates_destroy(structure->reduced);
    structure->reduced = NULL;
done:
    arena_clear(&t.arena);
    return status;
}
