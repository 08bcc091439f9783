/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/moving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/symmetric.h"
#include "model/joints.h"
#include "model/seal.h"

/* --- what must stay ----------------------------------------------------------------------- */

static bool same_doubles(const double *a, const double *b, size_t n)
{
    return (!a == !b) && (!a || n == 0 || memcmp(a, b, n * sizeof *a) == 0);
}

static bool same_sparse(const struct masing_sparse *a, const struct masing_sparse *b)
{
    size_t n = (size_t)a->n;
    return a->n == b->n &&
           (n == 0 || (memcmp(a->start, b->start, (n + 1) * sizeof *a->start) == 0 &&
                       memcmp(a->rows, b->rows, (size_t)a->start[n] * sizeof *a->rows) == 0 &&
                       same_doubles(a->values, b->values, (size_t)a->start[n])));
}

static bool same_sectors(const struct masing_cyclic_spec *a, const struct masing_cyclic_spec *b,
                         size_t n)
{
    return a->n_sectors == b->n_sectors && same_doubles(a->mass, b->mass, n * n) &&
           same_doubles(a->stiffness, b->stiffness, n * n) &&
           same_doubles(a->damping, b->damping, n * n) &&
           same_doubles(a->per_speed_squared, b->per_speed_squared, n * n);
}

static bool same_structure(const struct masing_structure_spec *a,
                           const struct masing_structure_spec *b)
{
    size_t n = (size_t)a->n_dofs, n_modes = (size_t)a->n_modes;
    const struct masing_damping_spec *p = &a->form, *q = &b->form;
    return a->n_dofs == b->n_dofs && a->n_modes == b->n_modes &&
           same_sectors(&a->cyclic, &b->cyclic, n) && same_doubles(a->mass, b->mass, n * n) &&
           same_doubles(a->stiffness, b->stiffness, n * n) &&
           same_doubles(a->damping, b->damping, n * n) &&
           same_doubles(a->per_speed_squared, b->per_speed_squared, n * n) &&
           a->is_active == b->is_active && a->has_spin == b->has_spin && a->spin == b->spin &&
           same_doubles(a->omega_modes, b->omega_modes, n_modes) &&
           same_doubles(a->mode_shapes, b->mode_shapes, n * n_modes) &&
           same_doubles(a->rest, b->rest, n_modes) &&
           same_sparse(&a->sparse_mass, &b->sparse_mass) &&
           same_sparse(&a->sparse_stiffness, &b->sparse_stiffness) && a->n_far == b->n_far &&
           a->far_shift == b->far_shift &&
           same_doubles(a->far, b->far, (size_t)a->n_far * symmetric_size(n)) &&
           p->kind == q->kind && p->modes_are_stuck == q->modes_are_stuck &&
           p->n_ratios == q->n_ratios && p->alpha == q->alpha && p->beta == q->beta &&
           p->loss_factor == q->loss_factor &&
           same_doubles(p->ratios, q->ratios, (size_t)p->n_ratios);
}

static bool same_joints(const struct masing_spec *a, const struct masing_spec *b)
{
    bool is_same = a->n_joints == b->n_joints;
    for (int j = 0; is_same && j < a->n_joints; j++) {
        const struct masing_joint_spec *p = &a->joints[j], *q = &b->joints[j];
        is_same = p->law == q->law && masing_joint_spec_axes(p) == masing_joint_spec_axes(q) &&
                  p->area == q->area;
        for (int i = 0; is_same && i < masing_joint_spec_axes(p); i++) {
            is_same = p->axes[i].n_terms == q->axes[i].n_terms;
            for (int t = 0; is_same && t < p->axes[i].n_terms; t++) {
                const struct masing_term *left = &p->axes[i].terms[t];
                const struct masing_term *right = &q->axes[i].terms[t];
                is_same = left->dof == right->dof && left->weight == right->weight;
            }
        }
    }
    return is_same;
}

static bool same_loads(const struct masing_spec *a, const struct masing_spec *b)
{
    size_t n = (size_t)a->structure.n_dofs;
    bool is_same = a->n_loads == b->n_loads;
    for (int l = 0; is_same && l < a->n_loads; l++) {
        const struct masing_load_spec *p = &a->loads[l], *q = &b->loads[l];
        is_same = p->kind == q->kind && p->harmonic == q->harmonic &&
                  p->engine_order == q->engine_order && p->phase == q->phase &&
                  p->n_table == q->n_table && same_doubles(p->pattern, q->pattern, n) &&
                  same_doubles(p->pattern_imaginary, q->pattern_imaginary, n) &&
                  same_doubles(p->table, q->table, 3 * (size_t)p->n_table);
    }
    return is_same;
}

