/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/strategy.h"

const char *masing_strategy_name(enum masing_strategy strategy)
{
    static const char *const names[MASING_N_STRATEGIES] = {
        [MASING_STRATEGY_CORNER] = "approach to a corner",
        [MASING_STRATEGY_LINE_SEARCH] = "line search",
        [MASING_STRATEGY_SHORTER] = "shorter step",
        [MASING_STRATEGY_AHEAD] = "tangent from ahead",
        [MASING_STRATEGY_STRAIGHT] = "straight predictor",
        [MASING_STRATEGY_SMOOTHING] = "smoothing of the transition",
        [MASING_STRATEGY_HOMOTOPY] = "Newton homotopy",
        [MASING_STRATEGY_JUMP] = "jump over a singular point",
        [MASING_STRATEGY_RESTART] = "restart from time integration",
    };
    return names[strategy];
}
