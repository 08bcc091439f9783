/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The equilibrium is where a convex function is smallest, the elastic energy less the work of
 * the loads: Newton's method with a line search on its slope arrives wherever there is one.
 */
#include "laws/contact/patch_preload.h"

#include <math.h>
#include <string.h>

#include "laws/contact/element.h"
#include "linalg/lu.h"

enum { MAX_ITERATIONS = 200, MAX_HALVINGS = 60 };
/* Residual relative to the loads that ends the iteration, and one that suffices where further
 * iterations bring no progress. */
static const double PRECISE = 1e-14, STAGNANT = 1e-10;
/* Stiffness added to the tangent, of the largest: it restrains what no closed element does. */
static const double REGULARIZATION = 1e-12;

/* How an element's approach follows from the pose: 1, z, -y. */
static void arms_of(const struct masing_contact_element *element, double arms[3])
{
    arms[0] = 1.0;
    arms[1] = element->z;
    arms[2] = -element->y;
}

static double approach_of(const struct masing_contact_element *element,
                          const struct patch_pose *pose)
{
    double arms[3];
    arms_of(element, arms);
    return arms[0] * pose->q[0] + arms[1] * pose->q[1] + arms[2] * pose->q[2];
}

struct balance_of_patch {
    double residual[3], stiffness[9];
    double gross[3]; /* sizes of what the residuals are sums of */
};

static void local_at(const struct masing_contact_element *element, double approach,
                     struct contact_local *local)
{
    struct masing_contact_element here = *element;
    here.position = approach;
    contact_local_set(&here, 0.0, 0.0, NULL, local);
}

static void evaluate(int n, const struct patch_load *load,
                     const struct masing_contact_element *elements,
                     const struct patch_pose *pose, struct balance_of_patch *at)
{
    const double loads[3] = {load->force, load->moment_y, load->moment_z};
    memset(at, 0, sizeof *at);
    for (int a = 0; a < 3; a++) {
        at->residual[a] = -loads[a];
        at->gross[a] = fabs(loads[a]);
    }
    for (int i = 0; i < n; i++) {
        struct contact_local local;
        double arms[3];
        arms_of(&elements[i], arms);
        local_at(&elements[i], approach_of(&elements[i], pose), &local);
        for (int a = 0; a < 3; a++) {
            at->residual[a] += arms[a] * local.force;
            at->gross[a] += fabs(arms[a] * local.force);
            for (int b = 0; b < 3; b++) {
                at->stiffness[a + 3 * b] += arms[a] * arms[b] * local.force_c;
            }
        }
    }
}

/* Lengths that bring force and moments on one scale: 1 and the largest arms (1 where all
 * elements lie on a line). */
static void scales_of(int n, const struct masing_contact_element *elements, double scales[3])
{
    scales[0] = 1.0;
    scales[1] = scales[2] = 0.0;
    for (int i = 0; i < n; i++) {
        scales[1] = fmax(scales[1], fabs(elements[i].z));
        scales[2] = fmax(scales[2], fabs(elements[i].y));
    }
    for (int a = 1; a < 3; a++) {
        scales[a] = scales[a] > 0.0 ? scales[a] : 1.0;
    }
}

static double error_of(const struct balance_of_patch *at)
{
    double error = 0.0;
    for (int a = 0; a < 3; a++) {
        error = fmax(error, at->gross[a] > 0.0 ? fabs(at->residual[a]) / at->gross[a] : 0.0);
    }
    return error;
}

/* Newton's direction; a little stiffness of its own holds what nothing else does. */
static bool direction_of(const struct balance_of_patch *at, const double scales[3],
                         double stiffest, double step[3])
{
    double matrix[9];
    int pivots[3];
    memcpy(matrix, at->stiffness, sizeof matrix);
    for (int a = 0; a < 3; a++) {
        matrix[4 * a] += REGULARIZATION * stiffest * scales[a] * scales[a];
        step[a] = -at->residual[a];
    }
    if (lu_factor(3, matrix, pivots) != MASING_OK) {
        return false;
    }
    lu_solve(3, matrix, pivots, step, 1);
    return isfinite(step[0] + step[1] + step[2]);
}

static double slope_along(const struct balance_of_patch *at, const double step[3])
{
    return at->residual[0] * step[0] + at->residual[1] * step[1] + at->residual[2] * step[2];
}