static bool same_static_loads(const struct masing_spec *a, const struct masing_spec *b)
{
    /* the load factor scales them as well */
    bool is_same = a->n_static_loads == b->n_static_loads &&
                   (a->n_static_loads == 0 || a->load_factor == b->load_factor);
    for (int l = 0; is_same && l < a->n_static_loads; l++) {
        const struct masing_static_load_spec *p = &a->static_loads[l], *q = &b->static_loads[l];
        is_same = p->is_acceleration == q->is_acceleration &&
                  p->acceleration == q->acceleration &&
                  same_doubles(p->pattern, q->pattern, (size_t)a->structure.n_dofs);
    }
    return is_same;
}

static bool same_settings(const struct masing_spec *a, const struct masing_spec *b)
{
    size_t n = (size_t)a->n_harmonics;
    return a->is_of_shaft == b->is_of_shaft && a->n_outputs == b->n_outputs &&
           a->n_harmonics == b->n_harmonics &&
           memcmp(a->harmonics, b->harmonics, n * sizeof *a->harmonics) == 0 &&
           a->n_samples == b->n_samples && a->omega_from == b->omega_from &&
           a->omega_to == b->omega_to && memcmp(&a->solver, &b->solver, sizeof a->solver) == 0;
}

/* MASING_UNSUPPORTED, with what it is, where anything but the joints' parameters and the loads'
 * amplitudes differs. */
static enum masing_status check_rest(const struct moving_specs *specs,
                                     struct masing_error *error)
{
    const struct masing_spec *first = specs->at[0];
    const char *what = NULL;
    for (int k = 1; k < 3 && !what; k++) {
        const struct masing_spec *other = specs->at[k];
        what = !same_structure(&first->structure, &other->structure) ? "the structure depends"
               : !same_joints(first, other)       ? "the axes of a joint depend"
               : !same_loads(first, other)        ? "a load depends, not only by its amplitude,"
               : !same_static_loads(first, other) ? "the static loads depend"
               : !same_settings(first, other)     ? "a setting depends"
                                                  : NULL;
    }
    return what ? masing_error_set(error, MASING_UNSUPPORTED,
                                   "%s on it, which is not supported yet: along a curve "
                                   "numbers of joints and amplitudes of loads can vary",
                                   what)
                : MASING_OK;
}

/* --- what moves --------------------------------------------------------------------------- */

/* What is not a straight line to this part of its values is no line. */
static const double STRAIGHT = 1e-9;

/* A line through the values at the ends; false: the middle is not on it. */
static bool find_line(const struct moving_specs *specs, const double values[3], double *value,
                      double *slope)
{
    if (isnan(values[0]) && isnan(values[1]) && isnan(values[2])) {
        *value = values[0];
        *slope = 0.0;
        return true;
    }
    *slope = (values[2] - values[0]) / (specs->p[2] - specs->p[0]);
    *value = values[0] - *slope * specs->p[0];
    double size = fmax(fabs(values[0]), fabs(values[2]));
    double off = values[1] - (*value + *slope * specs->p[1]);
    return fabs(off) <= STRAIGHT * size || (size == 0.0 && off == 0.0);
}

/* Parameters of one joint as the file gives them at the three values. */
struct joint_values {
    struct moving *moving;
    const struct moving_specs *specs;
    int joint;
    const char *bytes[3];
};

static bool add_number(const struct joint_values *joint, size_t offset)
{
    struct moving *moving = joint->moving;
    double values[3], value, slope;
    for (int k = 0; k < 3; k++) {
        memcpy(&values[k], joint->bytes[k] + offset, sizeof values[k]);
    }
    if (!find_line(joint->specs, values, &value, &slope)) {
        return false;
    }
    if (slope != 0.0) {
        moving->numbers[moving->n_numbers++] =
            (struct moving_number){joint->joint, offset, value, slope};
    }
    return true;
}

static bool add_fields(const struct joint_values *joint, const struct masing_field *fields,
                       int n_fields, size_t base);

static bool is_same(const struct joint_values *joint, size_t at, size_t size)
{
    return memcmp(joint->bytes[0] + at, joint->bytes[1] + at, size) == 0 &&
           memcmp(joint->bytes[0] + at, joint->bytes[2] + at, size) == 0;
}

