/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The example that a law carries, as an entry of `joints:` and read as one. */
#ifndef MASING_CLI_LAW_EXAMPLE_H
#define MASING_CLI_LAW_EXAMPLE_H

#include "cli/pool.h"
#include "masing/model.h"

/* "  - name: joint", "    law: ..." and the example's own lines. */
const char *law_example_entry(struct pool *pool, const struct masing_law *law);

/* The example read from a model of a mass on a spring. */
struct law_example {
    struct masing_model *model; /* NULL where the example cannot be read */
    const void *parameters;     /* checked; NULL likewise */
};

struct law_example law_example_open(struct pool *pool, const struct masing_law *law);
void law_example_close(struct law_example *example);

#endif
