/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/check/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "model/springs.h"

int check_part_count(const struct masing_model *model)
{
    return model->cyclic ? model->cyclic->n_sectors / 2 + 1 : 1;
}

bool check_is_condensed(const struct masing_model *model)
{
    return model->cyclic && cyclic_is_condensed(model->cyclic);
}

static enum masing_status list_axes(struct check_part *part, struct masing_error *error)
{
    size_t n = (size_t)part->model->n_axes * (size_t)part->copies, count = 0;
    struct masing_combination *axes = arena_array(&part->arena, n, sizeof *axes);
    NEED_ALLOCATED(axes);
    for (int j = 0; j < part->spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&part->spec->joints[j]); a++) {
            axes[count++] = part->spec->joints[j].axes[a];
        }
    }
    part->axes = axes;
    return MASING_OK;
}

static enum masing_status take_diameter(struct check_part *part, struct masing_error *error)
{
    const struct masing_model *model = part->model;
    NEED(cyclic_spec_create(model, part->number, &part->arena, &part->made, error));
    part->spec = &part->made.spec;
    part->at = part->made.at;
    part->copies = cyclic_is_pair(model->cyclic, part->number) ? 2 : 1;
    part->structure = cyclic_structure(model, part->number);
    if (!part->structure) {
        NEED(cyclic_diameter_create(model, part->number, 0, &part->own, error));
        part->structure = part->own.structure;
    }
    return MASING_OK;
}

enum masing_status check_part_create(const struct masing_model *model, int number,
                                     struct check_part *part, struct masing_error *error)
{
    *part = (struct check_part){.model = model,
                                .number = number,
                                .copies = 1,
                                .structure = model->structure,
                                .spec = &model->spec,
                                .at = model->static_displacement};
    NEED(model->cyclic ? take_diameter(part, error) : MASING_OK);
    part->n_rows = part->structure->n_modes / part->copies;
    if (check_is_condensed(model) && part->n_rows > model->structure->n_modes) {
        part->n_rows = model->structure->n_modes;
    }
    return list_axes(part, error);
}

void check_part_clear(struct check_part *part)
{
    cyclic_diameter_clear(&part->own);
    arena_clear(&part->arena);
    *part = (struct check_part){.number = 0};
}

/* What modes leave out gives way under the joints' own forces: shapes [n_dofs * n_modes]
 * -= F B f, forces [n_axes of the springs * n_modes]. */
static enum masing_status relax(const struct springs *springs, const double *forces,
                                double *shapes, struct masing_error *error)
{
    const struct structure *structure = springs->structure;
    size_t count = (size_t)structure->n_dofs * (size_t)structure->n_modes;
    size_t room = springs_rows(springs) * (size_t)structure->n_modes;
    double *change = memory_array(2 * room, sizeof *change);
    NEED_ALLOCATED(change);
    springs_deform(springs, structure->flexibility, structure->n_modes, forces, change + room,
                   change);
    for (size_t i = 0; i < count; i++) {
        shapes[i] -= change[i];
    }
    free(change);
    return MASING_OK;
}

/* All modes of the part's structure, and what springs do in them, [n_modes][axes]: */
struct found {
    struct arena arena;
    double *shapes;         /* [n_modes][n_dofs * copies] */
    double *motion, *force; /* of the axes, twice in a pair */
    double *squares;        /* [n_modes] (rad/s)^2 */
    size_t n_dofs, n_axes;  /* of a sector */
};

static enum masing_status find_with_springs(const struct check_part *part,
                                            struct springs *springs, struct found *found,
                                            struct masing_error *error)
{
    const struct structure *structure = part->structure;
    const struct masing_spec *spec = &part->model->spec;
    double shift = fmax(spec->omega_from, spec->omega_to);
    size_t rows = (size_t)structure->n_dofs, columns = (size_t)structure->n_modes;
    size_t n = (size_t)springs->n_axes;
    size_t joints = (size_t)part->model->n_axes * (size_t)part->copies;
    double *modal_shapes = arena_doubles(&found->arena, columns * columns);
    double *w = arena_doubles(&found->arena, n * columns);
    double *forces = arena_doubles(&found->arena, n * columns);
    NEED_ALLOCATED(!found->arena.has_failed);
    NEED(springs_modes(springs, shift * shift, found->squares, modal_shapes, error));
    dense_multiply((int)rows, (int)columns, (int)columns, structure->shapes, modal_shapes,
                   found->shapes);
    springs_displacements(springs, (int)columns, found->shapes, w);
    springs_yield(springs, (int)columns, w);
    springs_forces(springs, (int)columns, w, forces);
    NEED(structure->flexibility ? relax(springs, forces, found->shapes, error) : MASING_OK);
    for (size_t k = 0; k < columns; k++) {
        double *own = found->motion + k * joints;
        for (size_t a = 0; a < joints; a++) {
            own[a] = axis_value(&part->axes[a], found->shapes + k * rows);
        }
        for (size_t i = 0; i < n; i++) {
            own[springs->axes[i].axis] = w[k * n + i];
            found->force[k * joints + (size_t)springs->axes[i].axis] = forces[k * n + i];
        }
    }
    return MASING_OK;
}

