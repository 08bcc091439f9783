/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_BASE_PROCESSOR_TIME_H
#define MASING_BASE_PROCESSOR_TIME_H

/* Processor time that the calling thread has used, s. */
double processor_time(void);

/* Seconds since some time or other. */
double elapsed_time(void);

#endif
