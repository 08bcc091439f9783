/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of masing_compare: what its parts share. */
#ifndef MASING_ANALYSES_COMPARE_COMPARISON_H
#define MASING_ANALYSES_COMPARE_COMPARISON_H

#include "analyses/curve/balance_solver.h"
#include "analyses/curve/row_table.h"
#include "analyses/response/curve.h"
#include "linalg/svd.h"
#include "masing/compare.h"
#include "masing/integrate.h"
#include "transient/record.h"

/*
 * A periodic motion in the terms in which harmonic balance and time integration are compared,
 * and how far an integration is from the balance, where its means have been moved back: of the
 * largest value, relative to it; of the mean and of the complex amplitude of each harmonic,
 * relative to the largest harmonic (of outputs that hardly move, to a billionth of that of all
 * outputs); of the joints' loss, relative to it or to a thousandth of the loads' work where
 * that is more, but none where both are below what the integration resolves.
 */
struct compared_motion {
    const struct basis *basis; /* lent: harmonics and their order */
    int n_outputs, n_axes;
    struct compared_output {
        double max, mean, h1;
        double size;      /* amplitude of the largest harmonic */
        double low, high; /* of an integration: the smallest and largest value */
        double max_difference, mean_difference;
    } * outputs;              /* [n_outputs] */
    double *coefficients;     /* [n_outputs][basis->n_coefficients] */
    double *wave_differences; /* [n_outputs][basis->n_harmonics], 0 of harmonic 0 */
    struct compared_axis {
        double mean, force; /* means of the joint's displacement and force */
    } * axes;               /* [n_axes] */
    double joint_loss;      /* J per period of the load */
    double unknown_loss;    /* of that, of an integration: below it there may be none */
    double loss_difference;
};

enum masing_status compared_motion_create(const struct balance *balance, int n_outputs,
                                          struct arena *arena, struct compared_motion *motion,
                                          struct masing_error *error);

/* From the solution y that was recovered last. */
void compared_motion_recover(struct compared_motion *motion, const struct recovery *recovery,
                             const double *y);

/* From steps in time: begin where the record begins, a step after each of the record's, finish
 * at its end. */
void compared_motion_begin(struct compared_motion *motion);
void compared_motion_step(struct compared_motion *motion, const struct record *record,
                          const struct integrator *integrator);
void compared_motion_finish(struct compared_motion *motion, const struct record *record,
                            const struct integrator *integrator);
/* There is none. */
void compared_motion_void(struct compared_motion *motion);

/* Amplitude of harmonic k of the basis; which of them is an output's largest above 0, -1: there
 * are none. */
double compared_motion_wave(const struct compared_motion *motion, int output, int k);
int compared_motion_largest(const struct compared_motion *motion, int output);

/* Fill in the differences of an integration, whose means are moved back by a shift [n_outputs];
 * energy_in: of the loads, J. */
void compared_motion_differ(struct compared_motion *integrated,
                            const struct compared_motion *balance, const double *shift,
                            double energy_in);
/* The largest difference of a harmonic of any output. */
double compared_motion_shape(const struct compared_motion *balance,
                             const struct compared_motion *integrated);
/* The largest difference of all; its name in columns. */
double compared_motion_worst(const struct compared_motion *integrated,
                             const struct masing_spec *spec, char *name, size_t size);

/*
 * What sliders that never slip do to the means of a motion: where they stand is a matter of the
 * past, and so is the mean of the force that they hold, within its limit. By equilibrium of the
 * means, whatever the joints' laws, a difference df of these forces moves the mean of an output
 * by -C df, C being the static compliance of the structure without its joints (rigid motions
 * have no mean). Sliders that slip while nothing brings them back stand anywhere: so does what
 * moves with them as a rigid body.
 */
struct slider_offsets {
    int n_outputs, n_axes;
    double *compliance; /* [n_outputs][n_axes] */
    int n_rigid;
    double *rigid_outputs; /* [n_outputs][n_rigid] */
    struct svd svd;        /* of rigid_axes, rows of zeros below; none without rigid modes */
    double *moved, *q;     /* [rows of svd], [n_rigid] */
};

/* Clear its svd also after a failure. */
enum masing_status slider_offsets_create(const struct masing_model *model, struct arena *arena,
                                         struct slider_offsets *offsets,
                                         struct masing_error *error);

/* Whether a joint that can slip but does not, at the solution settled last, moves an output. */
bool slider_offsets_reach(const struct slider_offsets *offsets, const struct balance *balance,
                          int output);

/* How much further the means of outputs are than in the balance by what such joints hold
 * otherwise, and by where those stand of which the integration found [n_joints] that nothing
 * brings them back; shift [n_outputs]. */
void slider_offsets_shift(const struct slider_offsets *offsets, const struct balance *balance,
                          const struct compared_motion *own,
                          const struct compared_motion *integrated,
                          const enum masing_offset *found, double *shift);

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
    struct compared_motion motion; /* differences: from the balance, moved back by the */
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
    struct arena arena; /* of what is made once */
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
    struct saved_points points; /* all of the curve, by their numbers */
    size_t n_chosen, *chosen;   /* points to compare */
    size_t largest;             /* of them, by the first output */
    /* the point at hand: its number, rad/s, whether a joint that does not slip moves the first
     * output, and what is compared of that: "max", or "h1" with the number of the largest
     * harmonic */
    size_t index;
    double omega;
    bool is_stuck;
    char measure[16];
    struct compared_motion balance, other; /* at the point; at others of that frequency */
    struct slider_offsets offsets;
    struct integrated warm, cold;
    /* the last warm one over the period that was recorded, begin and end included: of joints
     * that are a group by themselves; [n_loop_steps + 1][n_loop_axes], one array; NULL: none */
    int n_loop_axes, n_loop_steps, *loop_axes;
    double *loop_x, *loop_f;
    struct refinement *refinement; /* of the balance; NULL until it is needed */
    struct integrated finer;       /* than warm, or as accurate as the balance */
    struct accuracies {
        double hb, ti; /* errors of the first output's largest harmonic, relative */
        double steps;  /* per cycle with which the integration is as accurate as the balance */
        double seconds;
    } accuracies;
    double *modal; /* [n_coefficients][n_modes] */
    bool is_cancelled;
    char failure[256]; /* why the last integration failed, else "" */
    /* the first that failed, from the balance and from rest: where and why, else "" */
    char failures[2][320];
    /* the first that settled on a motion of several periods: where, and how many */
    double multiple_hz;
    int multiple;
};

/* The solution at hand, whose states the balance then has. */
const double *comparison_restore(struct comparison *comparison);

/* Integrate at the point at hand, into `warm` from the balance's solution or into `cold` from
 * rest; compare with that solution, find where the integration settled and warn where that is
 * elsewhere. MASING_STOPPED: interrupted. */
enum masing_status comparison_integrate(struct comparison *comparison,
                                        struct integrated *integrated,
                                        struct masing_error *error);

/* Errors of both at the point, and an integration that is as accurate as the balance. */
enum masing_status comparison_find_accuracies(struct comparison *comparison,
                                              struct masing_error *error);

#endif
