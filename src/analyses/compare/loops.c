/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of the joints by both methods. */
#include <stdio.h>
#include <stdlib.h>

#include "analyses/compare/comparison.h"
#include "analyses/response/joint_loop.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/pi.h"
#include "base/sink.h"
#include "model/joint_axes.h"

/* Of the integration's steps a picture shows about so many as dots. */
enum { DOTS = 80 };

static const char by_balance[] = "harmonic balance", in_time[] = "time integration";

void comparison_loop_columns(struct masing_column columns[COMPARISON_LOOP_COLUMNS])
{
    static const struct masing_column all[COMPARISON_LOOP_COLUMNS] = {
        {"point", MASING_COLUMN_INTEGER},     {"frequency_hz", MASING_COLUMN_REAL},
        {"joint", MASING_COLUMN_TEXT},        {"method", MASING_COLUMN_TEXT},
        {"displacement", MASING_COLUMN_REAL}, {"force", MASING_COLUMN_REAL},
        {"is_dot", MASING_COLUMN_INTEGER},    {"shown", MASING_COLUMN_TEXT},
    };
    for (int i = 0; i < COMPARISON_LOOP_COLUMNS; i++) {
        columns[i] = all[i];
    }
}

/* What the rows of one loop share. */
struct loop {
    size_t index;
    double hz;
    char joint[MASING_COLUMN_NAME];
    const char *method;
    bool is_dotted;
};

static enum masing_status write(const struct comparison *comparison, const struct loop *loop,
                                double x, double f, bool is_shown, struct masing_error *error)
{
    const struct masing_cell cells[COMPARISON_LOOP_COLUMNS] = {
        {.number = (double)loop->index},
        {.number = loop->hz},
        {.text = loop->joint},
        {.text = loop->method},
        {.number = x},
        {.number = f},
        {.number = loop->is_dotted},
        {.text = is_shown ? loop->joint : NULL},
    };
    return sink_row(comparison->loops, cells, error);
}

static enum masing_status write_balance(const struct comparison *comparison, struct loop *loop,
                                        const struct joint_response *response, bool is_shown,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = comparison->curve->balance;
    int n_samples = joint_loop_samples(balance);
    size_t n_axes = (size_t)response->n_axes;
    double *samples = NULL, *x = NULL, *f = NULL;
    TRY(joint_loop_march(balance, response, TWO_PI * loop->hz, n_samples, &samples, &x, &f,
                         error));
    loop->method = by_balance;
    loop->is_dotted = false;
    for (size_t a = 0; a < n_axes; a++) {
        joint_axis_text(response->joint->spec, (int)a, loop->joint, sizeof loop->joint);
        for (int i = 0; i <= n_samples; i++) {
            size_t at = (size_t)(i % n_samples) * n_axes + a;
            TRY(write(comparison, loop, x[at], f[at], is_shown, error));
        }
    }
done:
    free(samples);
    return status;
}

/* Where an axis of a joint stands among those whose loops were kept. */
static int place_of(const struct compared_motion *motion, int axis)
{
    int i = 0;
    while (i < motion->n_loop_axes && motion->loop_axes[i] != axis) {
        i++;
    }
    return i;
}

static enum masing_status write_integrated(const struct comparison *comparison,
                                           struct loop *loop, const struct joint *joint,
                                           bool is_shown, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct compared_motion *motion = comparison->warm.motion;
    int stride = motion->n_loop_steps > DOTS ? motion->n_loop_steps / DOTS : 1;
    loop->method = in_time;
    loop->is_dotted = true;
    for (int a = 0; motion->loop_x && a < joint->n_axes; a++) {
        int place = place_of(motion, joint->first_axis + a);
        joint_axis_text(joint->spec, a, loop->joint, sizeof loop->joint);
        for (int i = 0; i <= motion->n_loop_steps; i++) {
            size_t at = (size_t)i * (size_t)motion->n_loop_axes + (size_t)place;
            TRY(write(comparison, loop, motion->loop_x[at], motion->loop_f[at],
                      is_shown && i % stride == 0, error));
        }
    }
done:
    return status;
}

enum masing_status comparison_write_loops(struct comparison *comparison, size_t index,
                                          bool is_shown, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = comparison->curve->balance;
    double omega = comparison->points.omega[index];
    struct loop loop = {.index = index, .hz = hertz(omega)};
    const double *y = kept_points_restore(&comparison->points, index, balance);
    TRY(balance_settle(balance, y, omega, false));
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        if (comparison->model->spec.groups[joint->group].n_joints == 1) {
            TRY(write_balance(comparison, &loop, balance->joints[j], is_shown, error));
            TRY(write_integrated(comparison, &loop, joint, is_shown, error));
        }
    }
done:
    return status;
}
