/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/residual_series.h"

#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "linalg/symmetric.h"

/* Columns that are solved at a time. */
enum { PANEL = 32 };
/* Bytes that the last powers of all ports may take. */
static const double MOST_BYTES = 1073741824.0;

/*
 * Of half of the powers x_t = (scale A^-1 M)^t A^-1 B all moments follow: B^T x_t, and beyond
 * those x_last^T scale M x_t. For that the last powers of all ports so far are kept; where they
 * are too large, each moment has its own solutions.
 */
struct panel {
    const struct residual_series *series;
    struct arena arena;
    size_t n_dofs, n; /* DOFs, ports */
    int n_powers;     /* that are solved for */
    bool are_kept;
    size_t first;
    int width;        /* of the ports first, first + 1, ... */
    double *x;        /* [n_dofs * PANEL] the power that was solved for last */
    double *products; /* scale M x of the powers, [n_powers] where they are kept, else [1] */
    double *last;     /* [n_dofs * n] the last power of all ports */
    double *inner, *wide, *block; /* scratch, block [n * PANEL] */
};

static enum masing_status prepare(struct panel *panel, struct masing_error *error)
{
    const struct residual_series *series = panel->series;
    size_t n_dofs = (size_t)series->mass->n, n = (size_t)series->n_ports;
    panel->n_dofs = n_dofs;
    panel->n = n;
    panel->are_kept = (double)(n_dofs * n) * sizeof(double) <= MOST_BYTES;
    panel->n_powers = panel->are_kept ? (series->n_terms + 1) / 2 : series->n_terms;
    panel->x = arena_doubles(&panel->arena, n_dofs * PANEL);
    panel->products = arena_doubles(
        &panel->arena, n_dofs * PANEL * (size_t)(panel->are_kept ? panel->n_powers : 1));
    panel->last = arena_doubles(&panel->arena, panel->are_kept ? n_dofs * n : 0);
    panel->inner = arena_doubles(&panel->arena, (size_t)series->modes->n * PANEL);
    panel->wide = arena_doubles(&panel->arena, 16 * n_dofs); /* of sparse_multiply_many */
    panel->block = arena_doubles(&panel->arena, n * PANEL);
    NEED_ALLOCATED(!panel->arena.has_failed);
    return MASING_OK;
}

double residual_series_port(const struct masing_combination *port, const double *x)
{
    double sum = 0.0;
    for (int t = 0; t < port->n_terms; t++) {
        sum += port->terms[t].weight * x[port->terms[t].dof];
    }
    return sum;
}

/* x = B's columns */
static void begin(struct panel *panel)
{
    memset(panel->x, 0, panel->n_dofs * (size_t)panel->width * sizeof *panel->x);
    for (size_t p = 0; p < (size_t)panel->width; p++) {
        const struct masing_combination *port = &panel->series->ports[panel->first + p];
        for (int t = 0; t < port->n_terms; t++) {
            panel->x[p * panel->n_dofs + (size_t)port->terms[t].dof] += port->terms[t].weight;
        }
    }
}

static double *moment_of(const struct panel *panel, double *moments, int t)
{
    return moments + (size_t)t * symmetric_size(panel->n);
}

/* B^T x, the panel's columns of the moment that belongs to the power: an entry is the mean of
 * what its two columns say. */
static void put_moment(const struct panel *panel, double *moment)
{
    for (size_t at = 0; at < (size_t)panel->width * panel->n; at++) {
        size_t row = at % panel->n, column = panel->first + at / panel->n;
        double value = residual_series_port(&panel->series->ports[row],
                                            panel->x + at / panel->n * panel->n_dofs);
        symmetric_add_entry(panel->n, moment, row, column, row == column ? value : 0.5 * value);
    }
}

/* Powers t, with their products. */
static enum masing_status solve_powers(struct panel *panel, double *moments,
                                       struct masing_error *error)
{
    const struct residual_series *series = panel->series;
    size_t count = panel->n_dofs * (size_t)panel->width;
    for (int t = 0; t < panel->n_powers; t++) {
        double *product =
            panel->products + (size_t)(panel->are_kept ? t : 0) * panel->n_dofs * PANEL;
        NEED(sparse_factor_solve(series->factor, panel->width, panel->x, error));
        sparse_modes_deflate(series->modes, (int)panel->n_dofs, panel->width, t > 0 ? 1 : 2,
                             panel->x, panel->inner);
        put_moment(panel, moment_of(panel, moments, t));
        if (panel->n_powers + t >= series->n_terms && t + 1 == panel->n_powers) {
            break; /* no moment asks for it */
        }
        sparse_multiply_many(series->mass, panel->width, panel->x, product, panel->wide);
        for (size_t i = 0; i < count; i++) {
            product[i] *= series->scale;
        }
        if (t + 1 < panel->n_powers) {
            memcpy(panel->x, product, count * sizeof *product);
        }
    }
    return MASING_OK;
}

/* Moments beyond the powers, between the panel's ports and all before them. */
static void put_products(struct panel *panel, double *moments)
{
    size_t rows = panel->first + (size_t)panel->width;
    memcpy(panel->last + panel->first * panel->n_dofs, panel->x,
           panel->n_dofs * (size_t)panel->width * sizeof *panel->x);
    for (int t = panel->n_powers; t < panel->series->n_terms; t++) {
        double *moment = moment_of(panel, moments, t);
        const double *product =
            panel->products + (size_t)(t - panel->n_powers) * panel->n_dofs * PANEL;
        dense_multiply_transposed((int)rows, panel->width, (int)panel->n_dofs, panel->last,
                                  product, panel->block);
        for (size_t at = 0; at < rows * (size_t)panel->width; at++) {
            size_t row = at % rows, column = panel->first + at / rows;
            if (row <= column) {
                symmetric_add_entry(panel->n, moment, row, column, panel->block[at]);
            }
        }
    }
}

/* From powers of Omega^2 + shift to powers of Omega^2: the polynomial is the same, and its
 * first term is the flexibility at rest. */
static void shift_back(const struct residual_series *series, double *moments)
{
    size_t size = symmetric_size((size_t)series->n_ports);
    double part = series->shift / series->scale;
    for (int t = 0; t < series->n_terms; t++) {
        double *to = moments + (size_t)t * size, factor = 1.0; /* (s over t) part^(s - t) */
        for (int s = t + 1; s < series->n_terms; s++) {
            const double *from = moments + (size_t)s * size;
            factor *= part * s / (s - t);
            for (size_t i = 0; i < size; i++) {
                to[i] += factor * from[i];
            }
        }
    }
}

enum masing_status residual_series_fill(const struct residual_series *series, double *moments,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct panel panel = {.series = series};
    TRY(prepare(&panel, error));
    for (; panel.first < panel.n; panel.first += PANEL) {
        panel.width = (int)(panel.n - panel.first < PANEL ? panel.n - panel.first : PANEL);
        begin(&panel);
        TRY(solve_powers(&panel, moments, error));
        if (panel.are_kept) {
            put_products(&panel, moments);
        }
    }
    shift_back(series, moments);
done:
    arena_clear(&panel.arena);
    return status;
}
