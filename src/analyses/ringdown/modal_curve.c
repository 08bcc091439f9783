/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/ringdown/modal_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "masing/mode.h"

/* The sink's columns that are kept; all others are passed over. */
enum { AMPLITUDE, FREQUENCY, DAMPING, N_KEPT };

struct collector {
    struct modal_curve *curve;
    int column[N_KEPT];
};

static enum masing_status collect_open(void *context, const struct masing_column *columns,
                                       int n_columns, struct masing_error *error)
{
    static const char *const names[N_KEPT] = {"amplitude", "frequency_hz", "damping_ratio"};
    struct collector *collector = context;
    (void)error;
    for (int i = 0; i < n_columns; i++) {
        for (int j = 0; j < N_KEPT; j++) {
            if (strcmp(columns[i].name, names[j]) == 0) {
                collector->column[j] = i;
            }
        }
    }
    return MASING_OK;
}

static enum masing_status grow(struct modal_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int capacity = curve->capacity > 0 ? 2 * curve->capacity : 64;
    double **arrays[] = {&curve->x, &curve->frequency, &curve->damping};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        double *more = realloc(*arrays[i], (size_t)capacity * sizeof *more);
        TRY_ALLOCATED(more);
        *arrays[i] = more;
    }
    curve->capacity = capacity;
done:
    return status;
}

static enum masing_status collect_row(void *context, const struct masing_cell *cells,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct collector *collector = context;
    struct modal_curve *curve = collector->curve;
    double x = log(cells[collector->column[AMPLITUDE]].number);
    if (curve->n > 0 && x <= curve->x[curve->n - 1]) {
        return MASING_OK; /* a second row where an event was landed on, or a fold */
    }
    if (curve->n == curve->capacity) {
        TRY(grow(curve, error));
    }
    curve->x[curve->n] = x;
    curve->frequency[curve->n] = cells[collector->column[FREQUENCY]].number;
    curve->damping[curve->n] = cells[collector->column[DAMPING]].number;
    curve->n++;
done:
    return status;
}

static enum masing_status collect_end(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static void collect_nothing(void *context)
{
    (void)context;
}

enum masing_status modal_curve_create(const struct masing_model *model,
                                      struct modal_curve **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_mode_summary summary = {0};
    struct modal_curve *curve = memory_array(1, sizeof *curve);
    struct collector collector = {.curve = curve};
    const struct masing_sink sink = {&collector,  collect_open,    collect_row,
                                     collect_end, collect_nothing, collect_nothing};
    TRY_ALLOCATED(curve);
    TRY(masing_mode(model, NULL, &sink, &summary, error));
done:
    masing_mode_summary_clear(&summary);
    if (status != MASING_OK) {
        modal_curve_destroy(curve);
        curve = NULL;
    }
    *created = curve;
    return status;
}

void modal_curve_destroy(struct modal_curve *curve)
{
    if (curve) {
        free(curve->x);
        free(curve->frequency);
        free(curve->damping);
        free(curve);
    }
}

static double secant(const struct modal_curve *curve, const double *y, int k)
{
    return (y[k + 1] - y[k]) / (curve->x[k + 1] - curve->x[k]);
}

/* Slope at a point: the harmonic mean of the neighbouring secants, none where they have
 * opposite signs, so that nothing overshoots (Fritsch and Butland 1984). */
static double slope(const struct modal_curve *curve, const double *y, int k)
{
    if (k == 0 || k == curve->n - 1) {
        return secant(curve, y, k == 0 ? 0 : k - 1);
    }
    double left = secant(curve, y, k - 1), right = secant(curve, y, k);
    double h = curve->x[k] - curve->x[k - 1], next = curve->x[k + 1] - curve->x[k];
    if (!(left * right > 0.0)) {
        return 0.0;
    }
    return 3.0 * (h + next) / ((2.0 * next + h) / left + (next + 2.0 * h) / right);
}

static double interpolate(const struct modal_curve *curve, const double *y, int k, double x)
{
    double h = curve->x[k + 1] - curve->x[k], s = (x - curve->x[k]) / h, r = 1.0 - s;
    return y[k] * r * r * (1.0 + 2.0 * s) + y[k + 1] * s * s * (1.0 + 2.0 * r) +
           h * s * r * (r * slope(curve, y, k) - s * slope(curve, y, k + 1));
}

void modal_curve_at(const struct modal_curve *curve, double amplitude, double *frequency,
                    double *damping)
{
    double x = log(amplitude);
    int low = 0, high = curve->n - 1;
    *frequency = *damping = NAN;
    if (curve->n < 2 || !(x >= curve->x[0] && x <= curve->x[high])) {
        return;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (curve->x[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *frequency = interpolate(curve, curve->frequency, low, x);
    *damping = interpolate(curve, curve->damping, low, x);
}
