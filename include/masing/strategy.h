/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * How a point of a curve was solved for where Newton's method with the step at hand did not do.
 */
#ifndef MASING_STRATEGY_H
#define MASING_STRATEGY_H

#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** In the order in which they are tried. */
enum masing_strategy {
    MASING_STRATEGY_CORNER,      /**< a corner of the curve approached from its near side */
    MASING_STRATEGY_LINE_SEARCH, /**< Newton's method with a line search */
    MASING_STRATEGY_SHORTER,     /**< a shorter step */
    MASING_STRATEGY_AHEAD,       /**< the direction of the curve taken from a little ahead */
    MASING_STRATEGY_STRAIGHT,    /**< a straight predictor */
    MASING_STRATEGY_SMOOTHING,   /**< transitions of the laws rounded off less and less */
    MASING_STRATEGY_HOMOTOPY,    /**< the residual of the guess taken away little by little */
    MASING_STRATEGY_JUMP,        /**< a longer step, over a place that cannot be solved */
    MASING_STRATEGY_RESTART,     /**< a guess from time integration */
    MASING_N_STRATEGIES
};

/** A few words, e.g. "line search". */
MASING_API const char *masing_strategy_name(enum masing_strategy strategy);

#ifdef __cplusplus
}
#endif
#endif
