/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model for time integration with no more modes than its steps can show: the lowest ones, and
 * residual modes for what the joints' and loads' forces do to the others. How many are enough
 * is tried, see reduction.c.
 */
#ifndef MASING_TRANSIENT_REDUCTION_H
#define MASING_TRANSIENT_REDUCTION_H

#include "model/model.h"
#include "model/structure/reduced_structure.h"

struct reduction {
    const struct masing_model *model; /* to be integrated: the one given, or that below */
    bool is_reduced;
    double error;              /* largest found, relative; 0 where nothing was left out */
    struct masing_model fewer; /* all but its structure is lent by the one given */
    struct reduced_structure structure;
};

/* As the model's integration.modes says; omega: of the load, rad/s. */
enum masing_status reduction_create(const struct masing_model *model, double omega,
                                    struct reduction *reduction, struct masing_error *error);
void reduction_clear(struct reduction *reduction);

/* Rows [n_rows][n_modes] of modal coordinates become those of the model to be integrated, in
 * place, row after row. */
enum masing_status reduction_coordinates(const struct reduction *reduction, size_t n_rows,
                                         double *rows, struct masing_error *error);

#endif
