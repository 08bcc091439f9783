/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FILE.run.yaml: how a result came about. */
#ifndef MASING_CLI_RECORD_H
#define MASING_CLI_RECORD_H

#include "cli/model_input.h"
#include "cli/output.h"
#include "masing/response.h"

struct record {
    const struct call *call;
    const struct model_input *input;
    const struct text_list *log;
    const char *parameter; /* of a study, or NULL */
    const double *values;  /* [n_curves] of the parameter */
    int n_curves;
    const struct masing_response_summary *curves; /* [n_curves] or NULL */
    struct text_list warnings;                    /* where there are no curves */
    enum masing_status ended;
    const struct masing_error *reason; /* where it ended early */
    const char *result; /* YAML that was found; where `input` is NULL, instead of a model */
};

/* Beside every file of @p outputs. */
enum masing_status record_write(const struct record *record, const struct output_list *outputs,
                                struct masing_error *error);

#endif
