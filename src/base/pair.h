/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two numbers that the processor takes at once, as cosine and sine: operators go by component.
 */
#ifndef MASING_BASE_PAIR_H
#define MASING_BASE_PAIR_H

typedef double pair __attribute__((vector_size(2 * sizeof(double))));

#endif