static bool add_field(const struct joint_values *joint, const struct masing_field *field,
                      size_t at)
{
    const struct masing_records *records = field->records;
    bool is_list = field->type == MASING_FIELD_LIST, is_good = true;
    int count;
    switch (field->type) {
    case MASING_FIELD_REAL:
        return add_number(joint, at);
    case MASING_FIELD_LIST:
    case MASING_FIELD_RECORDS:
        memcpy(&count, joint->bytes[0] + at, sizeof count);
        is_good = is_same(joint, at, sizeof count);
        for (size_t i = 0; is_good && i < (size_t)count; i++) {
            is_good = is_list
                          ? add_number(joint, at + offsetof(struct masing_list, values) +
                                                  i * sizeof(double))
                          : add_fields(joint, records->fields, records->n_fields,
                                       at + records->first_offset + i * records->record_size);
        }
        return is_good;
    case MASING_FIELD_BOOLEAN:
        return is_same(joint, at, sizeof(bool));
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_CHOICE:
        return is_same(joint, at, sizeof(int));
    case MASING_FIELD_POINTS:
        return is_same(joint, at, sizeof(struct masing_points));
    }
    return false;
}

static bool add_fields(const struct joint_values *joint, const struct masing_field *fields,
                       int n_fields, size_t base)
{
    bool is_good = true;
    for (int f = 0; f < n_fields && is_good; f++) {
        is_good = add_field(joint, &fields[f], base + fields[f].offset);
    }
    return is_good;
}

/* moving->numbers are allocated here. */
static enum masing_status add_joints(struct moving *moving, const struct moving_specs *specs,
                                     struct masing_error *error)
{
    const struct masing_spec *spec = specs->at[0];
    size_t most = 0; /* no struct of parameters has more doubles than its size */
    for (int j = 0; j < spec->n_joints; j++) {
        most += spec->joints[j].law->parameters_size / sizeof(double);
    }
    moving->numbers = arena_array(&moving->arena, most, sizeof *moving->numbers);
    NEED_ALLOCATED(moving->numbers);
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_law *law = spec->joints[j].law;
        struct joint_values joint = {.moving = moving, .specs = specs, .joint = j};
        for (int k = 0; k < 3; k++) {
            joint.bytes[k] = specs->at[k]->joints[j].parameters;
        }
        if (!add_fields(&joint, law->fields, law->n_fields, 0)) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "joint '%s' depends on it by more than a factor, or not "
                                    "by numbers alone, which is not supported yet",
                                    spec->joints[j].name);
        }
    }
    return MASING_OK;
}

static enum masing_status add_loads(struct moving *moving, const struct moving_specs *specs,
                                    struct masing_error *error)
{
    for (int l = 0; l < specs->at[0]->n_loads; l++) {
        double values[3], value, slope;
        for (int k = 0; k < 3; k++) {
            values[k] = specs->at[k]->load_factor * specs->at[k]->loads[l].amplitude;
        }
        if (!find_line(specs, values, &value, &slope)) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "load %d depends on it by more than a factor, which is not "
                                    "supported yet",
                                    l + 1);
        }
        if (slope != 0.0) {
            moving->loads[moving->n_loads++] = (struct moving_load){l, value, slope};
        }
    }
    return MASING_OK;
}

void moving_destroy(struct moving *moving)
{
    if (moving) {
        arena_clear(&moving->arena);
        free(moving);
    }
}

/* Everything given, the numbers that move, what follows from them, and the same by p. */
static enum masing_status set_joint(struct moving *moving, int j,
                                    const struct moving_number *first,
                                    const struct moving_number *end)
{
    const struct masing_law *law = moving->model->spec.joints[j].law;
    char *parameters = moving->model->spec.joints[j].parameters, *tangent = moving->tangent[j];
    memcpy(parameters, moving->given[j], law->parameters_size);
    memset(tangent, 0, law->parameters_size);
    for (const struct moving_number *number = first; number < end; number++) {
        double value = number->value + number->slope * moving->p;
        memcpy(parameters + number->offset, &value, sizeof value);
        memcpy(tangent + number->offset, &number->slope, sizeof value);
    }
    if (masing_law_check(law, parameters, NULL) != MASING_OK) {
        return MASING_NOT_FINITE;
    }
    if (law->derive) {
        law->derive(parameters, tangent);
    }
    return MASING_OK;
}

