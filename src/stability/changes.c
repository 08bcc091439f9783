/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/changes.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"

/* What slips for less than this angle, rad, is at the corner between stick and slip: there the
 * map has two one-sided derivatives. */
static const double SHORT_SLIP = 1e-2;

/* A constant spring and dashpot: their values. */
static bool is_linear(const struct joint *joint, struct masing_rate *force)
{
    const struct masing_law *law = joint->law;
    const struct masing_branch_point at = {0};
    bool is = law->is_piecewise_linear && !law->phases && !law->corners &&
              law->family == &masing_family_memoryless;
    if (is) {
        law->force(joint->parameters, 1, &at, force);
    }
    return is;
}

static bool is_of_kind(const struct joint_response *response)
{
    const struct joint *joint = response->joint;
    struct masing_rate force;
    return contact_changes_are_known(joint) ||
           (joint->n_axes == 1 && joint->law->is_piecewise_linear &&
            (response->method == JOINT_PHASES || is_linear(joint, &force)));
}

enum masing_status changes_create(const struct balance *balance, struct arena *arena,
                                  struct changes **changes, struct masing_error *error)
{
    const struct basis *basis = balance->basis;
    int n_kept = basis_count_first(basis);
    bool is = n_kept > 0;
    for (int j = 0; j < balance->n_joints && is; j++) {
        is = is_of_kind(balance->joints[j]);
    }
    if (!is) {
        return MASING_OK;
    }
    struct changes *made = arena_array(arena, 1, sizeof *made);
    NEED_ALLOCATED(made);
    *changes = made;
    made->balance = balance;
    made->n_kept = n_kept;
    made->max_phases = 10 * basis->highest + 32; /* paths turn 2 highest times */
    made->max = made->max_phases * balance->n_joints;
    made->damping = arena_doubles(arena, (size_t)balance->n_axes);
    made->coefficients = arena_doubles(arena, (size_t)basis->n_coefficients);
    made->phase = arena_array(arena, (size_t)made->max_phases, sizeof *made->phase);
    made->angles = arena_doubles(arena, (size_t)made->max_phases);
    made->list = arena_array(arena, (size_t)made->max, sizeof *made->list);
    made->constant = arena_array(arena, (size_t)balance->n_joints, sizeof *made->constant);
    NEED_ALLOCATED(!arena->has_failed);
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        struct masing_rate force;
        if (is_linear(joint, &force)) {
            made->damping[joint->first_axis] = force.v;
            made->has_dashpots = made->has_dashpots || force.v != 0.0;
        }
    }
    for (int i = 0; i < 3; i++) {
        NEED(trigonometric_path_create(basis->harmonics, basis->n_harmonics, &made->path[i],
                                       error));
    }
    return MASING_OK;
}

void changes_destroy(struct changes *changes)
{
    for (int i = 0; changes && i < 3; i++) {
        trigonometric_path_destroy(changes->path[i]);
    }
}

void changes_set_path(const struct changes *changes, enum change_motion motion,
                      struct trigonometric_path *path, int n, const double *weight,
                      const double *const *x)
{
    int n_all = changes->balance->n_coefficients;
    for (int c = 0; c < n_all; c++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += weight[i] * x[i][c];
        }
        bool is_left_out = motion == CHANGES_OF_FIRST_HARMONICS && c >= changes->n_kept;
        changes->coefficients[c] = is_left_out ? 0.0 : sum;
    }
    trigonometric_path_set(path, changes->coefficients, path->smooth.origin);
}

enum masing_status changes_add(struct changes *changes, const struct change *change)
{
    if (changes->n == changes->max) {
        return MASING_UNSUPPORTED;
    }
    changes->list[changes->n] = *change;
    changes->list[changes->n++].angle = fmod(change->angle, TWO_PI);
    return MASING_OK;
}

bool changes_slip_is_short(double length)
{
    return length < SHORT_SLIP;
}

static bool is_short(const struct masing_phase *phase)
{
    return phase->is_slip && changes_slip_is_short(phase->end - phase->start);
}

/* Takes short slips out of n phases, and what follows them; the number that is left, 1 where
 * the slider then rests all the time. */
static int leave_out_short(struct masing_phase *phase, int n)
{
    int n_left = 0;
    bool after = is_short(&phase[n - 1]);
    for (int p = 0; p < n; p++) {
        bool is = is_short(&phase[p]);
        phase[n_left] = phase[p];
        n_left += !is && !after;
        after = is;
    }
    return n_left > 0 ? n_left : 1;
}

/* A law of one axis that tells its phases: where a level belongs to a turning point it is there
 * that the slider came to rest. */
static enum masing_status add_phases(struct changes *changes, int j, enum change_motion motion)
{
    const struct joint_response *response = changes->balance->joints[j];
    const struct joint *joint = response->joint;
    struct trigonometric_path *path = response->path;
    if (motion == CHANGES_OF_FIRST_HARMONICS) {
        static const double one[] = {1.0};
        const double *const x[] = {response->x};
        changes->path[0]->smooth.origin = path->smooth.origin;
        changes_set_path(changes, motion, changes->path[0], 1, one, x);
        path = changes->path[0];
    }
    int n = joint->law->phases(joint->parameters, NULL, &path->smooth, changes->phase,
                               changes->max_phases);
    NEED(n < 1 ? MASING_UNSUPPORTED : MASING_OK);
    for (int p = 0; p < n; p++) {
        changes->has_short_slips = changes->has_short_slips || is_short(&changes->phase[p]);
    }
    n = motion == CHANGES_WITHOUT_SHORT_SLIPS ? leave_out_short(changes->phase, n) : n;
    if (n == 1) { /* a slider that rests all the time is where it is */
        changes->constant[j].k[0][0] = changes->phase[0].tangent;
        return MASING_OK;
    }
    for (int p = 0; p < n; p++) {
        const struct masing_phase *phase = &changes->phase[p];
        struct change change = {.angle = phase->start, .joint = j};
        change.force.k[0][0] = phase->tangent;
        change.comes_to_rest = phase->extremum >= 0 && phase->tangent != 0.0;
        change.force.l[0] = change.comes_to_rest ? phase->tangent : 0.0;
        change.rest[0] = 1.0;
        NEED(changes_add(changes, &change));
    }
    return MASING_OK;
}

enum masing_status changes_find(struct changes *changes, enum change_motion motion)
{
    changes->n = 0;
    changes->has_short_slips = false;
    for (int j = 0; j < changes->balance->n_joints; j++) {
        const struct joint_response *response = changes->balance->joints[j];
        struct masing_rate force;
        changes->constant[j] = (struct change_force){0};
        if (response->smoothing > 0.0) {
            return MASING_UNSUPPORTED;
        }
        if (is_linear(response->joint, &force)) {
            changes->constant[j].k[0][0] = force.x;
        } else if (response->joint->law->contact) {
            NEED(contact_changes_add(changes, j, motion));
        } else {
            NEED(add_phases(changes, j, motion));
        }
    }
    for (int i = 1; i < changes->n; i++) {
        struct change change = changes->list[i];
        int k = i;
        for (; k > 0 && changes->list[k - 1].angle > change.angle; k--) {
            changes->list[k] = changes->list[k - 1];
        }
        changes->list[k] = change;
    }
    return MASING_OK;
}
