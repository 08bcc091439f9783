/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "analyses/mode/curve.h"
#include "base/sink.h"

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

/* What a walk looks at; at and taken are NULL while columns are declared. */
struct walk {
    const struct mode_curve *curve;
    const struct masing_mode_point *at;
    const struct curve_driver_point *taken;
};

static double group_loss(const struct mode_curve *curve, int group)
{
    const struct masing_joint_group *all = &curve->model->spec.groups[group];
    double loss = 0.0;
    for (int j = 0; j < all->n_joints; j++) {
        loss += curve->losses[all->first + j];
    }
    return loss;
}

static void walk_energies(struct row_table *table, const struct mode_curve *curve)
{
    const struct masing_spec *spec = &curve->model->spec;
    ROW_REAL(table, curve->energy_in, "energy_in");
    ROW_REAL(table, curve->structure_loss, "loss_structure");
    for (int g = 0; g < spec->n_groups; g++) {
        ROW_REAL(table, group_loss(curve, g), "loss_%s", spec->groups[g].name);
    }
}

static void walk_all(struct row_table *table, const void *context)
{
    const struct walk *walk = context;
    const struct mode_curve *curve = walk->curve;
    const struct masing_spec *spec = &curve->model->spec;
    ROW_INTEGER(table, walk->taken->solution.index, "point");
    if (curve->options->max_branches > 0) {
        ROW_INTEGER(table, 1 + walk->taken->solution.piece, "branch");
    }
    ROW_REAL(table, walk->at->amplitude, "amplitude");
    ROW_REAL(table, walk->at->frequency_hz, "frequency_hz");
    ROW_REAL(table, walk->at->damping_ratio, "damping_ratio");
    for (int o = 0; o < spec->n_outputs; o++) {
        for (int k = 0; k < spec->n_harmonics; k++) {
            if (spec->harmonics[k] > 0) {
                ROW_REAL(table, curve->amplitudes[o * spec->n_harmonics + k], "%s_h%d",
                         spec->outputs[o].name, spec->harmonics[k]);
            }
        }
    }
    if (curve->options->columns & MASING_COLUMNS_ENERGY) {
        walk_energies(table, curve);
    }
    ROW_CELL(table, MASING_COLUMN_TEXT, event_row_cell(&walk->taken->events), "event");
}

enum masing_status mode_rows_create(struct mode_curve *curve, struct masing_error *error)
{
    return row_table_create(&curve->table, walk_all, &(struct walk){.curve = curve}, error);
}

enum masing_status mode_rows_write(struct mode_curve *curve, const struct masing_mode_point *at,
                                   const struct curve_driver_point *taken,
                                   struct masing_error *error)
{
    if (!curve->rows) {
        return MASING_OK;
    }
    row_table_fill(&curve->table, walk_all, &(struct walk){curve, at, taken});
    return sink_row(curve->rows, curve->table.cells, error);
}
