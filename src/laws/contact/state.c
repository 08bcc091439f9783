/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/state.h"

#include <string.h>

int contact_count(const struct masing_law *law, const void *parameters)
{
    return law->n_elements ? law->n_elements(parameters) : 1;
}

void element_restore(const struct element_state *state, double smoothing,
                     const struct masing_contact_element *element, bool has_velocity,
                     struct contact_sample *sample)
{
    *sample = (struct contact_sample){.u = state->u};
    memcpy(sample->v, state->v, sizeof state->v);
    memcpy(sample->velocity, state->velocity, sizeof state->velocity);
    memcpy(sample->slider, state->slider, sizeof state->slider);
    contact_local_set(element, smoothing, sample->u, has_velocity ? sample->velocity : NULL,
                      &sample->local);
}

void element_keep(const struct contact_sample *sample, struct element_state *state)
{
    state->u = sample->u;
    memcpy(state->v, sample->v, sizeof state->v);
    memcpy(state->velocity, sample->velocity, sizeof state->velocity);
    memcpy(state->slider, sample->slider, sizeof state->slider);
}
