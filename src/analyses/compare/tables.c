/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The three tables of a comparison: points, loops of joints, and the curve for a picture. */
#include <math.h>
#include <stdlib.h>

#include "analyses/compare/comparison.h"
#include "analyses/response/joint_rows.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/pi.h"
#include "model/joints.h"

/* Of the integration's steps a picture shows about so many as dots. */
enum { DOTS = 80 };

static const char by_balance[] = "harmonic balance", in_time[] = "time integration";

/* ---- points ---- */

/* Context of the walk of a point; passed: -1 where nothing is judged. */
struct point_walk {
    const struct comparison *comparison;
    size_t index;
    int passed;
};

static const char *settled_name(enum settled settled)
{
    static const char *const names[N_SETTLED] = {"",      "same",         "offset",
                                                 "point", "sub-harmonic", "other"};
    return names[settled];
}

static void walk_cold(struct row_table *table, const struct comparison *comparison)
{
    const char *output = comparison->model->spec.outputs[0].name;
    const struct integrated *cold = &comparison->cold;
    ROW_REAL(table, cold->motion.outputs[0].max, "%.80s_max_cold", output);
    ROW_REAL(table, cold->motion.outputs[0].h1, "%.80s_h1_cold", output);
    ROW_REAL(table, cold->difference, "relative_difference_cold");
    ROW_REAL(table, cold->seconds, "seconds_cold");
}

static void walk_differences(struct row_table *table, const struct comparison *comparison,
                             int output)
{
    const struct motion_differences *differences = &comparison->warm.differences;
    const struct basis *basis = comparison->balance.basis;
    const char *name = comparison->model->spec.outputs[output].name;
    int n = differences->n_waves, skipped = basis->n_harmonics - n;
    ROW_REAL(table, comparison->balance.outputs[output].mean, "%.80s_mean_hb", name);
    ROW_REAL(table, comparison->warm.motion.outputs[output].mean, "%.80s_mean_ti", name);
    ROW_REAL(table, differences->outputs[output].max, "%.80s_max_difference", name);
    ROW_REAL(table, differences->outputs[output].mean, "%.80s_mean_difference", name);
    for (int k = 0; k < n; k++) {
        ROW_REAL(table, differences->waves[output * n + k], "%.80s_h%d_difference", name,
                 basis->harmonics[k + skipped]);
    }
}

static void walk_settled(struct row_table *table, const struct integrated *integrated,
                         const char *suffix)
{
    ROW_TEXT(table, settled_name(integrated->settled), "settled_on%s", suffix);
    ROW_INTEGER(table, integrated->point < 0 ? (double)NAN : integrated->point,
                "settled_point%s", suffix);
    ROW_INTEGER(table, integrated->order > 0 ? integrated->order : (double)NAN,
                "period_multiple%s", suffix);
}

static void walk_first(struct row_table *table, const struct comparison *comparison,
                       size_t index)
{
    const struct compared_motion *balance = &comparison->balance;
    const struct integrated *warm = &comparison->warm;
    const char *name = comparison->model->spec.outputs[0].name;
    ROW_REAL(table, hertz(comparison->points.omega[index]), "frequency_hz");
    ROW_REAL(table, balance->outputs[0].max, "%.80s_max_hb", name);
    ROW_REAL(table, warm->motion.outputs[0].max, "%.80s_max_ti", name);
    ROW_REAL(table, warm->difference, "relative_difference");
    ROW_REAL(table, comparison->summary->seconds_hb, "seconds_hb");
    ROW_REAL(table, warm->seconds, "seconds_ti");
    ROW_TEXT(table, comparison->measure, "measure");
    ROW_INTEGER(table, warm->cycles, "cycles");
    ROW_REAL(table, balance->outputs[0].h1, "%.80s_h1_hb", name);
    ROW_REAL(table, warm->motion.outputs[0].h1, "%.80s_h1_ti", name);
}

