/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of `masing loop` on standard error. */
#ifndef MASING_CLI_LOOP_PRINT_H
#define MASING_CLI_LOOP_PRINT_H

#include "cli/pool.h"
#include "masing/loop.h"
#include "masing/model.h"

void loop_print(struct pool *pool, const struct masing_spec *spec,
                const struct masing_joint_spec *joint,
                const struct masing_loop_summary *summary, bool is_of_points);

#endif
