/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "analyses/mode_curve.h"
#include "base/check.h"
#include "base/memory.h"

/* With columns NULL it counts, else it names. */
static void declare(struct mode_curve *curve, enum masing_column_type type, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

static void declare(struct mode_curve *curve, enum masing_column_type type, const char *format,
                    ...)
{
    if (curve->columns) {
        struct masing_column *column = &curve->columns[curve->n_columns];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(column->name, sizeof column->name, format, arguments);
        va_end(arguments);
        column->type = type;
    }
    curve->n_columns++;
}

static void declare_all(struct mode_curve *curve)
{
    const struct masing_spec *spec = &curve->model->spec;
    curve->n_columns = 0;
    declare(curve, MASING_COLUMN_INTEGER, "point");
    if (curve->options->max_branches > 0) {
        declare(curve, MASING_COLUMN_INTEGER, "branch");
    }
    declare(curve, MASING_COLUMN_REAL, "amplitude");
    declare(curve, MASING_COLUMN_REAL, "frequency_hz");
    declare(curve, MASING_COLUMN_REAL, "damping_ratio");
    for (int o = 0; o < spec->n_outputs; o++) {
        for (int k = 0; k < spec->n_harmonics; k++) {
            if (spec->harmonics[k] > 0) {
                declare(curve, MASING_COLUMN_REAL, "%s_h%d", spec->outputs[o].name,
                        spec->harmonics[k]);
            }
        }
    }
    if (curve->options->columns & MASING_COLUMNS_ENERGY) {
        declare(curve, MASING_COLUMN_REAL, "energy_in");
        declare(curve, MASING_COLUMN_REAL, "loss_structure");
        for (int g = 0; g < spec->n_groups; g++) {
            declare(curve, MASING_COLUMN_REAL, "loss_%s", spec->groups[g].name);
        }
    }
    declare(curve, MASING_COLUMN_TEXT, "event");
}

enum masing_status mode_rows_create(struct mode_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    declare_all(curve);
    curve->columns = memory_array((size_t)curve->n_columns, sizeof *curve->columns);
    curve->cells = memory_array((size_t)curve->n_columns, sizeof *curve->cells);
    TRY_ALLOCATED(curve->columns && curve->cells);
    declare_all(curve);
done:
    return status;
}

/* Amplitude of one harmonic of an output, its pattern [n_modes] in modal coordinates. */
static double amplitude_of(const struct modal_balance *balance, const double *pattern,
                           int harmonic_index, enum masing_quantity quantity)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes, h = basis->harmonics[harmonic_index];
    const double *p = balance->p + (size_t)basis->position[harmonic_index] * (size_t)n;
    double cosine = 0.0, sine = 0.0;
    for (int i = 0; i < n; i++) {
        cosine += pattern[i] * p[i];
        sine += h > 0 ? pattern[i] * p[n + i] : 0.0;
    }
    return hypot(cosine, sine) * pow(h * balance->omega, (int)quantity);
}

void mode_rows_measure(struct mode_curve *curve)
{
    const struct masing_spec *spec = &curve->model->spec;
    for (int o = 0; o < spec->n_outputs; o++) {
        const double *pattern = curve->outputs + (size_t)o * (size_t)curve->balance->n_modes;
        for (int k = 0; k < spec->n_harmonics; k++) {
            curve->amplitudes[o * spec->n_harmonics + k] =
                amplitude_of(curve->balance, pattern, k, spec->outputs[o].quantity);
        }
    }
}

static struct masing_cell *put(struct masing_cell *cell, double number)
{
    *cell = (struct masing_cell){.number = number};
    return cell + 1;
}

static struct masing_cell *put_energies(const struct mode_curve *curve,
                                        struct masing_cell *cell)
{
    const struct masing_spec *spec = &curve->model->spec;
    cell = put(cell, curve->energy_in);
    cell = put(cell, curve->structure_loss);
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        double loss = 0.0;
        for (int j = 0; j < group->n_joints; j++) {
            loss += curve->losses[group->first + j];
        }
        cell = put(cell, loss);
    }
    return cell;
}

enum masing_status mode_rows_write(struct mode_curve *curve, const struct masing_mode_point *at,
                                   const struct curve_driver_point *taken,
                                   struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    struct masing_cell *cell = curve->cells;
    if (!curve->rows) {
        return MASING_OK;
    }
    cell = put(cell, taken->solution.index);
    if (curve->options->max_branches > 0) {
        cell = put(cell, 1 + taken->solution.piece);
    }
    cell = put(cell, at->amplitude);
    cell = put(cell, at->frequency_hz);
    cell = put(cell, at->damping_ratio);
    for (int i = 0; i < spec->n_outputs * spec->n_harmonics; i++) {
        if (spec->harmonics[i % spec->n_harmonics] > 0) {
            cell = put(cell, curve->amplitudes[i]);
        }
    }
    if (curve->options->columns & MASING_COLUMNS_ENERGY) {
        cell = put_energies(curve, cell);
    }
    *cell = event_row_cell(&taken->events);
    return curve->rows->row(curve->rows->context, curve->cells, error);
}
