/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/static_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

double static_contact_preload(const struct joint *joint)
{
    double sum = 0.0;
    for (int e = 0; joint->law->contact && e < joint->law->n_elements(joint->parameters); e++) {
        struct masing_contact_element element;
        joint->law->contact->element(joint->parameters, NULL, e, &element);
        sum += element.preload;
    }
    return sum;
}

/* Approach at zero displacement, m; NAN where the law has none. */
static double first_approach(const struct joint *joint)
{
    for (int i = 0; i < joint->law->n_constants; i++) {
        const struct masing_constant *constant = &joint->law->constants[i];
        if (strcmp(constant->name, "approach") == 0) {
            double value;
            memcpy(&value, (const char *)joint->parameters + constant->offset, sizeof value);
            return value;
        }
    }
    return NAN;
}

/* Forces and approach, by what the law calls its axes; of others the first is the normal one.
 */
static void put_forces(const struct joint *joint, struct masing_static_contact *contact)
{
    double across = 0.0;
    contact->normal_force = static_contact_preload(joint);
    contact->approach = contact->tangential_force = NAN;
    for (int a = 0; a < joint->n_axes; a++) {
        const char *name = masing_joint_spec_axis_name(joint->spec, a);
        bool is_tangential = strncmp(name, "tangential", 10) == 0;
        if (strcmp(name, "normal") == 0) {
            contact->approach = first_approach(joint) + joint->static_displacement[a];
        }
        if (is_tangential) {
            across = hypot(across, joint->static_force[a]);
            contact->tangential_force = across;
        } else if (a == 0) {
            contact->normal_force += joint->static_force[a];
        }
    }
}

/* The way to the static state as the static equations have it: straight from zero, or from
 * where it is, sliders following (`start: static`). */
static enum masing_status put_status(const struct joint *joint, bool sliders_follow,
                                     double *room, struct masing_static_contact *contact)
{
    static const double still[MASING_MAX_AXES];
    double f[MASING_MAX_AXES];
    const double *at = joint->static_displacement;
    size_t n_state = masing_law_state_size(joint->law, joint->parameters);
    const struct masing_path path = {
        .n_samples = 1, .n_axes = joint->n_axes, .x = at, .v = still};
    struct masing_forces forces = {.f = f, .slip_share = NAN, .open_share = NAN};
    masing_law_rest(joint->law, joint->parameters, sliders_follow ? at : still, room);
    NEED(masing_law_march(joint->law, joint->parameters, &path, room, &forces, NULL,
                          room + n_state));
    contact->status = forces.open_share >= 1.0  ? MASING_CONTACT_OPEN
                      : forces.slip_share > 0.0 ? MASING_CONTACT_SLIPS
                                                : MASING_CONTACT_STICKS;
    return MASING_OK;
}

static size_t room_of(const struct joint *joint)
{
    return masing_law_state_size(joint->law, joint->parameters) +
           joint->law->family->workspace_size(joint->law, 1, 0, 0);
}

enum masing_status static_contacts_fill(const struct masing_model *model,
                                        struct masing_static_contact *contacts,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t most = 0;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        size_t own = masing_law_can_open(joint->law) ? room_of(joint) : 0;
        most = own > most ? own : most;
    }
    double *room = memory_array(most, sizeof *room);
    TRY_ALLOCATED(room);
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        contacts[j] = (struct masing_static_contact){MASING_CONTACT_NONE, NAN, NAN, NAN};
        if (masing_law_can_open(joint->law)) {
            put_forces(joint, &contacts[j]);
            TRY(put_status(joint, model->spec.start == MASING_START_STATIC, room,
                           &contacts[j]));
        }
    }
done:
    free(room);
    return status;
}
