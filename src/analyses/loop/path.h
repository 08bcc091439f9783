/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint along a path of points, straight from one to the next, once from the virgin state. */
#ifndef MASING_ANALYSES_LOOP_PATH_H
#define MASING_ANALYSES_LOOP_PATH_H

#include "analyses/loop/march.h"
#include "analyses/loop/table.h"

enum masing_status loop_path_follow(struct loop_march *march,
                                    const struct masing_loop_points *points,
                                    const struct masing_progress *progress,
                                    struct masing_loop_measures *measures,
                                    struct loop_table *table, struct masing_error *error);

#endif
