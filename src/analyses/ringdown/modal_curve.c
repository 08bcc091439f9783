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

static enum masing_status collect_row(void *context, const struct masing_cell *cells,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct collector *collector = context;
    struct modal_curve *curve = collector->curve;
    const struct modal_curve_point point = {
        .x = log(cells[collector->column[AMPLITUDE]].number),
        .value = {cells[collector->column[FREQUENCY]].number,
                  cells[collector->column[DAMPING]].number},
    };
    if (curve->n > 0 && point.x <= curve->points[curve->n - 1].x) {
        return MASING_OK; /* a second row where an event was landed on, or a fold */
    }
    TRY_ALLOCATED(memory_grow((void **)&curve->points, curve->n + 1, &curve->capacity,
                              sizeof *curve->points));
    curve->points[curve->n++] = point;
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
        free(curve->points);
        free(curve);
    }
}

static double secant(const struct modal_curve_point *p, int which)
{
    return (p[1].value[which] - p[0].value[which]) / (p[1].x - p[0].x);
}

/* Slope at a point: the harmonic mean of the neighbouring secants, none where they have
 * opposite signs, so that nothing overshoots (Fritsch and Butland 1984). */
static double slope(const struct modal_curve *curve, int which, size_t k)
{
    const struct modal_curve_point *p = curve->points + k;
    if (k == 0 || k == curve->n - 1) {
        return secant(k == 0 ? p : p - 1, which);
    }
    double left = secant(p - 1, which), right = secant(p, which);
    double h = p[0].x - p[-1].x, next = p[1].x - p[0].x;
    if (!(left * right > 0.0)) {
        return 0.0;
    }
    return 3.0 * (h + next) / ((2.0 * next + h) / left + (next + 2.0 * h) / right);
}

static double interpolate(const struct modal_curve *curve, int which, size_t k, double x)
{
    const struct modal_curve_point *p = curve->points + k;
    double h = p[1].x - p[0].x, s = (x - p[0].x) / h, r = 1.0 - s;
    return p[0].value[which] * r * r * (1.0 + 2.0 * s) +
           p[1].value[which] * s * s * (1.0 + 2.0 * r) +
           h * s * r * (r * slope(curve, which, k) - s * slope(curve, which, k + 1));
}

void modal_curve_at(const struct modal_curve *curve, double amplitude, double *frequency,
                    double *damping)
{
    double x = log(amplitude);
    size_t low = 0, high = curve->n - 1;
    *frequency = *damping = NAN;
    if (curve->n < 2 || !(x >= curve->points[0].x && x <= curve->points[high].x)) {
        return;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (curve->points[middle].x <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *frequency = interpolate(curve, 0, low, x);
    *damping = interpolate(curve, 1, low, x);
}
