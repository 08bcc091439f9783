/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the sliders of a balance stand, put aside while it is asked about other states. */
#ifndef MASING_ANALYSES_RESPONSE_KEPT_SLIDERS_H
#define MASING_ANALYSES_RESPONSE_KEPT_SLIDERS_H

#include "harmonic/balance/balance.h"

struct kept_sliders {
    struct balance *balance; /* lent; NULL: nothing is kept */
    double *origin;          /* [n_axes] */
    double *states;          /* of all joints, one after the other */
    bool *is_carried;        /* [n_joints] */
};

enum masing_status kept_sliders_save(struct balance *balance, struct kept_sliders *kept,
                                     struct masing_error *error);
/* Put them back; and free what is kept. */
void kept_sliders_restore(struct kept_sliders *kept);

#endif
