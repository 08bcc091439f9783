/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contact element between two events, at which everything is smooth: it is open, sticks or
 * slips. What it sticks by is v - v_s, with v_s at rest. What it slips by is the reach d times
 * a direction e: one of two in one direction, which stays, and in the plane a vector that turns
 * towards the motion, e' = (v' - (v' . e) e)/d, see slip.h. The slider then moves by
 * v' . e - d' along e; slip ends where this falls to zero. As force and stiffness are
 * continuous there, so are accelerations, and either side agrees on which one comes next.
 */
#ifndef MASING_LAWS_CONTACT_STRETCH_H
#define MASING_LAWS_CONTACT_STRETCH_H

#include "laws/contact/element.h"
#include "laws/contact/state.h"

enum {
    STRETCH_GAP,
    STRETCH_LIMIT,
    STRETCH_CREST,
    STRETCH_TURN,
    STRETCH_NEAREST, /* where what it sticks by is nearest to the limit, which it may have been
                        beyond between two looks at it */
    STRETCH_GUARDS
};
enum stretch_kind { STRETCH_OPEN, STRETCH_STICK, STRETCH_SLIP };

struct element_stretch {
    struct masing_contact_element element;
    double map[3][6]; /* see frame.h */
    enum stretch_kind kind;
    enum contact_piece piece;
    bool has_friction, is_rate_dependent;
    double side;       /* slip in one direction: +-1 */
    double approach;   /* sticking near the limit: 1 towards it, -1 away from it */
    double heading[2]; /* of the motion when friction began to depend on it */
    /* reach, displacement and speed at the beginnings of stretches so far */
    double largest, farthest, fastest;
    double slack[STRETCH_GUARDS]; /* what guards that began at zero have more */
};

/* Where an element is, on its own axes. */
struct element_point {
    int n; /* tangential directions; 0 where there is no friction */
    double u, u_rate;
    double v[2], velocity[2], acceleration[2];
    double u_span, v_span; /* how far it may move, roughly; 0: not known */
};

/* Begin the first stretch, or the next after guards ended one; state is that of the point, and
 * e [2] receives the direction of slip in the plane. */
void element_stretch_begin(struct element_stretch *stretch, const struct element_point *point,
                           struct element_state *state, double *e);
void element_stretch_next(struct element_stretch *stretch, const struct element_point *point,
                          const int *ended, struct element_state *state, double *e);

/* Forces [1 + n] without the preload taken off, and the rate of e [2], which is NULL but in the
 * plane. */
void element_stretch_rate(const struct element_stretch *stretch,
                          const struct element_point *point, const struct element_state *state,
                          const double *e, double *forces, double *e_rate);

void element_stretch_guards(const struct element_stretch *stretch,
                            const struct element_point *point,
                            const struct element_state *state, const double *e,
                            double guards[STRETCH_GUARDS]);

void element_stretch_leave(const struct element_stretch *stretch,
                           const struct element_point *point, const double *e,
                           struct element_state *state);

#endif
