/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch points of a curve as its summary lists them. */
#ifndef MASING_ANALYSES_CURVE_BRANCH_POINTS_H
#define MASING_ANALYSES_CURVE_BRANCH_POINTS_H

#include "continuation/continuation.h"
#include "masing/model.h"
#include "masing/stability.h"

/* Refuse to follow branches where the curves behind a branch point depend on the way there. */
enum masing_status branch_points_check(const struct masing_spec *spec, int max_branches,
                                       struct masing_error *error);

/* Whether no curve leads to this point from the last one, which was on that piece. */
bool branch_points_begins(const struct continuation_point *point, int previous_piece);

/* List a point, at a value of the parameter, if it is a branch point; it stands once more at
 * the head of each branch. */
void branch_points_note(struct masing_places *places, const struct continuation_point *point,
                        bool begins, double value);

/* A place more, unless the very same is listed already; only the first ones are kept. */
void places_add(struct masing_places *places, double at);

#endif
