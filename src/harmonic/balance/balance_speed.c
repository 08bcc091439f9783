/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/balance/balance_speed.h"

#include <string.h>

#include "base/check.h"

struct speed_joint {
    struct joint joint; /* with parameters of its own, beside those of the model: */
    const void *source;
    void *taken;      /* copy of the source that the parameters were made from */
    void *parameters; /* at the frequency */
    void *tangent;    /* by Omega */
    void *turned;     /* see balance_speed_turn */
};

struct balance_speed {
    struct speed_joint **joints; /* [n_joints] or NULL each */
    double omega;
    bool is_set;
};

static enum masing_status add_joint(struct balance *balance, int j, struct masing_error *error)
{
    struct arena *arena = &balance->arena;
    const struct joint *joint = &balance->model->joints[j];
    size_t size = joint->law->parameters_size;
    struct speed_joint *own = arena_allocate(arena, sizeof *own);
    NEED_ALLOCATED(own);
    own->joint = *joint;
    own->source = joint->parameters;
    own->taken = arena_allocate(arena, size);
    own->parameters = arena_allocate(arena, size);
    own->tangent = arena_allocate(arena, size);
    own->turned = arena_allocate(arena, size);
    NEED_ALLOCATED(!arena->has_failed);
    memcpy(own->parameters, own->source, size);
    own->joint.parameters = own->parameters;
    balance->speed->joints[j] = own;
    return MASING_OK;
}

enum masing_status balance_speed_create(struct balance *balance, struct masing_error *error)
{
    const struct masing_model *model = balance->model;
    size_t n = (size_t)model->spec.n_joints;
    if (!model->is_speed_dependent) {
        return MASING_OK;
    }
    balance->speed = arena_allocate(&balance->arena, sizeof *balance->speed);
    NEED_ALLOCATED(balance->speed);
    balance->speed->joints = arena_array(&balance->arena, n, sizeof *balance->speed->joints);
    NEED_ALLOCATED(balance->speed->joints);
    for (int j = 0; j < model->spec.n_joints; j++) {
        NEED(joint_spec_has_speed(model->joints[j].spec) ? add_joint(balance, j, error)
                                                         : MASING_OK);
    }
    return MASING_OK;
}

static struct speed_joint *find(const struct balance *balance, int j)
{
    return balance->speed ? balance->speed->joints[j] : NULL;
}

const struct joint *balance_speed_joint(const struct balance *balance, int j)
{
    const struct speed_joint *own = find(balance, j);
    return own ? &own->joint : &balance->model->joints[j];
}

static enum masing_status set_joint(struct speed_joint *own, double omega)
{
    const struct masing_law *law = own->joint.law;
    double square = omega * omega, slope = 2.0 * omega;
    memcpy(own->taken, own->source, law->parameters_size);
    memcpy(own->parameters, own->source, law->parameters_size);
    memcpy((char *)own->parameters + law->speed_offset, &square, sizeof square);
    if (masing_law_check(law, own->parameters, NULL) != MASING_OK) {
        return MASING_NOT_FINITE;
    }
    memset(own->tangent, 0, law->parameters_size);
    memcpy((char *)own->tangent + law->speed_offset, &slope, sizeof slope);
    law->derive(own->parameters, own->tangent);
    return MASING_OK;
}

enum masing_status balance_speed_set(struct balance *balance, double omega)
{
    struct balance_speed *speed = balance->speed;
    enum masing_status status = MASING_OK;
    for (int j = 0; speed && j < balance->model->spec.n_joints && !status; j++) {
        struct speed_joint *own = speed->joints[j];
        bool is_there = own && speed->is_set && speed->omega == omega &&
                        memcmp(own->taken, own->source, own->joint.law->parameters_size) == 0;
        status = own && !is_there ? set_joint(own, omega) : MASING_OK;
    }
    if (speed) {
        speed->omega = omega;
        speed->is_set = status == MASING_OK;
    }
    return status;
}

const void *balance_speed_tangent(const struct balance *balance, int j)
{
    const struct speed_joint *own = find(balance, j);
    return own ? own->tangent : NULL;
}

const void *balance_speed_turn(const struct balance *balance, int j, const void *tangent)
{
    const struct speed_joint *own = find(balance, j);
    if (!own) {
        return tangent;
    }
    memcpy(own->turned, tangent, own->joint.law->parameters_size);
    own->joint.law->derive(own->parameters, own->turned);
    return own->turned;
}
