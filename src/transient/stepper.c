/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/stepper.h"

#include "transient/exact/exact_solver.h"
#include "transient/flow/flow_solver.h"
#include "transient/newmark/newmark.h"

static const struct stepper_type *const types[] = {
    [MASING_INTEGRATION_NEWMARK] = &newmark_stepper,
    [MASING_INTEGRATION_HHT] = &newmark_stepper,
    [MASING_INTEGRATION_ACCURATE] = &flow_stepper,
    [MASING_INTEGRATION_EXACT] = &exact_stepper,
};

const struct stepper_type *stepper_type(int method)
{
    return types[method];
}

enum masing_status stepper_create(const struct stepper_type *type,
                                  const struct stepper_parts *parts, struct stepper *stepper,
                                  struct masing_error *error)
{
    *stepper = (struct stepper){.type = type, .step = parts->step};
    return type->create(parts, stepper, error);
}

void stepper_destroy(struct stepper *stepper)
{
    if (stepper->type && stepper->type->destroy) {
        stepper->type->destroy(stepper->self);
    }
    *stepper = (struct stepper){0};
}
