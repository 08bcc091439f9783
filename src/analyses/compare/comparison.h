/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of masing_compare: what its parts share. */
#ifndef MASING_ANALYSES_COMPARE_COMPARISON_H
#define MASING_ANALYSES_COMPARE_COMPARISON_H

#include "analyses/compare/compared_motion.h"
#include "analyses/curve/balance_solver.h"
#include "analyses/curve/row_table.h"
#include "analyses/response/curve.h"
#include "masing/compare.h"
#include "masing/integrate.h"

/* Where an integration ended, seen from the solution of the balance that it is compared with.
 */
enum settled {
    SETTLED_NOT,      /* it did not become periodic */
    SETTLED_SAME,     /* there */
    SETTLED_OFFSET,   /* there, but sliders stand elsewhere whose place the past decides */
    SETTLED_POINT,    /* on another solution of the curve at the same frequency */
    SETTLED_MULTIPLE, /* on a motion that repeats after several periods of the load */
    SETTLED_OTHER,    /* on none that the curve has */
    N_SETTLED
};

/* What one integration gave; numbers are NAN where it is not periodic. */
struct integrated {
    struct compared_motion motion;
    struct motion_differences differences; /* from the balance, moved back by the */
    double *shift; /* [n_outputs] of means by what sliders that stick hold otherwise, or by
                      where those stand that nothing brings back */
    enum masing_offset *offsets; /* [n_joints] */
    int cycles, order;           /* periods integrated; of the steady motion */
    bool is_steady;
    double difference; /* of the first output from the balance, relative */
    double seconds;
    enum settled settled;
    int point;               /* number of the solution it is on; -1: none */
    double mean_hb, mean_ti; /* SETTLED_OFFSET: mean displacement of that axis */
    enum masing_offset displaced_by;
    const struct joint *displaced; /* SETTLED_OFFSET: whose slider stands elsewhere most */
};

struct comparison {
    const struct masing_model *model;
    const struct masing_compare_options *options;
    struct row_sink rows, loops, curve_table;
    struct masing_compare_summary *summary;
    struct warning_list warnings; /* of the summary */
    /* the curve, and what it asks as long as it lives */
    struct masing_progress quiet;
    struct masing_response_options response_options;
    struct response_curve *curve;
    struct masing_response_summary response;
    struct saved_points points;            /* all of the curve, by their numbers */
    size_t n_chosen, *chosen;              /* points to compare */
    size_t largest;                        /* of them, by the first output */
    struct compared_motion balance, other; /* at the point; at others of that frequency */
    struct motion_differences trial;
    struct slider_offsets offsets;
    struct integrated warm, cold;
    struct refinement *refinement; /* of the balance; NULL until it is needed */
    struct integrated finer;       /* than warm, or as accurate as the balance */
    struct accuracies {
        double hb, ti; /* errors of the first output's largest harmonic, relative */
        double steps;  /* per cycle with which the integration is as accurate as the balance */
        double seconds;
    } accuracies;
    double *modal;    /* [n_coefficients][n_modes] */
    char measure[16]; /* "max", or "h1" with the number of the largest harmonic */
    bool is_cancelled;
    char failure[256]; /* why the last integration failed, else "" */
    /* the first that failed, from the balance and from rest: where and why, else "" */
    char failures[2][320];
    /* the first that settled on a motion of several periods: where, and how many */
    double multiple_hz;
    int multiple;
};

/* Integrate at a point of the curve, into `warm` from the balance's solution or into `cold`
 * from rest; compare with that solution, find where the integration settled and warn where that
 * is elsewhere. is_stuck: a joint that does not slip moves the first output. MASING_STOPPED:
 * interrupted. */
enum masing_status comparison_integrate(struct comparison *comparison, size_t index,
                                        bool is_stuck, struct integrated *integrated,
                                        struct masing_error *error);

/* Errors of both at a point, and an integration that is as accurate as the balance. */
enum masing_status comparison_find_accuracies(struct comparison *comparison, size_t index,
                                              struct masing_error *error);

#endif
