/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One contact element along a sampled path: where its slider goes, and the forces.
 *
 * The path of an element has three axes at most: the normal and one or two tangential ones,
 * each an axis of arrays [n_samples][n_axes]; between samples it is straight.
 */
#ifndef MASING_LAWS_CONTACT_MOTION_H
#define MASING_LAWS_CONTACT_MOTION_H

#include <stddef.h>

#include "laws/contact/element.h"

/*
 * What the slider of a closed contact does while the body moves on straight by dv and the
 * reach changes linearly from d0 to d1. With r = v - v_s, the elastic displacement:
 *   |r| <= d at all times, and v_s moves along r only, as little as needed.
 */

/* The slider counts as slipping where it is inside the limit by less than this part of it:
 * rounding of a step that ended at the limit. */
static const double CONTACT_AT_LIMIT = 1e-12;

/* Elastic displacement at the end and its derivatives:
 * dr = by_start dr0 + by_travel d(dv) + by_reach_start dd0 + by_reach dd1. */
struct contact_slip {
    bool is_slip; /* it slips at the end */
    double r[2];
    double by_start[2][2], by_travel[2][2];
    double by_reach_start[2], by_reach[2];
};

/* n: 1 or 2 tangential directions; with one, the second components are zero. |r0| <= d0 but for
 * rounding; d0 >= 0, d1 > 0. Derivatives only where asked for, and only where it slips. */
void contact_slip(int n, const double r0[2], const double dv[2], double d0, double d1,
                  bool with_derivatives, struct contact_slip *slip);

/* A contact that closed on the way, at which moment r = 0 and the reach was 0: dv from there.
 */
void contact_slip_closing(const double dv[2], double d1, struct contact_slip *slip);

struct contact_path {
    int n_samples, n_axes;
    int normal; /* axis, -1: held at zero */
    int n_tangential, tangential[2];
    const double *x; /* [n_samples][n_axes] */
    const double *v; /* likewise, or NULL */
    double smoothing;
};

enum contact_kind { CONTACT_STICK, CONTACT_SLIP, CONTACT_OPEN, CONTACT_CLOSING };

/* A sample and how the slider came there from the one before. */
struct contact_sample {
    struct contact_local local;
    double u, v[2], velocity[2];
    double slider[2];
    enum contact_kind kind;
    double closing_part; /* part of the step at which it closed */
    bool is_slip;        /* it slips when it arrives */
    struct contact_slip slip;
};

/*
 * Where a slider comes to rest that a periodic motion pushes about but does not drag along for
 * ever: the place closest to its origin from which the body is never out of reach,
 *   min |z - origin|  such that  |z - v_i| <= d_i  at every sample.
 * It does not depend on where the period is taken to begin. Where there is no such place the
 * contact slips in every period.
 */
struct contact_stuck {
    double z[2];
    int n_active; /* samples that pushed it there, 0 to 2 */
    int active[2];
};

/* The steady state of a periodic path. */
struct contact_cycle {
    struct contact_stuck stuck;
    bool is_stuck; /* the slider rests */
    int known;     /* else: a sample at which its place follows from that sample alone, or
                      -1: the place at sample 0 solves an equation with this transport: */
    double transport[2][2];
};

/* Displacements, velocities and what follows from them alone. */
void contact_sample_set(const struct masing_contact_element *element,
                        const struct contact_path *path, int index,
                        struct contact_sample *sample);

/* The slider from one sample to the next. */
void contact_move(int n_tangential, const struct contact_sample *from, bool with_derivatives,
                  struct contact_sample *to);

/* How far it slid over the surface on that way, m; what it moved with an open contact is none.
 */
double contact_slid(const struct contact_sample *from, const struct contact_sample *to);

/*
 * The steady state, samples being set. guess [2]: a place of the slider at sample 0, or NAN.
 * scratch [3 n_samples]. MASING_NOT_CONVERGED if none was found.
 */
enum masing_status contact_cycle_find(const struct contact_path *path, const double origin[2],
                                      const double guess[2], struct contact_sample *samples,
                                      double *scratch, struct contact_cycle *cycle);

/*
 * dz = sum over the active samples k of by_v[k] dv_k + by_reach[k] dd_k, and by_origin do.
 */
void contact_stuck_differentiate(int n_axes, const struct contact_sample *samples,
                                 const double origin[2], const struct contact_stuck *stuck,
                                 double by_v[2][2][2], double by_reach[2][2],
                                 double by_origin[2][2]);

/* x = (1 - t)^-1 f: what a period carries into itself. */
void contact_close_period(const double t[2][2], const double f[2], double x[2]);

/* f [n_samples][n_axes] is added to. */
void contact_forces_add(const struct masing_contact_element *element,
                        const struct contact_path *path, const struct contact_sample *samples,
                        double *f);

/* Largest share of the limit, were the slider to stay at the origin, less 1; see masing_forces.
 */
double contact_slip_margin(const struct contact_path *path, const double origin[2],
                           const struct contact_sample *samples);

/* What an element remembers: where its slider is, and the displacement and velocity that it was
 * reached with. */
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
