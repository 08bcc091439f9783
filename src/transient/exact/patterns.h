/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The motion between events in a basis of its own for each pattern of the joints' tangents. A
 * basis is found when its pattern has lasted as long as that is worth, and kept. In it the
 * oscillators of pattern_basis.h go on freely, beside what the loads do to them in the long run
 * and where levels and constant loads hold them.
 */
#ifndef MASING_TRANSIENT_EXACT_PATTERNS_H
#define MASING_TRANSIENT_EXACT_PATTERNS_H

#include "transient/exact/series.h"
#include "transient/pattern/pattern_table.h"

/* Displacement, velocity and acceleration of a port, one after the other. */
enum { PATTERN_ORDERS = 3 };

/* A pattern; its key is [2 n_axes] stiffnesses and dampings of the lines. Rows are linear
 * functions of p, [2 n]. */
struct contact_pattern {
    struct pattern_entry *entry;       /* of the table */
    const struct pattern_basis *basis; /* its basis */
    long n_series;
    double *factors;             /* [4][n] over a whole step */
    double *rows;                /* [n_ports][PATTERN_ORDERS][2 n] */
    bool has_loads;              /* what follows is that of the loads as they are */
    bool is_resonant;            /* a load drives what is not damped */
    double *cosine, *sine;       /* [n_terms][2 n] p under the loads in the long run */
    double *part;                /* [n_ports][PATTERN_ORDERS][2 n_terms] of the ports by that */
    double *rest;                /* [1 + n_axes][2 n] under the constant ones, levels of 1 */
    bool *drifts;                /* [1 + n_axes] it does not come to rest under them */
    double *work_cos, *work_sin; /* [n_terms][2 n] antiderivatives of the loads' power */
    double *shares;              /* [n_terms][n_terms][4] of loads in the long run, J */
};

struct patterns {
    const struct stepper_parts *parts;    /* lent */
    const struct masing_flow_line *lines; /* [n_axes] lent */
    struct pattern_table table;
    double *key; /* [2 n_axes] of the lines */
    size_t n_modes, n_axes, n_ports, n_terms;
    long enough_series;           /* expanded for a pattern until its basis is worth its cost */
    struct contact_pattern *kept; /* [table.n_kept] */
    struct contact_pattern *present;          /* that of the lines, or NULL: to be looked up */
    bool is_in;                               /* the state is that of p */
    double time, time_before;                 /* s, of the state; before a step */
    double *p, *p_before;                     /* [2 n] the free part */
    double *seen, *seen_before;               /* [n_axes][PATTERN_ORDERS] of the axes */
    double *held, *held_ports;                /* [2 n], [n_ports] where constant forces hold */
    double *sizes;                            /* [n_axes][2] largest x and w so far */
    double *bends;                            /* [n_axes][2] most that x'''' and w'''' are */
    double *cosines, *sines;                  /* [n_terms] of the loads at the time */
    double *factors, *state, *full, *scratch; /* [4 n], [2 n], [2 n], [6 n] */
    struct work *work;                        /* that is measured, or NULL */
    struct work begin;                        /* the same functions where measuring began: */
    double begin_energy, begin_time;          /* J of the structure, s */
};

/* *patterns stays NULL where there are DOFs without mass. Destroy it also after a failure. */
enum masing_status patterns_create(const struct stepper_parts *parts,
                                   const struct masing_flow_line *lines,
                                   struct patterns **patterns, struct masing_error *error);
void patterns_destroy(struct patterns *patterns);

/* Loads, or all of the motion, have changed. */
void patterns_forget(struct patterns *patterns);

/* From the state q, v at a time, where the axes have x and w, into the basis of the lines that
 * hold, if it is to be had and keeps the digits of the axes' motion so far. */
bool patterns_enter(struct patterns *patterns, double time, const double *q, const double *v,
                    const double *x, const double *w);
/* Lines are others from here on; not while the state is in a basis. */
void patterns_change(struct patterns *patterns);
/* q, v is the state again. */
void patterns_leave(struct patterns *patterns, double *q, double *v);
/* The state now. */
void patterns_state(const struct patterns *patterns, double *q, double *v);

/* Sum of the squared velocities of the modes; `least` where it is surely not more. */
double patterns_squared_speed(const struct patterns *patterns, double least);

/* A length of time on, and back to before. */
void patterns_advance(struct patterns *patterns, double length);
void patterns_retreat(struct patterns *patterns);

/* The axes' motion from here on as the terms of a series that was prepared. */
void patterns_expand(struct patterns *patterns, struct series *series);
/* Find `bends` from here on. */
void patterns_bound(struct patterns *patterns);

/* Displacement, velocity or acceleration of a port. */
double patterns_port(const struct patterns *patterns, int port, int order);

/* Work is added to this from here on; NULL: no more. Up to here. */
void patterns_measure(struct patterns *patterns, struct work *work);
void patterns_add_work(struct patterns *patterns);

#endif
