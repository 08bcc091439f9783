/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an element remembers: where its slider is, and the displacement and velocity that it was
 * reached with. */
#ifndef MASING_LAWS_CONTACT_STATE_H
#define MASING_LAWS_CONTACT_STATE_H

#include <stddef.h>

#include "laws/contact/motion.h"

struct element_state {
    double slider[2];
    double u, v[2], velocity[2];
};

enum {
    ELEMENT_STATE_SIZE = sizeof(struct element_state) / sizeof(double),
    ELEMENT_STATE_SLIDER = offsetof(struct element_state, slider) / sizeof(double),
    ELEMENT_STATE_U = offsetof(struct element_state, u) / sizeof(double),
    ELEMENT_STATE_V = offsetof(struct element_state, v) / sizeof(double),
    ELEMENT_STATE_VELOCITY = offsetof(struct element_state, velocity) / sizeof(double)
};

/* Number of elements of a joint. */
int contact_count(const struct masing_law *law, const void *parameters);

void element_restore(const struct element_state *state, double smoothing,
                     const struct masing_contact_element *element, bool has_velocity,
                     struct contact_sample *sample);
void element_keep(const struct contact_sample *sample, struct element_state *state);

#endif