static enum masing_status find(const struct check_part *part, enum joint_state state,
                               struct found *found, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = part->structure;
    size_t n_modes = (size_t)structure->n_modes, n_dofs = (size_t)structure->n_dofs;
    size_t n_axes = (size_t)part->model->n_axes * (size_t)part->copies;
    struct springs springs = {0};
    found->n_dofs = n_dofs / (size_t)part->copies;
    found->n_axes = (size_t)part->model->n_axes;
    found->shapes = arena_doubles(&found->arena, n_modes * n_dofs);
    found->motion = arena_doubles(&found->arena, n_modes * n_axes);
    found->force = arena_doubles(&found->arena, n_modes * n_axes);
    found->squares = arena_doubles(&found->arena, n_modes);
    TRY_ALLOCATED(!found->arena.has_failed);
    if (n_axes == 0) {
        memcpy(found->shapes, structure->shapes, n_modes * n_dofs * sizeof *found->shapes);
        goto done;
    }
    TRY(springs_create(part->spec, structure, part->at, state, &springs, error));
    TRY(find_with_springs(part, &springs, found, error));
done:
    springs_clear(&springs);
    return status;
}

/* --- one mode of a pair ------------------------------------------------------------------- */

/* Modes whose frequencies differ by less, as parts, may be any combination of each other. */
static const double EQUAL = 1e-6;
/* Less of a wave than this beside those before it is none of its own. */
static const double NOTHING_LEFT = 1e-3;

/* How much of the wave z [c, d] is in the wave y of unit mass: y^H M z, M of c alone or d */
static void overlap(const struct structure *structure, const double *y, const double *z,
                    double *product, double value[2])
{
    size_t n = (size_t)structure->n_dofs / 2;
    dense_multiply(2 * (int)n, 1, 2 * (int)n, structure->mass, z, product);
    value[0] = value[1] = 0.0;
    for (size_t i = 0; i < n; i++) {
        value[0] += y[i] * product[i] + y[n + i] * product[n + i];
        value[1] += y[i] * product[n + i] - y[n + i] * product[i];
    }
}

/* z [c, d] -= value y */
static void subtract(size_t n, const double value[2], const double *y, double *z)
{
    for (size_t i = 0; i < n; i++) {
        z[i] -= value[0] * y[i] - value[1] * y[n + i];
        z[n + i] -= value[0] * y[n + i] + value[1] * y[i];
    }
}

/* From mode k its part of another one. */
static void take_away(struct found *found, size_t k, size_t other, const double value[2])
{
    size_t n = found->n_dofs, m = found->n_axes;
    subtract(n, value, found->shapes + other * 2 * n, found->shapes + k * 2 * n);
    subtract(m, value, found->motion + other * 2 * m, found->motion + k * 2 * m);
    subtract(m, value, found->force + other * 2 * m, found->force + k * 2 * m);
}

static void scale(size_t n, double factor, double *x)
{
    for (size_t i = 0; i < n; i++) {
        x[i] *= factor;
    }
}

/* A mode k of a pair without what it has of those chosen before; how much is left of it. */
static double leave_rest(const struct check_part *part, const double *omega, int k, int n,
                         const int *chosen, double *product, struct found *found)
{
    size_t n_dofs = 2 * found->n_dofs;
    double *shape = found->shapes + (size_t)k * n_dofs, value[2];
    for (int i = n - 1; i >= 0 && omega[k] - omega[chosen[i]] <= EQUAL * omega[k]; i--) {
        overlap(part->structure, found->shapes + (size_t)chosen[i] * n_dofs, shape, product,
                value);
        take_away(found, (size_t)k, (size_t)chosen[i], value);
    }
    overlap(part->structure, shape, shape, product, value);
    return value[0];
}

