/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A model one number of whose file moves, from what the file says at three of its values. */
#ifndef MASING_ANALYSES_CURVE_MOVING_MODEL_H
#define MASING_ANALYSES_CURVE_MOVING_MODEL_H

#include "model/moving.h"

struct moving_model_request {
    const struct masing_document *document;
    const struct masing_override *overrides; /* fixed ones */
    int n_overrides;
    const char *parameter;
    double from, to;
    const char *option; /* that names it, for messages */
};

/* The fixed overrides and one more, of the parameter: [n_overrides + 1], text is lent. */
enum masing_status moving_model_overrides(const struct moving_model_request *request,
                                          const char *text, struct masing_override **overrides,
                                          struct masing_error *error);

/*
 * The model of these values; or none, and why, where what its keys allow is refused as a whole:
 * there is no static equilibrium, or the structure or its loads do not go with a value. Other
 * mistakes are errors.
 */
enum masing_status moving_model_try(const struct masing_document *document,
                                    const struct masing_override *overrides, int n_overrides,
                                    struct masing_model **model, struct masing_error *refusal,
                                    struct masing_error *error);

/*
 * The model at the beginning, and what moves of it; both are the caller's. MASING_STOPPED where
 * it is refused as a whole there, see moving_model_try. MASING_UNSUPPORTED
 * where the number is not one of joints and loads alone, or where sliders start in a static
 * state that moves with it: then there is a model, and nothing moves.
 */
enum masing_status moving_model_create(const struct moving_model_request *request,
                                       struct masing_model **model, struct moving **moving,
                                       struct masing_error *error);

#endif