static void walk_point(struct row_table *table, const void *context)
{
    const struct point_walk *walk = context;
    const struct comparison *comparison = walk->comparison;
    const struct masing_spec *spec = &comparison->model->spec;
    const struct compared_motion *balance = &comparison->balance;
    const struct integrated *warm = &comparison->warm;
    const struct masing_compare_options *options = comparison->options;
    walk_first(table, comparison, walk->index);
    if (options->is_cold) {
        walk_cold(table, comparison);
    }
    for (int i = 1; i < spec->n_outputs; i++) {
        const char *name = spec->outputs[i].name;
        ROW_REAL(table, balance->outputs[i].max, "%.80s_max_hb", name);
        ROW_REAL(table, warm->motion.outputs[i].max, "%.80s_max_ti", name);
        ROW_REAL(table, balance->outputs[i].h1, "%.80s_h1_hb", name);
        ROW_REAL(table, warm->motion.outputs[i].h1, "%.80s_h1_ti", name);
    }
    ROW_INTEGER(table, (double)walk->index, "point");
    walk_settled(table, warm, "");
    if (options->is_cold) {
        walk_settled(table, &comparison->cold, "_cold");
    }
    ROW_INTEGER(table, walk->passed < 0 ? (double)NAN : walk->passed, "passed");
    ROW_REAL(table, balance->joint_loss, "joint_loss_hb");
    ROW_REAL(table, warm->motion.joint_loss, "joint_loss_ti");
    ROW_REAL(table, warm->differences.joint_loss, "joint_loss_difference");
    for (int i = 0; i < spec->n_outputs; i++) {
        walk_differences(table, comparison, i);
    }
    if (options->has_errors) {
        const struct accuracies *accuracies = &comparison->accuracies;
        ROW_REAL(table, accuracies->hb, "error_hb");
        ROW_REAL(table, accuracies->ti, "error_ti");
        ROW_INTEGER(table, accuracies->steps, "steps_equal");
        ROW_REAL(table, accuracies->seconds, "seconds_equal");
    }
}

/* ---- the curve and the integrations on it ---- */

/* One place of the picture. */
struct curve_walk {
    const char *output; /* name */
    const char *method;
    double omega, value;
    bool is_dot;
};

static void walk_curve(struct row_table *table, const void *context)
{
    const struct curve_walk *walk = context;
    ROW_TEXT(table, walk->method, "method");
    ROW_REAL(table, hertz(walk->omega), "frequency_hz");
    ROW_REAL(table, walk->value, "%.80s_max", walk->output);
    ROW_INTEGER(table, walk->is_dot, "is_dot");
}

enum masing_status comparison_open_curve(struct comparison *comparison,
                                         struct masing_error *error)
{
    const struct curve_walk walk = {.output = comparison->model->spec.outputs[0].name};
    return row_sink_begin(&comparison->curve_table, comparison->options->curve, walk_curve,
                          &walk, error);
}

static enum masing_status write_place(struct comparison *comparison, const char *method,
                                      double omega, double value, struct masing_error *error)
{
    const struct curve_walk walk = {
        .method = method, .omega = omega, .value = value, .is_dot = method != by_balance};
    return row_sink_write(&comparison->curve_table, &walk, error);
}

enum masing_status comparison_write_curve(struct comparison *comparison, double omega,
                                          double largest, struct masing_error *error)
{
    return write_place(comparison, by_balance, omega, largest, error);
}

/* ---- loops ---- */

/* A row of a loop and what the rows of the loop share. */
struct loop_walk {
    size_t index;
    double hz;
    char joint[MASING_COLUMN_NAME];
    const char *method;
    double x, f;
    bool is_dot, is_shown; /* is_shown: a picture shows this row */
};

static void walk_loop(struct row_table *table, const void *context)
{
    const struct loop_walk *walk = context;
    ROW_INTEGER(table, (double)walk->index, "point");
    ROW_REAL(table, walk->hz, "frequency_hz");
    ROW_TEXT(table, walk->joint, "joint");
    ROW_TEXT(table, walk->method, "method");
    ROW_REAL(table, walk->x, "displacement");
    ROW_REAL(table, walk->f, "force");
    ROW_INTEGER(table, walk->is_dot, "is_dot");
    ROW_TEXT(table, walk->is_shown ? walk->joint : NULL, "shown");
}