/* The modes [n_rows] that stand for all: of each pair one, of equal ones those that are not
 * others turned. As waves they become orthonormal. Of a condensed sector, whose mass is not
 * known between ports, each second one. */
static enum masing_status choose(const struct check_part *part, const double *omega,
                                 struct found *found, int *chosen, struct masing_error *error)
{
    int n = 0, n_modes = part->structure->n_modes;
    size_t n_dofs = 2 * found->n_dofs, n_axes = 2 * found->n_axes;
    double *product = arena_doubles(&found->arena, n_dofs);
    NEED_ALLOCATED(product);
    for (; check_is_condensed(part->model) && n < part->n_rows; n++) {
        chosen[n] = part->copies * n;
    }
    for (int k = 0; k < n_modes && n < part->n_rows; k++) {
        bool is_pair = part->copies == 2, is_last = n_modes - k <= part->n_rows - n;
        double left = is_pair ? leave_rest(part, omega, k, n, chosen, product, found) : 1.0;
        if (left <= NOTHING_LEFT && !is_last) {
            continue;
        }
        chosen[n++] = k;
        if (is_pair && left > 0.0) {
            scale(n_dofs, 1.0 / sqrt(left), found->shapes + (size_t)k * n_dofs);
            scale(n_axes, 1.0 / sqrt(left), found->motion + (size_t)k * n_axes);
            scale(n_axes, 1.0 / sqrt(left), found->force + (size_t)k * n_axes);
        }
    }
    return MASING_OK;
}

/* Largest DOF of a wave, and the motion turned so that it is positive there. */
static double turn(size_t n, int copies, double *shape)
{
    double most = 0.0, c = 1.0, s = 0.0;
    for (size_t i = 0; i < n; i++) {
        double re = shape[i], im = copies == 2 ? shape[n + i] : 0.0, size = hypot(re, im);
        if (size > most) {
            most = size;
            c = re / size;
            s = -im / size;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double re = shape[i], im = copies == 2 ? shape[n + i] : 0.0;
        shape[i] = copies == 2 ? c * re - s * im : c * re;
        if (copies == 2) {
            shape[n + i] = s * re + c * im;
        }
    }
    return most;
}

static void take_row(const struct check_part *part, struct found *found, int k, double *shape,
                     double *motion, double *energy)
{
    size_t n_axes = (size_t)part->model->n_axes, n_dofs = (size_t)part->structure->n_dofs;
    size_t copies = (size_t)part->copies, first = (size_t)k * n_axes * copies;
    double *own = found->shapes + (size_t)k * n_dofs;
    double largest = turn(n_dofs / copies, part->copies, own);
    memcpy(shape, own, n_dofs * sizeof *shape);
    for (size_t a = 0; a < n_axes; a++) {
        const double *w = found->motion + first + a, *f = found->force + first + a;
        double work = w[0] * f[0] + (copies == 2 ? w[n_axes] * f[n_axes] : 0.0);
        motion[a] = (copies == 2 ? hypot(w[0], w[n_axes]) : w[0]) / largest;
        if (energy) {
            energy[a] = found->squares[k] > 0.0 ? 0.0 + work / found->squares[k] : 0.0;
        }
    }
}

enum masing_status check_part_modes(const struct check_part *part, enum joint_state state,
                                    double *shapes, double *motion, double *energy,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = part->structure;
    size_t n_axes = (size_t)part->model->n_axes, n_dofs = (size_t)structure->n_dofs;
    struct found found = {.shapes = NULL};
    int *chosen = arena_array(&found.arena, (size_t)part->n_rows, sizeof *chosen);
    TRY_ALLOCATED(chosen);
    TRY(find(part, state, &found, error));
    TRY(choose(part, state == JOINT_STUCK ? structure->omega_stuck : structure->omega_free,
               &found, chosen, error));
    for (size_t k = 0; k < (size_t)part->n_rows; k++) {
        take_row(part, &found, chosen[k], shapes + k * n_dofs, motion + k * n_axes,
                 energy ? energy + k * n_axes : NULL);
    }
done:
    arena_clear(&found.arena);
    return status;
}

double check_part_value(const struct check_part *part, const struct masing_combination *sum,
                        const double *shape, struct masing_term *terms)
{
    if (!part->model->cyclic) {
        return axis_value(sum, shape);
    }
    struct masing_combination own =
        cyclic_project(part->model, part->number, false, sum, terms);
    return axis_value(&own, shape);
}
