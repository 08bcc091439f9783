/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What joints need beside their coefficients, so that a thousand of them own little more:
 * constants that all share, and workspaces, one set for each thread, as large as the largest
 * joint needs it.
 */
#ifndef MASING_HARMONIC_JOINTS_JOINT_SCRATCH_H
#define MASING_HARMONIC_JOINTS_JOINT_SCRATCH_H

#include "base/arena.h"
#include "base/thread_pool.h"
#include "harmonic/joints/joint_response.h"

/* Directions in which a law differentiates itself: direction a n_c + c moves axis a by function
 * c; with velocity, the last is the frequency and has no displacement. */
struct joint_seeds {
    int n_directions; /* 0: none were made */
    double *dx;       /* [n_samples][n_axes][n_directions] */
    double *slopes;   /* likewise their derivatives by theta, or NULL */
};

/* What the joints of a balance share: constants that depend on the harmonics and on the number
 * of axes alone. Made while the joints are, read by all threads from then on. */
struct joint_shared {
    struct basis *basis;             /* lent */
    struct trigonometric_grid *grid; /* for the thread that owns the balance */
    double *analysis;    /* [n_c * n_samples] column-major: samples to coefficients, or NULL */
    double (*circle)[2]; /* [n_samples] cosines and sines of their angles, or NULL */
    struct joint_seeds seeds[MASING_MAX_AXES + 1][2]; /* by axes; without, with velocity */
};

enum masing_status joint_shared_create(struct basis *basis, struct joint_shared **shared,
                                       struct masing_error *error);
void joint_shared_destroy(struct joint_shared *shared);

/* The seeds for so many axes, made where they were not yet. Needs a planned basis. */
enum masing_status joint_shared_seeds(struct joint_shared *shared, int n_axes,
                                      bool with_velocity, const struct joint_seeds **seeds,
                                      struct masing_error *error);

/* The circle, made where it was not yet. */
enum masing_status joint_shared_circle(struct joint_shared *shared, struct masing_error *error);

/* What some elements of a joint contribute, until it is added to what those before them do. */
struct joint_part {
    struct masing_forces forces; /* f and df are arrays of its own */
    enum masing_status status;
};

/* The threads that march the elements of one joint together, and where they put what they find.
 */
struct joint_crew {
    struct thread_pool *pool; /* NULL: the thread of the scratch alone */
    double **workspaces;      /* [workers] of the law */
    struct joint_part *parts; /* [n_parts] */
    int n_parts;              /* 0: no joint has parts */
};

struct joint_scratch {
    const struct joint_shared *shared; /* lent */
    struct basis *basis;
    struct trigonometric_grid *grid;
    struct arena arena; /* of all arrays */
    double *block;      /* [largest n_axes n_c ^ 2] a joint's derivative as a matrix */
    double *change;     /* [2][largest n_axes n_c] */
    /* JOINT_PHASES */
    struct masing_phase *phases;
    int max_phases;
    double *integrals;                     /* [n_spectrum][2] */
    struct structured_derivative spectrum; /* of a parameter: cosine and sine alone */
    /* JOINT_TANGENTS */
    struct masing_tangents tangents;
    double *memory; /* [max_turnings] */
    /* JOINT_TANGENTS, JOINT_DIRECTIONS */
    double *x, *v, *f; /* [n_samples][n_axes] */
    double *dfp;       /* likewise, by a parameter */
    double *column;    /* [n_samples] */
    double *workspace; /* of the law */
    /* JOINT_DIRECTIONS, [n_samples][n_axes][n_directions] */
    double *dv, *df;
    double *part_f, *part_df; /* as f and df, where a joint has parts */
    struct joint_crew crew;
    bool is_shared;                     /* the pool's threads are busy with a joint each */
    const struct joint_seeds *dv_seeds; /* what dv was filled from last, and for which Omega */
    double dv_omega;
};

/* For any of these joints. */
enum masing_status joint_scratch_create(const struct joint_shared *shared,
                                        struct joint_response *const *joints, int n_joints,
                                        struct joint_scratch **scratch,
                                        struct masing_error *error);
void joint_scratch_destroy(struct joint_scratch *scratch);

/* Let the first scratch [n] lead the threads of a pool, of which each has one: joints evaluated
 * with it are marched by all of them, as long as it is not `is_shared`. */
enum masing_status joint_scratch_lead(struct joint_scratch *const *scratch, int n,
                                      struct thread_pool *pool, struct masing_error *error);

/* Samples x and, where the law needs it, v of a joint's last displacement. */
void joint_scratch_sample(struct joint_scratch *scratch, const struct joint_response *response);

/* The path of these samples, of joint->n_axes axes, without derivatives; origin [n_axes]: where
 * the sliders start. */
struct masing_path joint_scratch_path(const struct joint_scratch *scratch,
                                      const struct joint_response *response,
                                      const double *origin);

/* Column `column` of an interleaved array [n_samples][n_columns], as coefficients. */
void joint_scratch_analyse(struct joint_scratch *scratch, const double *values, int n_columns,
                           int column, double *coefficients);

#endif
