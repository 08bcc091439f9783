/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derivatives of one contact element's forces, many at a time. */
#ifndef MASING_LAWS_CONTACT_COLUMNS_H
#define MASING_LAWS_CONTACT_COLUMNS_H

#include "laws/contact/motion.h"

/* Directions of the path, or changes of the element's constants. */
enum { CONTACT_COLUMNS_VECTORS = 10 };

struct contact_columns {
    const struct masing_contact_element *element;
    int n;
    const double *dx;     /* [n_samples][n_axes][n], or NULL: the path is held */
    const double *dv;     /* likewise, where the path has velocities */
    const double *origin; /* [2][n], or NULL: it is held */
    const struct masing_contact_element *change; /* [n] or NULL: the constants are held */
    /* Open paths: [ELEMENT_STATE_SIZE][n] of the state before the first sample, receives that
     * of the last one; NULL: it is held, and its change is not returned. */
    double *state;
    double *df;      /* [n_samples][n_axes][n], added to */
    double *scratch; /* [CONTACT_COLUMNS_VECTORS][n] */
};

/* Of a steady state. origin [2] and the samples are those that it was found with. */
void contact_columns_of_cycle(const struct contact_path *path, const double origin[2],
                              const struct contact_sample *samples,
                              const struct contact_cycle *cycle,
                              const struct contact_columns *columns);

/* Of an open path that starts from a sample which nothing but columns->state changes. */
void contact_columns_of_open_path(const struct contact_path *path,
                                  const struct contact_sample *start,
                                  const struct contact_sample *samples,
                                  const struct contact_columns *columns);

#endif