/* The energy falls along the direction; go as far as it does not rise much at the end. */
static void go(int n, const struct patch_load *load,
               const struct masing_contact_element *elements, const double step[3],
               struct patch_pose *pose, struct balance_of_patch *at)
{
    double start = slope_along(at, step), part = 1.0;
    struct patch_pose trial;
    for (int i = 0; i < MAX_HALVINGS; i++, part *= 0.5) {
        for (int a = 0; a < 3; a++) {
            trial.q[a] = pose->q[a] + part * step[a];
        }
        evaluate(n, load, elements, &trial, at);
        if (slope_along(at, step) <= 0.5 * fabs(start)) {
            break;
        }
    }
    *pose = trial;
}

/* All elements pressed alike is where to start, or, without a force, touching. */
static struct patch_pose start_of(int n, const struct patch_load *load,
                                  const struct masing_contact_element *elements)
{
    double slopes[3];
    double all = contact_position(load->force / n, elements[0].normal_stiffness,
                                  elements[0].roughness, slopes);
    return (struct patch_pose){{all, 0.0, 0.0}};
}

bool patch_preload_find(int n, const struct patch_load *load,
                        struct masing_contact_element *elements, struct patch_pose *pose)
{
    struct balance_of_patch at;
    double scales[3], stiffest = n * elements[0].normal_stiffness;
    scales_of(n, elements, scales);
    *pose = start_of(n, load, elements);
    evaluate(n, load, elements, pose, &at);
    double error = error_of(&at), before = INFINITY;
    for (int i = 0; i < MAX_ITERATIONS && error > PRECISE; i++) {
        double step[3];
        if (!direction_of(&at, scales, stiffest, step) ||
            (error <= STAGNANT && error >= 0.5 * before)) {
            break;
        }
        go(n, load, elements, step, pose, &at);
        before = error;
        error = error_of(&at);
    }
    for (int i = 0; i < n; i++) {
        struct contact_local local;
        elements[i].position = approach_of(&elements[i], pose);
        local_at(&elements[i], elements[i].position, &local);
        elements[i].preload = local.force;
    }
    return error <= STAGNANT;
}

/* stiffness dq = change of the loads - what the elements change at a fixed pose */
void patch_preload_differentiate(int n, const struct masing_contact_element *elements,
                                 const struct patch_pose *pose,
                                 const struct patch_load *load_change,
                                 struct masing_contact_element *changes)
{
    struct balance_of_patch at;
    const struct patch_load none = {0.0, 0.0, 0.0};
    double scales[3], dq[3];
    scales_of(n, elements, scales);
    evaluate(n, &none, elements, pose, &at);
    for (int a = 0; a < 3; a++) {
        at.residual[a] = -(const double[]){load_change->force, load_change->moment_y,
                                           load_change->moment_z}[a];
    }
    for (int i = 0; i < n; i++) {
        struct contact_local local;
        struct contact_change change;
        struct masing_contact_element by_itself = changes[i];
        double arms[3], arms_change[3] = {0.0, changes[i].z, -changes[i].y};
        arms_of(&elements[i], arms);
        contact_local_set(&elements[i], 0.0, 0.0, NULL, &local);
        by_itself.position = 0.0;
        contact_local_change(&elements[i], &by_itself, 0.0, 0.0, NULL, &change);
        changes[i].position = arms_change[1] * pose->q[1] + arms_change[2] * pose->q[2];
        changes[i].preload = change.force + local.force_c * changes[i].position;
        for (int a = 0; a < 3; a++) {
            at.residual[a] += arms[a] * changes[i].preload + arms_change[a] * local.force;
        }
    }
    if (!direction_of(&at, scales, n * elements[0].normal_stiffness, dq)) {
        memset(dq, 0, sizeof dq);
    }
    for (int i = 0; i < n; i++) {
        struct contact_local local;
        double arms[3];
        arms_of(&elements[i], arms);
        contact_local_set(&elements[i], 0.0, 0.0, NULL, &local);
        double moved = arms[0] * dq[0] + arms[1] * dq[1] + arms[2] * dq[2];
        changes[i].position += moved;
        changes[i].preload += local.force_c * moved;
    }
}
