/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Stability of periodic responses: how it is found, and what is told about it.
 */
#ifndef MASING_STABILITY_H
#define MASING_STABILITY_H

#ifdef __cplusplus
extern "C" {
#endif

enum masing_stability_method {
    MASING_STABILITY_AUTO,    /**< Floquet where it is quick enough, else none */
    MASING_STABILITY_NONE,    /**< the column stays empty */
    MASING_STABILITY_FLOQUET, /**< variational equations in time, states of joints included */
    MASING_STABILITY_HILL,    /**< eigenvalues of Hill's matrix; smooth laws only */
};

#ifdef __cplusplus
}
#endif
#endif
