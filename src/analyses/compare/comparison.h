/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of masing_compare: what its parts share. */
#ifndef MASING_ANALYSES_COMPARE_COMPARISON_H
#define MASING_ANALYSES_COMPARE_COMPARISON_H

#include "analyses/compare/compared_motion.h"
#include "analyses/curve/refinement.h"
#include "analyses/response/curve.h"
#include "analyses/compare/slider_offsets.h"
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
    struct compared_motion *motion;
    struct motion_differences *differences; /* from the balance, moved back by the */
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
    const struct masing_sink *rows, *loops, *course;
    struct masing_compare_summary *summary;
    struct warning_list warnings; /* of the summary */
    struct response_curve *curve;
    struct masing_response_summary response;
    struct kept_points points;                /* all of the curve, by their numbers */
    size_t n_chosen, *chosen;                 /* points to compare */
    size_t largest;                           /* of them, by the first output */
    struct compared_motion *balance, *beside; /* at the point; at others of that frequency */
    struct motion_differences *trial;
    struct slider_offsets *offsets;
    struct integrated warm, cold;
    struct refinement *refinement; /* of the balance; NULL until it is asked for */
    struct integrated finer;       /* than warm, or as accurate as the balance */
    struct accuracies {
        double hb, ti; /* errors of the first output's largest harmonic, relative */
        double steps;  /* per cycle with which the integration is as accurate as the balance */
        double seconds;
    } accuracies;
    double *modal; /* [n_coefficients][n_modes] */
    double *axes;  /* [n_coefficients][n_axes] */
    int n_columns;
    struct masing_column *columns;
    struct masing_cell *cells;
    char measure[16]; /* "max", or "h1" with the number of the largest harmonic */
    bool is_cancelled;
    char failure[256]; /* why the last integration failed, else "" */
    /* the first that failed, from the balance and from rest: where and why, else "" */
    char failures[2][320];
    /* the first that settled on a motion of several periods: where, and how many */
    double multiple_hz;
    int multiple;
};

/* Follow the curve, keep its points and choose those to compare. MASING_STOPPED is left in
 * *ended. */
enum masing_status comparison_follow(struct comparison *comparison, enum masing_status *ended,
                                     struct masing_error *error);
/* The curve in the table of the course, as it is followed, and what integrations gave. */
int comparison_course_columns(const struct comparison *comparison,
                              struct masing_column columns[4]);
enum masing_status comparison_write_course(struct comparison *comparison, size_t index,
                                           struct masing_error *error);

/* Integrate at omega as the model's settings say, starting on the balance solution y or, where
 * it is NULL, from rest. A motion that does not become periodic is no error: its measures are
 * NAN and comparison->failure says why. MASING_STOPPED: interrupted. */
enum masing_status comparison_integrate(struct comparison *comparison,
                                        const struct masing_model *model, const double *y,
                                        double omega, struct integrated *integrated,
                                        struct masing_error *error);

/* Compare with the balance's solution at points.omega[index], and say where the integration
 * settled. */
enum masing_status comparison_judge(struct comparison *comparison, size_t index, bool is_stuck,
                                    struct integrated *integrated);
/* The same in words. */
enum masing_status comparison_note(struct comparison *comparison, size_t index,
                                   const struct integrated *integrated, bool is_cold,
                                   struct masing_error *error);
const char *comparison_settled_name(enum settled settled);

/* Keep where the first integration failed, or repeats after several periods, for the reason. */
void comparison_note_end(struct comparison *comparison, double hz,
                         const struct integrated *integrated, bool is_cold);
/* Means of the summary. */
void comparison_finish(struct comparison *comparison);
/* MASING_OK, or MASING_STOPPED with the reason; ended: how the curve did. */
enum masing_status comparison_explain_end(struct comparison *comparison,
                                          enum masing_status ended, struct masing_error *error);

/* Errors of both at a point, and an integration that is as accurate as the balance. */
enum masing_status comparison_find_accuracies(struct comparison *comparison, size_t index,
                                              struct masing_error *error);

/* Columns and cells for the model's outputs. */
enum masing_status comparison_create_rows(struct comparison *comparison,
                                          struct masing_error *error);
/* One row for the balance solution and the last integrations; passed: -1 where not judged. */
enum masing_status comparison_write_row(struct comparison *comparison, size_t index, int passed,
                                        struct masing_error *error);

/* The table of the loops, and those of a point; is_shown: a picture shows these. */
enum { COMPARISON_LOOP_COLUMNS = 8 };
void comparison_loop_columns(struct masing_column columns[COMPARISON_LOOP_COLUMNS]);
enum masing_status comparison_write_loops(struct comparison *comparison, size_t index,
                                          bool is_shown, struct masing_error *error);

#endif
