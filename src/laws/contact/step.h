/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint of contact elements over one step of a time integration: step of the family and its
 * derivatives. */
#ifndef MASING_LAWS_CONTACT_STEP_H
#define MASING_LAWS_CONTACT_STEP_H

#include "masing/law.h"

enum masing_status contact_step(const struct masing_law *law, const void *parameters,
                                const double *x_old, const double *x, const double *v,
                                const double *state, double *next_state, double *f, double *fx,
                                double *fv);

enum masing_status contact_step_change(const struct masing_law *law, const void *parameters,
                                       const double *x, const double *v, const double *state,
                                       double *next_state,
                                       const struct masing_step_change *change);

void contact_state_moved(const struct masing_law *law, const void *parameters, int n,
                         const double *dx, const double *dv, double *dstate);

#endif
