/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A single oscillator, x'' + d x' + square x = f, over a length of time. */
#ifndef MASING_TRANSIENT_OSCILLATOR_H
#define MASING_TRANSIENT_OSCILLATOR_H

/* x and x' after a time: x = free[0] x + free[1] x', x' = free[2] x + free[3] x'; and the x
 * that a constant force of 1 adds, whose x' is free[1]. */
struct oscillator_step {
    double free[4], forced;
};

/* square, damping >= 0 or of any sign: also without stiffness, and at critical damping. */
struct oscillator_step oscillator_step(double square, double damping, double time);

#endif
