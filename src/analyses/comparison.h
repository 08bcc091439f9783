/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of masing_compare: what its parts share. */
#ifndef MASING_ANALYSES_COMPARISON_H
#define MASING_ANALYSES_COMPARISON_H

#include "analyses/kept_points.h"
#include "analyses/response_curve.h"
#include "masing/compare.h"

/* What one integration gave; max and h1 [n_outputs] are NAN where it is not periodic. */
struct integrated {
    double *max, *h1;
    int cycles;
    double difference; /* of the first output from the balance, relative */
    double seconds;
};

struct comparison {
    const struct masing_model *model;
    const struct masing_compare_options *options;
    const struct masing_sink *rows;
    struct masing_compare_summary *summary;
    struct warning_list warnings; /* of the summary */
    struct response_curve *curve;
    struct masing_response_summary response;
    struct kept_points points;
    struct integrated warm, cold;
    double *modal; /* [n_coefficients][n_modes] */
    double *axes;  /* [n_coefficients][n_axes] */
    int n_columns;
    struct masing_column *columns;
    struct masing_cell *cells;
    bool is_cancelled;
    char failure[256]; /* why the last integration failed, else "" */
};

/* Integrate at omega, starting on the balance solution y or, where it is NULL, from rest. A
 * motion that does not become periodic is no error: its measures are NAN and
 * comparison->failure says why. MASING_STOPPED: interrupted. */
enum masing_status comparison_integrate(struct comparison *comparison, const double *y,
                                        double omega, struct integrated *integrated,
                                        struct masing_error *error);

/* Columns and cells for the model's outputs. */
enum masing_status comparison_create_rows(struct comparison *comparison,
                                          struct masing_error *error);
/* One row for the last balance solution that was recovered and the last integrations. */
enum masing_status comparison_write_row(struct comparison *comparison, double omega,
                                        bool is_stuck, struct masing_error *error);

#endif
