/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

enum masing_status saved_points_add(struct saved_points *points, const struct balance *balance,
                                    const double *y, double omega, struct masing_error *error)
{
    points->n_unknowns = (size_t)balance->n_unknowns;
    points->n_axes = (size_t)balance->n_axes;
    double **arrays[] = {&points->omega, &points->y, &points->origin};
    const size_t widths[] = {1, points->n_unknowns, points->n_axes};
    size_t capacity = points->capacity;
    for (int i = 0; i < 3; i++) {
        capacity = points->capacity; /* of all three */
        NEED_ALLOCATED(memory_grow((void **)arrays[i], points->n + 1, &capacity,
                                   widths[i] * sizeof(double)));
    }
    points->capacity = capacity;
    points->omega[points->n] = omega;
    memcpy(points->y + points->n * points->n_unknowns, y, points->n_unknowns * sizeof(double));
    memcpy(points->origin + points->n * points->n_axes, balance->origin,
           points->n_axes * sizeof(double));
    points->n++;
    return MASING_OK;
}

void saved_points_thin(struct saved_points *points, size_t n)
{
    if (n >= points->n || n == 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        size_t from = n > 1 ? (i * (points->n - 1) + (n - 1) / 2) / (n - 1) : points->n / 2;
        points->omega[i] = points->omega[from];
        memmove(points->y + i * points->n_unknowns, points->y + from * points->n_unknowns,
                points->n_unknowns * sizeof(double));
        memmove(points->origin + i * points->n_axes, points->origin + from * points->n_axes,
                points->n_axes * sizeof(double));
    }
    points->n = n;
}

const double *saved_points_restore(const struct saved_points *points, size_t index,
                                   struct balance *balance)
{
    memcpy(balance->origin, points->origin + index * points->n_axes,
           points->n_axes * sizeof(double));
    balance->has_last = false;
    return points->y + index * points->n_unknowns;
}

void saved_points_clear(struct saved_points *points)
{
    free(points->omega);
    free(points->y);
    free(points->origin);
    memset(points, 0, sizeof *points);
}

void saved_points_pack(struct saved_points *points, struct packing *packing)
{
    PACK(packing, points->n_unknowns);
    PACK(packing, points->n_axes);
    size_t width = 1 + points->n_unknowns + points->n_axes;
    int n = packing_count(packing, (int)points->n, width * sizeof(double));
    if (packing->is_taking) {
        free(points->omega);
        free(points->y);
        free(points->origin);
        points->omega = points->y = points->origin = NULL;
        points->n = points->capacity = (size_t)n;
    }
    if (n > 0) {
        packing_array(packing, (void **)&points->omega, n, sizeof(double));
        packing_array(packing, (void **)&points->y, n, points->n_unknowns * sizeof(double));
        packing_array(packing, (void **)&points->origin, n, points->n_axes * sizeof(double));
    }
}

enum masing_status saved_sliders_save(struct balance *balance, struct saved_sliders *saved,
                                      struct masing_error *error)
{
    size_t n_axes = (size_t)balance->n_axes, size = n_axes;
    for (int j = 0; j < balance->n_joints; j++) {
        size += balance->joints[j]->n_state;
    }
    saved->values = memory_array(size, sizeof(double));
    saved->is_carried = memory_array((size_t)balance->n_joints, sizeof(bool));
    NEED_ALLOCATED(saved->values && saved->is_carried);
    memcpy(saved->values, balance->origin, sizeof(double) * n_axes);
    double *states = saved->values + n_axes;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *joint = balance->joints[j];
        saved->is_carried[j] = joint->is_carried;
        if (joint->n_state > 0) {
            memcpy(states, joint->state, sizeof(double) * joint->n_state);
        }
        states += joint->n_state;
    }
    saved->balance = balance;
    return MASING_OK;
}

void saved_sliders_restore(struct saved_sliders *saved)
{
    struct balance *balance = saved->balance;
    if (balance) {
        const double *states = saved->values + balance->n_axes;
        memcpy(balance->origin, saved->values, sizeof(double) * (size_t)balance->n_axes);
        balance->has_last = false;
        for (int j = 0; j < balance->n_joints; j++) {
            struct joint_response *joint = balance->joints[j];
            joint->is_carried = saved->is_carried[j];
            if (joint->n_state > 0) {
                memcpy(joint->state, states, sizeof(double) * joint->n_state);
            }
            states += joint->n_state;
        }
    }
    free(saved->values);
    free(saved->is_carried);
    *saved = (struct saved_sliders){0};
}
