/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The example that a law carries, as an entry of `joints:` and read as one. */
#ifndef MASING_CLI_LAW_EXAMPLE_H
#define MASING_CLI_LAW_EXAMPLE_H

#include "cli/pool.h"
#include "masing/model.h"

/* "  - name: joint", "    law: ..." and the example's own lines. */
const char *law_example_entry(struct pool *pool, const struct masing_law *law);

/* The example as the reader of models understands it. */
struct law_example {
    struct masing_spec spec;
    const void *parameters; /* checked, of the spec; NULL where the example cannot be read */
};

struct law_example law_example_open(struct pool *pool, const struct masing_law *law);
void law_example_close(struct law_example *example);

#endif
