/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a solution of the balance means: outputs with their measures, energies, slip. Done once
 * per accepted point, never inside the iteration.
 */
#ifndef MASING_HARMONIC_RECOVERY_RECOVERY_H
#define MASING_HARMONIC_RECOVERY_RECOVERY_H

#include "base/arena.h"
#include "harmonic/balance/balance.h"

/* Measures of one output's trigonometric polynomial. */
struct output_measures {
    double max; /* largest |x| over the period, mean included */
    double amp; /* half peak to peak */
    double mean;
    double h1;
    double h1_phase; /* rad, leading, referred to the cosine */
};

struct recovery_point {
    double *coefficients; /* [n_outputs][n_coefficients], in the output's quantity */
    double *slopes;       /* [2][n_coefficients] scratch of recovery_slope */
    double measure;       /* what was differentiated last */
    struct output_measures *measures; /* [n_outputs] */
    double energy_in;                 /* J per cycle */
    double energy_lost;
    double structure_loss; /* share of energy_lost in the structure's damping */
    double *joint_loss;    /* [n_joints] */
    double energy_scale;   /* pi sum h |F_h| |X_h| over the loads, J */
    /* Shares of the period per group of joints, each joint with the weight of its area; NAN
     * where no joint of the group has such a state. */
    double *slip, *open; /* [n_groups] */
    double *group_loss;  /* [n_groups] J per cycle */
    double *group_slid;  /* [n_groups] m per cycle, mean by area like slip; NAN likewise */
};

struct recovery {
    struct balance *balance;       /* lent */
    struct arena arena;            /* of all arrays, those of `point` too */
    int n_outputs, n_rows;         /* rows = outputs, then load columns */
    struct compliance_ports ports; /* [n_rows] */
    struct compliance *compliance; /* from the balance's inputs to the rows */
    double *motion, *d_motion;     /* [n_harmonics][n_rows][2] of the rows, and its change */
    double *d_ports;               /* [n_harmonics][n_in][2] */
    double *change, *d_force;      /* scratch, one joint */
    double *shifted;               /* [n_unknowns] scratch */
    struct trigonometric_path **paths; /* [n_outputs] */
    struct recovery_point point;
};

enum masing_status recovery_create(struct balance *balance, struct recovery **recovery,
                                   struct masing_error *error);
void recovery_destroy(struct recovery *recovery);

/* Fill recovery->point (all but slopes and measure) at a solution. */
enum masing_status recovery_evaluate(struct recovery *recovery, const double *y, double omega);

/*
 * How much the forces of the joints lean on the last two harmonics of the list, at the solution
 * that was evaluated last: change of their first harmonics where the motion lacks those two, in
 * parts of them, each with the weight of its motion. What still higher harmonics would do is
 * of that size, or less; 0 where there are no such harmonics.
 */
double recovery_truncation(struct recovery *recovery, double omega);

/* Derivative of the peak's measure, which is put down, along the unit tangent (dy, d_omega) at
 * a solution. */
enum masing_status recovery_slope(struct recovery *recovery, const double *y, double omega,
                                  const double *dy, double d_omega, double *slope);
/* The same where (dy, d_omega) is no tangent, as on an interpolation, so that there is no side
 * of a corner that it belongs to. */
enum masing_status recovery_slope_beside(struct recovery *recovery, const double *y,
                                         double omega, const double *dy, double d_omega,
                                         double *slope);

/* Derivative of a measure, which is put down, of an output with coefficients `value`, whose
 * derivative is slope. */
double recovery_measure_slope(struct recovery *recovery, const double *value,
                              const double *slope, enum masing_measure measure);

double recovery_measure(const struct output_measures *measures, enum masing_measure measure);
/* Of the output and in the measure by which the model judges its peak. */
double recovery_peak_measure(const struct recovery *recovery);

/* Of every output, in the measure of the peak: values [n_outputs]. */
void recovery_measure_outputs(const struct recovery *recovery, double *values);

/* Difference of the energies put in and lost, in parts of the work exchanged. */
double recovery_energy_mismatch(const struct recovery_point *point);

/* out [n_coefficients] += one row of a motion (or its change) [n_harmonics][n_rows][2] */
void recovery_add_row(const struct recovery *recovery, const double *motion, int row,
                      double *out);

/* out += part of the uncondensed modes in a row; y or a tangent of it. */
void recovery_add_modes(const struct recovery *recovery, const double *y, int row, double *out);

/* Displacement of an output to its quantity: each time derivative is omega d/dtheta. */
void recovery_to_quantity(const struct balance *balance, int output, double omega,
                          double *coefficients);

/* coefficients [n_coefficients] += factor times the displacement of an output with the base
 * that a load moves, where it is absolute */
void recovery_add_base(const struct balance *balance, int output, int load, double omega,
                       double factor, double *coefficients);

/* Position of a_1, or -1 where harmonic 1 is not in the list. */
int recovery_first_harmonic(const struct basis *basis);

#endif
