/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/compare/comparison.h"
#include "base/check.h"
#include "base/hertz.h"
#include "base/memory.h"
#include "base/sink.h"

/* Columns are declared and cells put by the same walk: counted, then named, then filled. */
struct walk {
    struct masing_column *columns; /* NULL: none are named */
    struct masing_cell *cells;     /* NULL: none are filled */
    int n;
};

static void put(struct walk *walk, enum masing_column_type type, double number,
                const char *text, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void put(struct walk *walk, enum masing_column_type type, double number,
                const char *text, const char *format, ...)
{
    if (walk->columns) {
        struct masing_column *column = &walk->columns[walk->n];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(column->name, sizeof column->name, format, arguments);
        va_end(arguments);
        column->type = type;
    }
    if (walk->cells) {
        walk->cells[walk->n] = (struct masing_cell){.number = number, .text = text};
    }
    walk->n++;
}

static void put_real(struct walk *walk, double number, const char *name)
{
    put(walk, MASING_COLUMN_REAL, number, NULL, "%s", name);
}

static void put_cold(struct walk *walk, const struct comparison *comparison)
{
    const char *output = comparison->model->spec.outputs[0].name;
    const struct integrated *cold = &comparison->cold;
    put(walk, MASING_COLUMN_REAL, cold->motion->max[0], NULL, "%.80s_max_cold", output);
    put(walk, MASING_COLUMN_REAL, cold->motion->h1[0], NULL, "%.80s_h1_cold", output);
    put_real(walk, cold->difference, "relative_difference_cold");
    put_real(walk, cold->seconds, "seconds_cold");
}

static void put_differences(struct walk *walk, const struct comparison *comparison, int output)
{
    const struct motion_differences *differences = comparison->warm.differences;
    const struct basis *basis = comparison->balance->basis;
    const char *name = comparison->model->spec.outputs[output].name;
    int n = differences->n_waves, skipped = basis->n_harmonics - n;
    put(walk, MASING_COLUMN_REAL, comparison->balance->mean[output], NULL, "%.80s_mean_hb",
        name);
    put(walk, MASING_COLUMN_REAL, comparison->warm.motion->mean[output], NULL, "%.80s_mean_ti",
        name);
    put(walk, MASING_COLUMN_REAL, differences->max[output], NULL, "%.80s_max_difference", name);
    put(walk, MASING_COLUMN_REAL, differences->mean[output], NULL, "%.80s_mean_difference",
        name);
    for (int k = 0; k < n; k++) {
        put(walk, MASING_COLUMN_REAL, differences->waves[output * n + k], NULL,
            "%.80s_h%d_difference", name, basis->harmonics[k + skipped]);
    }
}

static void put_settled(struct walk *walk, const struct integrated *integrated,
                        const char *suffix)
{
    put(walk, MASING_COLUMN_TEXT, NAN, comparison_settled_name(integrated->settled),
        "settled_on%s", suffix);
    put(walk, MASING_COLUMN_INTEGER, integrated->point < 0 ? (double)NAN : integrated->point,
        NULL, "settled_point%s", suffix);
    put(walk, MASING_COLUMN_INTEGER, integrated->order > 0 ? integrated->order : (double)NAN,
        NULL, "period_multiple%s", suffix);
}

static void put_first(struct walk *walk, const struct comparison *comparison, double omega)
{
    const struct compared_motion *balance = comparison->balance;
    const struct integrated *warm = &comparison->warm;
    const char *name = comparison->model->spec.outputs[0].name;
    put_real(walk, hertz(omega), "frequency_hz");
    put(walk, MASING_COLUMN_REAL, balance->max[0], NULL, "%.80s_max_hb", name);
    put(walk, MASING_COLUMN_REAL, warm->motion->max[0], NULL, "%.80s_max_ti", name);
    put_real(walk, warm->difference, "relative_difference");
    put_real(walk, comparison->summary->seconds_hb, "seconds_hb");
    put_real(walk, warm->seconds, "seconds_ti");
    put(walk, MASING_COLUMN_TEXT, NAN, comparison->measure, "measure");
    put(walk, MASING_COLUMN_INTEGER, warm->cycles, NULL, "cycles");
    put(walk, MASING_COLUMN_REAL, balance->h1[0], NULL, "%.80s_h1_hb", name);
    put(walk, MASING_COLUMN_REAL, warm->motion->h1[0], NULL, "%.80s_h1_ti", name);
}

static void walk_row(struct walk *walk, const struct comparison *comparison, size_t index,
                     int passed)
{
    const struct masing_spec *spec = &comparison->model->spec;
    const struct compared_motion *balance = comparison->balance;
    const struct integrated *warm = &comparison->warm;
    const struct masing_compare_options *options = comparison->options;
    put_first(walk, comparison, walk->cells ? comparison->points.omega[index] : 0.0);
    if (options->is_cold) {
        put_cold(walk, comparison);
    }
    for (int i = 1; i < spec->n_outputs; i++) {
        const char *name = spec->outputs[i].name;
        put(walk, MASING_COLUMN_REAL, balance->max[i], NULL, "%.80s_max_hb", name);
        put(walk, MASING_COLUMN_REAL, warm->motion->max[i], NULL, "%.80s_max_ti", name);
        put(walk, MASING_COLUMN_REAL, balance->h1[i], NULL, "%.80s_h1_hb", name);
        put(walk, MASING_COLUMN_REAL, warm->motion->h1[i], NULL, "%.80s_h1_ti", name);
    }
    put(walk, MASING_COLUMN_INTEGER, (double)index, NULL, "point");
    put_settled(walk, warm, "");
    if (options->is_cold) {
        put_settled(walk, &comparison->cold, "_cold");
    }
    put(walk, MASING_COLUMN_INTEGER, passed < 0 ? (double)NAN : passed, NULL, "passed");
    put_real(walk, balance->joint_loss, "joint_loss_hb");
    put_real(walk, warm->motion->joint_loss, "joint_loss_ti");
    put_real(walk, warm->differences->joint_loss, "joint_loss_difference");
    for (int i = 0; i < spec->n_outputs; i++) {
        put_differences(walk, comparison, i);
    }
    if (options->has_errors) {
        const struct accuracies *accuracies = &comparison->accuracies;
        put_real(walk, accuracies->hb, "error_hb");
        put_real(walk, accuracies->ti, "error_ti");
        put(walk, MASING_COLUMN_INTEGER, accuracies->steps, NULL, "steps_equal");
        put_real(walk, accuracies->seconds, "seconds_equal");
    }
}

enum masing_status comparison_create_rows(struct comparison *comparison,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct walk walk = {0};
    walk_row(&walk, comparison, 0, -1);
    comparison->n_columns = walk.n;
    comparison->columns = memory_array((size_t)walk.n, sizeof *comparison->columns);
    comparison->cells = memory_array((size_t)walk.n, sizeof *comparison->cells);
    TRY_ALLOCATED(comparison->columns && comparison->cells);
    walk = (struct walk){.columns = comparison->columns};
    walk_row(&walk, comparison, 0, -1);
done:
    return status;
}

enum masing_status comparison_write_row(struct comparison *comparison, size_t index, int passed,
                                        struct masing_error *error)
{
    struct walk walk = {.cells = comparison->cells};
    if (!comparison->rows) {
        return MASING_OK;
    }
    walk_row(&walk, comparison, index, passed);
    return sink_row(comparison->rows, comparison->cells, error);
}
