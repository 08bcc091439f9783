/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hysteresis loops of the joints at the peak. */
#include <stdio.h>
#include <stdlib.h>

#include "analyses/response/joint_loop.h"
#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/sink.h"
#include "model/joint_axes.h"

int response_loops_columns(const char *parameter, struct masing_column columns[4])
{
    int n = 0;
    if (parameter) {
        snprintf(columns[n].name, sizeof columns[n].name, "%s", parameter);
        columns[n++].type = MASING_COLUMN_REAL;
    }
    columns[n++] = (struct masing_column){"joint", MASING_COLUMN_TEXT};
    columns[n++] = (struct masing_column){"displacement", MASING_COLUMN_REAL};
    columns[n++] = (struct masing_column){"force", MASING_COLUMN_REAL};
    return n;
}

/* The loop of one axis. */
static enum masing_status write_rows(struct response_curve *curve,
                                     const struct masing_sink *loops, const struct joint *joint,
                                     int axis, const double *x, const double *f, int n_samples,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    char name[MASING_COLUMN_NAME];
    joint_axis_text(joint->spec, axis, name, sizeof name);
    bool with_parameter = curve->settings.parameter != NULL;
    for (int i = 0; i <= n_samples; i++) {
        size_t at = (size_t)(i % n_samples) * (size_t)joint->n_axes + (size_t)axis;
        struct masing_cell cells[4], *cell = cells;
        if (with_parameter) {
            *cell++ = (struct masing_cell){.number = curve->settings.value};
        }
        *cell++ = (struct masing_cell){.text = name};
        *cell++ = (struct masing_cell){.number = x[at]};
        *cell++ = (struct masing_cell){.number = f[at]};
        TRY(sink_row(loops, cells, error));
    }
done:
    return status;
}

static enum masing_status write_joint(struct response_curve *curve,
                                      const struct joint_response *response, int n_samples,
                                      const struct masing_sink *loops,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double *samples = NULL, *x = NULL, *f = NULL;
    TRY(joint_loop_march(curve->balance, response, curve->best.omega, n_samples, &samples, &x,
                         &f, error));
    for (int a = 0; a < response->n_axes; a++) {
        TRY(write_rows(curve, loops, response->joint, a, x, f, n_samples, error));
    }
done:
    free(samples);
    return status;
}

enum masing_status response_loops_write(struct response_curve *curve,
                                        const struct masing_sink *loops,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = curve->balance;
    if (curve->best.measure < 0.0) {
        return MASING_OK;
    }
    int n_samples = joint_loop_samples(balance);
    TRY(balance_settle(balance, curve->best.y, curve->best.omega, false));
    for (int j = 0; j < balance->n_joints; j++) {
        int group = balance->joints[j]->joint->group;
        if (curve->model->spec.groups[group].n_joints > 1) {
            continue; /* a loop for each of a thousand contacts is nothing to look at */
        }
        TRY(write_joint(curve, balance->joints[j], n_samples, loops, error));
    }
done:
    return status;
}
