/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FFTW plans may be executed by many threads but are made and destroyed by one at a time. */
#ifndef MASING_HARMONIC_BASIS_PLANNER_H
#define MASING_HARMONIC_BASIS_PLANNER_H

void planner_lock(void);
void planner_unlock(void);

#endif
