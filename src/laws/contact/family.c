/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contact elements between two bodies: normal force with separation, friction in one or two
 * directions with a circular limit that follows the normal force (Voldrich 2009, section 2).
 */
#include "laws/contact/flow.h"
#include "laws/contact/frame.h"
#include "laws/contact/march.h"
#include "laws/contact/state.h"
#include "laws/contact/step.h"

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    return ELEMENT_STATE_SIZE * (size_t)contact_count(law, parameters);
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    struct contact_frame frame = contact_frame_of(law->contact->axes(parameters));
    struct element_state *states = (struct element_state *)(void *)state;
    for (int e = 0; e < contact_count(law, parameters); e++) {
        struct masing_contact_element element;
        double map[3][6], place[3] = {0.0, 0.0, 0.0};
        law->contact->element(parameters, NULL, e, &element);
        contact_frame_map(&frame, element.y, element.z, map);
        for (int i = 0; i < 3; i++) {
            for (int a = 0; a < frame.n_axes; a++) {
                place[i] += map[i][a] * origin[a];
            }
        }
        states[e] = (struct element_state){.u = place[0]};
        for (int a = 0; a < frame.n_tangential; a++) {
            states[e].slider[a] = states[e].v[a] = place[frame.direction[a]];
        }
    }
}

static size_t state_used(const struct masing_law *law, const void *parameters,
                         const double *state)
{
    (void)state;
    return state_size(law, parameters);
}

const struct masing_family masing_family_contact = {
    .name = "contact",
    .summary = "normal force with separation, friction within a circle that follows it",
    .settling_periods = -1,
    .state_size = state_size,
    .workspace_size = contact_workspace_size,
    .rest = rest,
    .march = contact_march,
    .step = contact_step,
    .step_change = contact_step_change,
    .state_used = state_used,
    .state_moved = contact_state_moved,
    .flow = &masing_flow_of_contact,
};