static enum masing_status write_balance_loop(struct comparison *comparison,
                                             struct loop_walk *loop,
                                             const struct joint_response *response,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = comparison->curve->balance;
    int n_samples = joint_rows_samples(balance);
    size_t n_axes = (size_t)response->n_axes;
    double *samples = NULL, *x = NULL, *f = NULL;
    TRY(joint_rows_march(balance, response, TWO_PI * loop->hz, n_samples, &samples, &x, &f,
                         error));
    loop->method = by_balance;
    for (size_t a = 0; a < n_axes; a++) {
        joint_axis_text(response->joint->spec, (int)a, loop->joint, sizeof loop->joint);
        for (int i = 0; i <= n_samples; i++) {
            size_t at = (size_t)(i % n_samples) * n_axes + a;
            loop->x = x[at];
            loop->f = f[at];
            TRY(row_sink_write(&comparison->loops, loop, error));
        }
    }
done:
    free(samples);
    return status;
}

/* The place of a joint's axis among those whose loops were kept. */
static int place_of(const struct compared_motion *motion, int axis)
{
    int i = 0;
    while (i < motion->n_loop_axes && motion->loop_axes[i] != axis) {
        i++;
    }
    return i;
}

static enum masing_status write_integrated_loop(struct comparison *comparison,
                                                struct loop_walk *loop,
                                                const struct joint *joint,
                                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct compared_motion *motion = &comparison->warm.motion;
    int stride = motion->n_loop_steps > DOTS ? motion->n_loop_steps / DOTS : 1;
    bool is_shown = loop->is_shown;
    loop->method = in_time;
    loop->is_dot = true;
    for (int a = 0; motion->loop_x && a < joint->n_axes; a++) {
        int place = place_of(motion, joint->first_axis + a);
        joint_axis_text(joint->spec, a, loop->joint, sizeof loop->joint);
        for (int i = 0; i <= motion->n_loop_steps; i++) {
            size_t at = (size_t)i * (size_t)motion->n_loop_axes + (size_t)place;
            loop->x = motion->loop_x[at];
            loop->f = motion->loop_f[at];
            loop->is_shown = is_shown && i % stride == 0;
            TRY(row_sink_write(&comparison->loops, loop, error));
        }
    }
done:
    return status;
}

static enum masing_status write_loops(struct comparison *comparison, size_t index,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct balance *balance = comparison->curve->balance;
    double omega = comparison->points.omega[index];
    const struct loop_walk blank = {
        .index = index, .hz = hertz(omega), .is_shown = index == comparison->largest};
    const double *y = saved_points_restore(&comparison->points, index, balance);
    TRY(balance_settle(balance, y, omega, false));
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        if (comparison->model->spec.groups[joint->group].n_joints == 1) {
            struct loop_walk loop = blank;
            TRY(write_balance_loop(comparison, &loop, balance->joints[j], error));
            TRY(write_integrated_loop(comparison, &loop, joint, error));
        }
    }
done:
    return status;
}

/* ---- all of them ---- */

enum masing_status comparison_open_rows(struct comparison *comparison,
                                        const struct masing_sink *rows,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct point_walk walk = {.comparison = comparison};
    TRY(row_sink_begin(&comparison->rows, rows, walk_point, &walk, error));
    TRY(row_sink_begin(&comparison->loops, comparison->options->loops, walk_loop, NULL, error));
done:
    return status;
}

enum masing_status comparison_write(struct comparison *comparison, size_t index, int passed,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double omega = comparison->points.omega[index];
    const struct point_walk walk = {comparison, index, passed};
    TRY(row_sink_write(&comparison->rows, &walk, error));
    TRY(write_place(comparison, in_time, omega, comparison->warm.motion.outputs[0].max, error));
    if (comparison->options->is_cold) {
        TRY(write_place(comparison, "time, from rest", omega,
                        comparison->cold.motion.outputs[0].max, error));
    }
    if (comparison->options->loops) {
        TRY(write_loops(comparison, index, error));
    }
done:
    return status;
}

enum masing_status comparison_close_tables(struct comparison *comparison,
                                           enum masing_status status,
                                           struct masing_error *error)
{
    struct row_sink *tables[] = {&comparison->rows, &comparison->loops,
                                 &comparison->curve_table};
    enum masing_status first = status;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        enum masing_status ended = row_sink_end(tables[i], first, error);
        status = ended != first ? ended : status;
    }
    return status;
}