enum masing_status moving_set(struct moving *moving, double p)
{
    if (moving->is_set && moving->p == p) {
        return MASING_OK;
    }
    moving->p = p;
    moving->is_set = false;
    const struct moving_number *number = moving->numbers, *end = number + moving->n_numbers;
    while (number < end) {
        const struct moving_number *first = number;
        while (number < end && number->joint == first->joint) {
            number++;
        }
        NEED(set_joint(moving, first->joint, first, number));
    }
    for (int i = 0; i < moving->n_loads; i++) {
        const struct moving_load *load = &moving->loads[i];
        moving->model->loads[load->load].amplitude = load->value + load->slope * p;
    }
    moving->is_set = true;
    return MASING_OK;
}

/* Damping ratios of the modes with the joints stuck make a damping matrix that moves with their
 * stiffness in the static state: it must be the same at all values. Where a law refuses a
 * value, or there is no static state, the curve says so when it gets there. */
static enum masing_status check_stuck_damping(struct moving *moving,
                                              const struct moving_specs *specs,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = moving->model;
    const char *changing = NULL;
    size_t n_axes = (size_t)model->n_axes, n = n_axes * n_axes;
    double *first = memory_array(2 * n + 2 * n_axes, sizeof *first);
    TRY_ALLOCATED(first);
    double *other = first + n, *displacement = other + n;
    for (int k = 0; k < 3 && !changing; k++) {
        bool is_good = moving_set(moving, specs->p[k]) == MASING_OK &&
                       seal_find_static_state(model, displacement, displacement + n_axes, NULL,
                                              NULL) == MASING_OK;
        if (!is_good && k == 0) {
            break;
        }
        joint_stiffness_matrix(&model->spec, displacement, true, model->n_axes,
                               k == 0 ? first : other);
        for (size_t i = 0; k > 0 && i < n && is_good && !changing; i++) {
            int j = 0;
            while (model->joints[j].first_axis + model->joints[j].n_axes <= (int)(i / n_axes)) {
                j++;
            }
            changing = fabs(other[i] - first[i]) <= STRAIGHT * fabs(first[i])
                           ? NULL
                           : model->joints[j].name;
        }
    }
    moving_set(moving, specs->p[0]);
    if (changing) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "the stuck stiffness of joint '%s' depends on it, and with "
                             "that the structure's damping (modes: stuck)",
                             changing));
    }
done:
    moving->is_set = false;
    free(first);
    return status;
}

enum masing_status moving_find_design(const struct moving_specs *specs, bool *is_design,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *first = specs->at[0];
    struct moving moving = {.n_numbers = 0};
    *is_design = false;
    for (int k = 1; k < 3 && !*is_design; k++) {
        *is_design = !same_structure(&first->structure, &specs->at[k]->structure) ||
                     !same_joints(first, specs->at[k]);
    }
    if (!*is_design) {
        enum masing_status added = add_joints(&moving, specs, NULL);
        TRY_ALLOCATED(added != MASING_NO_MEMORY);
        *is_design = added != MASING_OK || moving.n_numbers > 0;
    }
done:
    arena_clear(&moving.arena);
    return status;
}

enum masing_status moving_create(struct masing_model *model, const struct moving_specs *specs,
                                 struct moving **result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = specs->at[0];
    struct moving *moving = memory_array(1, sizeof *moving);
    TRY_ALLOCATED(moving);
    moving->model = model;
    TRY(check_rest(specs, error));
    struct arena *arena = &moving->arena;
    moving->given = arena_array(arena, (size_t)spec->n_joints, sizeof *moving->given);
    moving->tangent = arena_array(arena, (size_t)spec->n_joints, sizeof *moving->tangent);
    moving->loads = arena_array(arena, (size_t)spec->n_loads, sizeof *moving->loads);
    TRY_ALLOCATED(!arena->has_failed);
    TRY(add_joints(moving, specs, error));
    TRY(add_loads(moving, specs, error));
    if (moving->n_numbers + moving->n_loads == 0) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "no joint and no load depends on it, which is all that can vary "
                             "along a curve"));
    }
    for (int i = 0; i < moving->n_numbers; i++) {
        int j = moving->numbers[i].joint;
        size_t size = spec->joints[j].law->parameters_size;
        if (!moving->given[j]) {
            moving->given[j] = arena_allocate(arena, size);
            moving->tangent[j] = arena_allocate(arena, size);
            TRY_ALLOCATED(!arena->has_failed);
            memcpy(moving->given[j], spec->joints[j].parameters, size);
        }
    }
    const struct masing_damping_spec *damping = &model->spec.structure.form;
    if (damping->kind == MASING_DAMPING_MODAL && damping->modes_are_stuck) {
        TRY(check_stuck_damping(moving, specs, error));
    }
    *result = moving;
    moving = NULL;
done:
    moving_destroy(moving);
    return status;
}
