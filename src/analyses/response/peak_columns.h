/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of a response's peak, in tables that have one row for each response. */
#ifndef MASING_ANALYSES_RESPONSE_PEAK_COLUMNS_H
#define MASING_ANALYSES_RESPONSE_PEAK_COLUMNS_H

#include "analyses/curve/row_table.h"
#include "analyses/response/curve.h"

struct peak_columns {
    const struct masing_model *model; /* whose outputs and joints they are */
    const struct masing_response_summary *summary;
    const struct output_measures *measures; /* [n_outputs] at the peak, where it is known */
    bool is_known;
};

void peak_columns_walk(struct row_table *table, const struct peak_columns *peak);

#endif
