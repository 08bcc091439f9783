/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/periodic/periodic.h"
#include "transient/rigid_body.h"
#include "transient/periodic/shooting.h"

/* The joints' motion over some periods, a sample after each step. */
struct followed {
    struct arena arena;
    int n_samples;
    double *x, *v;  /* [n_samples][n_axes] */
    double *states; /* [all state sizes] at the beginning */
};

static enum masing_status follow(struct integrator *integrator, int n_periods,
                                 struct followed *followed, struct masing_error *error)
{
    const struct joints *joints = integrator->joints;
    size_t n_axes = (size_t)joints->n_axes;
    int n = followed->n_samples = n_periods * integrator->n_steps;
    followed->x = arena_doubles(&followed->arena, (size_t)n * n_axes);
    followed->v = arena_doubles(&followed->arena, (size_t)n * n_axes);
    followed->states = arena_doubles(&followed->arena, joints_state_size(joints));
    NEED_ALLOCATED(!followed->arena.has_failed);
    NEED(integrator_joint_states(integrator, followed->states));
    for (size_t i = 0; i < (size_t)n; i++) {
        NEED(integrator_step(integrator));
        memcpy(followed->x + i * n_axes, joints->x, n_axes * sizeof(double));
        integrator_joint_velocities(integrator, followed->v + i * n_axes);
    }
    return MASING_OK;
}

/* Follows its motion from what it remembers: does any of it slip, or part? */
static enum masing_status find_stuck(const struct integrator *integrator,
                                     const struct followed *followed, int j, bool *is_stuck,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *joint = &integrator->joints->joint[j];
    const struct masing_family *family = joint->law->family;
    size_t n = (size_t)followed->n_samples, n_axes = (size_t)joint->n_axes, n_own = n * n_axes;
    struct arena arena = {0};
    double *x = arena_doubles(&arena, n_own), *v = arena_doubles(&arena, n_own);
    double *f = arena_doubles(&arena, n_own);
    double *workspace =
        arena_doubles(&arena, family->workspace_size(joint->law, followed->n_samples, 0, 0));
    struct masing_forces forces = {.f = f, .slip_share = NAN};
    TRY_ALLOCATED(!arena.has_failed);
    for (size_t i = 0; i < n; i++) {
        size_t from = i * (size_t)integrator->joints->n_axes + (size_t)joint->first_axis;
        memcpy(x + i * n_axes, followed->x + from, n_axes * sizeof(double));
        memcpy(v + i * n_axes, followed->v + from, n_axes * sizeof(double));
    }
    const struct masing_path path = {.n_samples = followed->n_samples,
                                     .n_axes = joint->n_axes,
                                     .time_step = integrator->period / integrator->n_steps,
                                     .x = x,
                                     .v = v};
    status = masing_law_march(joint->law, joint->parameters, &path,
                              followed->states + integrator->joints->state_start[j], &forces,
                              NULL, workspace);
    *is_stuck = status == MASING_OK && forces.slip_share == 0.0 && forces.open_share == 0.0;
    status = status > 0 ? MASING_OK : status;
done:
    arena_clear(&arena);
    return status;
}

static enum masing_status mark_stuck(struct integrator *integrator, int n_periods,
                                     enum masing_offset *offsets, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct followed followed = {0};
    TRY(follow(integrator, n_periods, &followed, error));
    for (int j = 0; j < integrator->joints->n_joints; j++) {
        const struct joint *joint = &integrator->joints->joint[j];
        bool is_stuck = false;
        if (masing_law_restraint(joint->law, joint->parameters) != MASING_RESTRAINT_NONE) {
            TRY(find_stuck(integrator, &followed, j, &is_stuck, error));
        }
        offsets[j] = is_stuck ? MASING_OFFSET_STUCK : MASING_OFFSET_DECIDED;
    }
done:
    arena_clear(&followed.arena);
    return status;
}

/* Only what nothing but joints holds can stand anywhere. */
static enum masing_status mark_neutral(struct integrator *integrator, int n_periods,
                                       enum masing_offset *offsets, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct rigid_body rigid;
    struct shooting *shooting = NULL;
    bool *is_neutral = NULL;
    struct masing_error unused = {0};
    const struct joints *joints = integrator->joints;
    TRY(rigid_body_create(integrator, &rigid, error));
    if (rigid.n_seen == 0) {
        goto done;
    }
    is_neutral = memory_array((size_t)joints->n_axes, sizeof(bool));
    TRY_ALLOCATED(is_neutral);
    status = shooting_create(integrator, n_periods, &shooting, &unused);
    if (status == MASING_UNSUPPORTED) {
        status = MASING_OK;
        goto done;
    }
    TRY(status);
    TRY(shooting_find_neutral(shooting, is_neutral));
    for (int j = 0; j < joints->n_joints; j++) {
        for (int a = 0; a < joints->joint[j].n_axes; a++) {
            if (offsets[j] == MASING_OFFSET_DECIDED &&
                is_neutral[joints->joint[j].first_axis + a]) {
                offsets[j] = MASING_OFFSET_NEUTRAL;
            }
        }
    }
done:
    rigid_body_clear(&rigid);
    shooting_destroy(shooting);
    free(is_neutral);
    return status;
}

enum masing_status offsets_find(struct integrator *integrator, int n_periods,
                                enum masing_offset *offsets, struct masing_error *error)
{
    if (integrator->joints->n_joints == 0) {
        return MASING_OK;
    }
    NEED(mark_stuck(integrator, n_periods, offsets, error));
    return mark_neutral(integrator, n_periods, offsets, error);
}
