/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns and rows of the tables of a frequency response: its points, the contact elements at
 * some of them, the loops at the peak, the points at which harmonics were checked.
 */
#ifndef MASING_ANALYSES_RESPONSE_ROWS_H
#define MASING_ANALYSES_RESPONSE_ROWS_H

#include "analyses/curve/coefficient_columns.h"
#include "analyses/curve/stability.h"
#include "analyses/curve/event_row.h"
#include "analyses/curve/row_table.h"
#include "harmonic/recovery/recovery.h"
#include "masing/response.h"
#include "masing/table.h"

enum response_table {
    RESPONSE_POINTS,
    RESPONSE_CONTACTS,
    RESPONSE_LOOPS,
    RESPONSE_CHECK,
    RESPONSE_N_TABLES
};

struct response_rows {
    const struct masing_model *model;
    unsigned extra;        /* MASING_COLUMNS_* */
    const char *parameter; /* of the first column of each table; NULL: none; lent */
    double value;          /* of the parameter, for the rows that come next */
    const char *word;      /* instead of it; NULL: none; lent */
    struct row_sink tables[RESPONSE_N_TABLES];
    struct coefficient_columns coefficients;
};

/* One point. */
struct response_row {
    const struct recovery *recovery; /* evaluated there */
    int point, branch, iterations;
    int harmonics; /* highest of the point; 0: all of the list */
    double hertz;
    struct event_row events;
    double slope_in, slope_out; /* of the peak's measure, per Hz; where wanted */
    struct point_stability stability;
    const double *dofs; /* [n_dofs][n_coefficients] where they are wanted, else NULL */
};

/* One element of a contact. */
struct response_contact_row {
    double hertz;
    struct event_row events;
    const char *group;
    int number; /* within the group, from 1 */
    double position[2], area;
    struct masing_element state;
};

/* One sample of a loop. */
struct response_loop_row {
    const char *joint;
    double displacement, force;
    double degrees; /* of the first harmonic, 0 to 360 */
    double hertz;
    struct event_row events;
};

/* One point, with what it becomes with more harmonics. */
struct response_check_row {
    double hertz, refined_hertz;
    struct event_row events;
    int harmonics, samples;
    /* [n_outputs] of the curve, with more harmonics, relative difference */
    const double *first, *last, *errors;
};

/* Declare the columns of all tables and open their sinks, each of which may be NULL; lent.
 * word: of the parameter, where its values are words; else NULL. */
enum masing_status
response_rows_create(const struct masing_model *model, unsigned extra, const char *parameter,
                     const char *word, const struct masing_sink *const sinks[RESPONSE_N_TABLES],
                     struct response_rows **rows, struct masing_error *error);

/* Finish the sinks, or abandon them where `status` says that the analysis failed; the first
 * failure. */
enum masing_status response_rows_end(struct response_rows *rows, enum masing_status status,
                                     struct masing_error *error);
/* Abandon sinks that were not ended. */
void response_rows_destroy(struct response_rows *rows);

/* row: struct response_..._row of that table. */
enum masing_status response_rows_write(struct response_rows *rows, enum response_table table,
                                       const void *row, struct masing_error *error);

/* Whether rows of points need the motion of all DOFs. */
bool response_rows_want_dofs(const struct response_rows *rows);

/* "max", "amp" or "h1": how the peak's size is measured. */
const char *response_rows_measure(const struct masing_spec *spec);

/* Whether any of these joints has a law that can open. */
bool response_rows_can_open(const struct masing_model *model, int first, int n_joints);

/* ---- what the joints do at a solution that they were settled at last, marched
 * through the laws themselves ---- */

/* At least enough samples of a period to draw it, and as many as the balance has. */
int joint_rows_samples(const struct balance *balance);

/* One joint over a period of a solution. */
struct joint_march {
    int n_samples;
    double *x, *f; /* [n_samples][n_axes] displacements and forces, in one array: free x */
};

/*
 * March a joint of the balance once more, at so many samples. elements: NULL, or [elements of
 * the joint], what each does over the period; with the samples of the balance their losses add
 * up to the work of the joint's Fourier coefficients.
 */
enum masing_status joint_rows_march(const struct balance *balance,
                                    const struct joint_response *response, double omega,
                                    int n_samples, struct masing_element *elements,
                                    struct joint_march *march, struct masing_error *error);

/* Loops of all joints that are groups by themselves, one for each axis. */
enum masing_status joint_rows_loops(struct response_rows *rows, const struct balance *balance,
                                    double omega, double hertz, enum masing_event event,
                                    struct masing_error *error);

/* The elements of all contacts at a point. */
enum masing_status joint_rows_contacts(struct response_rows *rows,
                                       const struct balance *balance, double omega,
                                       double hertz, enum masing_event event,
                                       struct masing_error *error);

#endif
